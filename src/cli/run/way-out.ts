import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import net, { type Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { isLoopback } from '../../kernel/config/addresses.js';
import { hostname } from 'node:os';

/** A host and port as they stand in a request for a tunnel. */
export interface Target {
  readonly host: string;
  readonly port: number;
}

/** The names of this machine. */
export const isThisMachine = (host: string): boolean =>
  isLoopback(host) || host.toLowerCase() === hostname().toLowerCase();

/** Whether a host is one of a list of `HOST` and `*.suffix`. */
export const isNamed = (host: string, names: readonly string[]): boolean =>
  names.some((name) =>
    name.startsWith('*.')
      ? host.toLowerCase().endsWith(name.slice(1).toLowerCase())
      : host.toLowerCase() === name.toLowerCase(),
  );

/** `NO_PROXY` as curl and others read it: hosts, and domains with or without a leading dot. */
export function isWithoutProxy(host: string, list: string): boolean {
  const name = host.toLowerCase();
  return list
    .split(',')
    .map((part) =>
      part
        .trim()
        .toLowerCase()
        .replace(/^\*?\./, '')
        .replace(/:\d+$/, ''),
    )
    .some((part) => part === '*' || (part !== '' && (name === part || name.endsWith(`.${part}`))));
}

/** How other hosts are reached: directly, or by the proxy that was set before the run. */
export class WayOut {
  constructor(private readonly env: NodeJS.ProcessEnv) {}

  /** Opens a tunnel and joins it with the client's connection. */
  tunnel(target: Target, client: Socket, head: Buffer): void {
    const proxy = this.proxyFor(target.host, 'https');
    const socket = proxy ? net.connect(portOf(proxy), proxy.hostname) : net.connect(target.port, target.host);
    const refuse = (): void => void client.end('HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\n\r\n');
    socket.once('error', refuse);
    const join = (first: Buffer): void => {
      socket.off('error', refuse);
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      if (first.length > 0) client.write(first);
      if (head.length > 0) socket.write(head);
      pipeline(socket, client, () => client.destroy());
      pipeline(client, socket, () => socket.destroy());
    };
    client.once('close', () => socket.destroy());
    if (!proxy) return void socket.once('connect', () => join(Buffer.alloc(0)));
    const name = `${target.host.includes(':') ? `[${target.host}]` : target.host}:${target.port}`;
    const request = http.request({
      createConnection: () => socket,
      method: 'CONNECT',
      path: name,
      headers: { host: name, ...credentialsOf(proxy) },
    });
    request.once('connect', (answer, _socket, first) => (answer.statusCode === 200 ? join(first) : refuse()));
    request.once('error', refuse);
    request.end();
  }

  /** Passes on a request in absolute form. */
  request(url: URL, request: IncomingMessage, response: ServerResponse): void {
    const proxy = this.proxyFor(url.hostname, 'http');
    const { 'proxy-authorization': _own, 'proxy-connection': _old, ...headers } = request.headers;
    const upstream = http.request({
      hostname: (proxy ?? url).hostname.replace(/^\[(.*)\]$/, '$1'),
      port: proxy ? portOf(proxy) : url.port,
      method: request.method,
      path: proxy ? url.href : `${url.pathname}${url.search}`,
      headers: { ...headers, ...(proxy ? credentialsOf(proxy) : {}) },
    });
    upstream.on('error', () => (response.headersSent ? response.destroy() : response.writeHead(502).end()));
    upstream.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      pipeline(answer, response, () => undefined);
    });
    response.once('close', () => upstream.destroy());
    request.pipe(upstream);
  }

  private proxyFor(host: string, scheme: 'http' | 'https'): URL | undefined {
    const { env } = this;
    const text = env[`${scheme}_proxy`] || (scheme === 'https' ? env['HTTPS_PROXY'] : env['HTTP_PROXY']);
    if (!text || isThisMachine(host) || isWithoutProxy(host, env['no_proxy'] || env['NO_PROXY'] || ''))
      return undefined;
    const url = text.includes('://') ? text : `http://${text}`;
    return URL.canParse(url) && url.startsWith('http:') ? new URL(url) : undefined;
  }
}

const portOf = (proxy: URL): number => Number(proxy.port || 80);

function credentialsOf({ username, password }: URL): Record<string, string> {
  if (username === '') return {};
  const text = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(text).toString('base64')}` };
}
