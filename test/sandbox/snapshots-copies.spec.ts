import { In } from 'typeorm';
import { describe, expect, it } from 'vitest';
import { Tenant } from '../../src/kernel/tenancy/tenant.entity.js';
import { Sandbox } from '../../src/kernel/sandbox/sandbox.entity.js';
import { useApp } from '../support/app.js';
import { deleteRows, insertRows, rowOf } from '../support/rows.js';
import { bearer, idsOf, makeSandbox, OPERATOR, send } from '../support/sandbox-routes.js';

const DOCUMENT = {
  team: { name: 'Acme' },
  users: [{ name: 'alice', is_admin: true }, { name: 'bob' }],
  apps: [{ name: 'deploy-bot', scopes: { bot: ['chat:write', 'channels:history', 'groups:history'] } }],
  channels: [
    {
      name: 'war-room',
      members: ['alice', 'bob', 'deploy-bot'],
      messages: [
        { as: 'alice', text: 'deploy please <@deploy-bot>', ref: 'ask' },
        { as: 'deploy-bot', text: 'done', thread: 'ask', reactions: { tada: ['bob'] }, ref: 'answer' },
      ],
    },
  ],
  dms: [{ members: ['alice', 'bob'], messages: [{ as: 'alice', text: 'hi' }] }],
  incoming_webhooks: [{ app: 'deploy-bot', channel: 'war-room', ref: 'hook' }],
  tracker: {
    teams: [
      {
        key: 'ENG',
        name: 'Engineering',
        labels: [{ name: 'Bug' }],
        issues: [
          { title: 'Subtask', parent: 'login' },
          {
            title: 'Fix login',
            assignee: 'alice',
            labels: ['Bug'],
            ref: 'login',
            comments: [{ as: 'bob', body: 'On it' }],
          },
        ],
      },
    ],
    webhooks: [{ url: 'http://127.0.0.1:9/linear', resource_types: ['Issue'], ref: 'linear' }],
  },
};

describe('POST /api/sandboxes with the field from', () => {
  const app = useApp();

  const snapshotOf = async (ctl: Record<string, string>, name = 'ready'): Promise<string> => {
    const taken = await send(app, 'POST', '/api/sandboxes/self/snapshots', ctl, { name });
    expect(taken.status, JSON.stringify(taken.body)).toBe(201);
    return taken.body.id;
  };

  it('copies what the snapshot holds, with new ids and new credentials', async () => {
    const made = await makeSandbox(app, DOCUMENT);
    const { credentials } = made.body;
    const bot = bearer(credentials.apps['deploy-bot'].bot_token);
    const from = await snapshotOf(made.ctl);
    // changes after the snapshot are not copied
    const channel = credentials.channels['war-room'];
    expect((await send(app, 'POST', '/api/chat.postMessage', bot, { channel, text: 'later' })).body.ok).toBe(true);
    const edited = { channel, ts: credentials.refs.answer.ts, text: 'edited' };
    expect((await send(app, 'POST', '/api/chat.update', bot, edited)).body.ok).toBe(true);
    await send(app, 'POST', '/api/conversations.create', bearer(credentials.bot_token), { name: 'new-one' });

    const copied = await send(app, 'POST', '/api/sandboxes', made.ctl, { from, name: 'copy', labels: { a: 'b' } });
    expect(copied.status, JSON.stringify(copied.body)).toBe(201);
    expect(copied.body).toMatchObject({ name: 'copy', labels: { a: 'b' }, counts: made.body.counts });
    const copy = copied.body.credentials;
    const ofFirst = idsOf(made.body);
    expect(ofFirst.length).toBeGreaterThan(10);
    expect(idsOf(copied.body).filter((id) => ofFirst.includes(id))).toEqual([]);
    expect(Object.keys(copy.refs)).toEqual(['answer', 'ask', 'hook', 'linear', 'login']);
    expect(copy.refs.login.identifier).toBe(credentials.refs.login.identifier);
    expect(copy.refs.ask.ts).toBe(credentials.refs.ask.ts);
    expect(copy.channels['war-room']).toBe(copy.refs.ask.channel);

    const ofCopy = bearer(copy.apps['deploy-bot'].bot_token);
    const replies = await send(app, 'POST', '/api/conversations.replies', ofCopy, copy.refs.ask);
    expect(replies.body.messages).toMatchObject([
      {
        text: `deploy please <@${copy.apps['deploy-bot'].bot_user_id}>`,
        user: copy.users.alice.user_id,
        reply_count: 1,
      },
      {
        text: 'done',
        bot_id: copy.apps['deploy-bot'].bot_id,
        reactions: [{ name: 'tada', users: [copy.users.bob.user_id] }],
      },
    ]);
    const { body } = await send(
      app,
      'POST',
      '/graphql',
      { authorization: copy.api_key },
      {
        query: `{ issue(id: "${copy.refs.login.identifier}") { title assignee { displayName } labels { nodes { name } }
        children { nodes { title } } comments { nodes { body user { displayName } } } } viewer { email } }`,
      },
    );
    expect(body.data).toMatchObject({
      issue: {
        title: 'Fix login',
        assignee: { displayName: 'alice' },
        labels: { nodes: [{ name: 'Bug' }] },
        children: { nodes: [{ title: 'Subtask' }] },
        comments: { nodes: [{ body: 'On it', user: { displayName: 'bob' } }] },
      },
      viewer: { email: copy.admin.email },
    });
    expect((await send(app, 'POST', copy.refs.hook.url.replace(app.baseUrl, ''), {}, { text: 'hi' })).body).toBe('ok');
    const found = await send(app, 'POST', '/api/search.messages', bearer(copy.user_token), { query: 'deploy' });
    expect(found.body.messages.total).toBe(1);
    const alice = await send(app, 'POST', '/api/conversations.open', bearer(copy.users.alice.access_token), {
      users: copy.users.bob.user_id,
    });
    expect(alice.body).toMatchObject({ ok: true, already_open: true });
    const login = { email: copy.admin.email, password: copy.admin.password };
    expect((await send(app, 'POST', '/api/auth/login', {}, login)).status).toBe(200);

    // the copy has a baseline of its own
    const ctl = { 'x-sandbox-token': copy.control_token };
    await send(app, 'POST', '/api/sandboxes/self/reset', ctl, {});
    expect((await send(app, 'GET', '/api/sandboxes/self', ctl)).body.counts).toEqual(made.body.counts);
    // the baseline includes its credentials
    expect((await send(app, 'POST', '/api/auth.test', ofCopy)).body).toMatchObject({ ok: true });
    expect((await send(app, 'POST', '/api/auth.test', bearer(copy.user_token))).body).toMatchObject({ ok: true });
    const viewed = await send(app, 'POST', '/graphql', { authorization: copy.api_key }, { query: '{ viewer { id } }' });
    expect(viewed.body.data.viewer.id).toEqual(expect.any(String));
    const first = await send(app, 'GET', '/api/sandboxes/self/seed', made.ctl);
    expect(JSON.stringify(first.body)).toContain('edited');
  });

  it('accepts only settings of the sandbox beside from', async () => {
    const made = await makeSandbox(app);
    const from = await snapshotOf(made.ctl);
    const refused = await send(app, 'POST', '/api/sandboxes', made.ctl, { from, users: [], team: {}, clock: {} });
    expect(refused.status).toBe(400);
    expect(refused.body.message).toEqual([
      'users: a copy of a snapshot takes no such field',
      'team: a copy of a snapshot takes no such field',
      'clock: a copy of a snapshot takes no such field',
    ]);
    expect((await send(app, 'POST', '/api/sandboxes', made.ctl, { from: 7 })).status).toBe(400);
    const settings = { from, ttl_seconds: 600, journal: false, methods: 'core', rate_limit_multiplier: 0 };
    const copied = await send(app, 'POST', '/api/sandboxes', made.ctl, settings);
    expect(copied.body).toMatchObject({ journal: false, methods: 'core', rate_limit_multiplier: 0 });
    expect(copied.body.expires_at - copied.body.created).toBeLessThanOrEqual(601);
  });

  it('allows operators and the control token of the copied sandbox; without from, operators alone', async () => {
    const [one, other] = [await makeSandbox(app), await makeSandbox(app)];
    const from = await snapshotOf(one.ctl);
    expect((await send(app, 'POST', '/api/sandboxes', other.ctl, { from })).body).toMatchObject({
      statusCode: 404,
      message: 'snapshot_not_found',
    });
    expect((await send(app, 'POST', '/api/sandboxes', OPERATOR, { from: 'Sn0AAAAAAAAA' })).status).toBe(404);
    expect((await send(app, 'POST', '/api/sandboxes', one.ctl, {})).body.message).toBe('not_admin');
    // an operator may copy without expiry; the control token's copies expire as the server's sandboxes do
    const forEver = await send(app, 'POST', '/api/sandboxes', OPERATOR, { from, ttl_seconds: null });
    expect(forEver.body.expires_at).toBeNull();
    const capped = await send(app, 'POST', '/api/sandboxes', one.ctl, { from, ttl_seconds: null });
    expect(capped.body.expires_at - capped.body.created).toBeLessThanOrEqual(86_401);
  });

  it('copies the clock of the snapshot', async () => {
    const made = await makeSandbox(app, { clock: { now: '2026-01-01T09:00:00Z', frozen: true } });
    const from = await snapshotOf(made.ctl);
    await send(app, 'POST', '/api/sandboxes/self/clock/advance', made.ctl, { seconds: 60 });
    const copied = await send(app, 'POST', '/api/sandboxes', made.ctl, { from });
    expect(copied.body.clock).toMatchObject({ now: '2026-01-01T09:00:00.000Z', frozen: true });
  });

  it('limits a control token to a hundred copies at a time', async () => {
    const made = await makeSandbox(app);
    const from = await snapshotOf(made.ctl);
    const first = await send(app, 'POST', '/api/sandboxes', made.ctl, { from });
    // 99 more copies: for the limit, these rows are enough
    const { tenantId: copiedFrom } = await rowOf(app.store, Sandbox, { id: made.body.id });
    const others = (await insertRows(app.store, Tenant, Array(99).fill({ joinable: false }))).map(({ id }) => id);
    await insertRows(
      app.store,
      Sandbox,
      others.map((tenantId) => ({ tenantId, copiedFrom })),
    );
    const refused = await send(app, 'POST', '/api/sandboxes', made.ctl, { from });
    expect(refused).toMatchObject({ status: 409, body: { message: 'too_many_sandboxes' } });
    // copies of a copy count for the first sandbox
    const ctl = { 'x-sandbox-token': first.body.credentials.control_token };
    const again = await snapshotOf(ctl);
    expect((await send(app, 'POST', '/api/sandboxes', ctl, { from: again })).status).toBe(409);
    await deleteRows(app.store, Tenant, { id: In(others) });
    expect((await send(app, 'POST', '/api/sandboxes', made.ctl, { from })).status).toBe(201);
  });
});
