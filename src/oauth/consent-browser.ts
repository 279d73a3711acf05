import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { SETTINGS_TOKEN, type Settings } from '../kernel/config/settings.js';
import { InstanceSecrets } from '../kernel/database/instance-secrets.js';
import { BrowserAddress, cookieOf, firstOf } from '../kernel/http/browser-address.js';
import { RequestOrigins } from '../kernel/http/request-origins.js';
import { ConsentError } from './consent-error.js';

/** What is known of the browser behind a request: its cookie, its path, the page it came from. */
@Injectable()
export class ConsentBrowser {
  private readonly cookie: string;

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

  /** A form of our own page is sent by that page. @throws ConsentError 403 cross_origin */
  requireOwnPage({ headers }: FastifyRequest): void {
    const site = firstOf(headers['sec-fetch-site']);
    const { origin } = headers;
    // pages without a referrer send the origin `null`; Sec-Fetch-Site then says where they are
    const isForeign =
      origin !== undefined && !(origin === 'null' && site === 'same-origin') && !this.isOurs(origin, headers.host);
    if (site === 'cross-site' || isForeign)
      throw new ConsentError(403, 'cross_origin', 'Another site may not decide on this page.');
  }

  private isOurs(origin: string, host: string | undefined): boolean {
    // pages of other origins that the settings allow elsewhere may not decide for people
    return !this.settings.allowedOrigins.includes(origin) && this.origins.allows(origin, host);
  }
}
