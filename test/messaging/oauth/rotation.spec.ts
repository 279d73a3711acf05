import { describe, expect, it } from 'vitest';
import { createHash } from 'node:crypto';
import { sha256Hex } from '../../../src/kernel/ids/ids.js';
import { Token } from '../../../src/messaging/entities.js';
import { useApp } from '../../support/app.js';
import { clientCall, codeFor, install, oauthApp, redeem, refresh } from '../../support/oauth-app.js';
import { onPostgres } from '../../support/databases.js';
import { lockRow, overlap } from '../../support/overlap.js';
import { rest } from '../../support/rest-client.js';
import { makeSandbox, send } from '../../support/sandbox-routes.js';
import type { WorkspaceBuilder } from '../../support/workspace.js';

const app = useApp();

async function advance(ws: WorkspaceBuilder, by: string): Promise<void> {
  const { token } = await ws.jwtClient({ user: ws.admin });
  const response = await fetch(`${app.baseUrl}/api/sandboxes/self/clock/advance`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ by }),
  });
  if (!response.ok) throw new Error(await response.text());
}
const test = (token: string): Promise<Record<string, unknown>> => clientCall(app, 'auth.test', { token });

/** docs/reference/installing.md#rotation */
describe('rotating tokens, by oauth.v2.access and oauth.v2.exchange', () => {
  it('come in pairs, act as plain ones, and say how long they last', async () => {
    const ws = await app.workspace();
    const client = await oauthApp(app, ws, { rotation: true, bot: ['chat:write'], user: ['users:read'] });
    const made = await install(app, client, ws.admin.id);
    expect(made).toMatchObject({
      access_token: expect.stringMatching(/^xoxe\.xoxb-1-[A-Za-z0-9]{64}$/),
      refresh_token: expect.stringMatching(/^xoxe-1-[A-Za-z0-9]{64}$/),
      expires_in: 43_200,
      authed_user: { access_token: expect.stringMatching(/^xoxe\.xoxp-1-/), expires_in: 43_200 },
    });
    expect(await test(made.access_token)).toMatchObject({ ok: true, user_id: made.bot_user_id, expires_in: 43_200 });
    expect(await test(made.refresh_token)).toEqual({ ok: false, error: 'not_allowed_token_type' });
    const next = await refresh(app, client, made.refresh_token);
    expect(next).toEqual({
      ok: true,
      access_token: expect.stringMatching(/^xoxe\.xoxb-1-/),
      expires_in: 43_200,
      refresh_token: expect.stringMatching(/^xoxe-1-/),
      token_type: 'bot',
      scope: 'chat:write',
      bot_user_id: made.bot_user_id,
      app_id: client.id,
      team: { id: ws.id, name: expect.any(String) },
      enterprise: null,
      is_enterprise_install: false,
    });
    const person = await refresh(app, client, made.authed_user.refresh_token);
    expect(person).toMatchObject({ token_type: 'user', authed_user: { id: ws.admin.id } });
    expect(person.access_token).toMatch(/^xoxe\.xoxp-1-/);
  });

  it('end by the clock of their sandbox, also for a caller who is remembered', async () => {
    const ws = await app.workspace();
    const client = await oauthApp(app, ws, { rotation: true });
    const made = await install(app, client, ws.admin.id);
    for (const _ of [1, 2, 3]) expect(await test(made.access_token)).toMatchObject({ ok: true });
    await advance(ws, '11h');
    expect(await test(made.access_token)).toMatchObject({ ok: true });
    await advance(ws, '1h');
    for (const _ of [1, 2]) expect(await test(made.access_token)).toEqual({ ok: false, error: 'token_expired' });
    const next = await refresh(app, client, made.refresh_token);
    expect(await test(next.access_token)).toMatchObject({ ok: true });
  });

  it('are two at a time; what refreshed them lives a minute longer', async () => {
    const ws = await app.workspace();
    const client = await oauthApp(app, ws, { rotation: true });
    const first = await install(app, client, ws.admin.id);
    const [second, twin] = await Promise.all([
      refresh(app, client, first.refresh_token),
      refresh(app, client, first.refresh_token),
    ]);
    expect([second.ok, twin.ok]).toEqual([true, true]);
    expect(await test(first.access_token)).toEqual({ ok: false, error: 'token_revoked' });
    expect([await test(second.access_token), await test(twin.access_token)]).toMatchObject([
      { ok: true },
      { ok: true },
    ]);
    await advance(ws, '61s');
    expect(await refresh(app, client, first.refresh_token)).toEqual({ ok: false, error: 'invalid_refresh_token' });
    expect(await refresh(app, client, second.refresh_token)).toMatchObject({ ok: true });
  });

  it('are known when they have ended, but for all that ever were', async () => {
    const { body } = await makeSandbox(app, {
      methods: 'all',
      rate_limit_multiplier: 0,
      apps: [
        {
          name: 'shop',
          scopes: { bot: ['chat:write'], user: [] },
          token_rotation: true,
          installed: { users: [], rotating: true },
        },
      ],
    });
    const { shop } = body.credentials.apps;
    const client = { id: '', clientId: shop.client_id, clientSecret: shop.client_secret, signingSecret: '' };
    const tokens: string[] = [shop.bot_token];
    let renew = shop.refresh_token as string;
    for (let n = 0; n < 54; n++) {
      const next = await refresh(app, client, renew);
      tokens.push(next.access_token);
      renew = next.refresh_token;
    }
    const errors = await Promise.all(tokens.map(async (token) => (await test(token))['error']));
    expect([errors[0], errors.at(-3), errors.at(-1)]).toEqual(['invalid_auth', 'token_revoked', undefined]);
    expect(errors.filter((error) => error === 'token_revoked').length).toBeGreaterThan(20);
  });

  it('are refreshed by their own app alone', async () => {
    const ws = await app.workspace();
    const client = await oauthApp(app, ws, { rotation: true });
    const other = await oauthApp(app, ws, { rotation: true });
    const { refresh_token: token } = await install(app, client, ws.admin.id);
    expect(await refresh(app, other, token)).toEqual({ ok: false, error: 'invalid_refresh_token' });
    expect(await refresh(app, client, token, { client_secret: 'wrong' })).toEqual({
      ok: false,
      error: 'bad_client_secret',
    });
    expect(await refresh(app, client, `xoxe-1-${'a'.repeat(64)}`)).toEqual({
      ok: false,
      error: 'invalid_refresh_token',
    });
  });

  it('are no longer given for who was deactivated, and for what was revoked', async () => {
    const ws = await app.workspace();
    const alice = await ws.user();
    const client = await oauthApp(app, ws, { rotation: true, user: ['users:read'] });
    const invalid = { ok: false, error: 'invalid_refresh_token' };
    const made = await install(app, client, alice.id);
    await ws.deactivate(alice);
    expect(await test(made.authed_user.access_token)).toEqual({ ok: false, error: 'account_inactive' });
    expect(await refresh(app, client, made.authed_user.refresh_token)).toEqual(invalid);
    // the bot goes on
    const next = await refresh(app, client, made.refresh_token);
    expect(next).toMatchObject({ ok: true });
    await clientCall(app, 'auth.revoke', { token: next.refresh_token });
    expect(await refresh(app, client, next.refresh_token)).toEqual(invalid);
    const { token } = await ws.jwtClient({ user: ws.admin });
    await rest(app, `DELETE /apps/${client.id}/installation`, { token });
    expect(await refresh(app, client, made.refresh_token)).toEqual(invalid);
  });

  describe.skipIf(onPostgres !== '')(`end with an installation that ends beside their making${onPostgres}`, () => {
    const held = (token: string) => (entities: Parameters<typeof lockRow>[0]) =>
      lockRow(entities, Token, { hash: sha256Hex(token) });

    it('by a refresh', async () => {
      const ws = await app.workspace();
      const client = await oauthApp(app, ws, { rotation: true, user: ['users:read'] });
      const { access_token: token, authed_user: person } = await install(app, client, ws.admin.id);
      const [next, ended] = await overlap<[{ access_token: string }, unknown]>(
        app.store.dataSource,
        held(person.refresh_token),
        () => refresh(app, client, person.refresh_token),
        () =>
          clientCall(app, 'apps.uninstall', { token, client_id: client.clientId, client_secret: client.clientSecret }),
      );
      expect(ended).toEqual({ ok: true });
      expect(await test(next.access_token)).toEqual({ ok: false, error: 'token_revoked' });
    });

    it('by an exchange', async () => {
      const ws = await app.workspace();
      const client = await oauthApp(app, ws, { user: ['users:read'] });
      const { access_token: token, authed_user: person } = await install(app, client, ws.admin.id);
      const { token: admin } = await ws.jwtClient({ user: ws.admin });
      const { manifest } = (await rest(app, `GET /apps/${client.id}`, { token: admin })).body;
      const settings = { ...manifest.settings, token_rotation_enabled: true };
      const put = await rest(app, `PUT /apps/${client.id}/manifest`, {
        token: admin,
        body: { manifest: { ...manifest, settings } },
      });
      expect(put.status).toBe(200);
      const proof = { client_id: client.clientId, client_secret: client.clientSecret };
      const [next, ended] = await overlap<[{ access_token: string }, unknown]>(
        app.store.dataSource,
        held(person.access_token),
        () => clientCall(app, 'oauth.v2.exchange', { token: person.access_token, ...proof }),
        () => clientCall(app, 'apps.uninstall', { token, ...proof }),
      );
      expect(ended).toEqual({ ok: true });
      expect(await test(next.access_token)).toEqual({ ok: false, error: 'token_revoked' });
    });
  });

  it('are exchanged for long-lived ones of the same app alone, which stand in the header as well', async () => {
    const ws = await app.workspace();
    const rotating = await oauthApp(app, ws, { rotation: true });
    const other = await oauthApp(app, ws);
    const made = await install(app, rotating, ws.admin.id);
    const foreign = await install(app, other, ws.admin.id);
    const fields = { client_id: rotating.clientId, client_secret: rotating.clientSecret };
    const exchange = async (more: Record<string, string>, headers = {}): Promise<string> => {
      const answer = await clientCall(app, 'oauth.v2.exchange', { ...fields, ...more }, headers);
      return answer.ok ? answer.token_type : answer.error;
    };
    expect(await exchange({ token: made.access_token, client_id: '1.2' })).toBe('invalid_client_id');
    expect(await exchange({ token: made.access_token, client_secret: 'x' })).toBe('bad_client_secret');
    for (const token of [made.access_token, made.refresh_token, foreign.access_token])
      expect(await exchange({ token })).toBe('invalid_token');
    const { body, ctl } = await makeSandbox(app, {
      methods: 'all',
      apps: [{ name: 'shop', scopes: { bot: ['chat:write'], user: ['users:read'] }, token_rotation: true }],
    });
    const { shop } = body.credentials.apps;
    const own = { client_id: shop.client_id, client_secret: shop.client_secret };
    expect(await exchange(own, { authorization: `Bearer ${shop.user_token}` })).toBe('user');
    await send(app, 'POST', `/api/sandboxes/${body.id}/tokens/revoke`, ctl, { token: shop.bot_token });
    expect(await exchange({ ...own, token: shop.bot_token })).toBe('authorization_not_found');
  });

  it('replace a long-lived token once, which ends with the first refresh', async () => {
    const ws = await app.workspace();
    const client = await oauthApp(app, ws);
    const { access_token: old } = await install(app, client, ws.admin.id);
    const fields = { client_id: client.clientId, client_secret: client.clientSecret, token: old };
    const exchange = (more = {}): Promise<Record<string, string>> =>
      clientCall(app, 'oauth.v2.exchange', { ...fields, ...more });
    expect(await exchange()).toEqual({ ok: false, error: 'token_rotation_not_enabled' });
    const { token } = await ws.jwtClient({ user: ws.admin });
    const put = await fetch(`${app.baseUrl}/api/apps/${client.id}/manifest`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        manifest: {
          display_information: { name: 'rotates' },
          oauth_config: { scopes: { bot: ['chat:write'] } },
          settings: { token_rotation_enabled: true },
        },
      }),
    });
    expect(put.status).toBe(200);
    expect(await exchange({ token: 'xoxb-unknown' })).toEqual({ ok: false, error: 'invalid_token' });
    const rotating = await exchange();
    expect(rotating).toMatchObject({ ok: true, token_type: 'bot', expires_in: 43_200 });
    expect(await exchange()).toEqual({ ok: false, error: 'token_already_exchanged' });
    expect(await test(old)).toMatchObject({ ok: true });
    expect(await refresh(app, client, rotating.refresh_token as string)).toMatchObject({ ok: true });
    expect(await test(old)).toEqual({ ok: false, error: 'token_revoked' });
    expect(await exchange()).toEqual({ ok: false, error: 'authorization_not_found' });
  });

  it('need no secret where an app of a desktop proves itself by PKCE', async () => {
    const ws = await app.workspace();
    const client = await oauthApp(app, ws, { pkce: true, redirectUrls: ['my-app://done'] });
    const verifier = 'v'.repeat(50);
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    const query = { user_scope: 'users:read', code_challenge: challenge, code_challenge_method: 'S256' };
    const fields = { client_id: client.clientId, code: await codeFor(app, client, ws.admin.id, query) };
    const access = (more: object): Promise<Record<string, never>> =>
      clientCall(app, 'oauth.v2.access', { ...fields, ...more });
    expect(await access({})).toEqual({ ok: false, error: 'invalid_code_verifier' });
    expect(await access({ code_verifier: 'w'.repeat(50) })).toEqual({ ok: false, error: 'invalid_code_verifier' });
    const { authed_user: user } = await access({ code_verifier: verifier });
    expect(user).toMatchObject({ expires_in: 43_200 });
    const again = {
      grant_type: 'refresh_token',
      refresh_token: (user as unknown as Record<string, string>)['refresh_token'] as string,
    };
    expect(await clientCall(app, 'oauth.v2.access', { client_id: client.clientId, ...again })).toMatchObject({
      ok: true,
    });
    await advance(ws, '31d');
    expect(await clientCall(app, 'oauth.v2.access', { client_id: client.clientId, ...again })).toEqual({
      ok: false,
      error: 'invalid_refresh_token',
    });
  });

  it('of an app with PKCE and a secret are not refreshed without it', async () => {
    const ws = await app.workspace();
    const client = await oauthApp(app, ws, { rotation: true });
    const made = await redeem(app, client, await codeFor(app, client, ws.admin.id));
    const sent = { client_id: client.clientId, grant_type: 'refresh_token', refresh_token: made.refresh_token };
    expect(await clientCall(app, 'oauth.v2.access', sent)).toEqual({ ok: false, error: 'bad_client_secret' });
  });
});
