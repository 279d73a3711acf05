import { describe, expect, it } from 'vitest';
import { useApp } from '../../support/app.js';
import { consent } from '../../support/consent.js';
import {
  authorizeUrl,
  clientCall,
  codeFor,
  install,
  oauthApp,
  redeem,
  REDIRECT,
  type OauthApp,
} from '../../support/oauth-app.js';
import { rest } from '../../support/rest-client.js';

const app = useApp();

/** docs/reference/installing.md#oauthv2access */
describe('oauth.v2.access', () => {
  it('installs what somebody consented to: the bot with its scopes, and the person', async () => {
    const ws = await app.workspace();
    const alice = await ws.user();
    const client = await oauthApp(app, ws, { bot: ['chat:write', 'commands'], user: ['search:read'] });
    const { token: admin } = await ws.jwtClient({ user: ws.admin });
    const shown = async () => (await rest(app, `GET /apps/${client.id}`, { token: admin })).body;
    expect(await shown()).toMatchObject({ installed: false, bot_id: null, bot_user_id: null });
    const url = await consent(app, authorizeUrl(app, client, { state: 'a b&c' }), { user: alice.id });
    expect([url.origin + url.pathname, url.searchParams.get('state')]).toEqual([REDIRECT, 'a b&c']);
    const code = url.searchParams.get('code') as string;
    expect(code).toMatch(/^[0-9]{12}\.[0-9]{13}\.[0-9a-f]{64}$/);
    expect(await shown()).toMatchObject({ installed: false });
    const answer = await redeem(app, client, code);
    expect(answer).toEqual({
      ok: true,
      app_id: client.id,
      authed_user: {
        id: alice.id,
        scope: 'search:read',
        access_token: expect.stringMatching(/^xoxp-/),
        token_type: 'user',
      },
      scope: 'chat:write,commands',
      token_type: 'bot',
      access_token: expect.stringMatching(/^xoxb-/),
      bot_user_id: expect.stringMatching(/^U0/),
      team: { id: ws.id, name: expect.any(String) },
      enterprise: null,
      is_enterprise_install: false,
    });
    const me = await clientCall(app, 'auth.test', { token: answer.access_token });
    expect(me).toMatchObject({ ok: true, user_id: answer.bot_user_id, app_id: client.id, team_id: ws.id });
    expect(me).not.toHaveProperty('expires_in');
    expect(await clientCall(app, 'auth.test', { token: answer.authed_user.access_token })).toMatchObject({
      ok: true,
      user_id: alice.id,
    });
    expect(await shown()).toMatchObject({ installed: true, bot_user_id: answer.bot_user_id });
  });

  it('leaves out the half that was not asked for', async () => {
    const ws = await app.workspace();
    const client = await oauthApp(app, ws);
    const bot = await install(app, client, ws.admin.id, { scope: 'chat:write' });
    expect(bot.authed_user).toEqual({ id: ws.admin.id });
    const user = await install(app, client, ws.admin.id, { user_scope: 'users:read' });
    for (const key of ['scope', 'token_type', 'access_token', 'bot_user_id']) expect(user).not.toHaveProperty(key);
    expect(user.authed_user.scope).toBe('users:read');
  });

  it('adds up scopes over installations, also for the tokens from before', async () => {
    const ws = await app.workspace();
    const client = await oauthApp(app, ws);
    const first = await install(app, client, ws.admin.id, { scope: 'chat:write' });
    expect(await clientCall(app, 'users.list', { token: first.access_token })).toMatchObject({
      error: 'missing_scope',
    });
    const second = await install(app, client, ws.admin.id, { scope: 'users:read,chat:write' });
    expect(second).toMatchObject({ scope: 'chat:write,users:read', bot_user_id: first.bot_user_id });
    expect(second.access_token).not.toBe(first.access_token);
    expect(await clientCall(app, 'users.list', { token: first.access_token })).toMatchObject({ ok: true });
  });

  it('makes the webhook that was asked for, in the chosen channel', async () => {
    const ws = await app.workspace();
    const client = await oauthApp(app, ws);
    const url = await consent(app, authorizeUrl(app, client, { scope: 'incoming-webhook' }), {
      user: ws.admin.id,
      channel: ws.random.id,
    });
    const { incoming_webhook: hook } = await redeem(app, client, url.searchParams.get('code') as string);
    expect(hook).toMatchObject({ channel: '#random', channel_id: ws.random.id });
    const posted = await fetch(hook.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text: 'installed' }),
    });
    expect([posted.status, await posted.text()]).toEqual([200, 'ok']);
    const { token } = await ws.jwtClient({ user: ws.admin });
    const history = await rest(app, 'POST /conversations.history', { token, body: { channel: ws.random.id } });
    expect(history.body.messages[0]).toMatchObject({ text: 'installed', bot_id: hook.url.split('/').at(-2) });
  });

  it('takes the client from the header, which wins', async () => {
    const ws = await app.workspace();
    const client = await oauthApp(app, ws);
    const code = await codeFor(app, client, ws.admin.id);
    const authorization = `Basic ${Buffer.from(`${client.clientId}:${client.clientSecret}`).toString('base64')}`;
    const fields = { code, client_id: '1.2', client_secret: 'wrong' };
    expect(await clientCall(app, 'oauth.v2.access', fields, { authorization })).toMatchObject({ ok: true });
  });

  it('minds no token in the header: it and its kin are called by who has none that is good', async () => {
    const ws = await app.workspace();
    const client = await oauthApp(app, ws, { rotation: true });
    const header = { authorization: 'Bearer xoxb-000000000000-nobody' };
    const proof = { client_id: client.clientId, client_secret: client.clientSecret };
    const code = await codeFor(app, client, ws.admin.id);
    const made = await clientCall(app, 'oauth.v2.access', { ...proof, code }, header);
    expect(made).toMatchObject({ ok: true, app_id: client.id });
    const { refresh_token: token } = made;
    const refreshed = { ...proof, grant_type: 'refresh_token', refresh_token: token };
    expect(await clientCall(app, 'oauth.v2.access', refreshed, header)).toMatchObject({ ok: true, token_type: 'bot' });
    expect(await clientCall(app, 'oauth.v2.exchange', proof, header)).toEqual({ ok: false, error: 'invalid_token' });
    const wrong = await clientCall(app, 'openid.connect.token', { ...proof, code: 'x' }, header);
    expect(wrong).toEqual({ ok: false, error: 'invalid_code' });
    const none = await clientCall(app, 'openid.connect.token', { code: 'x' }, header);
    expect(none).toEqual({ ok: false, error: 'invalid_client_id' });
  });

  it('refuses in the order of its checks', async () => {
    const ws = await app.workspace();
    const client = await oauthApp(app, ws);
    const other = await oauthApp(app, ws);
    const id = { client_id: client.clientId };
    const both = { ...id, client_secret: client.clientSecret };
    const error = async (fields: Record<string, string>): Promise<string> =>
      (await clientCall(app, 'oauth.v2.access', fields)).error;
    expect(await error({ grant_type: 'password' })).toBe('invalid_grant_type');
    expect(await error({})).toBe('invalid_code');
    expect(await error({ grant_type: 'refresh_token' })).toBe('invalid_refresh_token');
    expect(await error({ code: 'x' })).toBe('invalid_client_id');
    expect(await error({ code: 'x', client_id: '123456789012.1234567890123' })).toBe('invalid_client_id');
    expect(await error({ code: 'x', ...id })).toBe('bad_client_secret');
    expect(await error({ code: 'x', ...id, client_secret: other.clientSecret })).toBe('bad_client_secret');
    expect(await error({ code: 'x', ...both })).toBe('invalid_code');
    const code = await codeFor(app, client, ws.admin.id, { redirect_uri: REDIRECT });
    expect(await error({ code, client_id: other.clientId, client_secret: other.clientSecret })).toBe('invalid_code');
    expect(await error({ code, ...both })).toBe('bad_redirect_uri');
    expect(await error({ code, ...both, redirect_uri: `${REDIRECT}/` })).toBe('bad_redirect_uri');
    expect(await error({ code, ...both, redirect_uri: REDIRECT, code_verifier: 'a'.repeat(43) })).toBe(
      'invalid_code_verifier',
    );
    // what failed by its redirect URL or verifier stays good
    expect(await clientCall(app, 'oauth.v2.access', { code, ...both, redirect_uri: REDIRECT })).toMatchObject({
      ok: true,
    });
    expect(await error({ code, ...both, redirect_uri: REDIRECT })).toBe('code_already_used');
  });

  it('takes the forms of all methods, 100 times a minute from one client', async () => {
    const ws = await app.workspace();
    const [client, other] = [await oauthApp(app, ws), await oauthApp(app, ws)];
    const fields = ({ clientId: client_id, clientSecret: client_secret }: OauthApp, code: string) => ({
      client_id,
      client_secret,
      code,
    });
    const url = `${app.baseUrl}/api/oauth.v2.access`;
    const query = new URLSearchParams(fields(client, await codeFor(app, client, ws.admin.id))).toString();
    expect(await (await fetch(`${url}?${query}`)).json()).toMatchObject({ ok: true, app_id: client.id });
    const json = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(fields(client, await codeFor(app, client, ws.admin.id))),
    });
    expect(await json.json()).toMatchObject({ ok: true, app_id: client.id });
    const answers = await Promise.all(Array.from({ length: 120 }, () => redeem(app, client, 'x')));
    expect(new Set(answers.map(({ error }) => error))).toEqual(new Set(['invalid_code', 'ratelimited']));
    // 22, or 20 where the first two calls are more than a minute ago
    expect(answers.filter(({ error }) => error === 'ratelimited').length).toBeGreaterThanOrEqual(20);
    expect(await redeem(app, other, 'x')).toEqual({ ok: false, error: 'invalid_code' });
  });

  it('exists where the sandbox of the app has all methods, and nowhere else', async () => {
    const ws = await app.workspace();
    const client = await oauthApp(app, ws);
    const code = await codeFor(app, client, ws.admin.id);
    const { token } = await ws.jwtClient({ user: ws.admin });
    const patch = (methods: string): Promise<Response> =>
      fetch(`${app.baseUrl}/api/sandboxes/self`, {
        method: 'PATCH',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ methods }),
      });
    expect((await patch('core')).status).toBe(200);
    expect(await redeem(app, client, code)).toMatchObject({ ok: false, error: 'unknown_method' });
    const page = await fetch(authorizeUrl(app, client));
    expect([page.status, await page.json()]).toEqual([404, expect.objectContaining({ message: 'not_found' })]);
    const openid = await fetch(authorizeUrl(app, client, {}, 'openid/connect/authorize'));
    expect(openid.status).toBe(404);
    const refused = await rest(app, 'POST /sandboxes/self/install', { token, body: { client_id: client.clientId } });
    expect([refused.status, refused.body.message]).toEqual([404, 'not_found']);
    await patch('all');
    expect(await redeem(app, client, code)).toMatchObject({ ok: true });
  });
});
