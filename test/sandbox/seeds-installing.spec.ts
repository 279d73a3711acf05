import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { clientCall } from '../support/oauth-app.js';
import { makeSandbox, OPERATOR, send } from '../support/sandbox-routes.js';

const app = useApp();

const digits = (length: number): string => Array.from({ length }, () => Math.floor(Math.random() * 10)).join('');
const newClientId = (): string => `${digits(12)}.${digits(13)}`;
const newSecret = (): string => crypto.randomUUID().replaceAll('-', '');
const scopes = { bot: ['chat:write'], user: ['users:read'] };

/** docs/reference/installing.md#seeds */
describe('apps of a document', () => {
  it('have the client id and secret that it fixes, and can be installed with them', async () => {
    const fixed = { client_id: newClientId(), client_secret: newSecret() };
    const shop = { name: 'shop', scopes, redirect_urls: ['http://127.0.0.1:9/'], installed: false, ...fixed };
    const { body, ctl } = await makeSandbox(app, { methods: 'all', users: ['alice'], apps: [shop] });
    const { apps, client_id, client_secret } = body.credentials;
    expect(apps.shop).toMatchObject({ ...fixed, bot_token: null, user_token: null, bot_user_id: null, bot_id: null });
    expect([client_id, client_secret]).toEqual([
      expect.stringMatching(/^\d{12}\.\d{13}$/),
      expect.stringMatching(/^[0-9a-f]{32}$/),
    ]);
    const route = `/api/sandboxes/${body.id}/install`;
    const installed = await send(app, 'POST', route, ctl, { app: 'shop', as: 'alice', follow: false });
    const answer = await clientCall(app, 'oauth.v2.access', { ...fixed, code: installed.body.code });
    expect(answer).toMatchObject({ ok: true, scope: 'chat:write' });
    const again = await send(app, 'POST', '/api/sandboxes', OPERATOR, { apps: [{ name: 'other', ...fixed }] });
    expect([again.status, again.body.message, again.body.path]).toEqual([409, 'id_taken', 'apps[0].client_id']);
    const { client_id: _, ...secretOnly } = fixed;
    const secret = await send(app, 'POST', '/api/sandboxes', OPERATOR, { apps: [{ name: 'other', ...secretOnly }] });
    expect([secret.status, secret.body.message, secret.body.path]).toEqual([
      409,
      'token_taken',
      'apps[0].client_secret',
    ]);
  });

  it('are installed for people, with rotating tokens that refresh and expire', async () => {
    const { body, ctl } = await makeSandbox(app, {
      methods: 'all',
      users: ['alice', 'bob'],
      apps: [{ name: 'shop', scopes, token_rotation: true, installed: { users: ['alice'], rotating: true } }],
    });
    const { shop } = body.credentials.apps;
    expect(shop).toMatchObject({
      bot_token: expect.stringMatching(/^xoxe\.xoxb-1-/),
      refresh_token: expect.stringMatching(/^xoxe-1-/),
      expires_in: 43_200,
      user_token: null,
      users: { alice: { user_token: expect.stringMatching(/^xoxe\.xoxp-1-/), refresh_token: expect.any(String) } },
    });
    const test = (token: string): Promise<{ user_id: string; error?: string; expires_in?: number }> =>
      clientCall(app, 'auth.test', { token });
    const alice = body.credentials.users.alice.user_id;
    expect(await test(shop.users.alice.user_token)).toMatchObject({ ok: true, user_id: alice });
    const refreshed = await clientCall(app, 'oauth.v2.access', {
      client_id: shop.client_id,
      client_secret: shop.client_secret,
      grant_type: 'refresh_token',
      refresh_token: shop.refresh_token,
    });
    expect(refreshed).toMatchObject({ ok: true, token_type: 'bot', scope: 'chat:write' });
    await send(app, 'POST', `/api/sandboxes/${body.id}/clock/advance`, ctl, { by: '12h1s' });
    expect((await test(shop.bot_token)).error).toBe('token_expired');
    const exported = await send(app, 'GET', `/api/sandboxes/${body.id}/seed`, ctl);
    expect(exported.body.apps).toContainEqual(
      expect.objectContaining({ name: 'shop', token_rotation: true, installed: { users: ['alice'], rotating: true } }),
    );
    expect(JSON.stringify(exported.body)).not.toMatch(/xox|client_/);
  });

  it('keep their client ids and secrets in a reset, and have new ones in a copy', async () => {
    const { body, ctl } = await makeSandbox(app, {
      methods: 'all',
      apps: [{ name: 'shop', scopes, distributed: true, installed: false }],
    });
    const { shop } = body.credentials.apps;
    const root = `/api/sandboxes/${body.id}`;
    const exchanged = { client_id: shop.client_id, exchange: true };
    expect((await send(app, 'POST', `${root}/install`, ctl, exchanged)).body.installed).toBe(true);
    expect((await send(app, 'GET', `${root}/installations`, ctl)).body.installations).toHaveLength(2);
    await send(app, 'POST', `${root}/reset`, ctl, {});
    expect((await send(app, 'GET', `${root}/installations`, ctl)).body.installations).toHaveLength(1);
    expect((await send(app, 'POST', `${root}/install`, ctl, exchanged)).body.installed).toBe(true);
    const snapshot = await send(app, 'POST', `${root}/snapshots`, ctl, {});
    const copy = await send(app, 'POST', '/api/sandboxes', OPERATOR, { from: snapshot.body.id });
    const copied = copy.body.credentials.apps.shop;
    expect(copied).toMatchObject({ client_id: expect.any(String), client_secret: expect.any(String) });
    expect([copied.client_id === shop.client_id, copied.client_secret === shop.client_secret]).toEqual([false, false]);
    const theirs = { 'x-sandbox-token': copy.body.credentials.control_token };
    const listed = await send(app, 'GET', `/api/sandboxes/${copy.body.id}/installations`, theirs);
    expect(listed.body.installations).toContainEqual(expect.objectContaining({ name: 'shop', home: true }));
  });

  it('are installed in a copy for the same people with tokens of its own, and guests are not', async () => {
    const home = await makeSandbox(app, { methods: 'all', apps: [{ name: 'guest', scopes, distributed: true }] });
    const { body, ctl } = await makeSandbox(app, {
      methods: 'all',
      users: ['alice', 'bob'],
      apps: [{ name: 'shop', scopes, installed: false }],
    });
    const root = `/api/sandboxes/${body.id}`;
    const install = async (fields: object) => {
      const made = await send(app, 'POST', `${root}/install`, ctl, { exchange: true, ...fields });
      expect([made.status, made.body.installed], JSON.stringify(made.body)).toEqual([200, true]);
      return made.body.tokens;
    };
    const consented = await install({ app: 'shop', as: 'bob' });
    const guest = await install({ client_id: home.body.credentials.apps.guest.client_id, as: 'alice' });
    const snapshot = await send(app, 'POST', `${root}/snapshots`, ctl, {});
    expect(JSON.stringify((await send(app, 'GET', `${root}/seed`, ctl)).body.apps)).not.toContain('guest');

    const copy = await send(app, 'POST', '/api/sandboxes', OPERATOR, { from: snapshot.body.id });
    const { control_token: token, users, apps } = copy.body.credentials;
    const theirs = { 'x-sandbox-token': token };
    const { installations } = (await send(app, 'GET', `/api/sandboxes/${copy.body.id}/installations`, theirs)).body;
    const shop = installations.find(({ name }: { name: string }) => name === 'shop');
    expect(shop).toMatchObject({ home: true, users: [users.bob.user_id], scopes: { bot: scopes.bot } });
    expect(JSON.stringify(installations)).not.toContain('"guest"');
    const test = (of: string): Promise<Record<string, unknown>> => clientCall(app, 'auth.test', { token: of });
    expect(await test(apps.shop.bot_token)).toMatchObject({ ok: true, team_id: copy.body.team_id });
    expect(await test(apps.shop.users.bob.user_token)).toMatchObject({ ok: true, user_id: users.bob.user_id });
    expect(await test(consented.access_token)).toMatchObject({ ok: true, team_id: body.team_id });

    // a reset puts back what people consented to, and leaves the guest alone
    await clientCall(app, 'auth.revoke', { token: consented.authed_user.access_token });
    expect(await test(consented.authed_user.access_token)).toMatchObject({ error: 'token_revoked' });
    await send(app, 'POST', `${root}/reset`, ctl, { to: snapshot.body.id });
    expect(await test(consented.authed_user.access_token)).toMatchObject({
      user_id: body.credentials.users.bob.user_id,
    });
    expect(await test(guest.access_token)).toMatchObject({ ok: true, team_id: body.team_id });
  });

  it('refuse what is no client id, no secret and no person, with the path', async () => {
    const wrong = { name: 'shop', client_id: '1.2', client_secret: 'x', installed: { users: ['nobody'] } };
    const first = await send(app, 'POST', '/api/sandboxes', OPERATOR, { apps: [wrong] });
    expect(first.body.message).toEqual([
      'apps[0].client_id: must be 12 digits, a dot and 13 digits',
      'apps[0].client_secret: must be 32 hex digits',
      'apps[0].installed.users[0]: no user or app has the name "nobody"',
    ]);
  });
});
