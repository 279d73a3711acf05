import { describe, expect, it } from 'vitest';
import { useApp } from '../../support/app.js';
import { Listener } from '../../support/listener.js';
import { rest } from '../../support/rest-client.js';
import { connect, closeSockets, openUrl, socketApp } from '../../support/socket-app.js';

describe('apps.connections.open', () => {
  const app = useApp();
  closeSockets();
  const call = async (token: string, init: RequestInit = {}): Promise<{ body: any; headers: Headers }> => {
    const response = await fetch(`${app.baseUrl}/api/apps.connections.open`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      ...init,
    });
    return { body: await response.json(), headers: response.headers };
  };

  it('answers a URL with a single-use ticket', async () => {
    const ws = await app.workspace();
    const made = await socketApp(ws);
    expect(made).toMatchObject({
      socket_mode: 'on',
      app_token: expect.stringMatching(/^xapp-1-A0[0-9A-Z]{9}-[0-9]{13}-[0-9a-f]{64}$/),
    });
    expect(made['app_token'].split('-')[2]).toBe(made['app_id']);
    const { body, headers } = await call(made['app_token']);
    expect(body).toEqual({
      ok: true,
      url: expect.stringMatching(/^ws:\/\/127\.0\.0\.1:\d+\/link\/\?ticket=[0-9a-f]{64}&app_id=A0/),
    });
    expect(headers.get('x-oauth-scopes')).toBe('connections:write');
  });

  it('reads the token from the header of a POST, and accepts only app-level tokens', async () => {
    const ws = await app.workspace();
    const made = await socketApp(ws);
    const token = made['app_token'] as string;
    const inBody = { headers: {}, body: new URLSearchParams({ token }) };
    expect((await call('', inBody)).body).toMatchObject({ ok: false, error: 'not_authed' });
    expect((await call(token, { method: 'GET' })).body).toMatchObject({ error: 'insecure_request' });
    expect((await call(made['bot_token'])).body).toMatchObject({ error: 'not_allowed_token_type' });
    expect((await call((await ws.jwtClient()).token)).body).toMatchObject({ error: 'not_allowed_token_type' });
    expect((await call(`${token.slice(0, -1)}x`)).body).toMatchObject({ error: 'invalid_auth' });
    expect((await call(`${token.slice(0, -2)}00`)).body).toMatchObject({ error: 'invalid_auth' });
  });

  it('is the only method for an app-level token', async () => {
    const ws = await app.workspace();
    const { app_token: token } = await socketApp(ws);
    const headers = { authorization: `Bearer ${token as string}` };
    const method = await fetch(`${app.baseUrl}/api/auth.test`, { method: 'POST', headers });
    expect(await method.json()).toMatchObject({ ok: false, error: 'not_allowed_token_type' });
    const route = await fetch(`${app.baseUrl}/api/apps`, { headers });
    expect(route.status).toBe(403);
    expect(await route.json()).toMatchObject({ message: 'not_allowed_token_type' });
    expect(await Listener.refusal(app, { token })).toBe('invalid_auth');
    const tool = await fetch(`${app.baseUrl}/api/mcp/chat`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'svc_auth_test' } }),
    });
    expect(await tool.text()).toContain('not_allowed_token_type');
  });

  it('answers account_inactive when the workspace is deleted, and ratelimited beyond Tier 3', async () => {
    const ws = await app.workspace();
    const { app_token: token } = await socketApp(ws);
    const { app_token: other } = await socketApp(ws);
    const all = await Promise.all(Array.from({ length: 51 }, () => call(token)));
    const limited = all.filter(({ body }) => !body.ok);
    expect(limited.map(({ body }) => body)).toEqual([{ ok: false, error: 'ratelimited' }]);
    expect(Number(limited[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
    // another app has a limit of its own
    expect((await call(other)).body.ok).toBe(true);
    const open = await connect(app, other);
    const { token: owner } = await ws.jwtClient({ user: ws.admin });
    expect((await rest(app, `DELETE /workspaces/${ws.id}`, { token: owner })).status).toBe(200);
    expect((await call(other)).body).toEqual({ ok: false, error: 'account_inactive' });
    await open.until(() => open.of('disconnect').length > 0);
    expect(open.of('disconnect')).toMatchObject([{ reason: 'link_disabled' }]);
  });

  it('refuses an eleventh connection, and counts the open ones', async () => {
    const ws = await app.workspace();
    const { app_token: token } = await socketApp(ws);
    for (let n = 1; n <= 10; n++) {
      const one = await connect(app, token);
      expect(one.received[0]).toMatchObject({ type: 'hello', num_connections: n });
    }
    const late = await connect(app, token);
    expect(late.received).toMatchObject([{ type: 'disconnect', reason: 'too_many_websockets' }]);
    expect(await late.closed()).toBe(1000);
    expect((await openUrl(app, token))['ok']).toBe(true);
  });
});
