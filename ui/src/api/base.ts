/** The address of a path of this server. It is relative to the UI's base, as the UI may be served below a path. */
export const urlOf = (path: string): URL => new URL(path.replace(/^\/+/, ''), document.baseURI);

/** The path below which the UI is served, without a final slash: '' at the root. */
export const basePath = (): string => new URL(document.baseURI).pathname.replace(/\/$/, '');

interface Config {
  readonly version: string;
  readonly remoteImages: boolean;
}

function readConfig(): Config {
  try {
    return JSON.parse(document.getElementById('config')?.textContent ?? '{}') as Config;
  } catch {
    return { version: '', remoteImages: false };
  }
}

/** Values that the server rendered into the page. */
export const config: Config = readConfig();

/** An address of this server as this browser can reach it: the API may name another host or another path. */
export function ownUrl(url: string): URL {
  const { pathname, search } = new URL(url, document.baseURI);
  const api = pathname.indexOf('/api/');
  return urlOf(pathname.slice(api === -1 ? 0 : api) + search);
}
