/** The address of something of this server; never begins at the root, as the UI may stand below a path. */
export const urlOf = (path: string): URL => new URL(path.replace(/^\/+/, ''), document.baseURI);

/** The path below which the UI stands, without a final slash: '' at the root. */
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

/** What the server wrote into the page. */
export const config: Config = readConfig();

/** An address of this server as the browser reaches it: the server may go by another host, or below another path. */
export function ownUrl(url: string): URL {
  const { pathname, search } = new URL(url, document.baseURI);
  const api = pathname.indexOf('/api/');
  return urlOf(pathname.slice(api === -1 ? 0 : api) + search);
}
