/** Schemes that lead nowhere but into a browser, or to other protocols of the web. */
const NO_APPS = new Set(
  'about blob chrome content data file filesystem ftp intent javascript mailto vbscript view-source ws wss'.split(' '),
);

/** What URL parsers understand in different ways. */
const AMBIGUOUS = /[\\\s\p{Cc}]|%2e|%2f|%5c/iu;

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** A URL to which people may be sent back, or undefined (docs/reference/installing.md#redirect-urls). */
function parse(text: string): URL | undefined {
  if (AMBIGUOUS.test(text) || text.includes('#')) return undefined;
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^/]/i.test(text) && !/^[a-z][a-z0-9+-]*\.[a-z0-9+.-]+:\/[^/]/i.test(text))
    return undefined;
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.username !== '' || url.password !== '' || /^[^/]*:\/\/[^/?]*@/.test(text)) return undefined;
  return NO_APPS.has(url.protocol.slice(0, -1)) ? undefined : url;
}

const isWeb = (url: URL): boolean => url.protocol === 'http:' || url.protocol === 'https:';
const isLoopback = (url: URL): boolean => LOOPBACK.has(url.hostname);

/** Whether an app may register it. */
export const isRedirectUrl = (text: string): boolean => parse(text) !== undefined;

/** An app of a desktop or a phone: a scheme of its own, or for apps with PKCE a loopback address. */
export function isDesktop(text: string, hasPkce: boolean): boolean {
  const url = parse(text);
  return url !== undefined && (!isWeb(url) || (hasPkce && isLoopback(url)));
}

export const hasOwnScheme = (text: string): boolean => {
  const url = parse(text);
  return url !== undefined && !isWeb(url);
};

/**
 * Whether people may be sent to a URL: it is a registered one or lies below it.
 * @param registered null: any URL of http on this machine
 */
export function fitsRedirect(text: string, registered: readonly string[] | null): boolean {
  const url = parse(text);
  if (!url) return false;
  if (registered === null) return url.protocol === 'http:' && isLoopback(url);
  return registered.some((one) => {
    const base = parse(one);
    if (!base || base.protocol !== url.protocol || base.host !== url.host) return false;
    if (url.pathname === base.pathname) return url.search === base.search;
    return url.pathname.startsWith(base.pathname.endsWith('/') ? base.pathname : `${base.pathname}/`);
  });
}
