import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { withoutBrackets } from '../../kernel/config/addresses.js';
import { isSameSecret } from '../../kernel/ids/same-secret.js';
import type { Traffic } from './tally.js';
import type { VendorEdge } from './vendor-edge.js';
import { isVendorHost, type Vendor } from './vendors.js';
import { isNamed, isThisMachine, type Target, type WayOut } from './way-out.js';

interface ProxyOptions {
  readonly edge: VendorEdge;
  readonly vendors: readonly Vendor[];
  readonly traffic: Traffic;
  readonly wayOut: WayOut;
  /** Undefined: none is asked for. */
  readonly password: string | undefined;
  readonly isOffline: boolean;
  /** Hosts that pass under `--offline`. */
  readonly allowed: readonly string[];
}

const NO_PASSWORD =
  'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="understudy run"\r\nConnection: close\r\n\r\n';
const REFUSED = 'HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n';

/**
 * The proxy of a run, for its programs alone: tunnels to the vendors' hosts end at its own TLS edge, others are opened
 * untouched and never decrypted, or refused when the run is offline.
 */
export class Proxy {
  private readonly listener = http.createServer({ requestTimeout: 0 });
  private readonly tunnels = new Set<Socket>();
  private readonly expected: string;

  constructor(private readonly options: ProxyOptions) {
    this.expected = `Basic ${Buffer.from(`run:${options.password ?? ''}`).toString('base64')}`;
    this.listener.on('connect', (request: IncomingMessage, socket: Socket, head: Buffer) =>
      this.connect(request, socket, head),
    );
    this.listener.on('request', (request, response) => this.pass(request, response));
    this.listener.on('clientError', (_error, socket) => socket.destroy());
  }

  /** Listens on a free port of this machine. */
  async listen(): Promise<number> {
    this.listener.listen(0, '127.0.0.1');
    await once(this.listener, 'listening');
    return (this.listener.address() as AddressInfo).port;
  }

  close(): void {
    this.listener.close();
    this.listener.closeAllConnections();
    for (const socket of this.tunnels) socket.destroy();
  }

  private connect(request: IncomingMessage, socket: Socket, head: Buffer): void {
    socket.on('error', () => socket.destroy());
    this.tunnels.add(socket);
    socket.once('close', () => this.tunnels.delete(socket));
    if (!this.isOurs(request)) return void socket.end(NO_PASSWORD);
    const target = targetOf(request.url ?? '');
    if (!target) return void socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
    const { edge, vendors, wayOut } = this.options;
    if (target.port === 443 && isVendorHost(target.host, vendors)) {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      if (head.length > 0) socket.unshift(head);
      return edge.take(socket);
    }
    if (!this.mayPass(target.host)) return void socket.end(REFUSED);
    wayOut.tunnel(target, socket, head);
  }

  private pass(request: IncomingMessage, response: ServerResponse): void {
    const refuse = (status: number, headers: http.OutgoingHttpHeaders = {}): void =>
      void response.writeHead(status, { connection: 'close', ...headers }).end();
    if (!this.isOurs(request)) return refuse(407, { 'proxy-authenticate': 'Basic realm="understudy run"' });
    const url = URL.parse(request.url ?? '');
    if (url?.protocol !== 'http:') return refuse(400);
    if (!this.mayPass(withoutBrackets(url.hostname))) return refuse(403);
    this.options.wayOut.request(url, request, response);
  }

  /** Counts it as well. This machine is always reached, and not counted. */
  private mayPass(host: string): boolean {
    const { isOffline, allowed, traffic } = this.options;
    if (isThisMachine(host)) return true;
    const may = !isOffline || isNamed(host, allowed);
    (may ? traffic.passed : traffic.refused).add(host);
    return may;
  }

  private isOurs({ headers }: IncomingMessage): boolean {
    return this.options.password === undefined || isSameSecret(headers['proxy-authorization'] ?? '', this.expected);
  }
}

/** Of `host:port` and `[::1]:port`. */
function targetOf(text: string): Target | undefined {
  const [, bracketed, plain, port] = /^(?:\[([0-9a-f:.]+)\]|([^\s:/?#@[\]]+)):(\d{1,5})$/i.exec(text) ?? [];
  const host = bracketed ?? plain;
  return host === undefined || Number(port) > 65_535 ? undefined : { host, port: Number(port) };
}
