import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { InstanceSecrets } from '../kernel/database/instance-secrets.js';
import { BrowserAddress, cookieOf, type Arrival } from '../kernel/http/browser-address.js';
import { BROWSER_SECONDS } from './browsers.js';

/** The path of the web UI as the browser sees it, and the browser's cookie. */
@Injectable()
export class UiBase {
  private readonly cookie: string;

  constructor(
    private readonly address: BrowserAddress,
    secrets: InstanceSecrets,
  ) {
    // cookies ignore ports, so the name separates two servers on one machine
    this.cookie = `svc_ui_${secrets.key('ui-cookie').toString('hex').slice(0, 8)}`;
  }

  /** Begins and ends with a slash. */
  pathFor(request: Arrival): string {
    return this.address.pathFor(request);
  }

  /** The browser's secret, if it sent one. */
  secretOf(request: Pick<FastifyRequest, 'headers'>): string | undefined {
    return cookieOf(request, this.cookie);
  }

  /** The `Set-Cookie` header that stores a secret; without a secret it deletes the cookie. */
  cookieWith(request: FastifyRequest, secret: string | undefined): string {
    return [
      `${this.cookie}=${secret ?? ''}`,
      'HttpOnly',
      'SameSite=Strict',
      `Path=${this.pathFor(request)}api/ui/session`,
      `Max-Age=${secret === undefined ? 0 : BROWSER_SECONDS}`,
      ...(this.address.isHttps(request) ? ['Secure'] : []),
    ].join('; ');
  }
}
