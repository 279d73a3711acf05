import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { SETTINGS_TOKEN, type Settings } from '../kernel/config/settings.js';
import { InstanceSecrets } from '../kernel/database/instance-secrets.js';
import { newHex } from '../kernel/ids/ids.js';
import { isSameSecret } from '../kernel/ids/same-secret.js';
import { BrowserAddress, cookieOf, firstOf } from '../kernel/http/browser-address.js';
import { RequestOrigins } from '../kernel/http/request-origins.js';
import { ConsentError } from './consent-error.js';

/** Marks a request of the server itself, which installs an app for a test; the value is secret. */
const ACTING = 'x-understudy-consenting';

/** What is known of the browser behind a request: its cookie, its path, the page it came from. */
@Injectable()
export class ConsentBrowser {
  private readonly cookie: string;
  private readonly acting = newHex(32);

  constructor(
    private readonly address: BrowserAddress,
    private readonly origins: RequestOrigins,
    secrets: InstanceSecrets,
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
  ) {
    // cookies ignore ports, so the name separates two servers on one machine
    this.cookie = `svc_consent_${secrets.key('consent-cookie').toString('hex').slice(0, 8)}`;
  }

  /** The path of the server as this browser sees it; begins and ends with a slash. */
  pathFor(request: FastifyRequest): string {
    return this.address.pathFor(request);
  }

  secretOf(request: FastifyRequest): string | undefined {
    return cookieOf(request, this.cookie);
  }

  /** The `Set-Cookie` header for an hour. */
  cookieWith(request: FastifyRequest, secret: string): string {
    return [
      `${this.cookie}=${secret}`,
      'HttpOnly',
      'SameSite=Lax',
      `Path=${this.pathFor(request)}oauth`,
      'Max-Age=3600',
      ...(this.address.isHttps(request) ? ['Secure'] : []),
    ].join('; ');
  }

  /** A header by which the server itself consents as somebody, without the page's sign-in. */
  actingAs(accountId: string): Record<string, string> {
    return { [ACTING]: `${this.acting} ${accountId}` };
  }

  /** As whom the server itself consents; undefined for everybody else's requests. */
  actingOf({ headers }: FastifyRequest): string | undefined {
    const [secret = '', accountId] = String(headers[ACTING] ?? '').split(' ');
    return secret !== '' && isSameSecret(secret, this.acting) ? accountId : undefined;
  }

  /** A form of our own page is sent by that page. @throws ConsentError 403 cross_origin */
  requireOwnPage(request: FastifyRequest): void {
    const { headers } = request;
    const site = firstOf(headers['sec-fetch-site']);
    const { origin } = headers;
    // pages without a referrer send the origin `null`; Sec-Fetch-Site then says where they are
    const isForeign =
      origin !== undefined && !(origin === 'null' && site === 'same-origin') && !this.isOurs(origin, request);
    if (site === 'cross-site' || isForeign)
      throw new ConsentError(403, 'cross_origin', 'Another site may not decide on this page.');
  }

  private isOurs(origin: string, request: FastifyRequest): boolean {
    const vendor = this.address.vendorOf(request);
    if (vendor !== undefined) return origin === `https://${vendor}`;
    // pages of other origins that the settings allow elsewhere may not decide for people
    return !this.settings.allowedOrigins.includes(origin) && this.origins.allows(origin, request.headers.host);
  }
}
