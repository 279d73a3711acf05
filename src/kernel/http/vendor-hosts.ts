import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { hostNameOf } from '../config/addresses.js';
import { pathOf, tidyUrl } from './tidy-url.js';

/** One host of a vendor, or several that serve the same paths (docs/reference/reach.md#hosts). */
export interface VendorHost {
  /** Matches the host without its port, in lower case. */
  readonly hosts: RegExp;
  /** The path here of a path there; undefined for one that this host does not serve. */
  readonly inside: (path: string) => string | undefined;
}

/** Set by proxies that lead the vendors' hosts here. */
const HEADER = 'x-understudy-host';

/** Where a request is led whose path its host does not serve. */
export const NOT_ON_HOST = '/not-found-on-host';

/** Where addresses of issues and projects are led: the web UI answers there. */
export const TRACKER_PAGES = '/tracker-pages';

/** The vendors' hosts under whose names this server answers. */
export class VendorHosts {
  private readonly known: VendorHost[] = [];
  /** The last `Host` that is no vendor's: nearly all requests have the same. */
  private lastOther: string | undefined;

  add(host: VendorHost): void {
    this.known.push(host);
  }

  has(name: string): boolean {
    return this.known.some(({ hosts }) => hosts.test(name));
  }

  /** The vendor's host that a request is for: that of `X-Understudy-Host` if it is one, else of `Host`. */
  of(headers: IncomingHttpHeaders): string | undefined {
    if (headers[HEADER] === undefined && headers.host === this.lastOther) return undefined;
    for (const given of [headers[HEADER], headers.host]) {
      const name = typeof given === 'string' ? hostNameOf(given) : undefined;
      if (name !== undefined && this.has(name)) return name;
    }
    this.lastOther = headers.host;
    return undefined;
  }

  /** The URL here of a request for a vendor's host; undefined for any other request. */
  inside({ headers, url = '/' }: IncomingMessage): string | undefined {
    const name = this.of(headers);
    if (name === undefined) return undefined;
    const target = tidyUrl(url);
    const path = pathOf(target);
    for (const { hosts, inside } of this.known) {
      const found = hosts.test(name) ? inside(path) : undefined;
      if (found !== undefined) return found + target.slice(path.length);
    }
    return NOT_ON_HOST;
  }
}
