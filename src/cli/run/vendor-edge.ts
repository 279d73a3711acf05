import http, { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { pipeline, type Duplex } from 'node:stream';
import { createSecureContext } from 'node:tls';
import { Pool, type Dispatcher } from 'undici';
import type { Pair } from '../ca/certificates.js';
import type { Traffic } from './tally.js';
import { isVendorHost, type Vendor } from './vendors.js';
import { CONNECTION_HEADERS } from '../../kernel/http/connection-headers.js';

/** Headers of one connection alone, and those that this edge sets. */
const OF_CONNECTION = [...CONNECTION_HEADERS, 'expect', 'host', 'x-understudy-host'];

const UNREACHABLE = JSON.stringify({ statusCode: 502, message: 'understudy_unreachable', error: 'Bad Gateway' });

/** So much of a 404 is looked at. */
const LOOK_BYTES = 200;

interface EdgeOptions {
  /** The server, without a final slash. */
  readonly server: string;
  readonly certificate: Pair;
  readonly vendors: readonly Vendor[];
  readonly traffic: Traffic;
}

/**
 * TLS under the vendors' names: hands each request to the server, with the host it was for. Nothing is gathered: bodies
 * and answers flow, so their size does not matter.
 */
export class VendorEdge {
  private readonly listener: https.Server;
  private readonly pool: Pool;
  private readonly base: URL;

  constructor(private readonly options: EdgeOptions) {
    this.base = new URL(options.server);
    // an answer may take as long as its caller waits
    this.pool = new Pool(this.base.origin, { headersTimeout: 0, bodyTimeout: 0 });
    const context = createSecureContext(options.certificate);
    this.listener = https.createServer({
      // without a certificate of its own a connection without a name fails, as one for another name does
      SNICallback: (name, done) =>
        isVendorHost(name, options.vendors) ? done(null, context) : done(new Error(`${name} is not led here`)),
      ALPNProtocols: ['http/1.1'],
      keepAliveTimeout: 72_000,
      requestTimeout: 0,
    });
    this.listener.on('request', (request, response) => this.pass(request, response));
    this.listener.on('upgrade', (request, socket, head) => this.upgrade(request, socket, head));
    this.listener.on('tlsClientError', () => undefined);
    this.listener.on('clientError', (_error, socket) => socket.destroy());
  }

  /** Listens on a free port of this machine. */
  async listen(): Promise<number> {
    this.listener.listen(0, '127.0.0.1');
    await once(this.listener, 'listening');
    return (this.listener.address() as AddressInfo).port;
  }

  /** Takes a connection that a proxy's client has asked for. */
  take(socket: Socket): void {
    this.listener.emit('connection', socket);
  }

  close(): void {
    this.listener.close();
    this.listener.closeAllConnections();
    void this.pool.destroy();
  }

  private pass(request: IncomingMessage, response: ServerResponse): void {
    const host = this.countOf(request);
    const { path, headers } = this.forwarded(request, host);
    delete headers['transfer-encoding'];
    let look: ((part?: Buffer) => void) | undefined;
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: (controller) => {
        if (response.destroyed) return controller.abort(new Error('the caller has hung up'));
        response.once('close', () => {
          if (!response.writableFinished) controller.abort(new Error('the caller has hung up'));
        });
        response.on('drain', () => controller.resume());
      },
      onResponseStart: (controller, status) => {
        if (status < 200) return;
        response.writeHead(status, withoutConnection(textsOf(controller.rawHeaders)));
        if (status === 404) look = this.lookAtNotFound(host, request);
      },
      onResponseData: (controller, part) => {
        look?.(part);
        if (!response.write(part)) controller.pause();
      },
      onResponseEnd: () => {
        look?.();
        response.end();
      },
      onResponseError: () => {
        if (response.headersSent) return void response.destroy();
        response.writeHead(502, { 'content-type': 'application/json', connection: 'close' }).end(UNREACHABLE);
      },
    };
    const method = request.method as Dispatcher.HttpMethod;
    this.pool.dispatch({ method, path, headers, body: hasBody(request) ? request : null }, handler);
  }

  private upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy());
    const host = this.countOf(request);
    const upstream = this.ask(request, host, { connection: 'upgrade', upgrade: request.headers.upgrade });
    upstream.on('error', () => socket.end('HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\n\r\n'));
    upstream.on('response', (answer) => {
      socket.write(headOf(answer, withoutConnection(answer.rawHeaders), 'Connection: close\r\n'));
      answer.pipe(socket);
    });
    upstream.on('upgrade', (answer, other, first) => {
      socket.write(headOf(answer, answer.rawHeaders, ''));
      if (first.length > 0) socket.write(first);
      if (head.length > 0) other.write(head);
      pipeline(other, socket, () => other.destroy());
      pipeline(socket, other, () => socket.destroy());
    });
    upstream.end();
  }

  /** What a request says to the server. */
  private forwarded(
    request: IncomingMessage,
    host: string,
  ): { path: string; headers: http.OutgoingHttpHeaders & IncomingHttpHeaders } {
    const headers: IncomingHttpHeaders = { ...request.headers };
    for (const name of OF_CONNECTION) delete headers[name];
    const prefix = this.base.pathname.replace(/\/+$/, '');
    return {
      path: `${prefix}${request.url}`,
      headers: { ...headers, host: this.base.host, 'x-understudy-host': host },
    };
  }

  private ask(request: IncomingMessage, host: string, more: IncomingHttpHeaders): http.ClientRequest {
    const { path, headers } = this.forwarded(request, host);
    const { request: send } = this.base.protocol === 'https:' ? https : http;
    return send({
      agent: false,
      hostname: this.base.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: this.base.port,
      method: request.method,
      path,
      headers: { ...headers, ...more },
    });
  }

  private countOf({ headers, socket }: IncomingMessage): string {
    // the name that the connection was opened for, whatever the request says
    const { servername } = socket as Socket & { servername?: string | false };
    const host = typeof servername === 'string' ? servername : (headers.host ?? '');
    this.options.traffic.led.add(host);
    return host;
  }

  /** Takes the parts of a 404, then its end. */
  private lookAtNotFound(host: string, { url = '' }: IncomingMessage): (part?: Buffer) => void {
    let start = '';
    return (part) => {
      if (part && start.length < LOOK_BYTES) start += part.toString('latin1', 0, LOOK_BYTES);
      if (!part && start.includes('"not_found_on_host"'))
        this.options.traffic.notOnHost.add(`${host}${url.split('?', 1)[0]}`);
    };
  }
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

const textsOf = (raw: Dispatcher.DispatchController['rawHeaders']): string[] =>
  Array.isArray(raw) ? raw.map((line) => line.toString('latin1')) : [];

/** Header lines as they came, in pairs, without those of the connection to the server. */
function withoutConnection(raw: readonly string[]): string[] {
  const kept: string[] = [];
  for (let i = 0; i < raw.length; i += 2) {
    const [name, value] = [raw[i] as string, raw[i + 1] as string];
    if (!['connection', 'keep-alive'].includes(name.toLowerCase())) kept.push(name, value);
  }
  return kept;
}

function headOf({ statusCode, statusMessage }: IncomingMessage, raw: readonly string[], more: string): string {
  let lines = '';
  for (let i = 0; i < raw.length; i += 2) lines += `${raw[i]}: ${raw[i + 1]}\r\n`;
  return `HTTP/1.1 ${statusCode} ${statusMessage}\r\n${lines}${more}\r\n`;
}
