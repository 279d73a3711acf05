import { Injectable } from '@nestjs/common';
import { RestError } from '../../kernel/http/http-error.js';
import { PublicUrl } from '../../kernel/http/public-url.js';
import { InstallableProducts, type InstallableProduct } from '../../oauth/installable-products.js';
import type { AppPages, CookieJar } from './app-pages.js';

const MAX_REDIRECTS = 5;

/** A page that was looked at. */
export interface Hop {
  readonly url: string;
  readonly status: number;
}

/** An authorize URL of this server. */
export interface AuthorizeLink {
  readonly product: InstallableProduct;
  /** As it was found. */
  readonly url: string;
  /** What this server is asked for. */
  readonly path: string;
}

const unescaped = (text: string): string =>
  text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&#x3D;', '=').replaceAll('&amp;', '&');

/** Tells authorize URLs, of this server or of the services it stands in for, and finds them on pages of apps. */
@Injectable()
export class AuthorizeLinks {
  constructor(
    private readonly products: InstallableProducts,
    private readonly publicUrl: PublicUrl,
  ) {}

  /** A path of this server as a URL. */
  urlOf(path: string): string {
    return `${this.publicUrl.base}${path}`;
  }

  /** Undefined: none of ours. @param ownHost the host by which the caller reaches this server */
  read(text: string, ownHost: string): AuthorizeLink | undefined {
    if (!URL.canParse(text)) return undefined;
    const url = new URL(text);
    const base = new URL(this.publicUrl.base);
    const isOwn = url.host === base.host || url.host === ownHost || isLoopbackTwin(url, base);
    const prefix = base.pathname.replace(/\/$/, '');
    const path = isOwn && url.pathname.startsWith(`${prefix}/`) ? url.pathname.slice(prefix.length) : url.pathname;
    const product = this.products.all().find(({ authorizePaths, vendorHosts }) => {
      const isVendor = vendorHosts.some((host) => url.hostname === host || url.hostname.endsWith(`.${host}`));
      return (isOwn || isVendor) && authorizePaths.includes(path);
    });
    return product && { product, url: url.href, path: `${path}${url.search}` };
  }

  /**
   * Follows an app's install URL until it leads here.
   * @throws RestError 409 no_authorize_url, with the pages that were looked at
   */
  async find(
    start: string,
    pages: AppPages,
    cookies: CookieJar,
    { timeoutMs, ownHost, hops }: { timeoutMs: number; ownHost: string; hops: Hop[] },
  ): Promise<AuthorizeLink> {
    let url = new URL(start);
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const page = await pages.get(url, cookies, timeoutMs);
      hops.push({ url: url.href, status: 'error' in page ? 0 : page.status });
      if ('error' in page) break;
      const { location } = page.headers;
      const isRedirect = page.status >= 300 && page.status < 400 && typeof location === 'string';
      const leads = isRedirect ? [location] : page.status === 200 ? linksOf(page.body) : [];
      const found = leads
        .filter((link) => URL.canParse(link, url.href))
        .map((link) => this.read(new URL(link, url.href).href, ownHost))
        .find((link) => link !== undefined);
      if (found) return found;
      if (!isRedirect || !URL.canParse(location, url.href)) break;
      url = new URL(location, url.href);
    }
    throw new NoAuthorizeUrl(hops);
  }
}

/** 409: an app's install URL does not lead here; the answer has the pages that were looked at. */
export class NoAuthorizeUrl extends RestError {
  constructor(readonly hops: readonly Hop[]) {
    super(409, 'no_authorize_url');
  }
}

const linksOf = (html: string): string[] =>
  [...html.matchAll(/\bhref\s*=\s*(?:"([^"]*)"|'([^']*)')/gi)].map(([, double, single]) =>
    unescaped(double ?? single ?? ''),
  );

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** A loopback address by another name, on the same port. */
const isLoopbackTwin = (url: URL, base: URL): boolean =>
  LOOPBACK.has(url.hostname) && LOOPBACK.has(base.hostname) && url.port === base.port;
