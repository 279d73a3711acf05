import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { SETTINGS_TOKEN, type Settings } from '../kernel/config/settings.js';
import { InstanceSecrets } from '../kernel/database/instance-secrets.js';
import { ClientAddresses } from '../kernel/http/client-addresses.js';
import { PublicUrl } from '../kernel/http/public-url.js';
import { BROWSER_SECONDS } from './browsers.js';
import { hostOf, type Arrival } from './request-origin.js';

/**
 * The path of the web UI as the browser sees it: the path of SVC_PUBLIC_URL for requests to that host (a proxy strips
 * it), and the root for requests by another way, such as a forwarded port.
 */
@Injectable()
export class UiBase {
  private readonly cookie: string;

  constructor(
    private readonly publicUrl: PublicUrl,
    private readonly addresses: ClientAddresses,
    secrets: InstanceSecrets,
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
  ) {
    // cookies ignore ports, so the name separates two servers on one machine
    this.cookie = `svc_ui_${secrets.key('ui-cookie').toString('hex').slice(0, 8)}`;
  }

  /** Begins and ends with a slash. */
  pathFor(request: Arrival): string {
    const base = new URL(this.publicUrl.base);
    const path = hostOf(request, this.addresses) === base.host ? base.pathname : '/';
    return path.endsWith('/') ? path : `${path}/`;
  }

  /** The browser's secret, if it sent one. */
  secretOf(request: Pick<FastifyRequest, 'headers'>): string | undefined {
    for (const part of (request.headers.cookie ?? '').split(';')) {
      const [name, value] = part.trim().split('=', 2);
      if (name === this.cookie) return value;
    }
    return undefined;
  }

  /** The `Set-Cookie` header that stores a secret; without a secret it deletes the cookie. */
  cookieWith(request: FastifyRequest, secret: string | undefined): string {
    return [
      `${this.cookie}=${secret ?? ''}`,
      'HttpOnly',
      'SameSite=Strict',
      `Path=${this.pathFor(request)}api/ui/session`,
      `Max-Age=${secret === undefined ? 0 : BROWSER_SECONDS}`,
      ...(this.cameByHttps(request) ? ['Secure'] : []),
    ].join('; ');
  }

  private cameByHttps(request: FastifyRequest): boolean {
    if (this.settings.tlsCertFile !== undefined) return true;
    // Fastify believes this header only from the proxies that it was configured to trust
    if (request.protocol === 'https') return true;
    const base = new URL(this.publicUrl.base);
    return base.protocol === 'https:' && hostOf(request, this.addresses) === base.host;
  }
}
