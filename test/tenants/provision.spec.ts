import { describe, expect, it } from 'vitest';
import { TestApp, useApp } from '../support/app.js';
import { unique } from '../support/workspace.js';

type Answer = { status: number; body: any }; // eslint-disable-line @typescript-eslint/no-explicit-any

async function post(app: TestApp, body: unknown, headers: Record<string, string>): Promise<Answer> {
  const response = await fetch(`${app.baseUrl}/api/admin/provision`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

async function call(
  app: TestApp,
  method: string,
  token: string,
  args: Record<string, unknown>,
): Promise<Answer['body']> {
  const response = await fetch(`${app.baseUrl}/api/${method}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify(args),
  });
  return response.json();
}

const OPERATOR = { 'x-admin-token': 'operator-of-the-tests' };

describe('POST /api/admin/provision', () => {
  const app = useApp();
  const domainOf = (prefix: string): string => unique(prefix).replaceAll('-', '').slice(0, 21);

  it('creates a workspace with admin, app, users and channels, all usable at once', async () => {
    const domain = domainOf('acme');
    const { status, body } = await post(
      app,
      {
        team: { name: 'Acme', domain },
        users: [
          { name: 'alice', is_admin: true },
          { name: 'bob', real_name: 'Bob Lee', email: `Bob@${domain}.test`, password: 'bobs secret' },
        ],
        channels: [{ name: 'war-room', is_private: true, topic: 'now', members: ['alice'] }, { name: 'lobby' }],
      },
      OPERATOR,
    );

    expect(status).toBe(201);
    expect(body.team).toMatchObject({ name: 'Acme', domain, is_default: false, role: 'owner', member_count: 3 });
    expect(body.admin).toMatchObject({ name: 'admin', email: `admin@${domain}.example`, password: expect.any(String) });
    expect(body.app).toMatchObject({
      name: 'default-app',
      team_id: body.team.id,
      bot_token: body.bot_token,
      access_token: body.bot_token,
      user_token: body.user_token,
      creator: body.admin.user_id,
    });
    expect(body.users.map((user: { name: string; email: string }) => [user.name, user.email])).toEqual([
      ['alice', `alice@${domain}.example`],
      ['bob', `bob@${domain}.test`],
    ]);
    expect(JSON.stringify(body)).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-/);

    const [alice, bob] = body.users;
    const [warRoom, lobby] = body.channels;
    const byBot = await call(app, 'chat.postMessage', body.bot_token, { channel: '#war-room', text: 'from the bot' });
    expect(byBot).toMatchObject({ ok: true, channel: warRoom.id });
    expect(await call(app, 'chat.postMessage', body.user_token, { channel: lobby.id, text: 'hi' })).toMatchObject({
      ok: true,
      message: { user: body.admin.user_id },
    });
    expect(await call(app, 'conversations.history', alice.access_token, { channel: warRoom.id })).toMatchObject({
      ok: true,
      messages: [{ text: 'from the bot' }],
    });
    expect(await call(app, 'conversations.history', bob.access_token, { channel: warRoom.id })).toEqual({
      ok: false,
      error: 'channel_not_found',
    });
    const events = await app.store.dataSource.query(
      `SELECT kind FROM events e JOIN workspaces w ON w.tenant_id = e.tenant_id WHERE w.id = $1`,
      [body.team.id],
    );
    expect(events).toEqual([{ kind: 'message' }, { kind: 'message' }]); // those of the two posts
  });

  it('creates the tracker organization beside the workspace, with the same users', async () => {
    const domain = unique('tr').slice(0, 20);
    const { body } = await post(app, { team: { name: 'Acme', domain }, users: [{ name: 'carol' }] }, OPERATOR);
    expect(body.tracker).toEqual({
      url_key: domain,
      team_key: 'ENG',
      api_key: expect.stringMatching(/^svc_api_\w{40}$/),
    });

    const query =
      '{ viewer { id name email admin } organization { name urlKey } teams { nodes { key members { nodes { name } } } } }';
    const graphql = async (authorization: string, text = query) =>
      (
        await fetch(`${app.baseUrl}/graphql`, {
          method: 'POST',
          headers: { authorization, 'content-type': 'application/json' },
          body: JSON.stringify({ query: text }),
        })
      ).json();
    const asAdmin = (await graphql(body.tracker.api_key)) as { data: Record<string, never> };
    expect(asAdmin.data).toMatchObject({
      viewer: { name: 'Admin', email: body.admin.email, admin: true },
      organization: { name: 'Acme', urlKey: domain },
      teams: { nodes: [{ key: 'ENG' }] },
    });
    const asCarol = (await graphql(`Bearer ${body.users[0].access_token}`)) as { data: Record<string, never> };
    expect(asCarol.data).toMatchObject({
      viewer: { name: 'carol', admin: false },
      teams: {
        nodes: [{ key: 'ENG', members: { nodes: expect.arrayContaining([{ name: 'Admin' }, { name: 'carol' }]) } }],
      },
    });

    // a token that claims the organization is refused on the chat side too while its user is suspended
    // (docs/reference/tracker.md#user)
    const authTest = () => call(app, 'auth.test', body.users[0].access_token, {});
    const carolId = (asCarol.data as unknown as { viewer: { id: string } }).viewer.id;
    expect(await authTest()).toMatchObject({ ok: true, user: 'carol' });
    await graphql(body.tracker.api_key, `mutation { userSuspend(id: "${carolId}") { success } }`);
    expect(await authTest()).toEqual({ ok: false, error: 'account_inactive' });
    await graphql(body.tracker.api_key, `mutation { userUnsuspend(id: "${carolId}") { success } }`);
    expect(await authTest()).toMatchObject({ ok: true });
  });

  it('derives domains from names, also from many equal names at once', async () => {
    const name = unique('Test Inc');
    const made = await Promise.all(Array.from({ length: 8 }, () => post(app, { team: { name } }, OPERATOR)));

    expect(made.map(({ status }) => status)).toEqual(Array(8).fill(201));
    const domains = made.map(({ body }) => body.team.domain as string);
    expect(new Set(domains).size).toBe(8);
    for (const domain of domains) expect(domain).toMatch(/^[a-z0-9](-?[a-z0-9]){0,20}$/);
  });

  it('answers user_token null for an app without user scopes, and the app as its manifest describes it', async () => {
    const manifest = {
      display_information: { name: 'Deploy Bot' },
      oauth_config: { scopes: { bot: ['chat:write', 'made:up'] } },
      settings: { interactivity: { request_url: 'https://example.com/act' } },
      anything: { else: [1] },
    };
    const { body } = await post(app, { team: { name: unique('m') }, app: { manifest } }, OPERATOR);
    expect(body).toMatchObject({
      user_token: null,
      app: {
        name: 'Deploy Bot',
        user_token: null,
        scopes: { bot: ['chat:write', 'made:up'], user: [] },
        interactivity_url: 'https://example.com/act',
        manifest,
      },
    });
    expect(await call(app, 'auth.test', body.bot_token, {})).toMatchObject({
      ok: true,
    });
  });

  it.each([
    ['domain_taken', (domain: string) => ({ team: { name: 'x', domain }, users: [{ name: 'left-over' }] })],
    ['email_taken', (domain: string) => ({ team: { name: 'x' }, admin: { email: `admin@${domain}.example` } })],
    [
      'name_taken',
      () => ({
        team: { name: 'x' },
        users: [{ name: 'left-over' }, { name: 'left-over', email: `${unique('o')}@o.test` }],
      }),
    ],
    ['name_taken', () => ({ team: { name: 'x' }, channels: [{ name: 'ops' }, { name: 'ops' }] })],
  ])('answers 409 %s and leaves nothing behind (%#)', async (code, body) => {
    const domain = domainOf('taken');
    await post(app, { team: { name: 'first', domain } }, OPERATOR);
    const count = async (): Promise<unknown> =>
      app.store.dataSource.query(`SELECT count(*) FROM users WHERE name LIKE 'left-over%'`);
    const before = await count();

    expect(await post(app, body(domain), OPERATOR)).toEqual({
      status: 409,
      body: { statusCode: 409, message: code, error: 'Conflict' },
    });
    expect(await count()).toEqual(before);
  });

  it.each([
    [{ admin: { name: 'x' } }, 'admin goes with team'],
    [{ team: {} }, 'team.name must be'],
    [{ team: { name: 'x', domain: 'A B' } }, 'team.domain must be'],
    [{ team: 'x' }, 'team must be an object'],
    [{ team: { name: 'x' }, users: [{ name: 'Al Ice' }] }, 'users[0].name must be'],
    [{ team: { name: 'x' }, users: {} }, 'users must be an array'],
    [{ team: { name: 'x' }, users: [null] }, 'users'],
    [{ team: { name: 'x' }, channels: [{ name: 'UPPER' }] }, 'channels[0].name must be a channel name'],
    [{ team: { name: 'x' }, channels: [{ name: 'a', members: ['nobody'] }] }, 'channels[0].members[0] names no user'],
    [{ team: { name: 'x' }, app: { manifest: {} } }, 'app.manifest.display_information.name must be'],
    [
      {
        team: { name: 'x' },
        app: { manifest: { display_information: { name: 'a' }, oauth_config: { scopes: { bot: 'x' } } } },
      },
      'app.manifest.oauth_config.scopes.bot must be an array of strings',
    ],
    ['{"team":', 'invalid_json'],
    ['[]', 'invalid_json'],
    [`{"team":${'['.repeat(5000)}${']'.repeat(5000)}}`, 'invalid_json'],
    ['{"team":{"name":"x"},"users":[{"__proto__":{"name":"a"}}]}', 'users[0].name must be'],
  ])('answers 400 for %j', async (body, sentence) => {
    const answer = await post(app, body, OPERATOR);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ statusCode: 400, error: 'Bad Request' });
    expect([answer.body.message].flat().join('; ')).toContain(sentence);
  });

  it('removes characters that cannot be stored from names', async () => {
    const { status, body } = await post(
      app,
      '{"team":{"name":"a\\u0000b\\ud800","__proto__":{"x":1}},"constructor":1}',
      OPERATOR,
    );
    expect(status).toBe(201);
    expect(body.team.name).toBe('a\uFFFDb\uFFFD');
  });

  it('answers 401 without a token and with a wrong one', async () => {
    expect((await post(app, {}, {})).body.message).toBe('not_authed');
    expect((await post(app, {}, { 'x-admin-token': 'operator-of-the-testz' })).body.message).toBe('invalid_auth');
    expect((await post(app, {}, { authorization: 'Bearer xoxb-000000000000-000000000000000000000000' })).status).toBe(
      401,
    );
    expect((await post(app, { team: { name: 'b' } }, { authorization: 'bearer operator-of-the-tests' })).status).toBe(
      201,
    );
  });
});
