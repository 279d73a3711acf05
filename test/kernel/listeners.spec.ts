import dns from 'node:dns';
import { once } from 'node:events';
import { request, type IncomingMessage, type Server } from 'node:http';
import { createServer } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { drain } from '../../src/kernel/http/drain.js';
import { PublicUrl } from '../../src/kernel/http/public-url.js';
import { TestApp } from '../support/app.js';
import { Listener } from '../support/listener.js';

/** False on machines without IPv6. */
const hasIpv6 = await new Promise<boolean>((resolve) => {
  const probe = createServer().once('error', () => resolve(false));
  probe.listen(0, '::1', () => probe.close(() => resolve(true)));
});

/** Sets the addresses to which localhost resolves. */
function localhostIs(...addresses: string[]): void {
  const all = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  type Answer = (error: null, address: unknown, family?: number) => void;
  const real = dns.lookup;
  vi.spyOn(dns, 'lookup').mockImplementation(((name: string, options: { all?: boolean } | Answer, answer?: Answer) => {
    if (name !== 'localhost') return real(name, options as object, answer as never);
    const reply = (typeof options === 'function' ? options : answer) as Answer;
    const wantsAll = typeof options === 'object' && options.all === true;
    setImmediate(() => (wantsAll ? reply(null, all) : reply(null, all[0]?.address, all[0]?.family)));
  }) as typeof dns.lookup);
}

describe('HOST=localhost', () => {
  afterEach(() => void vi.restoreAllMocks());

  it.skipIf(!hasIpv6)(
    `is served at ::1 and 127.0.0.1 when it resolves to ::1 first${hasIpv6 ? '' : ' (skipped: no IPv6)'}`,
    async () => {
      localhostIs('::1', '127.0.0.1');
      const app = await TestApp.start({ HOST: 'localhost' });
      vi.restoreAllMocks();
      try {
        const { port } = new URL(app.baseUrl);
        expect(app.nest.get(PublicUrl).base).toBe(`http://localhost:${port}`);
        const { token } = await (await app.workspace()).bot();
        for (const base of [`http://localhost:${port}`, `http://[::1]:${port}`, `http://127.0.0.1:${port}`]) {
          expect((await fetch(`${base}/api/health`)).status, base).toBe(200);
          for (const transport of ['websocket', 'polling']) {
            const listener = await Listener.connect({ baseUrl: base }, { token }, { transports: [transport] });
            expect(listener.socket.connected, `${transport} at ${base}`).toBe(true);
            listener.socket.disconnect();
          }
        }
      } finally {
        await app.stop();
      }
    },
  );

  it.skipIf(!hasIpv6)(
    `finishes calls at either address when the server stops${hasIpv6 ? '' : ' (skipped: no IPv6)'}`,
    async () => {
      localhostIs('127.0.0.1', '::1');
      const app = await TestApp.start({ HOST: 'localhost' });
      try {
        const { port } = new URL(app.baseUrl);
        const calls = ['127.0.0.1', '::1'].map((hostname) =>
          request({ hostname, port, path: '/api/auth.test', method: 'POST', headers: { expect: '100-continue' } }),
        );
        for (const call of calls) call.flushHeaders();
        await Promise.all(calls.map((call) => once(call, 'continue')));
        const server = app.nest.getHttpServer() as Server;
        const firstClosed = once(server, 'close');
        let drained = false;
        const draining = drain(server, 10_000).then(() => (drained = true));
        for (const call of calls) {
          call.end();
          const [response] = (await once(call, 'response')) as [IncomingMessage];
          const body = (await response.setEncoding('utf8').toArray()).join('');
          expect(JSON.parse(body)).toEqual({ ok: false, error: 'not_authed' });
          if (call !== calls[0]) continue;
          await firstClosed;
          await new Promise((resolve) => setImmediate(resolve));
          expect(drained).toBe(false);
        }
        await draining;
        for (const base of [`http://[::1]:${port}`, `http://127.0.0.1:${port}`]) {
          await expect(fetch(`${base}/api/health`), base).rejects.toThrow('fetch failed');
        }
      } finally {
        await app.stop();
      }
    },
  );

  it('skips an address that this machine does not have', async () => {
    // an address of the documentation range
    localhostIs('192.0.2.1', '127.0.0.1');
    const app = await TestApp.start({ HOST: 'localhost' });
    try {
      expect((await fetch(`${app.baseUrl}/api/health`)).status).toBe(200);
    } finally {
      await app.stop();
    }
  });

  it('reports a port that is in use', async () => {
    localhostIs('127.0.0.1');
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    await expect(TestApp.start({ HOST: 'localhost', PORT: String(port) })).rejects.toMatchObject({
      code: 'EADDRINUSE',
      syscall: 'listen',
    });
    other.close();
  });
});
