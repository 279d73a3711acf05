import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestApp, useApp } from '../support/app.js';
import { eventually } from '../support/receiver.js';

const shared = useApp();

/**
 * What a server answers to these bytes, sent over a raw socket so that malformed lines arrive unchanged.
 * @param dripped sent afterwards, again and again, until there is an answer
 */
function say(baseUrl: string, text: string, dripped = ''): Promise<string> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    const socket: Socket = connect(Number(port), hostname, () => socket.write(text));
    const drip = setInterval(() => dripped !== '' && socket.write(dripped), 200);
    let answer = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      answer += chunk;
      clearInterval(drip);
    });
    socket.on('error', reject);
    socket.on('close', () => {
      clearInterval(drip);
      resolve(answer);
    });
  });
}

const get = (baseUrl: string, target: string, host: string | null, more = '', connection = 'close'): Promise<string> =>
  say(
    baseUrl,
    `GET ${target} HTTP/1.1\r\n${host === null ? '' : `Host: ${host}\r\n`}${more}Connection: ${connection}\r\n\r\n`,
  );

const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);

describe('malformed request lines', () => {
  it('are routed by their path or refused, never with a 500', async () => {
    const at = (target: string): Promise<number> => get(shared.baseUrl, target, 'localhost').then(statusOf);
    expect(await at('http://localhost/api/health')).toBe(200);
    expect(await at('http://localhost:3000/api/health?x=1')).toBe(200);
    expect(await at('http://localhost')).toBeLessThan(500);
    for (const target of [
      '*',
      '//',
      '//api/health',
      'http://',
      'http:///api/health',
      '/%00',
      '/api/%ff',
      '/?',
      '/..%2f',
    ]) {
      const status = await at(target);
      expect(status === 0 || (status >= 200 && status < 500), `${target}: ${status}`).toBe(true);
    }
    expect(await at('http://evil.example/api/health')).toBe(403);
  });
});

describe('a server on a laptop', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await TestApp.start({
      SVC_ALLOWED_HOSTS: 'fake.test',
      SVC_ALLOWED_ORIGINS: 'https://tools.example',
      SVC_CONNECTIONS_PER_ADDRESS: '0',
    });
  });
  afterAll(() => app.stop());

  it('answers only to its own host names: host_not_allowed', async () => {
    for (const host of [
      'localhost:1',
      '127.0.0.1',
      '[::1]:80',
      'a.localhost',
      'host.docker.internal:3000',
      'host.containers.internal',
      'host.lima.internal:80',
      'FAKE.test',
    ]) {
      expect([host, statusOf(await get(app.baseUrl, '/api/health', host))]).toEqual([host, 200]);
    }
    for (const host of ['evil.example', '10.0.0.1', 'localhost.evil.example', 'fake.test.evil.example']) {
      const answer = await get(app.baseUrl, '/api/health', host);
      expect([host, statusOf(answer)]).toEqual([host, 403]);
      expect(answer).toContain('"message":"host_not_allowed"');
    }
    expect(statusOf(await get(app.baseUrl, '/socket.io/?EIO=4&transport=polling', 'evil.example'))).toBe(403);
  });

  it('lets pages of other origins neither call tools nor open sockets: origin_not_allowed', async () => {
    const call = (path: string, origin: string, init: RequestInit = {}): Promise<Response> =>
      fetch(`${app.baseUrl}${path}`, { ...init, headers: { origin, 'content-type': 'application/json' } });
    const polling = '/socket.io/?EIO=4&transport=polling';
    const list = { method: 'POST', body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' };

    const refused = await call('/api/mcp/chat', 'https://evil.example', list);
    expect([refused.status, ((await refused.json()) as { message: string }).message]).toEqual([
      403,
      'origin_not_allowed',
    ]);
    const socket = await call(polling, 'https://evil.example');
    expect([socket.status, await socket.text()]).toEqual([403, expect.stringContaining('origin_not_allowed')]);
    expect(socket.headers.get('access-control-allow-origin')).toBeNull();

    const upgrade = (origin: string): Promise<number> =>
      get(
        app.baseUrl,
        '/socket.io/?EIO=4&transport=websocket',
        new URL(app.baseUrl).host,
        `Origin: ${origin}\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: c2l4dGVlbiBieXRlcyEhIQ==\r\n`,
        'Upgrade',
      ).then(statusOf);
    expect(await upgrade('https://evil.example')).toBe(403);

    for (const origin of ['https://tools.example', app.baseUrl]) {
      const allowed = await call(polling, origin);
      expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([200, origin]);
      // the tools are listed for callers with a credential
      for (const path of ['/api/mcp/chat', '/api/mcp/issues']) {
        const tools = await call(path, origin, list);
        expect([tools.status, tools.headers.get('access-control-allow-origin')]).toEqual([401, origin]);
      }
      const asked = await fetch(`${app.baseUrl}/api/mcp/chat`, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'POST' },
      });
      expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([204, origin]);
    }
    const elsewhere = await call('/api/health', 'https://tools.example');
    expect([elsewhere.status, elsewhere.headers.get('access-control-allow-origin')]).toEqual([200, null]);
  });

  it('counts only completely received requests as running: 2,050 incomplete ones lock nobody out', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const { hostname, port } = new URL(app.baseUrl);
    let heads = 0;
    const server = app.nest.getHttpServer() as Server;
    server.on('request', () => heads++);
    const half = 'POST /api/auth.test HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\nhalf';
    const open = Array.from({ length: 2_050 }, () => {
      const socket = connect(Number(port), hostname, () => socket.write(half));
      return socket.on('error', () => undefined);
    });
    try {
      await eventually(() => heads === 2_050, 'the heads have arrived');
      expect(await bot.wire('auth.test')).toMatchObject({ status: 200, body: { ok: true } });
    } finally {
      for (const socket of open) socket.destroy();
    }
  });

  it('checks only the ticket at /link/, whatever the origin and host', async () => {
    const strange = 'Origin: https://evil.example\r\nUpgrade: websocket\r\n';
    const answer = await get(app.baseUrl, '/link/?ticket=none', 'evil.example', strange, 'Upgrade');
    expect(answer).not.toMatch(/host_not_allowed|origin_not_allowed/);
    expect(statusOf(answer)).toBeGreaterThanOrEqual(400);
  });

  it('accepts JSON only with its content type: unsupported_media_type', async () => {
    const send = async (type: string): Promise<[number, string]> => {
      const answer = await fetch(`${app.baseUrl}/api/auth/login`, {
        method: 'POST',
        headers: { 'content-type': type },
        body: '{"email":"nobody@example.com","password":"wrong password"}',
      });
      return [answer.status, ((await answer.json()) as { message: string }).message];
    };
    expect(await send('text/plain')).toEqual([415, 'unsupported_media_type']);
    expect(await send('application/x-www-form-urlencoded')).toEqual([415, 'unsupported_media_type']);
    // the other spec that runs on this database may have used up what an address has
    expect([
      [401, 'invalid_credentials'],
      [429, 'ratelimited'],
    ]).toContainEqual(await send('application/json; charset=utf-8'));
  });
});

describe('incomplete requests', () => {
  it(
    'time out after ten seconds, or for a large body when it arrives with less than 1 kB a second',
    {
      timeout: 30_000,
    },
    async () => {
      const half = 'POST /api/auth.test HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\nhalf';
      const large =
        'POST /api/sandboxes HTTP/1.1\r\nHost: localhost\r\nX-Admin-Token: operator-of-the-tests\r\nContent-Length: 100000\r\n\r\n';
      const took: number[] = [];
      const began = performance.now();
      const late = async (answer: Promise<string>): Promise<number> => {
        const status = statusOf(await answer);
        took.push(performance.now() - began);
        return status;
      };
      const answers = await Promise.all([
        late(say(shared.baseUrl, half)),
        late(say(shared.baseUrl, 'GET /api/health HTTP/1.1\r\nHos')),
        late(say(shared.baseUrl, large, 'slow')),
      ]);
      expect(answers).toEqual([408, 408, 408]);
      expect(Math.max(...took), took.join(' ')).toBeLessThan(14_000);
    },
  );

  it('are limited by the number of connections of an address', async () => {
    const app = await TestApp.start({ SVC_CONNECTIONS_PER_ADDRESS: '3' });
    const { hostname, port } = new URL(app.baseUrl);
    const open = Array.from({ length: 3 }, () => connect(Number(port), hostname));
    await Promise.all(open.map((socket) => new Promise((ready) => socket.once('connect', ready))));
    expect(statusOf(await get(app.baseUrl, '/api/health', 'localhost'))).toBe(503);
    for (const socket of open) socket.destroy();
    await expect.poll(async () => statusOf(await get(app.baseUrl, '/api/health', 'localhost'))).toBe(200);
    await app.stop();
  });
});
