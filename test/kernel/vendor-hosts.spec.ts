import { request } from 'node:http';
import WebSocket from 'ws';
import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { rest } from '../support/rest-client.js';
import { closeSockets, openUrl, RawSocket, socketApp } from '../support/socket-app.js';

interface Answer {
  status: number | undefined;
  location: string | undefined;
  // specs read nested fields freely
  // oxlint-disable-next-line no-explicit-any
  body: any;
}

describe('the server under the vendors’ names', () => {
  const app = useApp();
  closeSockets();

  /** A request under a host: by its `Host`, as of a container with aliases, or by the proxy's header. */
  const ask = (
    host: string,
    path: string,
    { method = 'GET', headers = {}, body = '' }: { method?: string; headers?: object; body?: string } = {},
    by: 'host' | 'x-understudy-host' = 'host',
  ): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const call = request(`${app.baseUrl}${path}`, { method, headers: { ...headers, [by]: host } }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => (text += part));
        response.on('end', () => {
          const isJson = String(response.headers['content-type']).includes('json');
          const { location } = response.headers;
          resolve({ status: response.statusCode, location, body: isJson ? JSON.parse(text) : text });
        });
      });
      call.on('error', reject).end(body);
    });
  const json = (token: string): object => ({ authorization: token, 'content-type': 'application/json' });
  const elsewhere = { statusCode: 404, message: 'not_found_on_host', error: 'Not Found' };

  it.each(['host', 'x-understudy-host'] as const)('answers methods and GraphQL there, by %s', async (by) => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const as = { headers: { authorization: `Bearer ${bot.token}` }, method: 'POST' };
    for (const host of ['slack.com', 'www.slack.com', 'API.slack.com:443', `${ws.domain}.slack.com`]) {
      expect((await ask(host, '/api/auth.test', as, by)).body, host).toMatchObject({ ok: true, team_id: ws.id });
    }
    expect((await ask('slack.com', '/api/files.lost', as, by)).body).toMatchObject({ error: 'unknown_method' });
    const org = await app.organization();
    const query = { method: 'POST', headers: json(org.apiKey), body: JSON.stringify({ query: '{ viewer { id } }' }) };
    expect((await ask('api.linear.app', '/graphql', query, by)).body).toMatchObject({ data: { viewer: {} } });
    expect(await ask('linear.app', '/graphql', query, by)).toMatchObject({ status: 404, body: elsewhere });
  });

  it('answers 404 not_found_on_host to every other path, with whatever credential', async () => {
    const ws = await app.workspace();
    const admin = await ws.jwtClient({ user: ws.admin });
    const headers = { authorization: `Bearer ${admin.token}`, 'x-admin-token': 'operator-of-the-tests' };
    const paths: Record<string, string[]> = {
      'slack.com': ['/api/sandboxes', '/api/sandboxes/self', '/api/admin/provision', '/api/docs', '/api/%73andboxes'],
      'api.slack.com': ['/', '/graphql', '/api/auth/me', '/api/x/../sandboxes', '/socket.io/?EIO=4&transport=polling'],
      [`${ws.domain}.slack.com`]: ['/api/apps', '/api/health', '/link/', '/metrics'],
      'hooks.slack.com': ['/api/auth.test', '/triggers/T0/1/x', '/services/T0/B0', '/api/webhooks/incoming'],
      'files.slack.com': ['/api/auth.test', '/', '/upload/v2/x'],
      'wss-primary.slack.com': ['/api/auth.test', '/socket.io/'],
      'mcp.slack.com': ['/api/mcp/issues', '/mcp/x'],
      'api.linear.app': ['/api/auth.test', '/api/sandboxes', '/socket.io/?EIO=4&transport=polling'],
      'linear.app': ['/', '/api/api-keys'],
      'uploads.linear.app': ['/x'],
      'other.linear.app': ['/graphql'],
      'nobody-has-this.slack.com': ['/api/auth.test', '/archives/C0', '/files/U0/F0/a.txt'],
    };
    for (const [host, all] of Object.entries(paths)) {
      for (const path of all) {
        for (const method of ['GET', 'POST']) {
          expect(await ask(host, path, { headers, method }), `${method} ${host}${path}`).toMatchObject({
            status: 404,
            body: elsewhere,
          });
        }
      }
    }
  });

  it('takes the host of the header only where it is a vendor’s, and never widens what a Host may reach', async () => {
    expect((await ask('example.com', '/api/health', {}, 'x-understudy-host')).status).toBe(200);
    const both = await ask('slack.com', '/api/health', { headers: { 'x-understudy-host': 'example.com' } });
    expect(both.body).toEqual(elsewhere);
    const strange = await ask('example.com', '/api/auth.test', { headers: {} });
    expect(strange.body).toMatchObject({ message: 'host_not_allowed' });
    expect((await ask('notslack.com', '/api/auth.test')).body).toMatchObject({ message: 'host_not_allowed' });
  });

  it('takes posts to webhooks and answers to response URLs in the vendor’s form', async () => {
    const ws = await app.workspace();
    const admin = await ws.jwtClient({ user: ws.admin });
    const made = await rest(app, 'POST /webhooks/incoming', { token: admin.token, body: { channel: '#general' } });
    const [, id, secret] = /incoming\/(B\w+)\/(\w+)$/.exec(String(made.body['url'])) ?? [];
    const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"text":"by its name"}' };
    const url = `/services/${ws.id}/${id}/${secret}`;
    expect(await ask('hooks.slack.com', url, post)).toMatchObject({ status: 200, body: 'ok' });
    expect((await ask('hooks.slack.com', `${url}x`, post)).body).toBe('no_service');
    const bot = await ws.bot();
    const { messages } = await bot.call('conversations.history', { channel: ws.general.id });
    expect(messages[0]).toMatchObject({ text: 'by its name' });
    for (const kind of ['actions', 'commands']) {
      const late = await ask('hooks.slack.com', `/${kind}/${ws.id}/123/${'x'.repeat(32)}`, post);
      expect(late.body).toMatchObject({ ok: false, error: 'expired_url' });
    }
  });

  it('takes uploads, tools and sockets there', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const { upload_url: url } = await bot.call('files.getUploadURLExternal', { filename: 'a.txt', length: 5 });
    const sent = await ask('files.slack.com', new URL(url as string).pathname, { method: 'POST', body: 'hello' });
    expect(sent).toMatchObject({ status: 200, body: 'OK - 5' });

    const list = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
    const headers = { ...json(`Bearer ${bot.token}`), accept: 'application/json, text/event-stream' };
    const tools = await ask('mcp.slack.com', '/mcp', { method: 'POST', headers, body: list });
    expect(tools.body).toMatchObject({ result: { tools: expect.anything() } });
    const org = await app.organization();
    const asKey = { ...headers, authorization: org.apiKey };
    const issues = await ask('mcp.linear.app', '/mcp', { method: 'POST', headers: asKey, body: list });
    expect(issues.body).toMatchObject({ result: { tools: expect.anything() } });

    const place = (await org.client().fileUpload('text/plain', 'a b.txt', 5)).uploadFile!;
    const at = (url: string): string => new URL(url).pathname.replace(/^\/uploads/, '');
    const put = { method: 'PUT', headers: { 'content-type': 'text/plain' }, body: 'hello' };
    expect((await ask('uploads.linear.app', at(place.uploadUrl), put)).status).toBe(200);
    const bytes = await ask('uploads.linear.app', at(place.assetUrl), { headers: { authorization: org.apiKey } });
    expect(bytes).toMatchObject({ status: 200, body: 'hello' });

    const socket = await socketApp(ws);
    const { search } = new URL((await openUrl(app, socket['app_token'] as string))['url'] as string);
    const open = (host: string, path: string): WebSocket =>
      new WebSocket(`${app.baseUrl.replace('http', 'ws')}${path}`, { headers: { host } });
    const refused = async (host: string, path: string): Promise<number | undefined> => {
      const client = open(host, path);
      client.on('error', () => undefined);
      return new Promise((resolve) => client.on('unexpected-response', (_, { statusCode }) => resolve(statusCode)));
    };
    expect(await refused('slack.com', `/link/${search}`)).toBe(404);
    expect(await refused('api.linear.app', '/socket.io/?EIO=4&transport=websocket')).toBe(404);
    await new RawSocket(open('wss-primary.slack.com', `/link/${search}`)).hello();
  });

  it('has no pages of files and issues without a web UI', async () => {
    const ws = await app.workspace();
    expect(await ask(`${ws.domain}.slack.com`, '/files/U0123456789/F0123456789/a.txt')).toMatchObject({
      status: 404,
      body: { message: 'not_found' },
    });
    expect(await ask('linear.app', '/acme/issue/ENG-1/title')).toMatchObject({
      status: 404,
      body: { message: 'not_found' },
    });
  });
});
