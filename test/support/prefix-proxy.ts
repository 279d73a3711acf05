import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';

const PREFIX = '/understudy';
const pem = (name: string): Buffer => readFileSync(new URL(`tls/${name}.pem`, import.meta.url));

/** A reverse proxy as in a cluster: it terminates https and removes a path prefix. */
export class PrefixProxy {
  private target = '';

  private constructor(private readonly server: Server) {
    server.on('request', (incoming, reply) => {
      const path = this.pathOf(incoming.url);
      if (path === null) return void reply.writeHead(404).end();
      const onward = request(this.target + path, {
        method: incoming.method,
        headers: this.headersOf(incoming.headers),
      });
      onward.on('response', (answer) => {
        reply.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(reply);
      });
      onward.on('error', () => reply.destroy());
      incoming.pipe(onward);
    });
    server.on('upgrade', (incoming, socket, head) => {
      const path = this.pathOf(incoming.url);
      if (path === null) return void socket.destroy();
      const onward = request(this.target + path, { headers: this.headersOf(incoming.headers) });
      onward.on('upgrade', (answer, far, rest) => {
        const lines = Object.entries(answer.headers).map(([name, value]) => `${name}: ${String(value)}`);
        socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('\r\n')}\r\n\r\n`);
        far.write(head);
        socket.write(rest);
        far.pipe(socket).pipe(far);
        for (const end of [far, socket]) end.on('error', () => (far.destroy(), socket.destroy()));
      });
      onward.on('error', () => socket.destroy());
      onward.end();
    });
  }

  static async start(): Promise<PrefixProxy> {
    const server = createServer({ key: pem('key'), cert: pem('cert') });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    return new PrefixProxy(server);
  }

  /** Without a trailing slash. */
  get baseUrl(): string {
    return `https://127.0.0.1:${(this.server.address() as AddressInfo).port}${PREFIX}`;
  }

  to(target: string): void {
    this.target = target;
  }

  private pathOf(url = '/'): string | null {
    if (url !== PREFIX && !url.startsWith(`${PREFIX}/`)) return null;
    return url.slice(PREFIX.length) || '/';
  }

  private headersOf(headers: object): Record<string, string> {
    return { ...(headers as Record<string, string>), 'x-forwarded-proto': 'https' };
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((closed) => this.server.close(closed));
  }
}
