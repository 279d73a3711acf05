import { describe, expect, it } from 'vitest';
import { useApp } from '../../support/app.js';
import { consent } from '../../support/consent.js';
import { clientCall, install, oauthApp, REDIRECT } from '../../support/oauth-app.js';
import { rest } from '../../support/rest-client.js';
import { bearer, makeSandbox, OPERATOR, send, type Answer } from '../../support/sandbox-routes.js';
import { unique } from '../../support/unique.js';
import type { WorkspaceBuilder } from '../../support/workspace.js';

const app = useApp();

async function control(ws: WorkspaceBuilder, path: string, body?: object): Promise<Answer> {
  const { token } = await ws.jwtClient({ user: ws.admin });
  return send(app, 'POST', `/api/sandboxes/self${path}`, bearer(token), body);
}

async function configToken(ws: WorkspaceBuilder, user?: string): Promise<Record<string, string>> {
  const { status, body } = await control(ws, '/config-token', user === undefined ? undefined : { user });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body;
}

const manifestOf = (more: { bot?: string[]; user?: string[]; settings?: object; oauth?: object } = {}): object => ({
  display_information: { name: unique('made') },
  oauth_config: {
    redirect_urls: [REDIRECT],
    scopes: { bot: more.bot ?? ['chat:write'], user: more.user },
    ...more.oauth,
  },
  settings: more.settings ?? {},
});

/** A method with a configuration token; the manifest as JSON text, as forms carry it. */
// oxlint-disable-next-line no-explicit-any
function call(
  method: string,
  token: string | undefined,
  fields: { manifest?: unknown; app_id?: string } = {},
): Promise<any> {
  const { manifest, ...rest } = fields;
  return clientCall(app, method, {
    ...(token === undefined ? {} : { token }),
    ...rest,
    ...(manifest === undefined ? {} : { manifest: typeof manifest === 'string' ? manifest : JSON.stringify(manifest) }),
  });
}

/** docs/reference/installing.md#configuration-tokens */
describe('configuration tokens', () => {
  it('are handed out for a person for twelve hours, and are for manifests alone', async () => {
    const ws = await app.workspace();
    const alice = await ws.user();
    const made = await configToken(ws, alice.name);
    expect(made).toEqual({
      token: expect.stringMatching(/^xoxe\.xoxp-1-[A-Za-z0-9]{64}$/),
      refresh_token: expect.stringMatching(/^xoxe-1-[A-Za-z0-9]{64}$/),
      team_id: ws.id,
      user_id: alice.id,
      iat: expect.any(Number),
      exp: Number(made.iat) + 43_200,
    });
    expect((await configToken(ws)).user_id).toBe(ws.admin.id);
    expect(await clientCall(app, 'api.test', { token: made.token as string })).toMatchObject({ ok: true });
    for (const method of ['auth.test', 'chat.postMessage', 'users.list', 'apps.uninstall'])
      expect(await call(method, made.token)).toEqual({ ok: false, error: 'not_allowed_token_type' });
    expect((await rest(app, 'GET /apps', { token: made.token as string })).status).toBe(403);
    expect((await send(app, 'GET', '/api/sandboxes/self', bearer(made.token as string))).status).toBe(403);
    expect((await control(ws, '/config-token', { user: 'nobody-here' })).body.message).toBe('user_not_found');
    expect((await control(ws, '/config-token', { person: 'x' })).status).toBe(400);
  });

  it('end by the clock of their sandbox, and are rotated by tooling.tokens.rotate, once', async () => {
    const ws = await app.workspace();
    const made = await configToken(ws);
    const rotate = (refresh_token?: string): Promise<Record<string, string>> =>
      clientCall(app, 'tooling.tokens.rotate', refresh_token === undefined ? {} : { refresh_token });
    const next = await rotate(made.refresh_token);
    expect(next).toEqual({
      ...made,
      ok: true,
      token: expect.not.stringMatching(made.token as string),
      refresh_token: expect.not.stringMatching(made.refresh_token as string),
      iat: expect.any(Number),
      exp: expect.any(Number),
    });
    for (const used of [made.refresh_token, 'xoxe-1-nobody', made.token, undefined])
      expect(await rotate(used)).toEqual({ ok: false, error: 'invalid_refresh_token' });
    const twice = await Promise.all([rotate(next.refresh_token), rotate(next.refresh_token)]);
    expect(twice.map(({ ok }) => ok).sort()).toEqual([false, true]);
    const create = (token: string | undefined): Promise<Record<string, unknown>> =>
      call('apps.manifest.create', token, { manifest: manifestOf() });
    expect([await create(made.token), await create(next.token)]).toMatchObject([{ ok: true }, { ok: true }]);
    await control(ws, '/clock/advance', { by: '12h' });
    expect(await create(made.token)).toEqual({ ok: false, error: 'token_expired' });
    // clients send the token that has ended along
    const refresh_token = twice.find(({ refresh_token: one }) => one !== undefined)?.refresh_token as string;
    const ended = { authorization: `Bearer ${made.token}` };
    const renewed = await clientCall(app, 'tooling.tokens.rotate', { refresh_token }, ended);
    expect(renewed).toMatchObject({ ok: true, user_id: made.user_id });
    const last = await configToken(ws);
    expect(await create(last.token)).toMatchObject({ ok: true });
    expect((await control(ws, '/tokens/expire', { kind: 'config' })).status).toBe(200);
    expect(await create(last.token)).toEqual({ ok: false, error: 'token_expired' });
  });

  it('are revoked by auth.revoke alone, without what else their person has', async () => {
    const ws = await app.workspace();
    const [first, second] = [await configToken(ws), await configToken(ws)];
    expect(await call('auth.revoke', first.token)).toEqual({ ok: true, revoked: true });
    expect(await call('apps.manifest.export', first.token, { app_id: ws.defaultApp.id })).toEqual({
      ok: false,
      error: 'token_revoked',
    });
    expect(await call('apps.manifest.export', second.token, { app_id: ws.defaultApp.id })).toMatchObject({ ok: true });
    expect(await call('auth.revoke', first.refresh_token)).toEqual({ ok: true, revoked: true });
    expect(await clientCall(app, 'tooling.tokens.rotate', { refresh_token: first.refresh_token as string })).toEqual({
      ok: false,
      error: 'invalid_refresh_token',
    });
  });

  it('are no longer good where their person is deactivated', async () => {
    const ws = await app.workspace();
    const alice = await ws.user();
    const made = await configToken(ws, alice.id);
    await ws.deactivate(alice);
    const expected = { ok: false, error: 'account_inactive' };
    expect(await call('apps.manifest.create', made.token, { manifest: manifestOf() })).toEqual(expected);
    const fields = { refresh_token: made.refresh_token as string };
    expect(await clientCall(app, 'tooling.tokens.rotate', fields)).toEqual(expected);
  });

  it('and their methods are not there where a sandbox has the core alone', async () => {
    const { body, ctl } = await makeSandbox(app, { methods: 'core' });
    expect((await send(app, 'POST', `/api/sandboxes/${body.id}/config-token`, ctl)).body.message).toBe('not_found');
  });

  it('stand on no timeline, neither do the secrets of the apps that they make', async () => {
    const { body: sandbox, ctl } = await makeSandbox(app);
    const made = (await send(app, 'POST', `/api/sandboxes/${sandbox.id}/config-token`, ctl)).body;
    const { credentials } = await call('apps.manifest.create', made.token, { manifest: manifestOf() });
    const next = await clientCall(app, 'tooling.tokens.rotate', { refresh_token: made.refresh_token as string });
    const { body } = await send(app, 'GET', `/api/sandboxes/${sandbox.id}/timeline?limit=100`, ctl);
    const calls = body.entries.filter(({ kind }: { kind: string }) => kind === 'call');
    expect(calls.map(({ method }: { method: string }) => method)).toEqual(
      expect.arrayContaining(['apps.manifest.create', 'tooling.tokens.rotate']),
    );
    const { client_secret, signing_secret, verification_token } = credentials;
    const secrets = [made.token, made.refresh_token, next.token, next.refresh_token, client_secret, signing_secret];
    for (const secret of [...secrets, verification_token]) expect(JSON.stringify(body)).not.toContain(secret);
  });
});

/** docs/reference/installing.md#manifests-by-api */
describe('manifests by API', () => {
  it('apps.manifest.validate says every fault, with a pointer, and what has no effect', async () => {
    const ws = await app.workspace();
    const { token } = await configToken(ws);
    const validate = (manifest: unknown, app_id?: string): Promise<Record<string, unknown>> =>
      call('apps.manifest.validate', token, { manifest, ...(app_id === undefined ? {} : { app_id }) });
    expect(await validate(manifestOf())).toEqual({ ok: true, errors: [] });
    expect(
      await validate({
        display_information: { name: '' },
        features: { slash_commands: [{ command: '/ok', url: 'http://127.0.0.1:9' }, { command: 'Not OK' }] },
      }),
    ).toEqual({
      ok: false,
      error: 'invalid_manifest',
      errors: [
        { message: 'Must be a string of 1 to 35 characters', pointer: '/display_information/name' },
        { message: expect.stringMatching(/^Must be a "\/"/), pointer: '/features/slash_commands/1/command' },
        { message: 'Must be an http or https URL', pointer: '/features/slash_commands/1/url' },
      ],
    });
    for (const nothing of ['no json', '[]', 'null'])
      expect(await validate(nothing)).toEqual({
        ok: false,
        error: 'invalid_manifest',
        errors: [{ message: 'Must be an object', pointer: '' }],
      });
    expect(await validate(undefined)).toMatchObject({ ok: false, error: 'invalid_arguments' });
    const warned = await validate(manifestOf({ bot: ['chat:write', 'hosting:read'] }));
    expect(warned).toMatchObject({ ok: true, errors: [], response_metadata: { warnings: [expect.any(String)] } });
    const { id } = await oauthApp(app, ws, { rotation: true });
    expect(await validate(manifestOf(), id)).toEqual({
      ok: false,
      error: 'invalid_manifest',
      errors: [{ message: 'Cannot be turned off', pointer: '/settings/token_rotation_enabled' }],
    });
  });

  it('apps.manifest.create registers an app that somebody then installs by its URL', async () => {
    const ws = await app.workspace();
    const { token, team_id } = await configToken(ws);
    const made = await call('apps.manifest.create', token, { manifest: manifestOf({ user: ['users:read'] }) });
    const { app_id, credentials, oauth_authorize_url: url } = made;
    expect(made).toEqual({
      ok: true,
      app_id: expect.stringMatching(/^A0/),
      credentials: {
        client_id: expect.stringMatching(/^\d{12}\.\d{13}$/),
        client_secret: expect.stringMatching(/^[0-9a-f]{32}$/),
        verification_token: expect.any(String),
        signing_secret: expect.stringMatching(/^[0-9a-f]{32}$/),
      },
      oauth_authorize_url: `${app.baseUrl}/oauth/v2/authorize?client_id=${credentials.client_id}&scope=chat%3Awrite&user_scope=users%3Aread`,
      team_id,
      team_domain: ws.domain,
    });
    const { token: admin } = await ws.jwtClient({ user: ws.admin });
    expect((await rest(app, `GET /apps/${app_id}`, { token: admin })).body).toMatchObject({ installed: false });
    const code = (await consent(app, url, { user: ws.admin.id })).searchParams.get('code') ?? '';
    const { client_id, client_secret } = credentials;
    const tokens = await clientCall(app, 'oauth.v2.access', { client_id, client_secret, code });
    expect(tokens).toMatchObject({ ok: true, app_id, scope: 'chat:write', authed_user: { scope: 'users:read' } });
  });

  it('apps.manifest.update changes what was granted with the next installation', async () => {
    const ws = await app.workspace();
    const { token } = await configToken(ws);
    const client = await oauthApp(app, ws);
    const first = await install(app, client, ws.admin.id);
    const update = (manifest: object): Promise<Record<string, unknown>> =>
      call('apps.manifest.update', token, { app_id: client.id, manifest });
    const same = manifestOf({ bot: ['chat:write'] });
    expect(await update(same)).toEqual({ ok: true, app_id: client.id, permissions_updated: false });
    const more = manifestOf({ bot: ['users:read', 'chat:write'] });
    expect(await update(more)).toEqual({ ok: true, app_id: client.id, permissions_updated: true });
    const users = (access: string): Promise<unknown> => clientCall(app, 'users.list', { token: access });
    expect(await users(first.access_token)).toMatchObject({ ok: false, error: 'missing_scope' });
    const second = await install(app, client, ws.admin.id);
    expect(second.scope).toBe('chat:write,users:read');
    expect([await users(first.access_token), await users(second.access_token)]).toMatchObject([
      { ok: true },
      { ok: true },
    ]);
    expect(await call('apps.manifest.export', token, { app_id: client.id })).toEqual({ ok: true, manifest: more });
  });

  it('apps.manifest.export and apps.manifest.delete are for apps of the workspace, for their creators and admins', async () => {
    const ws = await app.workspace();
    const other = await app.workspace();
    const alice = await ws.user();
    const [mine, admins] = [await configToken(ws, alice.name), await configToken(ws)];
    const refused = (error: string): object => ({ ok: false, error });
    const foreign = await oauthApp(app, other);
    const guest = await oauthApp(app, other, { distributed: true });
    await install(app, guest, ws.admin.id, { team: ws.id });
    const { id } = await oauthApp(app, ws);
    for (const method of ['apps.manifest.export', 'apps.manifest.delete'])
      for (const [token, app_id, error] of [
        [admins.token, foreign.id, 'app_not_found'],
        [admins.token, guest.id, 'no_permission'],
        [mine.token, id, 'no_permission'],
        [mine.token, 'nonsense', 'invalid_app_id'],
      ] as const)
        expect(await call(method, token, { app_id })).toEqual(refused(error));
    expect(await call('apps.manifest.delete', admins.token)).toMatchObject(refused('invalid_app_id'));
    expect(await call('apps.manifest.delete', admins.token, { app_id: ws.defaultApp.id })).toEqual(
      refused('app_not_eligible'),
    );
    const own = await call('apps.manifest.create', mine.token, { manifest: manifestOf() });
    expect(await call('apps.manifest.delete', mine.token, { app_id: own.app_id })).toEqual({ ok: true });
    expect(await call('apps.manifest.delete', admins.token, { app_id: id })).toEqual({ ok: true });
    expect(await call('apps.manifest.export', admins.token, { app_id: id })).toEqual(refused('app_not_found'));
    const bot = await ws.bot();
    expect(await call('apps.manifest.export', bot.token, { app_id: id })).toEqual(refused('not_allowed_token_type'));
  });

  it("give URLs of the vendor where a sandbox's URLs are the vendor's", async () => {
    const { body, ctl } = await makeSandbox(app, { urls: 'vendor' });
    const { token } = (await send(app, 'POST', `/api/sandboxes/${body.id}/config-token`, ctl)).body;
    const made = await call('apps.manifest.create', token, { manifest: manifestOf() });
    expect(made.oauth_authorize_url).toMatch(/^https:\/\/slack\.com\/oauth\/v2\/authorize\?client_id=/);
    const operators = await send(app, 'POST', `/api/sandboxes/${body.id}/config-token`, OPERATOR, {});
    expect(operators.status).toBe(201);
  });
});
