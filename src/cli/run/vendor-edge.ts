import http, { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { pipeline, type Duplex } from 'node:stream';
import { createSecureContext } from 'node:tls';
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
  private readonly agent: http.Agent;
  private readonly base: URL;

  constructor(private readonly options: EdgeOptions) {
    this.base = new URL(options.server);
    const { Agent } = this.base.protocol === 'https:' ? https : http;
    this.agent = new Agent({ keepAlive: true });
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
    this.agent.destroy();
  }

  private pass(request: IncomingMessage, response: ServerResponse): void {
    const host = this.countOf(request);
    const upstream = this.ask(request, host, {});
    upstream.on('error', () => {
      if (response.headersSent) return void response.destroy();
      response.writeHead(502, { 'content-type': 'application/json', connection: 'close' }).end(UNREACHABLE);
    });
    upstream.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, withoutConnection(answer.rawHeaders));
      if (answer.statusCode === 404) this.noteNotFound(host, request, answer);
      pipeline(answer, response, () => undefined);
    });
    response.once('close', () => {
      if (!response.writableFinished) upstream.destroy();
    });
    // the answer may come before the request has ended: an error of one is the other's to report
    request.on('error', () => upstream.destroy());
    request.pipe(upstream);
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

  private ask(request: IncomingMessage, host: string, more: IncomingHttpHeaders): http.ClientRequest {
    const headers: http.OutgoingHttpHeaders = { ...request.headers };
    for (const name of OF_CONNECTION) delete headers[name];
    const { request: send } = this.base.protocol === 'https:' ? https : http;
    const prefix = this.base.pathname.replace(/\/+$/, '');
    return send({
      agent: more.upgrade === undefined ? this.agent : false,
      hostname: this.base.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: this.base.port,
      method: request.method,
      path: `${prefix}${request.url}`,
      headers: { ...headers, ...more, host: this.base.host, 'x-understudy-host': host },
    });
  }

  private countOf({ headers, socket }: IncomingMessage): string {
    // the name that the connection was opened for, whatever the request says
    const { servername } = socket as Socket & { servername?: string | false };
    const host = typeof servername === 'string' ? servername : (headers.host ?? '');
    this.options.traffic.led.add(host);
    return host;
  }

  private noteNotFound(host: string, { url = '' }: IncomingMessage, answer: IncomingMessage): void {
    let start = '';
    answer.on('data', (part: Buffer) => {
      if (start.length < LOOK_BYTES) start += part.toString('latin1', 0, LOOK_BYTES);
    });
    answer.once('end', () => {
      if (start.includes('"not_found_on_host"')) this.options.traffic.notOnHost.add(`${host}${url.split('?', 1)[0]}`);
    });
  }
}

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
