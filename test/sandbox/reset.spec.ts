import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { statementsOf } from '../support/statements.js';
import { OPERATOR, send as sendTo, type Answer, type Call } from '../support/sandbox-routes.js';

describe('POST /api/sandboxes/:id/reset', () => {
  const app = useApp();

  const send = (...call: Call): Promise<Answer> => sendTo(app, ...call);

  it('restores what a test changed', async () => {
    const made = await send('POST', '/api/admin/provision', OPERATOR, {
      team: { name: 'Reset' },
      users: [{ name: 'alice' }],
      channels: [{ name: 'war-room', members: ['alice'] }],
    });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    const bot = { authorization: `Bearer ${made.body['bot_token']}` };
    const person = { authorization: `Bearer ${made.body['user_token']}` };
    const before = await send('GET', '/api/sandboxes/self', person);
    expect(before.status, JSON.stringify(before.body)).toBe(200);
    const first = await send('POST', '/api/conversations.create', bot, { name: 'new-one' });
    expect(first.body['ok']).toBe(true);
    await send('POST', '/api/chat.postMessage', bot, { channel: 'war-room', text: 'hello' });
    const ts = (await send('POST', '/api/chat.postMessage', bot, { channel: 'war-room', text: 'again' })).body['ts'];
    await send('POST', '/api/reactions.add', bot, {
      channel: made.body['channels'][0].id,
      timestamp: ts,
      name: 'tada',
    });

    const reset = await send('POST', '/api/sandboxes/self/reset', person, {});
    expect(reset, JSON.stringify(reset.body)).toMatchObject({ status: 200, body: { to: 'baseline' } });
    const after = await send('GET', '/api/sandboxes/self', person);
    expect(after.body['counts']).toEqual(before.body['counts']);
    expect((await send('POST', '/api/conversations.create', bot, { name: 'new-one' })).body['ok']).toBe(true);
    const snapshot = await send('POST', '/api/sandboxes/self/snapshots', person, { name: 'with new-one' });
    expect(snapshot.status, JSON.stringify(snapshot.body)).toBe(201);
    await send('POST', '/api/chat.postMessage', bot, { channel: 'new-one', text: 'hello' });
    await send('POST', '/api/sandboxes/self/reset', person, {});
    const back = await send('POST', '/api/sandboxes/self/reset', person, { to: 'with new-one' });
    expect(back, JSON.stringify(back.body)).toMatchObject({ status: 200, body: { rows: snapshot.body['rows'] } });
    const posted = await send('POST', '/api/chat.postMessage', bot, { channel: 'new-one', text: 'hello' });
    expect(posted.body['ok'], JSON.stringify(posted.body)).toBe(true);
    const frozen = await send('PUT', '/api/sandboxes/self/clock', person, {
      now: '2030-01-01T00:00:00Z',
      frozen: true,
    });
    expect(frozen.body).toMatchObject({ now: '2030-01-01T00:00:00.000Z', frozen: true });
    const then = await send('POST', '/api/chat.postMessage', bot, { channel: 'war-room', text: 'then' });
    expect(then.body['ts']).toBe('1893456000.000000');
  });

  it('takes timestamps back, so that equal runs on a stopped clock give equal ones', async () => {
    const clock = { now: '2026-01-01T09:00:00Z', frozen: true };
    const made = await send('POST', '/api/sandboxes', OPERATOR, { clock, channels: [{ name: 'ops', messages: 3 }] });
    const { bot_token: token, control_token: control, channels } = made.body['credentials'];
    const [bot, ctl] = [{ authorization: `Bearer ${token}` }, { 'x-sandbox-token': control }];
    const post = async (text: string): Promise<string> =>
      (await send('POST', '/api/chat.postMessage', bot, { channel: channels.ops, text })).body['ts'];
    const run = async (): Promise<string[]> => [await post('a'), await post('b')];
    const first = await run();
    await send('POST', '/api/sandboxes/self/clock/advance', ctl, { by: '52w' });
    const late = await post('a year later');
    expect((await send('POST', '/api/sandboxes/self/reset', ctl, {})).status).toBe(200);
    expect(await run()).toEqual(first);
    // nothing that is no more is in the way of the clock
    const back = await send('PUT', '/api/sandboxes/self/clock', ctl, { now: '2026-01-01T10:00:00Z' });
    expect(back.status, JSON.stringify(back.body)).toBe(200);
    expect((await post('later')) < late).toBe(true);
  });

  it('tells messages of a later snapshot from those that got timestamps among them afterwards', async () => {
    const clock = { now: '2026-01-01T09:00:00Z', frozen: true };
    const made = await send('POST', '/api/sandboxes', OPERATOR, {
      clock,
      channels: [{ name: 'ops', members: ['default-app'] }],
    });
    const { bot_token: token, control_token: control, channels } = made.body['credentials'];
    const [bot, ctl] = [{ authorization: `Bearer ${token}` }, { 'x-sandbox-token': control }];
    const channel = channels.ops as string;
    const call = async (method: string, args: object): Promise<Answer['body']> => {
      const { body } = await send('POST', `/api/${method}`, bot, { channel, ...args });
      expect(body, JSON.stringify(body)).toMatchObject({ ok: true });
      return body;
    };
    const texts = async (): Promise<string[]> =>
      (await call('conversations.history', {}))['messages'].map(({ text }: { text: string }) => text).toReversed();
    const ask = (method: string, path: string, body?: object): Promise<Answer> =>
      send(method, `/api/sandboxes/self${path}`, ctl, body);
    await call('chat.postMessage', { text: 'old a' });
    await ask('POST', '/clock/advance', { seconds: 60 });
    await call('chat.postMessage', { text: 'old b' });
    await ask('POST', '/snapshots', { name: 'old' });
    await ask('POST', '/reset', {});
    // the timestamp of `old a`, two between it and `old b`, one that is edited
    const { ts } = await call('chat.postMessage', { text: 'new a' });
    await call('chat.postMessage', { text: 'new b' });
    const edited = await call('chat.postMessage', { text: 'new c' });
    await call('chat.update', { ts: edited['ts'], text: 'new c, edited' });
    const added = async (since: string): Promise<string[]> =>
      (await ask('GET', `/changes?since=${since}`)).body['added'].message.map(({ text }: { text: string }) => text);
    expect(await added('baseline')).toEqual(['new a', 'new b', 'new c, edited']);
    expect(await added('old')).toEqual(['new b', 'new c, edited']);
    await ask('POST', '/snapshots', { name: 'new' });
    await call('chat.update', { ts, text: 'newer a' });
    for (const round of [1, 2]) {
      await ask('POST', '/reset', { to: 'old' });
      expect(await texts(), `round ${round}`).toEqual(['old a', 'old b']);
      await call('chat.postMessage', { text: 'after old' });
      await ask('POST', '/reset', { to: 'new' });
      expect(await texts(), `round ${round}`).toEqual(['new a', 'new b', 'new c, edited']);
      await ask('POST', '/reset', {});
      expect(await texts(), `round ${round}`).toEqual([]);
      await call('chat.postMessage', { text: `between ${round}` });
    }
    const copy = await send('POST', '/api/sandboxes', OPERATOR, {
      from: (await ask('GET', '/snapshots')).body['snapshots'].find(({ name }: { name: string }) => name === 'old').id,
    });
    const read = await send('GET', `/api/conversations.history?channel=${copy.body['credentials'].channels.ops}`, {
      authorization: `Bearer ${copy.body['credentials'].bot_token}`,
    });
    expect(read.body['messages'].map(({ text }: { text: string }) => text)).toEqual(['old b', 'old a']);
  });

  it('never decreases the sync id, so that no client sees one twice', async () => {
    const made = await send('POST', '/api/sandboxes', OPERATOR, {});
    const { api_key: key, control_token: control, teams } = made.body['credentials'];
    const create = async (): Promise<{ lastSyncId: number; issue: { number: number } }> => {
      const { body } = await send(
        'POST',
        '/graphql',
        { authorization: key },
        {
          query: `mutation { issueCreate(input: { teamId: "${teams.ENG.id}", title: "t" }) { lastSyncId issue { number } } }`,
        },
      );
      return body['data'].issueCreate;
    };
    const [first, second] = [await create(), await create()];
    expect((await send('POST', '/api/sandboxes/self/reset', { 'x-sandbox-token': control }, {})).status).toBe(200);
    const third = await create();
    expect(third.lastSyncId).toBeGreaterThan(second.lastSyncId);
    expect(third.issue.number).toBe(first.issue.number);
  });

  it('reads no credential from the query or the body', async () => {
    const made = await send('POST', '/api/sandboxes', OPERATOR, {});
    const { control_token: control, user_token: user } = made.body['credentials'];
    for (const token of [control, user] as string[]) {
      const asked = await send(
        'POST',
        `/api/sandboxes/self/reset?token=${token}&x-sandbox-token=${token}`,
        {},
        { token },
      );
      expect(asked.status, JSON.stringify(asked.body)).toBe(401);
    }
    const { status } = await send('GET', `/api/sandboxes?token=${OPERATOR['x-admin-token']}`, {});
    expect(status).toBe(401);
  });

  it('takes a constant number of database statements, however much there is to undo', async () => {
    const made = await send('POST', '/api/sandboxes', OPERATOR, {});
    const own = { 'x-sandbox-token': made.body['credentials'].control_token as string };
    const bot = { authorization: `Bearer ${made.body['credentials'].bot_token as string}` };
    await send('POST', '/api/chat.postMessage', bot, { channel: '#general', text: 'hello' });
    await send('POST', '/api/sandboxes/self/faults', own, { on: { method: '*' }, fault: { type: 'drop' } });
    const sent = await statementsOf(app, async () => {
      expect((await send('POST', '/api/sandboxes/self/reset', own)).status).toBe(200);
    });
    // not those of the background, nor of the servers of other specs: last use of a sandbox, expiry, deliveries, idleness
    expect(
      sent.filter((name) =>
        /^(tenants_sandbox|sandbox_(?!touch|sweep|expired|forget|record|trim|busy|one_|held|make_due)|faults|tracker_sync|events_)/.test(
          name,
        ),
      ),
    ).toEqual([
      'tenants_sandbox_by_control_token',
      'sandbox_of_tenant',
      'sandbox_reset',
      'events_insert',
      'tracker_sync_record',
    ]);
  });
});
