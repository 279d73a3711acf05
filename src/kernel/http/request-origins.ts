import { Inject, Injectable } from '@nestjs/common';
import type { IncomingHttpHeaders } from 'node:http';
import { hostNameOf, isLoopback, withoutBrackets } from '../config/addresses.js';
import { SETTINGS_TOKEN, type Settings } from '../config/settings.js';
import { HttpEdges } from './edges.js';
import { PublicUrl } from './public-url.js';

/** Names by which container engines reach their host. */
const ENGINE_HOSTS = new Set(['host.docker.internal', 'host.containers.internal', 'host.lima.internal']);

/** Routes that allowed other origins may use; everything else is for the service's own pages. */
const CROSS_ORIGIN = /^\/(?:socket\.io|(?:api\/)?mcp)(?:\/|$)/;

/** A WebSocket whose ticket is the entire credential: neither `Host` nor `Origin` is checked there. */
const TICKETED = /^\/link(?:\/|$)/;

const PREFLIGHT = {
  'Access-Control-Allow-Methods': 'GET, POST, DELETE',
  'Access-Control-Allow-Headers':
    'authorization, content-type, accept, last-event-id, mcp-protocol-version, mcp-session-id',
  'Access-Control-Max-Age': '600',
};

export type OriginRefusal = 'host_not_allowed' | 'origin_not_allowed';

/** The parts of a request that say where it comes from. */
export interface RequestOrigin {
  readonly path: string;
  /** As received: an absolute request target names a host of its own. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
}

/** Checks the page and the host name of a request: keeps pages of other sites away from a server on a laptop. */
@Injectable()
export class RequestOrigins {
  private readonly checksHost: boolean;
  /** The last `Host` that was allowed for another reason than being the server's own name. */
  private lastOfOurs: string | undefined;

  constructor(
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
    private readonly publicUrl: PublicUrl,
    private readonly edges: HttpEdges,
  ) {
    this.checksHost = isLoopback(settings.host);
  }

  /** Undefined for an allowed request. */
  refusalOf({ path, target, headers }: RequestOrigin): OriginRefusal | undefined {
    if (TICKETED.test(path)) return undefined;
    if (this.checksHost) {
      const named = [headers.host, authorityOf(target)].filter((host) => host !== undefined);
      if (!named.every((host) => this.isOurs(host))) return 'host_not_allowed';
    }
    if (!CROSS_ORIGIN.test(path) || headers.origin === undefined) return undefined;
    return this.allows(headers.origin, headers.host) ? undefined : 'origin_not_allowed';
  }

  /** Whether pages of this origin may use browser routes: the service's own, and those that the settings allow. */
  allows(origin: string, host: string | undefined): boolean {
    if (this.settings.allowedOrigins.includes(origin)) return true;
    if (!URL.canParse(origin)) return false;
    const { host: originHost, origin: normal } = new URL(origin);
    return normal === new URL(this.publicUrl.base).origin || (host !== undefined && originHost === host.toLowerCase());
  }

  /** CORS headers for such a page; none for requests without an origin. */
  corsHeaders({ path, headers }: RequestOrigin, isPreflight: boolean): Record<string, string> {
    const { origin, host } = headers;
    if (!CROSS_ORIGIN.test(path) || origin === undefined || !this.allows(origin, host)) return {};
    return {
      'Access-Control-Allow-Origin': origin,
      'Access-Control-Expose-Headers': 'mcp-session-id, retry-after',
      Vary: 'Origin',
      ...(isPreflight ? PREFLIGHT : {}),
    };
  }

  private isOurs(host: string): boolean {
    // a cache: nearly all requests have the same host as the one before
    if (host === this.lastOfOurs) return true;
    const name = hostNameOf(host);
    if (name === undefined) return false;
    // nobody can make a browser send a vendor's name without owning it
    const isKnown = ENGINE_HOSTS.has(name) || this.edges.vendorHosts.has(name);
    if (isLoopback(name) || isKnown || this.settings.allowedHosts.includes(name)) {
      this.lastOfOurs = host;
      return true;
    }
    return name === withoutBrackets(new URL(this.publicUrl.base).hostname);
  }
}

/** The host that an absolute request target names. */
const authorityOf = (target: string): string | undefined => /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(target)?.[1];
