import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { SETTINGS_TOKEN, type Settings } from '../kernel/config/settings.js';
import { InstanceSecrets } from '../kernel/database/instance-secrets.js';
import { PublicUrl } from '../kernel/http/public-url.js';
import { BROWSER_SECONDS } from './browsers.js';
import { hostOf } from './request-origin.js';

/**
 * Where the web UI is, as the browser sees it: below the path of SVC_PUBLIC_URL for who comes by that host (a proxy strips
 * the path), at the root for who comes another way, as by a forwarded port.
 */
@Injectable()
export class UiBase {
  private readonly cookie: string;

  constructor(
    private readonly publicUrl: PublicUrl,
    secrets: InstanceSecrets,
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
  ) {
    // cookies do not know ports: two servers of one machine keep apart by the name
    this.cookie = `svc_ui_${secrets.key('ui-cookie').toString('hex').slice(0, 8)}`;
  }

  /** Begins and ends with a slash. */
  pathFor(request: Pick<FastifyRequest, 'headers'>): string {
    const base = new URL(this.publicUrl.base);
    const path = hostOf(request) === base.host ? base.pathname : '/';
    return path.endsWith('/') ? path : `${path}/`;
  }

  /** The browser's secret, where it sent one. */
  secretOf(request: Pick<FastifyRequest, 'headers'>): string | undefined {
    for (const part of (request.headers.cookie ?? '').split(';')) {
      const [name, value] = part.trim().split('=', 2);
      if (name === this.cookie) return value;
    }
    return undefined;
  }

  /** The `Set-Cookie` header that leaves a secret; none takes it away. */
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
    // Fastify believes this header of the proxies that it was set to trust, and of no other peer
    if (request.protocol === 'https') return true;
    const base = new URL(this.publicUrl.base);
    return base.protocol === 'https:' && hostOf(request) === base.host;
  }
}
