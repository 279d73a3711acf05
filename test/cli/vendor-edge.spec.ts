import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { Authority } from '../../src/cli/ca/authority.js';
import { leaf, type Pair } from '../../src/cli/ca/certificates.js';
import { Traffic } from '../../src/cli/run/tally.js';
import { VendorEdge } from '../../src/cli/run/vendor-edge.js';
import { VENDORS } from '../../src/cli/run/vendors.js';
import { useApp } from '../support/app.js';
import { rest } from '../support/rest-client.js';
import { scratchFolder } from '../support/scratch.js';
import { closeSockets, openUrl, RawSocket, socketApp } from '../support/socket-app.js';

describe('the TLS port of a run', () => {
  const app = useApp();
  const folder = scratchFolder();
  closeSockets();
  let authority: Pair;
  let certificate: Pair;
  beforeAll(async () => {
    authority = await new Authority(join(folder, 'ca')).ensure();
    certificate = await leaf(authority, ['slack.com', '*.slack.com'], 7);
  });
  const edges: VendorEdge[] = [];
  afterAll(() => edges.forEach((edge) => edge.close()));
  const edgeTo = async (server: string): Promise<{ port: number; traffic: Traffic }> => {
    const traffic = new Traffic();
    const edge = new VendorEdge({ server, certificate, vendors: VENDORS, traffic });
    edges.push(edge);
    return { port: await edge.listen(), traffic };
  };

  it('passes Socket Mode on, by the URL that a sandbox with the vendor’s forms gives out', async () => {
    const ws = await app.workspace();
    const admin = await ws.jwtClient({ user: ws.admin });
    await rest(app, 'PATCH /sandboxes/self', { token: admin.token, body: { urls: 'vendor' } });
    const made = await socketApp(ws);
    const { url } = await openUrl(app, made['app_token'] as string);
    const { hostname: servername, pathname, search } = new URL(url as string);
    expect(servername).toBe('wss-primary.slack.com');
    const { port, traffic } = await edgeTo(app.baseUrl);
    const options = { ca: authority.cert, servername };
    const client = new WebSocket(`wss://127.0.0.1:${port}${pathname}${search}`, options);
    await new RawSocket(client).hello();
    expect(traffic.led.toJSON()).toEqual({ 'wss-primary.slack.com': 1 });
  });

  it('answers 502 understudy_unreachable when the server is gone', async () => {
    const gone = createServer().listen(0, '127.0.0.1');
    await once(gone, 'listening');
    const { port: closed } = gone.address() as AddressInfo;
    gone.close();
    const { port } = await edgeTo(`http://127.0.0.1:${closed}`);
    const options = { host: '127.0.0.1', port, servername: 'slack.com', ca: authority.cert, path: '/api/auth.test' };
    const answer = await new Promise<{ status: number | undefined; body: unknown }>((resolve, reject) => {
      request(options, async (response) => {
        resolve({ status: response.statusCode, body: JSON.parse(String(await response.toArray())) });
      })
        .on('error', reject)
        .end();
    });
    expect(answer).toEqual({
      status: 502,
      body: { statusCode: 502, message: 'understudy_unreachable', error: 'Bad Gateway' },
    });
  });

  it('hands long bodies on as they come, both ways, with the header lines of the answer', async () => {
    const echo = createServer((received, answer) => {
      answer.writeHead(200, { 'X-Of-Upstream': `${received.headers.host} ${received.headers['x-understudy-host']}` });
      received.pipe(answer);
    }).listen(0, '127.0.0.1');
    await once(echo, 'listening');
    const base = `127.0.0.1:${(echo.address() as AddressInfo).port}`;
    const { port } = await edgeTo(`http://${base}`);
    const part = randomBytes(1024 * 1024);
    const options = { host: '127.0.0.1', port, servername: 'files.slack.com', ca: authority.cert, method: 'POST' };
    const [sent, got] = [createHash('sha256'), createHash('sha256')];
    const call = request(options);
    const send = async (): Promise<void> => {
      sent.update(part);
      if (!call.write(part)) await once(call, 'drain');
    };
    const answered = once(call, 'response');
    await send();
    const [response] = (await answered) as [IncomingMessage];
    expect(response.rawHeaders).toEqual(expect.arrayContaining(['X-Of-Upstream', `${base} files.slack.com`]));
    // what comes back is read while the rest is sent
    response.on('data', (chunk: Buffer) => got.update(chunk));
    const ended = once(response, 'end');
    for (let more = 47; more > 0; more--) await send();
    call.end();
    await ended;
    expect(got.digest('hex')).toBe(sent.digest('hex'));
    echo.close();
  });

  it('drops a call whose caller hangs up', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = await edgeTo(`http://127.0.0.1:${(silent.address() as AddressInfo).port}`);
    const asked = once(silent, 'request');
    const call = request({
      host: '127.0.0.1',
      port,
      servername: 'slack.com',
      ca: authority.cert,
      path: '/api/api.test',
    });
    call.on('error', () => undefined).end();
    const [received] = (await asked) as [IncomingMessage];
    const dropped = once(received.socket, 'close');
    call.destroy();
    await dropped;
    silent.close();
  });
});
