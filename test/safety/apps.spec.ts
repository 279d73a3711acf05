import { describe, expect, it } from 'vitest';
import { TestApp, useApp } from '../support/app.js';
import { refusal, rest, type RestAnswer, type RestOptions } from '../support/rest-client.js';
import { unique } from '../support/unique.js';
import type { WorkspaceBuilder } from '../support/workspace.js';

const app = useApp();
const PASSWORD = 'a good password';
const call = (route: string, options: RestOptions = {}): Promise<RestAnswer> => rest(app, route, options);

/** A member who signed up, as a token. */
async function member(ws: WorkspaceBuilder, on: TestApp = app): Promise<string> {
  const body = { email: `${unique('member')}@example.com`, password: PASSWORD, team_id: ws.id };
  return (await rest(on, 'POST /auth/signup', { body })).body.accessToken as string;
}
const manifest = (bot: string[], user: string[] = []): object => ({
  display_information: { name: unique('app') },
  oauth_config: { scopes: { bot, user } },
});
const makeApp = (token: string, bot: string[], user: string[] = []): Promise<RestAnswer> =>
  call('POST /apps', { token, body: { manifest: manifest(bot, user) } });

describe('apps that members create', () => {
  it('never get more rights than their creator has', async () => {
    const ws = await app.workspace();
    const token = await member(ws);
    const mine = (await makeApp(token, ['chat:write'], ['chat:write', 'users:read'])).body;
    const me = (await call('GET /auth/me', { token })).body.user_id as string;
    expect((await call('GET /auth/me', { token: mine.user_token })).body.user_id).toBe(me);

    expect((await makeApp(mine.bot_token, ['chat:write'], ['chat:write'])).body).toEqual(
      refusal(403, 'not_allowed_token_type'),
    );
    expect((await makeApp(mine.bot_token, ['chat:write', 'users:read'])).body).toEqual(refusal(403, 'missing_scope'));
    expect((await makeApp(mine.user_token, ['chat:write', 'channels:history'])).body).toEqual(
      refusal(403, 'missing_scope'),
    );
    // an admin's token with few scopes may grant more, as the admin could do so anyway
    const { token: admin } = await ws.jwtClient({ user: ws.admin });
    const small = (await makeApp(admin, [], ['chat:write'])).body;
    expect((await makeApp(small.user_token, ['chat:write', 'channels:history'])).status).toBe(201);
    const less = await makeApp(mine.bot_token, ['chat:write', 'no:such.scope']);
    expect([less.status, less.body.user_token]).toEqual([201, null]);
  });

  it('may be managed by their creator, their own tokens and admins', async () => {
    const ws = await app.workspace();
    const token = await member(ws);
    const refusals = await Promise.all([
      call('POST /events/subscribe', { token, body: { request_url: 'http://127.0.0.1:9/' } }),
      call('POST /commands', { token, body: { command: '/x', url: 'http://127.0.0.1:9/', app_id: ws.defaultApp.id } }),
      call('POST /webhooks/incoming', { token, body: { channel: 'general' } }),
    ]);
    for (const { body } of refusals) expect(body).toEqual(refusal(403, 'not_admin'));
    const mine = (await makeApp(token, ['chat:write'])).body;
    const own = { token, body: { command: '/mine', url: 'http://127.0.0.1:9/', app_id: mine.id } };
    expect((await call('POST /commands', own)).status).toBe(201);
  });

  it('report what in a manifest has no effect, and refuse it in strict mode', async () => {
    const ws = await app.workspace();
    const body = {
      manifest: {
        ...manifest(['chat:writ']),
        featurs: {},
        settings: { event_subscriptions: { bot_events: ['star_added'] } },
      },
    };
    const token = await member(ws);
    const made = await call('POST /apps', { token, body });
    expect([made.status, made.body.warnings]).toEqual([
      201,
      [
        'featurs: no such field (features?)',
        'oauth_config.scopes.bot[0]: no such scope "chat:writ" (chat:write?)',
        'settings.event_subscriptions.bot_events[0]: nothing causes "star_added" here',
      ],
    ]);
    const strict = await call('POST /apps?strict=true', { token, body });
    expect([strict.status, strict.body.message]).toEqual([400, made.body.warnings]);
    expect((await makeApp(token, ['chat:write'])).body).not.toHaveProperty('warnings');
  });

  it('take all scopes of a replaced manifest, or stay unchanged', async () => {
    const ws = await app.workspace();
    const token = await member(ws);
    const made = (await makeApp(token, ['chat:write'])).body;
    const old = { features: { slash_commands: [{ command: '/old', url: 'http://127.0.0.1:9/' }] } };
    const put = (body: object, by = token): Promise<RestAnswer> =>
      call(`PUT /apps/${made.id}/manifest`, { token: by, body: { manifest: body } });
    const users = async (): Promise<string | undefined> =>
      (await call('POST /users.list', { token: made.bot_token, body: {} })).body.error;
    expect((await put({ ...manifest(['chat:write']), ...old })).status).toBe(200);
    expect(await users()).toBe('missing_scope');

    const other = (await makeApp(token, ['chat:write'])).body;
    const taken = { command: '/taken', url: 'http://127.0.0.1:9/', app_id: other.id };
    expect((await call('POST /commands', { token, body: taken })).status).toBe(201);
    const commands = [
      { command: '/new', url: 'http://127.0.0.1:9/' },
      { command: '/taken', url: 'http://127.0.0.1:9/' },
    ];
    const wanted = manifest(['users:read']);
    expect((await put({ ...wanted, features: { slash_commands: commands } })).body).toEqual(
      refusal(409, 'command_taken'),
    );
    const faulty = await put({ ...wanted, oauth_config: { scopes: { bot: 'users:read' } } });
    expect([faulty.status, String(faulty.body.message)]).toEqual([
      400,
      expect.stringContaining('manifest.oauth_config'),
    ]);
    expect((await put(wanted, await member(ws))).body).toEqual(refusal(403, 'not_admin'));
    expect(await users()).toBe('missing_scope');
    const listed = (await call('GET /commands', { token })).body.commands as { command: string }[];
    expect(listed.map(({ command }) => command).sort()).toEqual(['/old', '/taken']);

    const changed = await put(wanted);
    expect([changed.status, changed.body.scopes]).toEqual([200, { bot: ['users:read'], user: [] }]);
    expect(changed.body).not.toHaveProperty('bot_token');
    expect(await users()).toBeUndefined();
    const { token: admin } = await ws.jwtClient({ user: ws.admin });
    const secrets = async (by: string): Promise<unknown> =>
      (await call('GET /apps', { token: by })).body.apps.find(({ id }: { id: string }) => id === made.id).credentials;
    // unchanged, as shown to admins
    const { client_secret: _, ...kept } = made.credentials;
    expect(await secrets(admin)).toEqual(kept);
    expect(await secrets(token)).toBeUndefined();
  });

  it('report what a manifest refers to that does not exist, also when it replaces another', async () => {
    const ws = await app.workspace();
    const token = await member(ws);
    const sent = {
      ...manifest(['chat:write']),
      functions: { deploy: { title: 'Deploy' } },
      workflows: { release: {} },
      types: {},
      features: {
        assistant_view: { assistant_description: 'helps' },
        slash_commands: [
          { command: '/one', url: 'http://127.0.0.1:9/', should_escape: false },
          { command: '/two', url: 'http://127.0.0.1:9/', should_escape: true },
        ],
        rich_previews: { is_active: true, entity_types: ['slack#/entities/task'] },
        workflow_steps: [],
      },
      settings: { org_deploy_enabled: false, token_rotation_enabled: true, is_hosted: false },
    };
    const oauth_config = { scopes: { bot: ['chat:write'] }, redirect_urls: ['https://x.example/'] };
    const body = { manifest: { ...sent, oauth_config } };
    const warnings = ['features.slash_commands[1].should_escape: has no effect here', 'workflows: has no effect here'];
    const made = await call('POST /apps', { token, body });
    expect([made.status, made.body.warnings]).toEqual([201, warnings]);
    const path = `PUT /apps/${made.body.id as string}/manifest` as const;
    expect((await call(path, { token, body })).body.warnings).toEqual(warnings);
    const kept = await call(path, { token, body: { manifest: manifest(['chat:write']) } });
    expect(kept.body.message).toEqual(['manifest.settings.token_rotation_enabled cannot be turned off']);
    const plain = { manifest: { ...manifest(['chat:write']), settings: { token_rotation_enabled: true } } };
    expect((await call(path, { token, body: plain })).body).not.toHaveProperty('warnings');
    const strict = await call(`${path}?strict=true`, { token, body });
    expect([strict.status, strict.body.message]).toEqual([400, warnings]);
  });

  it('can get new tokens, another manifest, and be deleted', async () => {
    const ws = await app.workspace();
    const token = await member(ws);
    const made = (await makeApp(token, ['chat:write'], ['users:read'])).body;
    const outsider = await member(ws);
    expect((await call(`POST /apps/${made.id}/tokens/rotate`, { token: outsider, body: {} })).body).toEqual(
      refusal(403, 'not_admin'),
    );
    const { status, body } = await call(`POST /apps/${made.id}/tokens/rotate`, { token, body: { kind: 'bot' } });
    expect([status, body]).toEqual([200, { bot_token: expect.stringMatching(/^xoxb-/) as string }]);
    expect((await call('GET /auth/me', { token: made.bot_token })).body.message).toBe('token_revoked');
    expect((await call('GET /auth/me', { token: made.user_token })).status).toBe(200);
    const all = (await call(`POST /apps/${made.id}/tokens/rotate`, { token, body: {} })).body;
    expect(Object.keys(all)).toEqual(expect.arrayContaining(['bot_token', 'user_token']));

    const changed = await call(`PUT /apps/${made.id}/manifest`, {
      token,
      body: {
        manifest: {
          ...manifest(['chat:write', 'commands']),
          features: { slash_commands: [{ command: '/new', url: 'http://127.0.0.1:9/' }] },
        },
      },
    });
    expect([changed.status, changed.body.scopes, changed.body.bot_token]).toEqual([
      200,
      { bot: ['chat:write', 'commands'], user: [] },
      undefined,
    ]);
    const commands = (await call('GET /commands', { token })).body.commands as { command: string }[];
    expect(commands.map(({ command }) => command)).toEqual(['/new']);

    expect((await call(`DELETE /apps/${ws.defaultApp.id}`, { token: outsider })).body.message).toBe('not_admin');
    expect((await call(`DELETE /apps/${made.id}`, { token })).body).toEqual({ success: true });
    expect((await call('GET /auth/me', { token: all.bot_token })).body.message).toBe('account_inactive');
    expect((await call('GET /auth/me', { token: all.user_token })).body.message).toBe('account_inactive');
    expect((await call('GET /commands', { token })).body.commands).toEqual([]);
  });
});

describe('incoming webhooks', () => {
  it('accept posts with the secret in their URL, which only their owners see', async () => {
    const ws = await app.workspace();
    const token = await member(ws);
    const mine = (await makeApp(token, ['chat:write', 'incoming-webhook'])).body;
    const hook = (await call('POST /webhooks/incoming', { token, body: { channel: 'general', app_id: mine.id } })).body;
    expect(hook.url).toMatch(new RegExp(`/api/webhooks/incoming/${hook.id as string}/[A-Za-z0-9]{24}$`));
    const post = async (path: string, bearer?: string): Promise<string> =>
      (await call(`POST /webhooks/incoming/${path}`, { body: { text: 'hi' }, ...(bearer ? { token: bearer } : {}) }))
        .text;
    const secret = String(hook.url).split('/').at(-1) as string;
    expect(await post(`${hook.id}/${secret}`)).toBe('ok');
    expect(await post(hook.id)).toBe('no_service');
    expect(await post(`${hook.id}/${secret.slice(1)}a`)).toBe('no_service');
    expect(await post(hook.id, token)).toBe('ok');

    const outsider = await member(ws);
    expect(await post(hook.id, outsider)).toBe('no_service');
    const listed = (await call('GET /webhooks/incoming', { token: outsider })).body.webhooks as object[];
    expect(listed).toHaveLength(1);
    expect(JSON.stringify(listed)).not.toContain(secret);
    expect(listed[0]).not.toHaveProperty('url');
  });

  it('of a private channel are listed only for its members and admins', async () => {
    const ws = await app.workspace();
    const inside = await ws.user();
    const [within, without] = [await ws.jwtClient({ user: inside }), await ws.jwtClient()];
    const secret = await ws.channel({ isPrivate: true, members: [inside] });
    const mine = (await makeApp(within.token, ['chat:write', 'incoming-webhook'])).body;
    const body = { channel: secret.id, app_id: mine.id };
    const made = (await call('POST /webhooks/incoming', { token: within.token, body })).body;
    const listed = async (token: string): Promise<string[]> =>
      (await call('GET /webhooks/incoming', { token })).body.webhooks.map(({ id }: { id: string }) => id);
    expect(await listed(within.token)).toEqual([made.id]);
    expect(await listed((await ws.jwtClient({ user: ws.admin })).token)).toEqual([made.id]);
    expect(await listed(without.token)).toEqual([]);
    // an app of another user that is not in the private channel
    expect(await listed((await makeApp(without.token, ['incoming-webhook'])).body.bot_token)).toEqual([]);
  });
});

describe('limits of a workspace', () => {
  it('refuse further commands: too_many_commands', async () => {
    const small = await TestApp.start({ SVC_MAX_COMMANDS: '1', SVC_MAX_APPS: '1' });
    const ws = await small.workspace();
    const token = await member(ws, small);
    const make = (body: object): Promise<RestAnswer> => rest(small, 'POST /apps', { token, body });
    const mine = (await make({ manifest: manifest([]) })).body;
    expect((await make({ manifest: manifest([]) })).body).toEqual(refusal(409, 'too_many_apps'));
    const command = (name: string): Promise<RestAnswer> =>
      rest(small, 'POST /commands', { token, body: { command: name, url: 'http://127.0.0.1:9/', app_id: mine.id } });
    expect((await command('/one')).status).toBe(201);
    expect((await command('/two')).body).toEqual(refusal(409, 'too_many_commands'));
    await small.stop();
  });

  it('count creations in Tier 3 by user and app: ratelimited', async () => {
    const ws = await app.workspace();
    const token = await member(ws);
    for (let i = 0; i < 50; i++) await call('POST /webhooks/outgoing', { token, body: { url: 'no URL' } });
    const over = await call('POST /commands', { token, body: {} });
    expect([over.status, over.body.message]).toEqual([429, 'ratelimited']);
    expect((await call('POST /commands', { token: await member(ws), body: {} })).status).toBe(400);
    // acting as a user is not counted, nor is reading
    expect((await call('POST /act/message', { token, body: { channel: 'general', text: 'x' } })).status).toBe(200);
    expect((await call('GET /commands', { token })).status).toBe(200);
  });
});
