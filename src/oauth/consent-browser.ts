import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { SETTINGS_TOKEN, type Settings } from '../kernel/config/settings.js';
import { InstanceSecrets } from '../kernel/database/instance-secrets.js';
import { PublicUrl } from '../kernel/http/public-url.js';
import { RequestOrigins } from '../kernel/http/request-origins.js';
import { ConsentError } from './consent-error.js';

const first = (header: string | string[] | undefined): string | undefined =>
  (Array.isArray(header) ? header[0] : header)?.split(',', 1)[0]?.trim();

/** What is known of the browser behind a request: its cookie, its path, the page it came from. */
@Injectable()
export class ConsentBrowser {
  private readonly cookie: string;

  constructor(
    private readonly publicUrl: PublicUrl,
    private readonly origins: RequestOrigins,
    secrets: InstanceSecrets,
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
  ) {
    // cookies ignore ports, so the name separates two servers on one machine
    this.cookie = `svc_consent_${secrets.key('consent-cookie').toString('hex').slice(0, 8)}`;
  }

  /** The path of the server as this browser sees it; begins and ends with a slash. */
  pathFor(request: FastifyRequest): string {
    const base = new URL(this.publicUrl.base);
    const host = (first(request.headers['x-forwarded-host']) ?? request.headers.host ?? '').toLowerCase();
    const path = host === base.host ? base.pathname : '/';
    return path.endsWith('/') ? path : `${path}/`;
  }

  secretOf({ headers }: FastifyRequest): string | undefined {
    for (const part of (headers.cookie ?? '').split(';')) {
      const [name, value] = part.trim().split('=', 2);
      if (name === this.cookie) return value;
    }
    return undefined;
  }

  /** The `Set-Cookie` header for an hour. */
  cookieWith(request: FastifyRequest, secret: string): string {
    return [
      `${this.cookie}=${secret}`,
      'HttpOnly',
      'SameSite=Lax',
      `Path=${this.pathFor(request)}oauth`,
      'Max-Age=3600',
      ...(this.cameByHttps(request) ? ['Secure'] : []),
    ].join('; ');
  }

  /** A form of our own page is sent by that page. @throws ConsentError 403 cross_origin */
  requireOwnPage({ headers }: FastifyRequest): void {
    const isOthers = first(headers['sec-fetch-site']) === 'cross-site';
    const { origin } = headers;
    // pages without a referrer send the origin `null`; Sec-Fetch-Site then says where they are
    const isSameOrigin = first(headers['sec-fetch-site']) === 'same-origin';
    const isForeign =
      origin !== undefined && !(origin === 'null' && isSameOrigin) && !this.isOurs(origin, headers.host);
    if (isOthers || isForeign) throw new ConsentError(403, 'cross_origin', 'Another site may not decide on this page.');
  }

  private isOurs(origin: string, host: string | undefined): boolean {
    // pages of other origins that the settings allow elsewhere may not decide for people
    return !this.settings.allowedOrigins.includes(origin) && this.origins.allows(origin, host);
  }

  private cameByHttps(request: FastifyRequest): boolean {
    if (this.settings.tlsCertFile !== undefined || request.protocol === 'https') return true;
    const base = new URL(this.publicUrl.base);
    const host = (first(request.headers['x-forwarded-host']) ?? request.headers.host ?? '').toLowerCase();
    return base.protocol === 'https:' && host === base.host;
  }
}
