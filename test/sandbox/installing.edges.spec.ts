import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { useApp } from '../support/app.js';
import { clientCall, refresh } from '../support/oauth-app.js';
import { makeSandbox, send, type Answer } from '../support/sandbox-routes.js';

const app = useApp();

/** A server of an app. */
async function listen(handle: (request: IncomingMessage, reply: ServerResponse) => void): Promise<string> {
  const server = createServer(handle);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A sandbox with an app of each half, and its routes. */
async function made(redirect: string) {
  const scopes = { bot: ['chat:write'], user: ['users:read'] };
  const { body, ctl } = await makeSandbox(app, {
    methods: 'all',
    journal: true,
    users: ['alice'],
    apps: [{ name: 'shop', scopes, redirect_urls: [redirect], token_rotation: true, installed: false }],
    tracker: { apps: [{ name: 'importer', redirect_uris: [redirect] }] },
  });
  return {
    shop: body.credentials.apps.shop,
    importer: body.credentials.tracker_apps.importer,
    alice: body.credentials.users.alice,
    control: (method: string, path: string, sent?: object): Promise<Answer> =>
      send(app, method, `/api/sandboxes/self${path}`, ctl, sent),
  };
}

/** docs/reference/installing.md#installing-without-a-browser */
describe('installing without a browser', () => {
  it('keeps cookies over five redirects, takes the first link of a page, and cuts long answers', async () => {
    const cookies: string[] = [];
    let authorize = '';
    const url = await listen((request, reply) => {
      cookies.push(`${request.url?.split('?')[0] ?? ''} ${request.headers.cookie ?? ''}`.trim());
      const hop = Number(/^\/hop(\d)/.exec(request.url ?? '')?.[1] ?? NaN);
      if (hop < 5)
        reply.writeHead(302, { location: `/hop${hop + 1}`, 'set-cookie': `c${hop}=${hop}; Secure; HttpOnly` }).end();
      else if (hop === 5)
        reply
          .writeHead(200, { 'content-type': 'text/html', 'set-cookie': 'c0=; Max-Age=0' })
          .end(`<a href="/help">Help</a> <a href="${authorize.replaceAll('&', '&amp;')}">Add to Slack</a>`);
      else if (request.url === '/round') reply.writeHead(302, { location: '/round' }).end();
      else reply.end('x'.repeat(100_000));
    });
    const { shop, control } = await made(`${url}/back`);
    authorize = `https://slack.com/oauth/v2/authorize?client_id=${shop.client_id}&state=s&scope=chat:write`;
    const { status, body } = await control('POST', '/install', { start: `${url}/hop0` });
    expect([status, body.authorize_url, body.response?.status, body.installed]).toEqual([200, authorize, 200, false]);
    expect(body.hops.map((hop: { status: number }) => hop.status)).toEqual([302, 302, 302, 302, 302, 200, 200, 200]);
    expect(body.response.body).toHaveLength(64 * 1024);
    expect(cookies.slice(-2)).toEqual(['/hop5 c0=0; c1=1; c2=2; c3=3; c4=4', '/back c1=1; c2=2; c3=3; c4=4']);
    const round = await control('POST', '/install', { start: `${url}/round` });
    expect([round.status, round.body.message, round.body.hops.length]).toEqual([409, 'no_authorize_url', 6]);
  });

  it('takes authorize URLs of the vendors for each way to ask, and refuses what is no time', async () => {
    const { shop, importer, alice, control } = await made('https://app.example/back');
    const urls: [string, string, string][] = [
      ['https://slack.com/openid/connect/authorize', shop.client_id, 'openid'],
      ['https://acme.slack.com/oauth/v2/authorize', shop.client_id, 'chat:write'],
      ['https://linear.app/oauth/authorize', importer.client_id, 'write'],
    ];
    for (const [at, client_id, scope] of urls) {
      const query = { client_id, scope, response_type: 'code', redirect_uri: 'https://app.example/back' };
      const authorize_url = `${at}?${new URLSearchParams(query).toString()}`;
      const { status, body } = await control('POST', '/install', { authorize_url, as: 'alice', exchange: true });
      expect([at, status, body.installed], JSON.stringify(body)).toEqual([at, 200, true]);
      if (body.tokens.authed_user) expect(body.tokens.authed_user.id).toBe(alice.user_id);
    }
    for (const authorize_url of [
      `https://slack.com/oauth/authorize?client_id=${importer.client_id}`,
      `https://slack.com.evil.example/oauth/v2/authorize?client_id=${shop.client_id}`,
    ])
      expect((await control('POST', '/install', { authorize_url })).status).toBe(400);
    for (const timeout_ms of [0, 60_001])
      expect((await control('POST', '/install', { app: 'shop', timeout_ms })).status).toBe(400);
  });
});

/** docs/reference/installing.md#ending-tokens */
describe('ending tokens of a kind', () => {
  it('knows refresh tokens, access tokens and configuration tokens, with what their ends mean', async () => {
    const { shop, alice, control } = await made('https://app.example/back');
    const client = { id: '', clientId: shop.client_id, clientSecret: shop.client_secret, signingSecret: '' };
    const { tokens } = (await control('POST', '/install', { app: 'shop', as: 'alice', exchange: true })).body;
    const error = async (token: string): Promise<unknown> => (await clientCall(app, 'auth.test', { token })).error;
    const end = async (how: string, fields: object): Promise<unknown> => {
      const { status, body } = await control('POST', `/tokens/${how}`, fields);
      return status === 200 ? body.count : body.message;
    };
    expect(await end('expire', { app: 'shop', kind: 'access' })).toBe(2);
    expect([await error(tokens.access_token), await error(tokens.authed_user.access_token)]).toEqual([
      'token_expired',
      'token_expired',
    ]);
    expect(await end('expire', { app: 'shop', kind: 'refresh', user: 'alice' })).toBe(1);
    expect((await refresh(app, client, tokens.authed_user.refresh_token)).error).toBe('invalid_refresh_token');
    const next = await refresh(app, client, tokens.refresh_token);
    expect(await error(next.access_token)).toBeUndefined();
    expect(await end('revoke', { app: 'shop', kind: 'bot' })).toBe(1);
    expect(await error(next.access_token)).toBe('token_revoked');
    const config = (await control('POST', '/config-token', { user: 'alice' })).body;
    expect(config.user_id).toBe(alice.user_id);
    expect(await end('revoke', { kind: 'config', user: 'alice' })).toBe(2);
    const validated = await clientCall(app, 'apps.manifest.validate', { token: config.token, manifest: '{}' });
    expect(validated.error).toBe('token_revoked');
    expect(await end('expire', { app: 'nobody', kind: 'bot' })).toBe('token_not_found');
    expect(await end('expire', { app: 'shop', kind: 'bot', user: 'nobody' })).toBe('user_not_found');
  });
});

/** docs/reference/installing.md#faults */
describe('faults of installing', () => {
  it('of the type redirect meet what the tracker refuses by sending the browser back at once', async () => {
    const { importer, control } = await made('https://app.example/back');
    const rule = { type: 'redirect', set: { state: 'forged', error: 'server_error' }, remove: ['error_description'] };
    const faulty = await control('POST', '/faults', { on: { method: 'oauth/authorize' }, fault: rule, times: 1 });
    expect(faulty.status).toBe(201);
    const asked = async (more: Record<string, string>): Promise<Response> => {
      const query = { client_id: importer.client_id, redirect_uri: 'https://app.example/back', state: 'mine', ...more };
      return fetch(`${app.baseUrl}/oauth/authorize?${new URLSearchParams(query).toString()}`, { redirect: 'manual' });
    };
    expect((await asked({ response_type: 'code' })).status).toBe(200);
    expect((await asked({ redirect_uri: 'https://else.example' })).status).toBe(400);
    const refused = async (): Promise<[number, string | null]> => {
      const { status, headers } = await asked({ response_type: 'code', scope: 'no:such' });
      return [status, headers.get('location')];
    };
    expect(await refused()).toEqual([302, 'https://app.example/back?error=server_error&state=forged']);
    expect((await refused())[1]).toContain('error=invalid_scope');
  });

  it('meet token calls that lack what they redeem, which stand on the timeline of the home', async () => {
    const { shop, importer, control } = await made('https://app.example/back');
    const client = { client_id: shop.client_id, client_secret: shop.client_secret };
    const chat = (method: string, more: Record<string, string>): Promise<unknown> =>
      clientCall(app, method, { ...client, ...more });
    expect(await chat('oauth.v2.access', {})).toMatchObject({ error: 'invalid_code' });
    expect(await chat('openid.connect.token', { grant_type: 'refresh_token' })).toMatchObject({
      error: 'invalid_refresh_token',
    });
    expect(await chat('oauth.v2.access', { grant_type: 'password' })).toMatchObject({ error: 'invalid_grant_type' });
    const untyped = await fetch(`${app.baseUrl}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: importer.client_id }),
    });
    expect([untyped.status, await untyped.json()]).toEqual([
      400,
      { error: 'invalid_request', error_description: 'grant_type is required' },
    ]);
    const { entries } = (await control('GET', '/timeline?kind=call')).body;
    expect((entries as { method: string; error: string }[]).map(({ method, error }) => `${method} ${error}`)).toEqual([
      'oauth.v2.access invalid_code',
      'openid.connect.token invalid_refresh_token',
      'oauth.v2.access invalid_grant_type',
      'oauth/token invalid_request',
    ]);
    const rule = { on: { method: 'oauth.v2.access' }, fault: { type: 'error', error: 'fatal_error' } };
    expect((await control('POST', '/faults', rule)).status).toBe(201);
    expect(await chat('oauth.v2.access', {})).toMatchObject({ error: 'fatal_error' });
  });

  it('meet the sign-in page, families of both halves, and make the token endpoint slow', async () => {
    const { shop, importer, control } = await made('https://app.example/back');
    const fault = async (on: object, rule: object, more = {}): Promise<void> => {
      const { status, body } = await control('POST', '/faults', { on, fault: rule, times: 1, ...more });
      expect([status, body.message]).toEqual([201, undefined]);
    };
    const query = { client_id: shop.client_id, scope: 'openid', response_type: 'code' };
    const page = (): Promise<Response> =>
      fetch(`${app.baseUrl}/openid/connect/authorize?${new URLSearchParams(query).toString()}`, {
        headers: { accept: 'text/html' },
      });
    await fault({ method: 'openid.connect.authorize' }, { type: 'ratelimited', retry_after: 7 });
    const limited = await page();
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '7']);
    expect((await page()).status).toBe(200);

    await fault({ method: 'oauth.*', caller: 'client' }, { type: 'error', error: 'internal_error' });
    const { code } = (await control('POST', '/install', { app: 'shop', follow: false })).body;
    const client = { client_id: shop.client_id, client_secret: shop.client_secret, code };
    expect(await clientCall(app, 'oauth.v2.access', client)).toMatchObject({ error: 'internal_error' });
    await fault({ method: 'oauth.v2.access' }, { type: 'delay', ms: 400 });
    const begun = performance.now();
    expect(await clientCall(app, 'oauth.v2.access', client)).toMatchObject({ ok: true });
    expect(performance.now() - begun).toBeGreaterThan(390);

    await fault({ method: 'oauth/*', caller: 'client' }, { type: 'error', error: 'temporarily_unavailable' });
    const form = { grant_type: 'refresh_token', refresh_token: 'x', client_id: importer.client_id };
    const token = (): Promise<Response> =>
      fetch(`${app.baseUrl}/oauth/token`, { method: 'POST', body: new URLSearchParams(form) });
    expect(await (await token()).json()).toMatchObject({ error: 'temporarily_unavailable' });
    expect(await (await token()).json()).toMatchObject({ error: 'invalid_client' });
    const { entries } = (await control('GET', '/timeline?kind=call&limit=200')).body;
    const told = (entries as { method: string; error: string | null }[]).filter(({ error }) => error !== null);
    expect(told.map(({ method, error }) => `${method} ${error}`)).toEqual([
      'openid.connect.authorize ratelimited',
      'oauth.v2.access internal_error',
      'oauth/token temporarily_unavailable',
      'oauth/token invalid_client',
    ]);
  });
});
