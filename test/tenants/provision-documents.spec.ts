import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { bearer, OPERATOR, send } from '../support/sandbox-routes.js';

// docs/reference/control-plane.md#provisioning
describe('Documents of POST /api/admin/provision', () => {
  const app = useApp();
  const provision = (body: object, query = '') => send(app, 'POST', `/api/admin/provision${query}`, OPERATOR, body);

  it('accept everything that a seed document may contain', async () => {
    const { status, body } = await provision({
      team: { name: 'Documents' },
      users: [{ name: 'alice' }],
      apps: [{ name: 'deploy-bot', scopes: { bot: ['chat:write'] } }],
      channels: [
        { name: 'ops', members: ['alice'], messages: [{ as: 'alice', text: 'see http://a.example/x.', ref: 'hi' }] },
      ],
      tracker: { teams: [{ key: 'OPS', issues: [{ title: 'First', ref: 'first' }] }] },
      access_token_seconds: 120,
    });
    expect(status, JSON.stringify(body)).toBe(201);
    expect(body.refs).toEqual({
      hi: { channel: body.channels[0].id, ts: expect.any(String) },
      first: { identifier: 'OPS-1' },
    });
    expect(body.tracker.team_key).toBe('OPS');
    expect(body.apps['deploy-bot'].bot_token).toMatch(/^xoxb-/);
    expect(JSON.stringify(body)).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-/);
    const history = await send(app, 'POST', '/api/conversations.history', bearer(body.bot_token), {
      channel: body.channels[0].id,
    });
    expect(history.body.messages).toMatchObject([{ text: 'see <http://a.example/x>.' }]);
    const claims = JSON.parse(Buffer.from(body.users[0].access_token.split('.')[1], 'base64url').toString());
    expect(claims.exp - claims.iat).toBe(120);
  });

  it('answer access tokens valid for a day, or for a requested time between a minute and 30 days', async () => {
    const seconds = (token: string): number => {
      const { exp, iat } = JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString());
      return exp - iat;
    };
    const made = (await provision({ team: { name: 'Day' }, users: [{ name: 'alice' }] })).body;
    expect([seconds(made.admin.access_token), seconds(made.users[0].access_token)]).toEqual([86_400, 86_400]);
    for (const [asked, status] of [
      [59, 400],
      [60, 201],
      [2_592_000, 201],
      [2_592_001, 400],
    ] as const) {
      const { body, status: answered } = await provision({ team: { name: 'Asked' }, access_token_seconds: asked });
      expect([asked, answered]).toEqual([asked, status]);
      if (status === 201) expect(seconds(body.admin.access_token)).toBe(asked);
      else expect(body.message).toEqual([expect.stringMatching(/^access_token_seconds must/)]);
    }
  });

  it('give the admin access by token and by a generated password', async () => {
    const { body } = await provision({ team: { name: 'Admin' } });
    const test = await send(app, 'POST', '/api/auth.test', bearer(body.admin.access_token));
    expect(test.body).toMatchObject({ ok: true, user_id: body.admin.user_id, team_id: body.team.id });
    const { email, password } = body.admin;
    expect((await send(app, 'POST', '/api/auth/login', {}, { email, password })).status).toBe(200);
    expect((await send(app, 'POST', '/api/auth/login', {}, { email, password: `${password}x` })).status).toBe(401);
  });

  it('extend general and random instead of refusing them', async () => {
    const { status, body } = await provision({
      team: { name: 'Channels' },
      users: [{ name: 'alice' }],
      channels: [
        { name: 'general', topic: 'All' },
        { name: 'random', members: ['alice'] },
      ],
    });
    expect(status, JSON.stringify(body)).toBe(201);
    const info = await send(app, 'POST', '/api/conversations.info', bearer(body.bot_token), {
      channel: body.channels[0].id,
    });
    expect(info.body.channel).toMatchObject({ is_general: true, topic: { value: 'All' } });
    const members = await send(app, 'POST', '/api/conversations.members', bearer(body.bot_token), {
      channel: body.channels[1].id,
    });
    expect(members.body.members).toContain(body.users[0].user_id);
  });

  it('warn of ignored fields, which strict refuses', async () => {
    const manifest = { display_information: { name: 'A' }, oauth_config: { scopes: { bot: ['chat:writ'] } } };
    const body = { team: { name: 'Warned', nmae: 1 }, users: [{ name: 'alice', naem: 'x' }], app: { manifest } };
    const warnings = [
      'team.nmae: no such field',
      'users[0].naem: no such field',
      'app.manifest.oauth_config.scopes.bot[0]: no such scope "chat:writ" (chat:write?)',
    ];
    expect((await provision(body)).body.warnings).toEqual(warnings);
    expect((await provision(body, '?strict=true')).body).toMatchObject({ statusCode: 400, message: warnings });
    expect((await provision({ team: { name: 'Quiet' } })).body.warnings).toBeUndefined();
  });

  it('create a baseline, as for a workspace that a user creates', async () => {
    const { body } = await provision({ team: { name: 'Person' } });
    const made = await send(app, 'POST', '/api/workspaces', bearer(body.admin.access_token), { name: 'Mine' });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    const path = `/api/sandboxes/self/reset?team_id=${made.body.id}`;
    const reset = await send(app, 'POST', path, bearer(body.admin.access_token), {});
    expect(reset, JSON.stringify(reset.body)).toMatchObject({ status: 200, body: { to: 'baseline' } });
  });
});
