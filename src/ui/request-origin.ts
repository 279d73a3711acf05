import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { RestError } from '../kernel/http/http-error.js';

const one = (header: string | string[] | undefined): string | undefined =>
  (Array.isArray(header) ? header[0] : header)?.split(',', 1)[0]?.trim();

/** The host that the browser asked for: the proxy's header if there is one. */
export const hostOf = ({ headers }: Pick<FastifyRequest, 'headers'>): string =>
  (one(headers['x-forwarded-host']) ?? headers.host ?? '').toLowerCase();

/**
 * Whether the request comes from a page of this server. Browsers say so in Sec-Fetch-Site; older ones still send
 * Origin.
 */
export function isOwnPage(request: Pick<FastifyRequest, 'headers'>): boolean {
  const site = one(request.headers['sec-fetch-site']);
  if (site !== undefined) return site === 'same-origin';
  const origin = one(request.headers.origin);
  if (origin === undefined || !URL.canParse(origin)) return false;
  const { host } = new URL(origin);
  return host === hostOf(request) || host === request.headers.host?.toLowerCase();
}

/**
 * For routes that read the browser's cookie: only pages of this server may call them, and only in a way that no HTML
 * form can.
 */
@Injectable()
export class OwnPageGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (!isOwnPage(request)) throw new RestError(403, 'cross_origin');
    const type = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
    if (type !== 'application/json') throw new RestError(415, 'unsupported_media_type');
    return true;
  }
}
