import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ClientAddresses } from '../kernel/http/client-addresses.js';
import { RestError } from '../kernel/http/http-error.js';

export type Arrival = Pick<FastifyRequest, 'headers' | 'socket'>;

const one = (header: string | string[] | undefined): string | undefined =>
  (Array.isArray(header) ? header[0] : header)?.split(',', 1)[0]?.trim();

/** The host that the browser asked for: what a trusted proxy says, else the request's own. */
export function hostOf({ headers, socket }: Arrival, addresses: ClientAddresses): string {
  const forwarded = addresses.isTrustedProxy(socket.remoteAddress) ? one(headers['x-forwarded-host']) : undefined;
  return (forwarded ?? headers.host ?? '').toLowerCase();
}

/**
 * Whether the request comes from a page of this server. Browsers say so in Sec-Fetch-Site; older ones still send
 * Origin.
 */
function isOwnPage(request: Arrival, addresses: ClientAddresses): boolean {
  const site = one(request.headers['sec-fetch-site']);
  if (site !== undefined) return site === 'same-origin';
  const origin = one(request.headers.origin);
  if (origin === undefined || !URL.canParse(origin)) return false;
  const { host } = new URL(origin);
  return host === hostOf(request, addresses) || host === request.headers.host?.toLowerCase();
}

/**
 * For routes that read the browser's cookie: only pages of this server may call them, and only in a way that no HTML
 * form can.
 */
@Injectable()
export class OwnPageGuard implements CanActivate {
  constructor(private readonly addresses: ClientAddresses) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (!isOwnPage(request, this.addresses)) throw new RestError(403, 'cross_origin');
    const type = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
    if (type !== 'application/json') throw new RestError(415, 'unsupported_media_type');
    return true;
  }
}
