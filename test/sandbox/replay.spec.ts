import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import type { Answer } from '../support/sandbox.js';

const app = useApp();

const DOCUMENT = {
  users: [{ name: 'alice' }, { name: 'bob' }, { name: 'ada', is_admin: true }],
  channels: [{ name: 'war-room', members: ['alice', 'bob', 'ada', 'deploy-bot'] }],
  apps: [{ name: 'deploy-bot', scopes: { bot: ['chat:write', 'channels:history'], user: ['chat:write'] } }],
  tracker: { teams: [{ key: 'ENG', issues: [{ title: 'Fix login' }] }] },
};

describe('POST …/timeline/:entry/replay', () => {
  /** A sandbox made by an operator, with the calls of its control token. */
  async function box() {
    const { body: made } = await plain('POST', '/api/sandboxes', OPERATOR, DOCUMENT);
    const control = (method: string, path: string, body?: object) =>
      plain(method, `/api/sandboxes/self${path}`, { 'x-sandbox-token': made.credentials.control_token }, body);
    const call = (method: string, token: string, args: object) =>
      plain('POST', `/api/${method}`, { authorization: `Bearer ${token}` }, args);
    const entries = async (query: string) => (await control('GET', `/timeline?${query}`)).body.entries;
    /** The newest entry of a method. */
    const entryOf = async (method: string) => (await entries(`method=${method}&order=desc&limit=1`))[0];
    const replay = (entry: string, body: object = {}) => control('POST', `/timeline/${entry}/replay`, body);
    const { credentials } = made;
    return { made, credentials, control, call, entries, entryOf, replay, bot: credentials.apps['deploy-bot'] };
  }
  const OPERATOR = { 'x-admin-token': 'operator-of-the-tests' };
  async function plain(method: string, path: string, headers: Record<string, string>, body?: object): Promise<Answer> {
    const response = await fetch(app.baseUrl + path, {
      method,
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  }

  it('makes a call once more as the app that made it, marked on the timeline', async () => {
    const { call, bot, entryOf, replay, entries, credentials } = await box();
    const posted = await call('chat.postMessage', bot.bot_token, { channel: 'war-room', text: 'deployed' });
    const first = await entryOf('chat.postMessage');
    expect(first.client).toBeUndefined();
    const { status, body } = await replay(first.id);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: 200,
      answer: { ok: true, message: { text: 'deployed', user: bot.bot_user_id } },
      request_id: expect.any(String),
    });
    expect(body.answer.ts).not.toBe(posted.body.ts);
    const [again] = await entries(`where=${encodeURIComponent(JSON.stringify({ request_id: body.request_id }))}`);
    expect(again).toMatchObject({
      kind: 'call',
      method: 'chat.postMessage',
      client: 'replay',
      acted_by: 'control_token',
      caller: { kind: 'bot', app: 'deploy-bot' },
      args: { channel: 'war-room', text: 'deployed' },
    });
    expect(await entries('client=replay')).toHaveLength(1);
    const history = await call('conversations.history', bot.bot_token, { channel: credentials.channels['war-room'] });
    expect(history.body.messages.map(({ text }: { text: string }) => text)).toEqual(['deployed', 'deployed']);
  });

  it('takes other arguments and another identity, whose scopes hold', async () => {
    const { call, bot, entryOf, replay, credentials, made } = await box();
    await call('chat.postMessage', bot.bot_token, { channel: 'war-room', text: 'as the bot' });
    const { id } = await entryOf('chat.postMessage');
    const as = async (who: object, args?: object) => (await replay(id, { as: who, ...(args && { args }) })).body.answer;
    const channel = credentials.channels['war-room'];
    expect(await as({ user: 'alice' }, { channel, text: 'as a person' })).toMatchObject({
      message: { text: 'as a person', user: credentials.users.alice.user_id },
    });
    expect(await entryOf('chat.postMessage')).toMatchObject({
      client: 'replay',
      caller: { kind: 'jwt', user: 'alice' },
    });
    // the user token that the installer gave the app
    const owner = made.credentials.admin.user_id;
    expect(await as({ app: 'deploy-bot', user: owner })).toMatchObject({ ok: true, message: { user: owner } });
    expect(await entryOf('chat.postMessage')).toMatchObject({ caller: { kind: 'user', app: 'deploy-bot' } });

    await call('users.list', credentials.user_token, {});
    const list = await entryOf('users.list');
    expect((await replay(list.id, { as: { app: 'deploy-bot' } })).body).toMatchObject({
      answer: { ok: false, error: 'missing_scope', needed: 'users:read' },
    });
  });

  it('meets the sandbox’s faults as any call does', async () => {
    const { call, bot, entryOf, replay, control } = await box();
    await call('chat.postMessage', bot.bot_token, { channel: 'war-room', text: 'x' });
    const { id } = await entryOf('chat.postMessage');
    await control('POST', '/faults', {
      on: { method: 'chat.postMessage' },
      fault: { type: 'ratelimited', retry_after: 9 },
    });
    expect((await replay(id)).body).toMatchObject({ status: 429, answer: { ok: false, error: 'ratelimited' } });
    await control('POST', '/faults', { on: { method: 'chat.postMessage' }, fault: { type: 'drop' } });
    expect((await replay(id)).body).toEqual({ status: null, answer: null, request_id: null });
    expect((await replay(id)).body).toMatchObject({ status: 200, answer: { ok: true } });
  });

  it('makes calls of the tracker as the person of the key, or as another', async () => {
    const { credentials, entries, replay } = await box();
    const query =
      'mutation($title: String!) { issueCreate(input: { teamId: "ENG", title: $title }) { issue { title creator { name } } } }';
    const teams = await plain(
      'POST',
      '/graphql',
      { authorization: credentials.api_key },
      { query: '{ teams { nodes { id } } }' },
    );
    const document = query.replace('ENG', teams.body.data.teams.nodes[0].id);
    await plain(
      'POST',
      '/graphql',
      { authorization: credentials.api_key },
      { query: document, variables: { title: 'One' } },
    );
    const [created] = await entries('method=issueCreate');
    const again = await replay(created.id);
    expect(again.body.answer).toMatchObject({ data: { issueCreate: { issue: { title: 'One' } } } });
    const other = await replay(created.id, {
      as: { user: 'bob' },
      args: { query: document, variables: { title: 'Two' } },
    });
    expect(other.body.answer.data.issueCreate.issue).toMatchObject({ title: 'Two', creator: { name: 'bob' } });
    expect(await entries('method=issueCreate&client=replay')).toHaveLength(2);
    expect((await replay(created.id, { as: { app: 'deploy-bot' } })).status).toBe(400);
  });

  it('refuses what is no call, was cut, or names nobody, and leaves no way in', async () => {
    const { call, bot, entries, entryOf, replay, control, credentials } = await box();
    await call('chat.postMessage', bot.bot_token, { channel: 'war-room', text: 'x'.repeat(20_000) });
    const cut = await entryOf('chat.postMessage');
    const refused = async (entry: string, body?: object) => {
      const answer = await replay(entry, body);
      return [answer.status, answer.body.message];
    };
    expect(await refused(cut.id)).toEqual([409, 'args_cut']);
    const args = { channel: 'war-room', text: 'short' };
    expect((await replay(cut.id, { args })).body.answer).toMatchObject({ ok: true });
    expect(await refused(cut.id, { args, as: { app: 'nobody' } })).toEqual([404, 'app_not_found']);
    expect(await refused(cut.id, { args, as: { user: 'nobody' } })).toEqual([404, 'user_not_found']);
    expect(await refused(cut.id, { args, as: { app: 'deploy-bot', user: 'bob' } })).toEqual([409, 'no_token']);
    expect((await replay(cut.id, { args, as: {} })).status).toBe(400);
    expect((await replay(cut.id, { args, az: {} })).status).toBe(400);
    expect((await replay(cut.id, { args: [] })).status).toBe(400);
    expect(await refused('Te0NOTHERE')).toEqual([404, 'entry_not_found']);
    const [event] = await entries('kind=event&limit=1');
    expect(await refused(event.id)).toEqual([409, 'not_replayable']);
    await control('POST', '/inboxes', { name: 'x' });
    // the app's own tokens may not, nor may another sandbox
    expect(
      (
        await plain(
          'POST',
          `/api/sandboxes/self/timeline/${cut.id}/replay`,
          { authorization: `Bearer ${bot.bot_token}` },
          {},
        )
      ).status,
    ).toBe(403);
    expect(
      (
        await plain(
          'POST',
          `/api/sandboxes/self/timeline/${cut.id}/replay`,
          { authorization: `Bearer ${credentials.user_token}` },
          { args },
        )
      ).body.message,
    ).toBe('not_allowed_token_type');
    const other = await box();
    expect((await other.replay(cut.id)).status).toBe(404);
    expect((await call('auth.test', 'xoxb-pass-0000000000000000000000000000000000000000', {})).body.error).toBe(
      'invalid_auth',
    );
  });

  it('lets an admin act as everybody but the primary owner, as elsewhere', async () => {
    const { call, bot, entryOf, credentials } = await box();
    await call('chat.postMessage', bot.bot_token, { channel: 'war-room', text: 'x' });
    const path = `/api/sandboxes/self/timeline/${(await entryOf('chat.postMessage')).id}/replay`;
    const authorization = `Bearer ${credentials.users.ada.access_token}`;
    const as = (user: string) => plain('POST', path, { authorization }, { as: { user } });
    const owner = credentials.admin.user_id as string;
    expect((await as(owner)).body.message).toBe('not_admin');
    expect((await as('ada')).body.answer).toMatchObject({ ok: true });
  });
});
