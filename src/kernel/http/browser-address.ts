import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { SETTINGS_TOKEN, type Settings } from '../config/settings.js';
import { ClientAddresses } from './client-addresses.js';
import { HttpEdges } from './edges.js';
import { PublicUrl } from './public-url.js';

export type Arrival = Pick<FastifyRequest, 'headers' | 'socket'>;

/** The first value of a header that proxies extend. */
export const firstOf = (header: string | string[] | undefined): string | undefined =>
  (Array.isArray(header) ? header[0] : header)?.split(',', 1)[0]?.trim();

/** The value of a cookie that a browser sent. */
export function cookieOf({ headers }: Pick<FastifyRequest, 'headers'>, cookie: string): string | undefined {
  for (const part of (headers.cookie ?? '').split(';')) {
    const [name, value] = part.trim().split('=', 2);
    if (name === cookie) return value;
  }
  return undefined;
}

/**
 * How a browser sees this server: by the host and path of SVC_PUBLIC_URL (a proxy strips the path), under a vendor's name
 * by https, or at the root by another way, such as a forwarded port. What proxies say is believed of those alone that SVC_TRUSTED_PROXIES names.
 */
@Injectable()
export class BrowserAddress {
  constructor(
    private readonly publicUrl: PublicUrl,
    private readonly addresses: ClientAddresses,
    private readonly edges: HttpEdges,
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
  ) {}

  /** The vendor's name under which the browser asks; undefined under every other. */
  vendorOf({ headers }: Pick<Arrival, 'headers'>): string | undefined {
    return this.edges.vendorHosts.of(headers);
  }

  /** The host that the browser asked for: what a trusted proxy says, else the request's own; in lower case. */
  hostOf({ headers, socket }: Arrival): string {
    const vendor = this.vendorOf({ headers });
    if (vendor !== undefined) return vendor;
    const isTrusted = this.addresses.isTrustedProxy(socket.remoteAddress);
    return ((isTrusted ? firstOf(headers['x-forwarded-host']) : undefined) ?? headers.host ?? '').toLowerCase();
  }

  /** The path of the server; begins and ends with a slash. */
  pathFor(request: Arrival): string {
    const base = new URL(this.publicUrl.base);
    const path = this.hostOf(request) === base.host ? base.pathname : '/';
    return path.endsWith('/') ? path : `${path}/`;
  }

  /** Whether the browser came by https, so that its cookies may insist on it. */
  isHttps(request: FastifyRequest): boolean {
    if (this.vendorOf(request) !== undefined) return true;
    // Fastify believes a proxy's header only from those that it was configured to trust
    if (this.settings.tlsCertFile !== undefined || request.protocol === 'https') return true;
    const base = new URL(this.publicUrl.base);
    return base.protocol === 'https:' && this.hostOf(request) === base.host;
  }
}
