import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { BrowserAddress, firstOf, type Arrival } from '../kernel/http/browser-address.js';
import { RestError } from '../kernel/http/http-error.js';

/**
 * Whether the request comes from a page of this server. Browsers say so in Sec-Fetch-Site; older ones still send
 * Origin.
 */
function isOwnPage(request: Arrival, address: BrowserAddress): boolean {
  const site = firstOf(request.headers['sec-fetch-site']);
  if (site !== undefined) return site === 'same-origin';
  const origin = firstOf(request.headers.origin);
  if (origin === undefined || !URL.canParse(origin)) return false;
  const { host } = new URL(origin);
  return host === address.hostOf(request) || host === request.headers.host?.toLowerCase();
}

/**
 * For routes that read the browser's cookie: only pages of this server may call them, and only in a way that no HTML
 * form can.
 */
@Injectable()
export class OwnPageGuard implements CanActivate {
  constructor(private readonly address: BrowserAddress) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (!isOwnPage(request, this.address)) throw new RestError(403, 'cross_origin');
    const type = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
    if (type !== 'application/json') throw new RestError(415, 'unsupported_media_type');
    return true;
  }
}
