import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestApp, useApp } from '../support/app.js';
import { refusal, rest } from '../support/rest-client.js';
import { tinyUiBuild } from '../support/ui-build.js';
import type { WorkspaceBuilder } from '../support/workspace.js';

const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin' };

const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString()) as Record<string, unknown>;

/** Both routes are called alike, by an admin of the sandbox. */
const ask = async (app: TestApp, ws: WorkspaceBuilder, verb: 'act-as' | 'ui-link', body: object) => {
  const { token } = await ws.jwtClient({ user: ws.admin });
  return rest(app, `POST /sandboxes/self/${verb}`, { token, body });
};

// docs/reference/web-ui.md#acting-as
describe('acting as another user', () => {
  const app = useApp();

  it('answers a token of that user, by id or by name, also without a web UI', async () => {
    const ws = await app.workspace();
    const alice = await ws.user({ realName: 'Alice Doe' });
    for (const user of [alice.id, alice.name, `@${alice.name}`]) {
      const { status, body } = await ask(app, ws, 'act-as', { user });
      expect([status, body]).toEqual([
        201,
        {
          access_token: expect.any(String),
          expires_in: 3600,
          user: {
            id: alice.id,
            name: alice.name,
            real_name: 'Alice Doe',
            email: `${alice.name}@${ws.domain}.example`,
          },
        },
      ]);
      expect((await rest(app, 'POST /auth.test', { token: body.access_token })).body).toMatchObject({
        ok: true,
        user_id: alice.id,
      });
      expect(claimsOf(body.access_token)).toMatchObject({ bound: true, team_id: ws.id, acted_by: ws.admin.id });
    }
  });

  it('refuses bots, deactivated users and unknown users', async () => {
    const ws = await app.workspace();
    const gone = await ws.user();
    await ws.deactivate(gone);
    const bot = await ws.bot();
    const refused = async (user?: string) => (await ask(app, ws, 'act-as', { user })).body;
    expect(await refused('nobody-here')).toEqual(refusal(404, 'user_not_found'));
    expect(await refused(bot.userId)).toEqual(refusal(400, 'cannot_act_as_bot'));
    expect(await refused(gone.id)).toEqual(refusal(409, 'user_disabled'));
    expect((await refused()).statusCode).toBe(400);
  });

  it('is for admins with a session only, and ends with their session', async () => {
    const ws = await app.workspace();
    const [alice, admin] = [await ws.user(), await ws.jwtClient({ user: ws.admin })];
    const acting = (token: string) => rest(app, 'POST /sandboxes/self/act-as', { token, body: { user: alice.id } });
    expect((await acting((await ws.jwtClient()).token)).body).toEqual(refusal(403, 'not_admin'));
    expect((await acting((await ws.adminClient()).token)).body).toEqual(refusal(403, 'not_allowed_token_type'));
    const { body } = await acting(admin.token);
    await rest(app, 'POST /auth/logout', { token: admin.token });
    expect((await rest(app, 'POST /auth.test', { token: body.access_token })).body.error).toBe('token_revoked');
  });

  it('is limited to the sandbox: no access to other workspaces, none can be created or joined', async () => {
    const [ws, other] = [await app.workspace(), await app.workspace()];
    const alice = await ws.user();
    const { body } = await ask(app, ws, 'act-as', { user: alice.id });
    const token = body.access_token as string;
    expect((await rest(app, 'POST /auth.test', { token, body: { team_id: other.id } })).body.error).toBe(
      'team_access_not_granted',
    );
    expect((await rest(app, 'POST /workspaces', { token, body: { name: 'Mine' } })).body).toEqual(
      refusal(403, 'not_allowed_token_type'),
    );
  });

  it('is recorded on the timeline: calls of the user name the admin who acts', async () => {
    const ws = await app.workspace();
    const admin = await ws.jwtClient({ user: ws.admin });
    await rest(app, 'PATCH /sandboxes/self', { token: admin.token, body: { journal: true } });
    const alice = await ws.user();
    const { body } = await ask(app, ws, 'act-as', { user: alice.id });
    await rest(app, 'POST /chat.postMessage', {
      token: body.access_token,
      body: { channel: ws.general.id, text: 'as Alice' },
    });
    const { entries } = (await rest(app, 'GET /sandboxes/self/timeline?kind=call', { token: admin.token })).body;
    expect(entries.at(-1)).toMatchObject({
      method: 'chat.postMessage',
      caller: { user_id: alice.id },
      acted_by: ws.admin.id,
    });
    expect(entries.at(-1)).not.toHaveProperty('client');
  });

  it('cannot create links in api mode', async () => {
    const ws = await app.workspace();
    expect((await ask(app, ws, 'ui-link', {})).body).toEqual(refusal(409, 'no_ui'));
  });
});

// docs/reference/web-ui.md#links
describe('links into the web UI', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await TestApp.start({ SVC_MODE: 'full' }, tinyUiBuild());
  });
  afterAll(() => app.stop());

  const follow = (key: unknown) => rest(app, 'POST /ui/session/link', { body: { key }, headers: SAME_ORIGIN });

  it('sign in as the primary owner, or as the given user, once, at the given path', async () => {
    const ws = await app.workspace();
    const alice = await ws.user();
    const [plain, aimed] = [
      await ask(app, ws, 'ui-link', {}),
      await ask(app, ws, 'ui-link', { user: alice.name, to: `/w/${ws.id}/inspect?since=mark` }),
    ];
    expect(plain.status).toBe(201);
    expect(plain.body).toEqual({
      url: expect.stringMatching(/^http:\/\/[\w.:]+\/#key=[\w-]{43}$/),
      expires_at: expect.any(Number),
    });
    expect(Math.abs(plain.body.expires_at - Date.now() / 1000 - 3600)).toBeLessThan(60);
    const keyOf = (url: string) => new URLSearchParams(new URL(url).hash.slice(1)).get('key');
    const owner = await follow(keyOf(plain.body.url));
    expect(owner.body).toMatchObject({ user: { id: ws.admin.id }, team: { id: ws.id } });
    expect(owner.body).not.toHaveProperty('to');
    const opened = await follow(keyOf(aimed.body.url));
    expect(opened.body).toMatchObject({ user: { id: alice.id }, to: `/w/${ws.id}/inspect?since=mark` });
    expect(claimsOf(opened.body.accessToken)).toMatchObject({ bound: true, ui: 1, team_id: ws.id });
    for (const url of [plain.body.url, aimed.body.url]) {
      expect((await follow(keyOf(url))).body).toEqual(refusal(401, 'invalid_link'));
    }
  });

  it('lead only to a path of this server', async () => {
    const ws = await app.workspace();
    for (const to of ['w/T0', '//evil.example', 'https://evil.example', '/\\evil.example', '/a\nb', '/\u0001', '', 5]) {
      expect((await ask(app, ws, 'ui-link', { to })).status, JSON.stringify(to)).toBe(400);
    }
  });

  it('refuse the same users as acting does', async () => {
    const ws = await app.workspace();
    const gone = await ws.user();
    await ws.deactivate(gone);
    expect((await ask(app, ws, 'ui-link', { user: 'nobody-here' })).body).toEqual(refusal(404, 'user_not_found'));
    expect((await ask(app, ws, 'ui-link', { user: ws.defaultApp.botUserId })).body).toEqual(
      refusal(400, 'cannot_act_as_bot'),
    );
    expect((await ask(app, ws, 'ui-link', { user: gone.id })).body).toEqual(refusal(409, 'user_disabled'));
  });
});
