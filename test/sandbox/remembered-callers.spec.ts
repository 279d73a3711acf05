import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { bearer, makeSandbox, OPERATOR, send, type Answer } from '../support/sandbox-routes.js';

type Headers = Record<string, string>;

const DOCUMENT = {
  channels: [{ name: 'ops', members: ['alice', 'bob'] }],
  apps: [{ name: 'helper', scopes: { bot: ['channels:read'] } }],
  tracker: { teams: [{ key: 'ENG', name: 'Engineering' }] },
};

/**
 * A process remembers who calls (docs/decisions/remembered-callers.md). Each test calls until the caller is remembered,
 * changes something that the answer depends on, and calls again.
 */
describe('The next call knows', () => {
  const app = useApp();

  async function sandbox() {
    const person = (name: string) => ({
      name,
      user_token: `xoxp-${crypto.randomUUID()}`,
      api_key: `svc_api_${crypto.randomUUID()}`,
    });
    const users = { alice: { ...person('alice'), is_admin: true }, bob: person('bob') };
    const { ctl, body } = await makeSandbox(app, { ...DOCUMENT, users: Object.values(users) });
    const { bot_token: token, channels, apps } = body.credentials;
    const bot = bearer(token);
    const alice = bearer(users.alice.user_token);
    const call = (method: string, args: object = {}, as: Headers = bot): Promise<Answer> =>
      send(app, 'POST', `/api/${method}`, as, args);
    const control = (method: string, path: string, sent?: object): Promise<Answer> =>
      send(app, method, `/api/sandboxes/self${path}`, ctl, sent);
    const remembered = async (method: string, args: object = {}, as: Headers = bot): Promise<unknown> => {
      for (let i = 0; i < 2; i++) expect((await call(method, args, as)).body).toMatchObject({ ok: true });
      return (await call(method, args, as)).body;
    };
    const graphql = (key: string, query: string): Promise<Answer> =>
      send(app, 'POST', '/graphql', { authorization: key }, { query });
    return {
      body,
      alice,
      call,
      control,
      remembered,
      graphql,
      ops: channels.ops as string,
      users,
      helper: bearer(apps.helper.bot_token),
    };
  }

  it('what a method of the API changed for another', async () => {
    const { call, remembered, alice, ops } = await sandbox();
    await remembered('conversations.join', { channel: ops });
    const members = async (): Promise<number> =>
      (await call('conversations.info', { channel: ops, include_num_members: true })).body.channel.num_members;
    const before = await members();
    await call('conversations.leave', { channel: ops }, alice);
    expect(await members()).toBe(before - 1);
    await call('conversations.setTopic', { channel: ops, topic: 'changed' }, alice);
    await call('conversations.join', { channel: ops }, alice);
    await call('conversations.setTopic', { channel: ops, topic: 'changed' }, alice);
    expect((await call('conversations.info', { channel: ops })).body.channel.topic.value).toBe('changed');
    await call('conversations.archive', { channel: ops }, alice);
    expect((await call('chat.postMessage', { channel: ops, text: 'x' })).body.error).toBe('is_archived');
  });

  it('that its token was replaced, and its app removed', async () => {
    const { call, remembered, alice, ops, helper } = await sandbox();
    const { app_id: appId } = (await remembered('auth.test', {}, helper)) as { app_id: string };
    await remembered('conversations.info', { channel: ops }, helper);
    const rotated = await send(app, 'POST', `/api/apps/${appId}/tokens/rotate`, alice, { kind: 'bot' });
    expect(rotated.status, JSON.stringify(rotated.body)).toBe(200);
    expect((await call('auth.test', {}, helper)).body.error).toBe('token_revoked');
    expect((await call('conversations.info', { channel: ops }, helper)).body.error).toBe('token_revoked');
    const next = bearer(rotated.body.bot_token ?? rotated.body.token);
    await remembered('auth.test', {}, next);
    expect((await send(app, 'DELETE', `/api/apps/${appId}`, alice)).status).toBe(200);
    expect((await call('auth.test', {}, next)).body.error).toBe('account_inactive');
  });

  it('the settings, faults and allowances of its sandbox', async () => {
    const { call, control, remembered } = await sandbox();
    await remembered('users.list');
    await control('PATCH', '', { methods: 'core' });
    expect((await call('pins.list', { channel: 'C' })).body.error).toBe('unknown_method');
    const fault = await control('POST', '/faults', {
      on: { method: 'users.list' },
      fault: { type: 'error', error: 'fatal_error' },
      times: null,
    });
    expect(fault.status, JSON.stringify(fault.body)).toBe(201);
    expect((await call('users.list')).body.error).toBe('fatal_error');
    await control('DELETE', '/faults');
    expect((await call('users.list')).body.ok).toBe(true);
    await control('PATCH', '', { rate_limit_multiplier: 0.01 });
    await call('users.list');
    expect((await call('users.list')).body.error).toBe('ratelimited');
    await control('PATCH', '', { rate_limit_multiplier: 1 });
    expect((await call('users.list')).body.ok).toBe(true);
  });

  it('the time of its sandbox', async () => {
    const { call, control, remembered, ops } = await sandbox();
    await remembered('conversations.join', { channel: ops });
    const set = await control('PUT', '/clock', { now: '2031-05-06T07:08:09Z', frozen: true });
    expect(set.status, JSON.stringify(set.body)).toBe(200);
    const { ts } = (await call('chat.postMessage', { channel: ops, text: 'later' })).body;
    expect(new Date(Number(ts) * 1000).getUTCFullYear()).toBe(2031);
  });

  it('what a reset undid', async () => {
    const { call, control, remembered, alice, ops } = await sandbox();
    await call('conversations.join', { channel: ops });
    await call('conversations.archive', { channel: ops }, alice);
    expect((await call('chat.postMessage', { channel: ops, text: 'x' })).body.error).toBe('is_archived');
    await remembered('conversations.info', { channel: ops });
    expect((await control('POST', '/reset')).status).toBe(200);
    const { channel } = (await call('conversations.info', { channel: ops })).body;
    expect(channel).toMatchObject({ is_archived: false, is_member: false });
  });

  it('what a seed added', async () => {
    const { call, control, remembered, ops } = await sandbox();
    await remembered('conversations.info', { channel: ops, include_num_members: true });
    const members = async (): Promise<number> =>
      (await call('conversations.info', { channel: ops, include_num_members: true })).body.channel.num_members;
    const before = await members();
    const seeded = await control('POST', '/seed', {
      users: [{ name: 'carol' }],
      channels: [{ name: 'ops', members: ['carol'] }],
    });
    expect(seeded.status, JSON.stringify(seeded.body)).toBeLessThan(300);
    expect(await members()).toBe(before + 1);
  });

  it('that its sandbox is deleted', async () => {
    const { call, remembered, graphql, body, users } = await sandbox();
    await remembered('auth.test');
    const key = users.alice.api_key;
    for (let i = 0; i < 2; i++) expect((await graphql(key, '{ viewer { id } }')).status).toBe(200);
    expect((await send(app, 'DELETE', `/api/sandboxes/${body.id}`, OPERATOR)).status).toBeLessThan(300);
    expect((await call('auth.test')).body.error).toBe('account_inactive');
    expect((await graphql(key, '{ viewer { id } }')).status).toBe(401);
  });

  it('that a document with its credentials became another sandbox', async () => {
    const api_key = `svc_api_${crypto.randomUUID()}`;
    const user_token = `xoxp-${crypto.randomUUID()}`;
    const document = { users: [{ name: 'alice', user_token, api_key }], tracker: { teams: [{ key: 'ENG' }] } };
    const who = async (): Promise<unknown[]> => [
      (await send(app, 'POST', '/api/auth.test', bearer(user_token), {})).body.team_id,
      (await send(app, 'POST', '/graphql', { authorization: api_key }, { query: '{ organization { id } }' })).body.data
        .organization.id,
    ];
    const first = (await makeSandbox(app, document)).body;
    await who();
    const before = await who();
    expect((await send(app, 'DELETE', `/api/sandboxes/${first.id}`, OPERATOR)).status).toBeLessThan(300);
    const second = (await makeSandbox(app, document)).body;
    const after = await who();
    expect(after[0]).toBe(second.team_id);
    expect(after).not.toContain(before[0]);
    expect(after).not.toContain(before[1]);
  });

  it('who came from another tenant', async () => {
    const there = await app.workspace();
    const here = await app.workspace();
    const bot = await there.bot();
    const members = async (): Promise<number> =>
      (
        (await bot.call('conversations.info', { channel: there.general.id, include_num_members: true }))['channel'] as {
          num_members: number;
        }
      ).num_members;
    await members();
    const before = await members();
    const visitor = await here.jwtClient();
    const joined = await send(app, 'POST', `/api/workspaces/${there.id}/join`, bearer(visitor.token), {});
    expect(joined.status, JSON.stringify(joined.body)).toBe(200);
    expect(await members()).toBe(before + 1);
  });

  it('who holds an API key, and which teams are hidden from them', async () => {
    const { graphql, users } = await sandbox();
    const [alice, bob] = [users.alice.api_key, users.bob.api_key];
    const teams = async (key: string): Promise<string[]> =>
      ((await graphql(key, '{ teams { nodes { id key } } }')).body.data.teams.nodes as { key: string }[])
        .map(({ key: name }) => name)
        .sort();
    await teams(bob);
    const before = await teams(bob);
    const made = await graphql(
      alice,
      'mutation { teamCreate(input: { name: "Secret", key: "SEC", private: true }) { team { id } } }',
    );
    expect(made.body.errors).toBeUndefined();
    expect(await teams(bob)).toEqual(before);
    expect(await teams(alice)).toContain('SEC');
    const me = (await graphql(bob, '{ viewer { id name } }')).body.data.viewer as { id: string };
    await graphql(alice, `mutation { userUpdate(id: "${me.id}", input: { name: "Robert" }) { success } }`);
    expect((await graphql(bob, '{ viewer { name } }')).body.data.viewer.name).toBe('Robert');
    await graphql(alice, `mutation { userSuspend(id: "${me.id}") { success } }`);
    expect((await graphql(bob, '{ viewer { name } }')).status).toBe(401);
  });
});
