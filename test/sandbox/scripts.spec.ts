import { describe, expect, it, onTestFinished } from 'vitest';
import { TestApp, useApp } from '../support/app.js';
import { bearer, makeSandbox, OPERATOR, send, type Answer } from '../support/sandbox-routes.js';

const app = useApp();

const NUDGE = { name: 'nudge', at: 600, as: 'bob', do: { message: { channel: '#ops', text: 'any news?' } } };
const REPLY = {
  name: 'reply',
  when: { for: 'message', where: { channel: '#ops', text: { $contains: 'deploy' } } },
  as: 'alice',
  do: { message: { channel: '{{channel}}', thread_ts: '{{ts}}', text: 'go ahead, <@{{user}}>{{no.such.path}}' } },
};
const CLOCK = { now: '2026-01-01T09:00:00Z', frozen: true };
const WORLD = {
  users: ['alice', 'bob', 'carol'],
  channels: [{ name: 'ops', members: ['alice', 'bob', 'carol'] }],
  tracker: { teams: [{ key: 'ENG', issues: [{ title: 'Fix login', ref: 'login', state: 'Todo' }] }] },
};

// oxlint-disable-next-line typescript/no-explicit-any -- entries of the timeline are read deep into
type Entry = any;

/** A sandbox with a script, and what specs ask of it. */
async function scripted(script: object[], more: object = {}, on: TestApp = app) {
  const made = await makeSandbox(on, { ...WORLD, ...more, script });
  return inSandbox(made, on);
}

function inSandbox({ body, ctl }: Answer & { ctl: Record<string, string> }, on: TestApp = app) {
  const route = `/api/sandboxes/${body.id}`;
  const { credentials } = body;
  const entries = async (query: string): Promise<Entry[]> =>
    (await send(on, 'GET', `${route}/timeline?${query}`, ctl)).body.entries;
  return {
    id: body.id as string,
    route,
    ctl,
    credentials,
    entries,
    post: async (text: string, who = 'carol') => {
      const token = bearer(credentials.users[who].access_token);
      const posted = await send(on, 'POST', '/api/chat.postMessage', token, {
        channel: credentials.channels.ops,
        text,
      });
      expect(posted.body).toMatchObject({ ok: true });
      return posted.body;
    },
    advance: async (seconds: number) => {
      const moved = await send(on, 'POST', `${route}/clock/advance`, ctl, { seconds });
      expect(moved.status, JSON.stringify(moved.body)).toBe(200);
    },
    script: async (): Promise<Entry[]> => (await send(on, 'GET', `${route}/script`, ctl)).body.script,
    messages: async (): Promise<Entry[]> =>
      (await entries('kind=event')).filter(({ event }) => event === 'message').map(({ at, data }) => ({ at, ...data })),
    /** Resolves when this many entries of this kind are there. */
    until: async (count: number, where: object = { kind: 'script' }) => {
      const found = await send(on, 'POST', `${route}/wait`, ctl, { for: 'script', where, count, after: 'start' });
      expect(found.body.matched, JSON.stringify(found.body)).toBe(true);
      return found.body.entries as Entry[];
    },
  };
}

// docs/reference/sandboxes.md#colleagues
describe('entries that are due at a time', () => {
  it('stop a clock that is advanced, are done at their time, and are done once', async () => {
    const world = await scripted([NUDGE], { clock: CLOCK });
    expect(await world.script()).toEqual([
      { name: 'nudge', state: 'waiting', fired: 0, next_at: '2026-01-01T09:10:00.000Z', error: null, entry: NUDGE },
    ]);
    await world.advance(599);
    expect(await world.messages()).toEqual([]);
    await world.advance(3_600);
    expect(await world.messages()).toEqual([
      expect.objectContaining({
        at: '2026-01-01T09:10:00.000Z',
        text: 'any news?',
        user: world.credentials.users.bob.user_id,
      }),
    ]);
    await world.advance(3_600);
    expect(await world.messages()).toHaveLength(1);
    expect(await world.script()).toEqual([
      { name: 'nudge', state: 'done', fired: 1, next_at: null, error: null, entry: NUDGE },
    ]);
  });

  it('are done in their order, each by what those before have done', async () => {
    const world = await scripted(
      [
        { at: 20, as: 'alice', do: { issue_update: { issue: 'login', state: 'Done' } } },
        { at: 10, as: 'alice', do: { issue_update: { issue: 'ENG-1', state: 'In Progress', assignee: 'bob' } } },
        { at: '2026-01-01T09:00:30Z', as: 'bob', do: { comment: { issue: 'login', body: 'Thanks' } } },
        { at: 30, as: 'bob', do: { issue_create: { team: 'ENG', title: 'Next' } } },
      ],
      { clock: CLOCK },
    );
    await world.advance(60);
    const done = await world.entries('kind=script');
    expect(done.map(({ at, name, act }) => [at, name, act])).toEqual([
      ['2026-01-01T09:00:10.000Z', 'entry-2', 'issue_update'],
      ['2026-01-01T09:00:20.000Z', 'entry-1', 'issue_update'],
      ['2026-01-01T09:00:30.000Z', 'entry-3', 'comment'],
      ['2026-01-01T09:00:30.000Z', 'entry-4', 'issue_create'],
    ]);
    expect(done[3].result).toMatchObject({ identifier: 'ENG-2' });
    const calls = await world.entries('kind=call&client=script');
    expect(calls.map(({ request_id }) => request_id)).toEqual(done.map(({ request_id }) => request_id));
    const events = (await world.entries('kind=event')).filter(({ event }) => event === 'issue.updated');
    expect(events.map(({ cause }) => cause)).toEqual([done[0].request_id, done[1].request_id]);
  });

  it('are done by themselves where time runs, not before they are due, and not while it is stopped', async () => {
    // a server on the same database whose clock another spec has moved would do it by its own time
    const alone = await TestApp.start({ DATABASE_URL: '' });
    onTestFinished(() => alone.stop());
    const before = Date.now();
    const running = await scripted([{ ...NUDGE, at: 1 }], {}, alone);
    const stopped = await scripted([{ ...NUDGE, at: 0 }], { clock: CLOCK }, alone);
    await running.until(1);
    expect(await running.script()).toMatchObject([{ state: 'done', fired: 1 }]);
    const [{ at }] = await running.messages();
    expect(Date.parse(at)).toBeGreaterThanOrEqual(before + 1_000);
    expect(await stopped.messages()).toEqual([]);
    expect((await stopped.script())[0]).toMatchObject({ state: 'due', fired: 0 });
    await stopped.advance(1);
    expect(await stopped.messages()).toHaveLength(1);
  });
});

describe('entries that wait for something', () => {
  it('answer a message at once, also while the clock is stopped, with what matched filled in', async () => {
    const world = await scripted([REPLY], { clock: CLOCK });
    await world.post('nothing for her');
    const asked = await world.post('may I deploy?');
    const [entry] = await world.until(1);
    expect(entry).toMatchObject({ kind: 'script', name: 'reply', act: 'message', as: 'alice' });
    const answer = (await world.messages()).at(-1);
    expect(answer).toMatchObject({
      user: world.credentials.users.alice.user_id,
      thread_ts: asked.ts,
      text: `go ahead, <@${world.credentials.users.carol.user_id}>`,
    });
    expect(entry.result).toEqual({ channel: asked.channel, ts: answer.ts });
    const call = (await world.entries('kind=call&method=chat.postMessage')).at(-1);
    expect(entry.cause).toBe(call.request_id);
    await world.post('deploy again?');
    await world.advance(1);
    expect(await world.entries('kind=script')).toHaveLength(1);
    expect(await world.script()).toMatchObject([{ state: 'done', fired: 1 }]);
  });

  it('wait as long as they say, by the clock of the sandbox', async () => {
    const world = await scripted([{ ...REPLY, after: 30 }], { clock: CLOCK });
    await world.post('deploy?');
    await world.advance(29);
    expect(await world.script()).toMatchObject([{ state: 'due', next_at: '2026-01-01T09:00:30.000Z' }]);
    await world.advance(2);
    expect((await world.messages()).map(({ at }) => at)).toEqual([
      '2026-01-01T09:00:00.000Z',
      '2026-01-01T09:00:30.000Z',
    ]);
  });

  it('skip so many, and are done so often, or always', async () => {
    const world = await scripted(
      [
        { ...REPLY, name: 'second and third', skip: 1, times: 2 },
        {
          ...REPLY,
          name: 'always',
          times: null,
          do: { react: { channel: '{{channel}}', ts: '{{ts}}', name: 'eyes' } },
        },
      ],
      { clock: CLOCK },
    );
    for (const n of [1, 2, 3, 4]) await world.post(`deploy ${n}`);
    await world.advance(1);
    const done = await world.entries('kind=script');
    expect(done.filter(({ name }) => name === 'second and third')).toHaveLength(2);
    expect(done.filter(({ name }) => name === 'always')).toHaveLength(4);
    expect(await world.script()).toMatchObject([
      { state: 'done', fired: 2 },
      { state: 'waiting', fired: 4 },
    ]);
    expect((await world.messages()).map(({ text }) => text).filter((text) => text.startsWith('deploy'))).toHaveLength(
      4,
    );
  });

  it('hear of calls, events and issues', async () => {
    const say = (text: string) => ({ message: { channel: '#ops', text } });
    const world = await scripted(
      [
        {
          name: 'call',
          when: { for: 'call', where: { method: 'reactions.add' } },
          as: 'bob',
          do: say('called {{method}}'),
        },
        {
          name: 'event',
          when: { for: 'event', where: { event: 'reaction_added', data: { reaction: 'tada' } } },
          as: 'bob',
          do: say('saw :{{data.reaction}}:'),
        },
        {
          name: 'issue',
          when: { for: 'issue', where: { state: 'Done' } },
          as: 'alice',
          do: { comment: { issue: '{{identifier}}', body: '{{title}} is {{state.name}}' } },
        },
      ],
      { clock: CLOCK },
    );
    const asked = await world.post('look');
    const carol = bearer(world.credentials.users.carol.access_token);
    const reaction = { channel: asked.channel, timestamp: asked.ts, name: 'tada' };
    await send(app, 'POST', '/api/reactions.add', carol, reaction);
    await send(app, 'POST', '/api/act/issue_update', carol, { issue: 'login', state: 'Done' });
    const done = await world.until(3);
    expect(done.map(({ error }) => error)).toEqual([undefined, undefined, undefined]);
    const said = (await world.messages()).map(({ text }) => text);
    expect(said).toEqual(expect.arrayContaining(['called reactions.add', 'saw :tada:']));
    const { body } = await send(
      app,
      'POST',
      '/graphql',
      { authorization: world.credentials.api_key },
      {
        query: '{ issue(id: "ENG-1") { comments { nodes { body user { displayName } } } } }',
      },
    );
    expect(body.data.issue.comments.nodes).toEqual([{ body: 'Fix login is Done', user: { displayName: 'alice' } }]);
  });

  it('never set themselves off, and a chain ends after ten', async () => {
    const say = (text: string) => ({ message: { channel: '#ops', text } });
    const about = (text: string) => ({ for: 'message', where: { text } });
    const world = await scripted(
      [
        { name: 'echo', when: about('echo'), times: null, as: 'alice', do: say('echo') },
        { name: 'ping', when: about('pong'), times: null, as: 'alice', do: say('ping') },
        { name: 'pong', when: about('ping'), times: null, as: 'bob', do: say('pong') },
      ],
      { clock: CLOCK },
    );
    await world.post('echo');
    await world.post('ping');
    await world.advance(1);
    const said = (await world.messages()).map(({ text }) => text);
    expect(said.filter((text) => text === 'echo')).toHaveLength(2);
    // the first one is carol's
    expect(said.filter((text) => text !== 'echo')).toHaveLength(11);
    expect((await world.entries('kind=script')).at(-1)).toMatchObject({ error: 'chain_too_long' });
  });

  it('tell what an act was refused with, and go on', async () => {
    const world = await scripted(
      [
        { ...NUDGE, name: 'nowhere', at: 5, do: { message: { channel: '#none', text: 'a' } } },
        { name: 'no issue', at: 6, as: 'bob', do: { comment: { issue: 'ENG-99', body: 'a' } } },
        NUDGE,
      ],
      { clock: CLOCK },
    );
    await world.advance(601);
    expect(await world.script()).toMatchObject([
      { name: 'nowhere', state: 'failed', fired: 1, error: 'channel_not_found' },
      { name: 'no issue', state: 'failed', error: 'issue_not_found' },
      { name: 'nudge', state: 'done', error: null },
    ]);
    expect(await world.entries('kind=script')).toMatchObject([
      { name: 'nowhere', error: 'channel_not_found', cause: null },
      { error: 'issue_not_found' },
      { result: {} },
    ]);
  });
});

describe('the script of a sandbox', () => {
  it('gets more entries, and loses one or all', async () => {
    const world = await scripted([NUDGE], { clock: CLOCK });
    const add = (script: unknown) => send(app, 'POST', `${world.route}/script`, world.ctl, { script });
    await world.post('deploy before it was there?');
    const { name: _name, ...unnamed } = REPLY;
    const added = await add([unnamed]);
    expect(added.status).toBe(201);
    expect(added.body.script.map(({ name }: Entry) => name)).toEqual(['nudge', 'entry-1']);
    await world.post('deploy?');
    await world.until(1);
    await world.advance(1);
    expect(await world.entries('kind=script')).toHaveLength(1);
    expect(await add([NUDGE])).toMatchObject({ status: 409, body: { message: 'name_taken', path: 'script[0].name' } });
    const many = Array.from({ length: 199 }, () => unnamed);
    expect(await add(many)).toMatchObject({ status: 409, body: { message: 'too_many_script_entries' } });
    const remove = (path: string) => send(app, 'DELETE', `${world.route}/script${path}`, world.ctl);
    expect(await remove('/none')).toMatchObject({ status: 404, body: { message: 'script_entry_not_found' } });
    expect(await remove('/nudge')).toMatchObject({ status: 200, body: { success: true } });
    expect((await world.script()).map(({ name }) => name)).toEqual(['entry-1']);
    expect((await remove('')).status).toBe(200);
    expect(await world.script()).toEqual([]);
    await world.advance(700);
    expect(await world.entries('kind=script')).toHaveLength(1);
  });

  it('tells all its faults with their paths and the nearest names', async () => {
    const script = [
      { as: 'alice', do: { message: { channel: '#ops', text: 'a' } } },
      { at: 1, as: 'alcie', do: { mesage: {} } },
      { when: { for: 'mesage', where: { text: { $contain: 'a' } } }, as: 'bob', do: { comment: { issue: 'logni' } } },
      { name: 'twice', at: 'soon', as: 'bob', do: {} },
      { name: 'twice', at: 5, skip: 1, times: 3, as: 'bob', do: { join: {} } },
      7,
    ];
    const faults = [
      'script[0]: must have one of "at" and "when"',
      'script[1].do: no such act "mesage" (message?)',
      'script[2].when.for: must be one of message, event, call, issue (message?)',
      expect.stringMatching(/^script\[2\]\.when\.where\.text/),
      'script[2].do.comment.body: must be a text that is not blank',
      'script[3].at: must be seconds from 0 on, or an ISO time',
      'script[3].do: must be one act with its fields, such as {"message": {…}}',
      'script[4].skip: goes with "when"',
      'script[4].times: goes with "when"',
      'script[4].do.join.channel: must be a text that is not blank',
      'script[4].name: "twice" is there twice',
      'script[5]: must be an object',
      'script[1].as: no person has the name "alcie" (alice?)',
      'script[2].do.comment.issue: no issue has the ref "logni" (login?)',
    ];
    const made = await send(app, 'POST', '/api/sandboxes', OPERATOR, { ...WORLD, script });
    expect(made.status).toBe(400);
    expect(made.body.message).toEqual(expect.arrayContaining(faults));
    const world = await scripted([]);
    const added = await send(app, 'POST', `${world.route}/script`, world.ctl, { script });
    expect(added.status).toBe(400);
    expect(added.body.message).toEqual(expect.arrayContaining(faults));
    expect((await send(app, 'POST', `${world.route}/script`, world.ctl, {})).status).toBe(400);
    expect(await world.script()).toEqual([]);
  });

  it('is back at its beginning after a reset, in copies and in an export', async () => {
    const world = await scripted([NUDGE, { ...REPLY, times: null }], { clock: CLOCK });
    const snapshot = await send(app, 'POST', `${world.route}/snapshots`, world.ctl, { name: 'begin' });
    await world.post('deploy?');
    await world.advance(700);
    expect(await world.script()).toMatchObject([
      { state: 'done', fired: 1 },
      { state: 'waiting', fired: 1 },
    ]);
    const later = await send(app, 'POST', `${world.route}/snapshots`, world.ctl, { name: 'later' });
    const exported = (await send(app, 'GET', `${world.route}/seed`, world.ctl)).body;
    expect(exported.script).toEqual([
      { ...NUDGE, fired: 1 },
      { ...REPLY, times: null, fired: 1 },
    ]);
    const again = inSandbox(await makeSandbox(app, exported));
    expect(await again.script()).toMatchObject([
      { state: 'done', fired: 1, next_at: null },
      { state: 'waiting', fired: 1 },
    ]);
    expect((await send(app, 'GET', `${again.route}/seed`, again.ctl)).body.script).toEqual(exported.script);

    await send(app, 'POST', `${world.route}/reset`, world.ctl);
    expect(await world.script()).toMatchObject([
      { state: 'waiting', fired: 0, next_at: '2026-01-01T09:10:00.000Z' },
      { state: 'waiting', fired: 0 },
    ]);
    const before = (await world.entries('kind=script')).length;
    await world.advance(700);
    // what was there before the reset set nothing off
    expect((await world.entries('kind=script')).slice(before).map(({ name }) => name)).toEqual(['nudge']);

    for (const [from, fired] of [
      [snapshot.body.id, 0],
      [later.body.id, 1],
    ]) {
      const copy = inSandbox(await makeSandbox(app, { from }));
      expect(await copy.script()).toMatchObject([{ fired }, { fired }]);
      await copy.post('deploy?');
      await copy.advance(700);
      expect((await copy.script()).map((entry) => entry.fired)).toEqual([1, fired + 1]);
      const mine = Object.values(copy.credentials.users).map((user) => (user as { user_id: string }).user_id);
      expect(mine).toContain((await copy.messages()).at(-1).user);
    }
  });

  it('counts its seconds from the last reset on where time runs', async () => {
    const world = await scripted([NUDGE]);
    await world.advance(300);
    const began = Date.now();
    await send(app, 'POST', `${world.route}/reset`, world.ctl);
    const [{ next_at: at }] = await world.script();
    expect(Date.parse(at)).toBeGreaterThanOrEqual(began + 600_000);
    expect(Date.parse(at)).toBeLessThanOrEqual(Date.now() + 600_000);
  });

  it('does nothing that its admin may not do as themselves', async () => {
    const made = await makeSandbox(app, { users: [{ name: 'alice', is_admin: true }, 'bob'] });
    const { id, credentials } = made.body;
    const alice = bearer(credentials.users.alice.access_token);
    const script = (as: string) => ({ script: [{ at: 1, as, do: { join: { channel: '#random' } } }] });
    const post = (path: string, headers: Record<string, string>, body: object) =>
      send(app, 'POST', `/api/sandboxes/${id}/${path}`, headers, body);
    for (const path of ['script', 'seed']) {
      expect(await post(path, alice, script('admin'))).toMatchObject({ status: 403, body: { message: 'not_admin' } });
      expect((await post(path, alice, script('bob'))).status).toBeLessThan(300);
      const user = bearer(credentials.user_token);
      expect((await post(path, user, script('bob'))).body.message).toBe('not_allowed_token_type');
    }
    const other = await makeSandbox(app, {});
    for (const [method, path] of [
      ['GET', 'script'],
      ['POST', 'script'],
      ['DELETE', 'script'],
      ['DELETE', 'script/entry-1'],
    ] as const) {
      const refused = await send(
        app,
        method,
        `/api/sandboxes/${id}/${path}`,
        other.ctl,
        method === 'POST' ? {} : undefined,
      );
      expect(refused).toMatchObject({ status: 404, body: { message: 'sandbox_not_found' } });
    }
  });

  it('counts neither as calls nor as something else that happened', async () => {
    const world = await scripted(
      [
        REPLY,
        { ...REPLY, name: 'look', do: { react: { channel: '{{channel}}', ts: '{{ts}}', name: 'eyes' } } },
        { at: 5, as: 'bob', do: { issue_update: { issue: 'login', state: 'Done' } } },
        { at: 5, as: 'bob', do: { issue_create: { team: 'ENG', title: 'Another' } } },
        { at: 5, as: 'bob', do: { join: { channel: '#random' } } },
      ],
      { clock: CLOCK },
    );
    await world.post('may I deploy?');
    await world.advance(10);
    const judge = async () =>
      (
        await send(app, 'POST', `${world.route}/assert`, world.ctl, {
          expect: [
            { added: 'message', where: { text: 'may I deploy?' } },
            { called: 'chat.postMessage', count: 1 },
            { not: { called: 'POST /api/act/*' } },
          ],
          nothing_else: ['message', 'issue', 'reaction', 'member'],
        })
      ).body;
    expect(await judge()).toMatchObject({ passed: true, failures: [], score: 1 });
    // what somebody else did with the same things counts
    const carol = bearer(world.credentials.users.carol.access_token);
    await send(app, 'POST', '/api/act/issue_update', carol, { issue: 'login', assignee: 'carol' });
    const { failures } = await judge();
    expect(failures).toMatchObject([
      { nothing_else: 'issue', unexpected: [{ change: 'changed', fields: ['state', 'assignee'] }] },
    ]);
  });

  it('stands in a trajectory, and none of its calls is played again', async () => {
    const world = await scripted([REPLY], { clock: CLOCK });
    await world.post('deploy?');
    await world.until(1);
    const file = await fetch(`${app.baseUrl}${world.route}/trajectory`, { headers: world.ctl });
    const lines = (await file.text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Entry);
    const script = lines.find(({ t }) => t === 'script');
    const call = lines.find(({ t, method }) => t === 'call' && method === 'chat.postMessage');
    expect(script).toMatchObject({ name: 'reply', act: 'message', cause: call.n, at: '2026-01-01T09:00:00.000Z' });
    expect(lines.find(({ t, client }) => t === 'call' && client === 'script')).toMatchObject({
      as: { kind: 'jwt', user: 'alice' },
    });
  });
});
