import { createHash } from 'node:crypto';
import { createLocalJWKSet, createRemoteJWKSet, decodeJwt, jwtVerify, type JSONWebKeySet } from 'jose';
import { describe, expect, it } from 'vitest';
import { Db } from '../../../src/kernel/database/db.js';
import { OpenidKey } from '../../../src/messaging/oauth/openid-key.entity.js';
import { useApp, type TestApp } from '../../support/app.js';
import { consent, errorOf, TestBrowser } from '../../support/consent.js';
import { onPostgres, serverUrl } from '../../support/databases.js';
import {
  authorizeUrl,
  clientCall,
  codeFor,
  oauthApp,
  redeem,
  refresh,
  type OauthApp,
} from '../../support/oauth-app.js';
import { twoReplicas } from '../../support/replicas.js';
import { bearer, send } from '../../support/sandbox-routes.js';
import type { WorkspaceBuilder } from '../../support/workspace.js';

const app = useApp();
const PATH = 'openid/connect/authorize';

type At = Pick<TestApp, 'baseUrl'>;
// oxlint-disable-next-line no-explicit-any
type Json = any;

const signInUrl = (client: OauthApp, query: Record<string, string> = {}, at: At = app): string =>
  authorizeUrl(at, client, { response_type: 'code', scope: 'openid email profile', ...query }, PATH);

async function signInCode(
  client: OauthApp,
  user: string,
  query: Record<string, string> = {},
  at: At = app,
): Promise<string> {
  return (await consent(at, signInUrl(client, query, at), { user })).searchParams.get('code') ?? '';
}

const token = (client: OauthApp, fields: Record<string, string>, at: At = app, headers = {}): Promise<Json> =>
  clientCall(
    at,
    'openid.connect.token',
    { client_id: client.clientId, client_secret: client.clientSecret, ...fields },
    headers,
  );

const keysOf = async (at: At): Promise<JSONWebKeySet> =>
  (await fetch(`${at.baseUrl}/openid/connect/keys`)).json() as never;

/** docs/reference/installing.md#sign-in */
describe('signing in with Slack, by openid.connect.token and openid.connect.userInfo', () => {
  it('gives an ID token that a library verifies by discovery, and what its scopes tell', async () => {
    const ws = await app.workspace();
    const alice = await ws.user({ realName: 'Alice Doe' });
    const client = await oauthApp(app, ws);
    const found = await fetch(`${app.baseUrl}/.well-known/openid-configuration`);
    expect(found.headers.get('cache-control')).toContain('max-age=300');
    const discovery = (await found.json()) as Record<string, string>;
    expect(discovery).toMatchObject({
      issuer: app.baseUrl,
      authorization_endpoint: `${app.baseUrl}/openid/connect/authorize`,
      token_endpoint: `${app.baseUrl}/api/openid.connect.token`,
      userinfo_endpoint: `${app.baseUrl}/api/openid.connect.userInfo`,
      jwks_uri: `${app.baseUrl}/openid/connect/keys`,
      id_token_signing_alg_values_supported: ['RS256'],
    });
    const made = await token(client, { code: await signInCode(client, alice.id, { nonce: 'n-1' }) });
    expect(made).toEqual({
      ok: true,
      access_token: expect.stringMatching(/^xoxp-/),
      token_type: 'Bearer',
      id_token: expect.any(String),
    });
    const keys = createRemoteJWKSet(new URL(discovery['jwks_uri'] as string));
    const { payload, protectedHeader } = await jwtVerify(made.id_token, keys, {
      issuer: app.baseUrl,
      audience: client.clientId,
      algorithms: ['RS256'],
    });
    expect(protectedHeader.alg).toBe('RS256');
    const { ok, ...info } = await clientCall(app, 'openid.connect.userInfo', { token: made.access_token });
    expect(ok).toBe(true);
    const now = Math.floor(Date.now() / 1000);
    const { iat = 0, exp, auth_time: authTime } = payload as { iat?: number; exp?: number; auth_time?: number };
    expect(Math.abs(iat - now)).toBeLessThan(60);
    expect(exp).toBe(iat + 300);
    expect(authTime).toBeLessThanOrEqual(iat);
    const hash = createHash('sha256')
      .update(made.access_token as string)
      .digest()
      .subarray(0, 16);
    expect(payload).toEqual({
      ...info,
      iss: app.baseUrl,
      aud: client.clientId,
      iat,
      exp,
      auth_time: authTime,
      nonce: 'n-1',
      at_hash: hash.toString('base64url'),
    });
    const size = (n: number): [string, string] => [
      `https://slack.com/user_image_${n}`,
      `${app.baseUrl}/avatars/${alice.id}-${n}.png`,
    ];
    expect(info).toMatchObject({
      sub: alice.id,
      'https://slack.com/user_id': alice.id,
      'https://slack.com/team_id': ws.id,
      email: `${alice.name}@${ws.domain}.example`,
      email_verified: true,
      date_email_verified: expect.any(Number),
      name: 'Alice Doe',
      given_name: 'Alice',
      family_name: 'Doe',
      locale: 'en-US',
      picture: `${app.baseUrl}/avatars/${alice.id}-512.png`,
      'https://slack.com/team_name': expect.any(String),
      'https://slack.com/team_domain': ws.domain,
      ...Object.fromEntries([24, 32, 48, 72, 192, 512].map(size)),
      'https://slack.com/team_image_34': expect.any(String),
      'https://slack.com/team_image_230': expect.any(String),
      'https://slack.com/team_image_default': true,
    });
    const { token: admin } = await ws.jwtClient({ user: ws.admin });
    const { body } = await send(app, 'GET', '/api/sandboxes/self/installations', bearer(admin));
    expect(JSON.stringify(body)).not.toContain(client.id);
  });

  it('tells no more than the scopes, and its token serves nothing else', async () => {
    const ws = await app.workspace();
    const client = await oauthApp(app, ws);
    const made = await token(client, { code: await signInCode(client, ws.admin.id, { scope: 'openid' }) });
    const info = await clientCall(app, 'openid.connect.userInfo', { token: made.access_token });
    expect(info).toEqual({
      ok: true,
      sub: ws.admin.id,
      'https://slack.com/user_id': ws.admin.id,
      'https://slack.com/team_id': ws.id,
    });
    expect(decodeJwt(made.id_token)).not.toHaveProperty('email');
    expect(decodeJwt(made.id_token)).not.toHaveProperty('nonce');
    for (const method of ['users.list', 'chat.postMessage', 'apps.uninstall'])
      expect(await clientCall(app, method, { token: made.access_token })).toEqual({
        ok: false,
        error: 'not_allowed_token_type',
      });
    expect(await clientCall(app, 'auth.test', { token: made.access_token })).toMatchObject({ user_id: ws.admin.id });
    const person = await ws.adminClient();
    const bot = await ws.bot();
    expect(await clientCall(app, 'openid.connect.userInfo', { token: person.token })).toMatchObject({
      error: 'missing_scope',
      needed: 'openid',
    });
    expect(await clientCall(app, 'openid.connect.userInfo', { token: bot.token })).toMatchObject({
      error: 'not_allowed_token_type',
    });
  });

  it('refuses what is asked for wrongly, on the page', async () => {
    const ws = await app.workspace();
    const client = await oauthApp(app, ws);
    const of = async (query: Record<string, string>): Promise<string> =>
      errorOf(await new TestBrowser(app).get(signInUrl(client, query)));
    expect(await of({ response_type: 'token' })).toBe('invalid_arguments');
    for (const scope of ['', 'email', 'openid chat:write']) expect(await of({ scope })).toBe('invalid_scope');
    expect(await of({ nonce: 'n'.repeat(501) })).toBe('invalid_arguments');
    expect(await of({ redirect_uri: 'https://evil.example' })).toBe('bad_redirect_uri');
    expect(await of({ code_challenge: 'c'.repeat(43), code_challenge_method: 'S256' })).toBe('pkce_not_allowed');
  });

  it('takes codes of its own page alone, once, and leaves the others good', async () => {
    const ws = await app.workspace();
    const client = await oauthApp(app, ws);
    const code = await signInCode(client, ws.admin.id);
    const mismatch = { ok: false, error: 'oauth_authorization_url_mismatch' };
    expect(await redeem(app, client, code)).toEqual(mismatch);
    expect(await token(client, { code: await codeFor(app, client, ws.admin.id) })).toEqual(mismatch);
    expect(await token(client, { code, client_secret: 'wrong' })).toEqual({ ok: false, error: 'bad_client_secret' });
    expect(await token(client, { code, redirect_uri: 'http://127.0.0.1:9/else' })).toEqual({
      ok: false,
      error: 'bad_redirect_uri',
    });
    const both = await Promise.all([token(client, { code }), token(client, { code })]);
    expect(both.map(({ ok, error }) => error ?? ok).sort()).toEqual(['code_already_used', true]);
    expect(await token(client, {})).toEqual({ ok: false, error: 'invalid_code' });
  });

  it('rotates, apart from the tokens of an installation of the same person', async () => {
    const ws = await app.workspace();
    const client = await oauthApp(app, ws, { rotation: true, bot: [], user: ['users:read'] });
    const installed = await redeem(app, client, await codeFor(app, client, ws.admin.id));
    const made = await token(client, { code: await signInCode(client, ws.admin.id) });
    expect(made).toMatchObject({ expires_in: 43_200, access_token: expect.stringMatching(/^xoxe\.xoxp-1-/) });
    const grant = { grant_type: 'refresh_token' };
    const invalid = { ok: false, error: 'invalid_refresh_token' };
    expect(await refresh(app, client, made.refresh_token)).toEqual(invalid);
    const installedRefresh = installed.authed_user.refresh_token;
    expect(await token(client, { ...grant, refresh_token: installedRefresh })).toEqual(invalid);
    const next = await token(client, { ...grant, refresh_token: made.refresh_token });
    expect(next).toMatchObject({ ok: true, token_type: 'Bearer', expires_in: 43_200 });
    await jwtVerify(next.id_token, createLocalJWKSet(await keysOf(app)), { audience: client.clientId });
    for (const { access_token } of [made, next])
      expect(await clientCall(app, 'openid.connect.userInfo', { token: access_token })).toMatchObject({ ok: true });
    const again = await redeem(app, client, await codeFor(app, client, ws.admin.id, { user_scope: 'files:read' }));
    expect(again.authed_user.scope).toBe('users:read,files:read');
    const info = await clientCall(app, 'openid.connect.userInfo', { token: next.access_token });
    expect(info).toHaveProperty('email');
    expect(await refresh(app, client, installedRefresh)).toMatchObject({ ok: true });
  });

  it('signs people of other workspaces in to a distributed app that is not installed there', async () => {
    const [home, guest] = [await app.workspace(), await app.workspace()];
    const client = await oauthApp(app, home, { distributed: true });
    const made = await token(client, { code: await signInCode(client, guest.admin.id, { team: guest.id }) });
    const info = (): Promise<Json> => clientCall(app, 'openid.connect.userInfo', { token: made.access_token });
    expect(await info()).toMatchObject({ ok: true, 'https://slack.com/team_id': guest.id });
    const { token: admin } = await home.jwtClient({ user: home.admin });
    await send(app, 'DELETE', `/api/apps/${client.id}`, bearer(admin));
    expect(await info()).toEqual({ ok: false, error: 'account_inactive' });
  });

  it("has the sandbox's time where a test says that it signs, and the vendor's name where URLs are the vendor's", async () => {
    const ws = await app.workspace();
    const client = await oauthApp(app, ws);
    const { token: admin } = await ws.jwtClient({ user: ws.admin });
    const put = (path: string, method: string, body: object): Promise<Json> =>
      send(app, method, `/api/sandboxes/self${path}`, bearer(admin), body);
    const claims = async (headers = {}): Promise<Json> =>
      decodeJwt((await token(client, { code: await signInCode(client, ws.admin.id) }, app, headers)).id_token);
    await put('/clock', 'PUT', { now: '2031-01-01T00:00:00Z', frozen: true });
    const then = Date.parse('2031-01-01T00:00:00Z') / 1000;
    expect((await claims()).iat).toBeLessThan(then);
    await put('/clock', 'PUT', { now: '2031-01-01T00:00:00Z', frozen: true, sign_with: 'sandbox' });
    expect(await claims()).toMatchObject({ iat: then, exp: then + 300, auth_time: then, iss: app.baseUrl });
    expect(await claims({ 'x-understudy-host': 'slack.com' })).toMatchObject({ iss: 'https://slack.com' });
    await put('', 'PATCH', { urls: 'vendor' });
    expect(await claims()).toMatchObject({ iss: 'https://slack.com' });
    const host = { 'x-understudy-host': 'slack.com' };
    const found = await fetch(`${app.baseUrl}/.well-known/openid-configuration`, { headers: host });
    expect(await found.json()).toMatchObject({
      issuer: 'https://slack.com',
      token_endpoint: 'https://slack.com/api/openid.connect.token',
    });
  });

  it('is redeemed by the server itself for a test', async () => {
    const ws = await app.workspace();
    const client = await oauthApp(app, ws);
    const { token: admin } = await ws.jwtClient({ user: ws.admin });
    const { status, body } = await send(app, 'POST', '/api/sandboxes/self/install', bearer(admin), {
      authorize_url: signInUrl(client),
      exchange: true,
    });
    expect([status, body.installed, body.installation]).toEqual([200, true, null]);
    expect(decodeJwt(body.tokens.id_token)).toMatchObject({ sub: ws.admin.id, aud: client.clientId });
  });

  it('publishes no private part of its keys', async () => {
    const { keys } = await keysOf(app);
    expect(keys.length).toBeGreaterThan(0);
    for (const key of keys) {
      expect(Object.keys(key).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
      expect(key).toMatchObject({ kty: 'RSA', use: 'sig', alg: 'RS256' });
      expect(Buffer.from(key.n as string, 'base64url')).toHaveLength(256);
    }
  });

  it.skipIf(serverUrl === undefined)(
    `has one set of keys for all replicas, and stores it encrypted${onPostgres}`,
    async () => {
      const [one, two] = await twoReplicas({ SVC_SECRET_KEY: `k1:${'07'.repeat(32)}` });
      const [first, second] = await Promise.all([keysOf(one), keysOf(two)]);
      expect(first).toEqual(second);
      const [stored] = await one.nest.get(Db).load((entities) => entities.find(OpenidKey));
      expect(stored?.privateKey).toMatch(/^sealed:k1:/);
      const ws: WorkspaceBuilder = await one.workspace();
      const client = await oauthApp(one, ws);
      const code = await signInCode(client, ws.admin.id, {}, one);
      const made = await token(client, { code }, two);
      await jwtVerify(made.id_token, createLocalJWKSet(first), { audience: client.clientId });
    },
  );
});
