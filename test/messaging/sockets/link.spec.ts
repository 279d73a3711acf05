import { get, type IncomingHttpHeaders } from 'node:http';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { useApp } from '../../support/app.js';
import { connect, closeSockets, openUrl, RawSocket, socketApp } from '../../support/socket-app.js';
import { eventually } from '../../support/receiver.js';
import { rest } from '../../support/rest-client.js';

describe('/link/', () => {
  const app = useApp();
  closeSockets();
  const refused = (url: string): Promise<{ status: number | undefined; body: unknown }> =>
    new Promise((resolve) => {
      const socket = new WebSocket(url);
      socket.on('error', () => undefined);
      socket.on('unexpected-response', (_, response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({ status: response.statusCode, body: JSON.parse(Buffer.concat(chunks).toString()) }),
        );
      });
    });

  it('sends hello, without extensions, and answers pings with their payload', async () => {
    const ws = await app.workspace();
    const made = await socketApp(ws);
    const one = await connect(app, made['app_token']);
    expect(one.socket.extensions).toBe('');
    expect(one.received).toEqual([
      {
        type: 'hello',
        num_connections: 1,
        debug_info: {
          host: expect.stringMatching(/^applink-[0-9a-f]{8}$/),
          build_number: 1,
          approximate_connection_time: expect.any(Number),
        },
        connection_info: { app_id: made['app_id'] },
      },
    ]);
    const lifetime = one.received[0]?.['debug_info'].approximate_connection_time as number;
    expect(lifetime).toBeGreaterThan(18060 * 0.949);
    expect(lifetime).toBeLessThanOrEqual(18060);
    const pong = new Promise((resolve) => one.socket.once('pong', (data) => resolve(data.toString())));
    one.socket.ping('session:1767225600000');
    expect(await pong).toBe('session:1767225600000');
    one.socket.close(1000);
    expect(await one.closed()).toBe(1000);
  });

  it('checks neither origin nor subprotocol, and accepts a trailing empty query part', async () => {
    const made = await socketApp(await app.workspace());
    const { url } = await openUrl(app, made['app_token']);
    const one = new RawSocket(new WebSocket(`${url as string}&`, { origin: 'https://elsewhere.example' }));
    expect((await one.hello())['type']).toBe('hello');
    const { url: next } = await openUrl(app, made['app_token']);
    const upgrade = await new Promise<{ status: number | undefined; headers: IncomingHttpHeaders }>((resolve) => {
      const { host, pathname, search } = new URL(next as string);
      get({
        host: host.split(':')[0],
        port: host.split(':')[1],
        path: pathname.slice(0, -1) + search,
        headers: {
          // without the port, as a hand-written client may send it
          host: '127.0.0.1',
          connection: 'Upgrade',
          upgrade: 'websocket',
          'sec-websocket-version': '13',
          'sec-websocket-key': Buffer.alloc(16, 1).toString('base64'),
          'sec-websocket-protocol': 'anything',
          'sec-websocket-extensions': 'permessage-deflate',
        },
      }).on('upgrade', ({ statusCode, headers }, socket) => {
        socket.destroy();
        resolve({ status: statusCode, headers });
      });
    });
    expect(upgrade.status).toBe(101);
    for (const header of ['sec-websocket-protocol', 'sec-websocket-extensions']) {
      expect(upgrade.headers).not.toHaveProperty(header);
    }
  });

  it('refuses a missing ticket, a used one, that of another app, and a request that is no upgrade', async () => {
    const ws = await app.workspace();
    const made = await socketApp(ws);
    const { url } = await openUrl(app, made['app_token']);
    const used = new RawSocket(new WebSocket(url));
    await used.hello();
    const invalid = { status: 403, body: { statusCode: 403, message: 'invalid_ticket', error: 'Forbidden' } };
    expect(await refused(url)).toEqual(invalid);
    expect(await refused(`${app.baseUrl.replace('http', 'ws')}/link/?ticket=${'0'.repeat(64)}`)).toEqual(invalid);
    expect(await refused(`${app.baseUrl.replace('http', 'ws')}/link`)).toEqual(invalid);
    const { url: fresh } = await openUrl(app, made['app_token']);
    expect(await refused(fresh.replace(/app_id=.*/, 'app_id=A0SOMEBODY1'))).toEqual(invalid);
    const plain = await fetch(`${app.baseUrl}/link/`);
    expect(plain.status).toBe(426);
    expect(await plain.json()).toMatchObject({ statusCode: 426, message: 'upgrade_required' });
  });

  it('closes on binary frames, invalid UTF-8, large frames, and on the tenth invalid one', async () => {
    const ws = await app.workspace();
    const made = await socketApp(ws);
    const [binary, large, bad] = [
      await connect(app, made['app_token']),
      await connect(app, made['app_token']),
      await connect(app, made['app_token']),
    ];
    binary.socket.send(Buffer.from('{}'));
    expect(await binary.closed()).toBe(1003);
    const text = await connect(app, made['app_token']);
    text.socket.send(Buffer.from([0x7b, 0xff, 0x7d]), { binary: false });
    expect(await text.closed()).toBe(1007);
    large.socket.send(`"${'x'.repeat(512 * 1024)}"`);
    expect(await large.closed()).toBe(1009);
    for (let n = 0; n < 9; n++) bad.socket.send('nonsense');
    bad.socket.send('{"envelope_id":"unknown"}');
    await new Promise((resolve) => bad.socket.once('pong', resolve) && bad.socket.ping());
    expect(bad.closeCode).toBeUndefined();
    bad.socket.send('[]');
    expect(await bad.closed()).toBe(1008);
  });

  it('closes with 1011 when the app was deleted after the URL was issued', async () => {
    const ws = await app.workspace();
    const made = await socketApp(ws);
    const { url } = await openUrl(app, made['app_token']);
    const { token } = await ws.jwtClient({ user: ws.admin });
    expect((await rest(app, `DELETE /apps/${made['app_id']}`, { token })).status).toBe(200);
    const one = new RawSocket(new WebSocket(url));
    expect(await one.closed()).toBe(1011);
    expect(one.received).toEqual([]);
  });

  it('closes when the token is revoked: link_disabled', async () => {
    const ws = await app.workspace();
    const made = await socketApp(ws);
    const one = await connect(app, made['app_token']);
    await ws.revoke({ token: made['app_token'] } as never);
    await eventually(() => one.of('disconnect').length > 0, 'a disconnect');
    expect(one.of('disconnect')).toMatchObject([{ reason: 'link_disabled' }]);
    expect(await one.closed()).toBe(1000);
    expect(await openUrl(app, made['app_token'])).toMatchObject({ error: 'token_revoked' });
  });
});
