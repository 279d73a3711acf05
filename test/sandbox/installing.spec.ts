import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { useApp } from '../support/app.js';
import { customer } from '../support/installer.js';
import { authorizeUrl, clientCall, install, oauthApp, type OauthApp } from '../support/oauth-app.js';
import { rest } from '../support/rest-client.js';
import { bearer, send, type Answer } from '../support/sandbox-routes.js';
import type { WorkspaceBuilder } from '../support/workspace.js';

const app = useApp();

/** The routes of a workspace's sandbox, for its admin. */
async function controlOf(
  ws: WorkspaceBuilder,
): Promise<(method: string, path: string, body?: object) => Promise<Answer>> {
  const { token } = await ws.jwtClient({ user: ws.admin });
  return (method, path, body) => send(app, method, `/api/sandboxes/self${path}`, bearer(token), body);
}

/** A server of an app. */
async function listen(handle: (request: IncomingMessage, reply: ServerResponse) => void): Promise<string> {
  const server: Server = createServer(handle);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** An app whose redirect URL is that of a running server. */
async function customerOf(
  ws: WorkspaceBuilder,
): Promise<{ client: OauthApp; url: string; store: Map<string, unknown> }> {
  const redirectUrls = ['http://127.0.0.1'];
  const client = await oauthApp(app, ws, { distributed: true, redirectUrls });
  const shop = await customer(client, app);
  const { token } = await ws.jwtClient({ user: ws.admin });
  const { manifest } = (await rest(app, `GET /apps/${client.id}`, { token })).body;
  manifest.oauth_config.redirect_urls = [shop.url];
  await rest(app, `PUT /apps/${client.id}/manifest`, { token, body: { manifest } });
  return { client, ...shop };
}

/** docs/reference/installing.md#installing-without-a-browser */
describe('installing without a browser', () => {
  it('redeems the code itself and answers the tokens, whatever redirect URLs there are', async () => {
    const ws = await app.workspace();
    const alice = await ws.user();
    const client = await oauthApp(app, ws, { redirectUrls: [], bot: ['chat:write'], user: ['users:read'] });
    const control = await controlOf(ws);
    const { status, body } = await control('POST', '/install', {
      client_id: client.clientId,
      as: alice.name,
      exchange: true,
    });
    expect([status, body]).toEqual([
      200,
      {
        authorize_url: expect.stringContaining('/oauth/v2/authorize?client_id='),
        redirected_to: expect.stringContaining('code='),
        code: expect.stringMatching(/^[0-9]{12}\.[0-9]{13}\.[0-9a-f]{64}$/),
        response: null,
        hops: [{ url: body.authorize_url, status: 200 }],
        installed: true,
        installation: expect.objectContaining({ app_id: client.id, team_id: ws.id, users: [alice.id], home: true }),
        tokens: expect.objectContaining({ ok: true, app_id: client.id, scope: 'chat:write' }),
        waited_ms: expect.any(Number),
      },
    ]);
    expect(await clientCall(app, 'auth.test', { token: body.tokens.access_token })).toMatchObject({ ok: true });
    const { body: listed } = await control('GET', '/installations');
    expect(listed.installations).toContainEqual({
      product: 'chat',
      client_id: client.clientId,
      name: expect.any(String),
      ...body.installation,
    });
    const { name } = listed.installations.find(({ app_id: id }: { app_id: string }) => id === client.id);
    const { document } = (await control('GET', '/state?document=true')).body;
    const granted = document.chat.installation.filter((one: { app: string }) => one.app === name);
    expect(granted).toEqual([
      { product: 'chat', app: name, user: null, scopes: ['chat:write'] },
      { product: 'chat', app: name, user: alice.name, scopes: ['users:read'] },
    ]);
  });

  it("follows the official installer's own page with its cookies, and then its redirect URL", async () => {
    const home = await app.workspace();
    const guest = await app.workspace();
    const { client, url, store } = await customerOf(home);
    for (const ws of [home, guest]) {
      const control = await controlOf(ws);
      const { status, body } = await control('POST', '/install', { start: `${url}/slack/install?team=${ws.id}` });
      expect([status, body.response?.status, body.installed]).toEqual([200, 200, true]);
      expect(body.hops.map((hop: { status: number }) => hop.status)).toEqual([200, 200, 200]);
      expect(body.response.body).toContain('Thank you!');
      expect(body.installation).toMatchObject({ team_id: ws.id, client_id: client.clientId });
      expect(store.has(ws.id)).toBe(true);
    }
  });

  it('follows redirects to authorize URLs that name the original service', async () => {
    const ws = await app.workspace();
    const client = await oauthApp(app, ws);
    const { search } = new URL(authorizeUrl(app, client, { state: 'fixed' }));
    const url = await listen((request, reply) => {
      const target = request.url === '/hop' ? `https://slack.com/oauth/v2/authorize${search}` : '/hop';
      reply.writeHead(302, { location: target, 'set-cookie': 'one=1; Secure; Path=/' }).end();
    });
    const control = await controlOf(ws);
    const { body } = await control('POST', '/install', { start: `${url}/install`, follow: false });
    expect(body).toMatchObject({ installed: false, installation: null, response: null });
    expect(new URL(body.redirected_to).searchParams.get('state')).toBe('fixed');
    expect(body.authorize_url).toMatch(/^https:\/\/slack\.com\//);
  });

  it('answers which pages it saw where none led to an authorize URL', async () => {
    const ws = await app.workspace();
    const control = await controlOf(ws);
    const url = await listen((_, reply) => void reply.end('<a href="https://evil.example/oauth/v2/authorize">x</a>'));
    const { status, body } = await control('POST', '/install', { start: url });
    expect([status, body]).toEqual([
      409,
      { statusCode: 409, message: 'no_authorize_url', error: 'Conflict', hops: [{ url: `${url}/`, status: 200 }] },
    ]);
  });

  it('says that an app cannot be reached, or takes too long, and that the code was not redeemed', async () => {
    const ws = await app.workspace();
    const control = await controlOf(ws);
    const silent = await listen(() => undefined);
    const client = await oauthApp(app, ws, { redirectUrls: ['http://127.0.0.1:9/callback', silent] });
    const dead = await control('POST', '/install', { client_id: client.clientId });
    expect(dead.body).toMatchObject({ response: null, error: 'connection_failed', installed: false });
    const late = await control('POST', '/install', {
      client_id: client.clientId,
      redirect_uri: silent,
      timeout_ms: 300,
    });
    expect(late.body).toMatchObject({ response: null, error: 'operation_timeout', installed: false });
  });

  it('cancels for somebody', async () => {
    const ws = await app.workspace();
    const client = await oauthApp(app, ws);
    const control = await controlOf(ws);
    const { body } = await control('POST', '/install', {
      client_id: client.clientId,
      decision: 'deny',
      state: 's',
      follow: false,
    });
    expect(Object.fromEntries(new URL(body.redirected_to).searchParams)).toEqual({
      error: 'access_denied',
      state: 's',
    });
    expect(body).toMatchObject({ code: null, installed: false });
  });

  it('refuses what it cannot do, with the code of the authorize URL where that does', async () => {
    const ws = await app.workspace();
    const other = await app.workspace();
    const client = await oauthApp(app, ws, { bot: [] });
    const control = await controlOf(ws);
    const refused = async (body: object): Promise<unknown> => {
      const answer = await control('POST', '/install', body);
      return [answer.status, answer.body.message];
    };
    const { clientId: client_id } = client;
    expect(await refused({})).toEqual([400, 'app: give app, client_id, start or authorize_url']);
    expect(await refused({ app: 'nobody' })).toEqual([404, 'app_not_found']);
    expect(await refused({ client_id, as: 'nobody' })).toEqual([404, 'user_not_found']);
    expect(await refused({ client_id, scope: 'chat:write', channel: '#none' })).toEqual([404, 'channel_not_found']);
    expect(await refused({ client_id })).toEqual([400, 'no_scopes']);
    expect(await refused({ client_id, scope: 'chat:writ' })).toEqual([400, 'invalid_scope']);
    expect(await refused({ client_id: '000000000000.0000000000000' })).toEqual([400, 'invalid_client_id']);
    expect(await refused({ authorize_url: 'https://evil.example/oauth/v2/authorize' })).toEqual([
      400,
      'authorize_url: must be an authorize URL of this server',
    ]);
    expect(await refused({ start: 'http://127.0.0.1:9/', exchange: true })).toEqual([
      400,
      'exchange: cannot stand with start: the app redeems its code itself',
    ]);
    expect(await refused({ client_id, nonsense: 1 })).toEqual([400, 'nonsense: no such field']);
    const foreign = await oauthApp(app, other);
    expect(await refused({ client_id: foreign.clientId })).toEqual([400, 'invalid_team_for_non_distributed_app']);
    const bot = await install(app, await oauthApp(app, ws), ws.admin.id);
    expect(await refused({ client_id, as: bot.bot_user_id })).toEqual([400, 'cannot_act_as_bot']);
  });

  it('posts the webhook of an installation to the channel that was chosen, and warns of commands that are left out', async () => {
    const ws = await app.workspace();
    const control = await controlOf(ws);
    const command = { command: '/deploy', url: 'http://127.0.0.1:9/', description: 'Deploys' };
    const features = { slash_commands: [command] };
    const first = await oauthApp(app, ws, { features, bot: ['commands'] });
    await install(app, first, ws.admin.id);
    const second = await oauthApp(app, ws, { features, bot: ['commands', 'incoming-webhook'] });
    const { body } = await control('POST', '/install', {
      client_id: second.clientId,
      channel: 'random',
      exchange: true,
    });
    expect(body.tokens.incoming_webhook.channel).toBe('#random');
    expect(body.warnings).toEqual([expect.stringContaining('/deploy')]);
  });
});

/** docs/reference/installing.md#faults */
describe('faults of installing', () => {
  it('change the redirect, so that an app can be sent a forged state or a garbage code', async () => {
    const ws = await app.workspace();
    const { url, store } = await customerOf(ws);
    const control = await controlOf(ws);
    const start = { start: `${url}/slack/install?team=${ws.id}` };
    const fault = { type: 'redirect', set: { state: 'forged' } };
    expect((await control('POST', '/faults', { on: { method: 'oauth.v2.authorize' }, fault })).status).toBe(201);
    const forged = await control('POST', '/install', start);
    expect(new URL(forged.body.redirected_to).searchParams.get('state')).toBe('forged');
    expect([forged.body.response.status, forged.body.installed]).toEqual([400, false]);
    const remove = { type: 'redirect', remove: ['code'], set: { error: 'server_error' } };
    await control('POST', '/faults', { on: { method: 'oauth.*', caller: 'browser' }, fault: remove });
    const { searchParams } = new URL((await control('POST', '/install', start)).body.redirected_to);
    expect([searchParams.get('error'), searchParams.has('code')]).toEqual(['server_error', false]);
    expect(store.size).toBe(0);
    expect((await control('POST', '/install', start)).body.installed).toBe(true);
  });

  it('make the page and the token method fail as they were told to', async () => {
    const ws = await app.workspace();
    const client = await oauthApp(app, ws);
    const control = await controlOf(ws);
    const { clientId: client_id } = client;
    const error = { type: 'error', error: 'team_not_found' };
    await control('POST', '/faults', { on: { method: 'oauth.v2.authorize' }, fault: error });
    const refused = await control('POST', '/install', { client_id });
    expect([refused.status, refused.body.message]).toEqual([400, 'team_not_found']);
    await control('POST', '/faults', {
      on: { method: 'oauth.v2.access', caller: 'client' },
      fault: { type: 'error', error: 'invalid_code' },
    });
    const { body } = await control('POST', '/install', { client_id, follow: false });
    const redeemed = (): Promise<{ error?: string; ok: boolean }> =>
      clientCall(app, 'oauth.v2.access', { client_id, client_secret: client.clientSecret, code: body.code });
    expect(await redeemed()).toMatchObject({ error: 'invalid_code' });
    expect(await redeemed()).toMatchObject({ ok: true });
  });

  it('of the type redirect are for authorize URLs alone', async () => {
    const control = await controlOf(await app.workspace());
    const refused = async (method: string, fault: object): Promise<unknown> =>
      (await control('POST', '/faults', { on: { method }, fault })).body.message;
    expect(await refused('chat.postMessage', { type: 'redirect', set: { state: 'x' } })).toBe(
      'on.method: must be an authorize URL, as oauth.v2.authorize, for redirect',
    );
    expect(await refused('oauth.v2.authorize', { type: 'redirect' })).toBe(
      'fault.set: must say which parameters change, unless remove does',
    );
  });
});

/** docs/reference/installing.md#ending-tokens */
describe('ending tokens', () => {
  it('expires one, also a long-lived one, and revokes a half with its events', async () => {
    const ws = await app.workspace();
    const client = await oauthApp(app, ws, { bot: ['chat:write'], user: ['users:read'] });
    const control = await controlOf(ws);
    const made = await install(app, client, ws.admin.id);
    const test = async (token: string): Promise<unknown> => (await clientCall(app, 'auth.test', { token })).error;
    const bot = made.access_token;
    const person = made.authed_user.access_token;
    expect(await test(bot)).toBeUndefined();
    expect((await control('POST', '/tokens/expire', { token: bot })).body).toEqual({ count: 1 });
    expect([await test(bot), await test(person)]).toEqual(['token_expired', undefined]);
    expect((await control('POST', '/tokens/expire', { token: bot })).body.message).toBe('token_not_found');
    const ended = await control('POST', '/tokens/revoke', { app: client.id, kind: 'user', user: ws.admin.id });
    expect(ended.body).toEqual({ count: 1 });
    expect(await test(person)).toBe('token_revoked');
    const other = await app.workspace();
    const stranger = await controlOf(other);
    const theirs = await install(app, await oauthApp(app, ws), ws.admin.id);
    expect((await stranger('POST', '/tokens/revoke', { token: theirs.access_token })).status).toBe(404);
    expect(await test(theirs.access_token)).toBeUndefined();
    expect((await control('POST', '/tokens/expire', { app: client.id })).body.message).toBe(
      'token: give token, or app and kind',
    );
  });
});

/** docs/reference/installing.md#in-the-timeline */
describe('installing in the timeline', () => {
  it('shows who looked, decided and redeemed, what came of it and its end, and can be waited for', async () => {
    const ws = await app.workspace();
    const client = await oauthApp(app, ws);
    const control = await controlOf(ws);
    await control('PATCH', '', { journal: true });
    await control('POST', '/timeline/mark');
    const waiting = control('POST', '/wait', { for: 'install', where: { app_id: client.id } });
    await install(app, client, ws.admin.id);
    expect((await waiting).body).toMatchObject({ matched: true });
    await install(app, client, ws.admin.id, { scope: 'users:read' });
    const { token } = await ws.jwtClient({ user: ws.admin });
    await rest(app, `DELETE /apps/${client.id}/installation`, { token });
    const entries = async (query: string): Promise<Record<string, unknown>[]> =>
      (await control('GET', `/timeline?${query}`)).body.entries;
    const about = { product: 'chat', app_id: client.id, app: expect.any(String) };
    expect(await entries('kind=install,uninstall')).toEqual(
      [
        { kind: 'install', ...about, user: ws.admin.id, scopes: ['chat:write'], again: false },
        { kind: 'install', ...about, user: ws.admin.id, scopes: ['users:read'], again: true },
        { kind: 'uninstall', ...about, user: null },
      ].map((entry) => expect.objectContaining(entry)),
    );
    const calls = await entries('kind=call&caller=browser,client&limit=3');
    expect(calls.map(({ method, caller, ok }) => [method, caller, ok])).toEqual([
      ['oauth.v2.authorize', { kind: 'browser' }, true],
      ['oauth.v2.authorize', { kind: 'browser' }, true],
      ['oauth.v2.access', { kind: 'client', app_id: client.id, app: expect.any(String) }, true],
    ]);
    expect(calls[1]).toMatchObject({ args: { decision: 'allow', user: ws.admin.id }, status: 302 });
  });
});
