import { describe, expect, it } from 'vitest';
import { useApp, type TestApp } from '../support/app.js';
import { onPostgres, serverUrl } from '../support/databases.js';
import { twoReplicas } from '../support/replicas.js';
import { bearer, makeSandbox, OPERATOR, send } from '../support/sandbox-routes.js';

const DOCUMENT = {
  journal: true,
  users: [{ name: 'alice' }],
  apps: [{ name: 'deploy-bot', scopes: { bot: ['chat:write', 'channels:history', 'reactions:write'] } }],
  channels: [{ name: 'ops', members: ['alice', 'deploy-bot'] }],
  tracker: { teams: [{ key: 'ENG', issues: [{ title: 'Fix login' }] }] },
};

type Lines = Record<string, any>[]; // oxlint-disable-line typescript/no-explicit-any -- specs read deep into lines

async function trajectoryOf(
  app: TestApp,
  ctl: Record<string, string>,
  query = '',
): Promise<{ text: string; lines: Lines }> {
  const response = await fetch(`${app.baseUrl}/api/sandboxes/self/trajectory${query}`, { headers: ctl });
  const text = await response.text();
  expect(response.status, text).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
  return {
    text,
    lines: text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Lines[number]),
  };
}

async function replay(
  app: TestApp,
  ctl: Record<string, string>,
  text: string,
  query = '',
  type = 'application/x-ndjson',
) {
  const response = await fetch(`${app.baseUrl}/api/sandboxes/self/replay${query}`, {
    method: 'POST',
    headers: { ...ctl, 'content-type': type },
    body: text,
  });
  // oxlint-disable-next-line typescript/no-explicit-any -- specs read deep into answers
  return { status: response.status, body: (await response.json()) as any };
}

/** A sandbox with a snapshot of its beginning, in which an app and a person then act; one call fails. */
async function episode(app: TestApp) {
  const made = await makeSandbox(app, DOCUMENT);
  const { ctl } = made;
  const { credentials } = made.body;
  const snapshot = (await send(app, 'POST', '/api/sandboxes/self/snapshots', ctl, { name: 'begin' })).body.id as string;
  const bot = bearer(credentials.apps['deploy-bot'].bot_token);
  const channel = credentials.channels.ops as string;
  const posted = await send(app, 'POST', '/api/chat.postMessage', bot, { channel, text: 'deploying' });
  const { ts } = posted.body;
  await send(app, 'POST', '/api/reactions.add', bot, { channel, timestamp: ts, name: 'tada' });
  const alice = bearer(credentials.users.alice.access_token);
  await send(app, 'POST', '/api/chat.postMessage', alice, { channel, thread_ts: ts, text: 'thanks' });
  const team = credentials.teams.ENG.id as string;
  const query =
    'mutation M($t: String!) { issueCreate(input: { teamId: $t, title: "Deployed" }) { issue { id identifier } } }';
  const created = await send(
    app,
    'POST',
    '/graphql',
    { authorization: credentials.api_key },
    { query, variables: { t: team } },
  );
  const { id } = created.body.data.issueCreate.issue;
  const close = 'mutation C($id: String!) { issueUpdate(id: $id, input: { priority: 1 }) { success } }';
  await send(app, 'POST', '/graphql', { authorization: credentials.api_key }, { query: close, variables: { id } });
  await send(app, 'POST', '/api/chat.delete', bot, { channel, ts: '1700000000.000100' });
  return { ctl, credentials, snapshot, ts, channel };
}

async function forkOf(app: TestApp, snapshot: string): Promise<Record<string, string>> {
  const copy = await send(app, 'POST', '/api/sandboxes', OPERATOR, { from: snapshot, journal: true });
  expect(copy.status, JSON.stringify(copy.body)).toBe(201);
  return { 'x-sandbox-token': copy.body.credentials.control_token };
}

describe('GET /api/sandboxes/:id/trajectory', () => {
  const app = useApp();

  it('tells what happened, one JSON object a line, from the state it began with to the one it ended in', async () => {
    const { ctl } = await episode(app);
    await send(app, 'POST', '/api/sandboxes/self/timeline', ctl, { text: 'a note' });
    const { lines } = await trajectoryOf(app, ctl);
    const { body: now } = await send(app, 'GET', '/api/sandboxes/self/state', ctl);
    const { body: before } = await send(app, 'GET', '/api/sandboxes/self/state?at=baseline', ctl);
    expect(lines[0]).toMatchObject({
      t: 'start',
      format: 'understudy.trajectory/1',
      id_space: 'server',
      deterministic: false,
      state: before.hash,
      complete: true,
      clock: { frozen: false },
    });
    const calls = lines.filter(({ t }) => t === 'call');
    expect(calls.map(({ method, as, ok, error }) => [method, as.app ?? as.user, ok, error])).toEqual([
      ['chat.postMessage', 'deploy-bot', true, null],
      ['reactions.add', 'deploy-bot', true, null],
      ['chat.postMessage', 'alice', true, null],
      ['issueCreate', 'admin', true, null],
      ['issueUpdate', 'admin', true, null],
      ['chat.delete', 'deploy-bot', false, 'message_not_found'],
    ]);
    const numbers = lines.flatMap(({ n }) => n ?? []);
    expect(numbers).toEqual(numbers.map((_, i) => i + 1));
    const event = lines.find(({ t, event: name }) => t === 'event' && name === 'reaction_added');
    expect(event?.cause).toBe(calls[1]?.n);
    expect(calls[3]?.args).toMatchObject({
      query: expect.stringContaining('issueCreate'),
      variables: { t: expect.any(String) },
    });
    expect(lines.find(({ t }) => t === 'note')).toMatchObject({ text: 'a note' });
    expect(lines.at(-2)).toMatchObject({ t: 'diff', counts: { added: { message: 2, issue: 1 } } });
    const events = lines.filter(({ t }) => t === 'event').length;
    expect(lines.at(-1)).toEqual({ t: 'end', state: now.hash, calls: 6, events });
  });

  it('begins at the mark or at a cursor, and says when entries were lost or cut', async () => {
    const { ctl, channel, credentials } = await episode(app);
    const { cursor } = (await send(app, 'POST', '/api/sandboxes/self/timeline/mark', ctl)).body;
    const bot = bearer(credentials.apps['deploy-bot'].bot_token);
    await send(app, 'POST', '/api/chat.postMessage', bot, { channel, text: 'x'.repeat(17_000) });
    for (const since of ['mark', cursor]) {
      const { lines } = await trajectoryOf(app, ctl, `?since=${since}`);
      expect(lines.filter(({ t }) => t === 'call')).toMatchObject([{ n: expect.any(Number), cut: true }]);
      expect(lines[0]?.complete).toBe(false);
    }
    await send(app, 'DELETE', '/api/sandboxes/self/timeline', ctl);
    expect((await trajectoryOf(app, ctl)).lines[0]?.complete).toBe(false);
  });

  it('is refused without a journal, with a bad cursor, and to others', async () => {
    const { ctl, body } = await makeSandbox(app, { journal: false });
    const path = `/api/sandboxes/${body.id}/trajectory`;
    expect(await send(app, 'GET', path, ctl)).toMatchObject({ status: 409, body: { message: 'journal_off' } });
    const other = await makeSandbox(app, { journal: true });
    expect((await send(app, 'GET', path, other.ctl)).status).toBe(404);
    for (const since of ['?since=never', '?since=', '?since=a&since=b']) {
      expect((await send(app, 'GET', `/api/sandboxes/self/trajectory${since}`, other.ctl)).status, since).toBe(400);
    }
  });
});

describe('POST /api/sandboxes/:id/replay', () => {
  const app = useApp();

  it('plays the calls in a copy with the same result, and fails where they failed', async () => {
    const { ctl, snapshot, channel, ts } = await episode(app);
    const { text } = await trajectoryOf(app, ctl);
    const fork = await forkOf(app, snapshot);
    const { status, body } = await replay(app, fork, text);
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body).toMatchObject({ calls: 6, same: 6, skipped: [], differs: [], state: { equal: true } });
    // ids of the copy, and of what the calls made
    expect(body.mapped[channel]).toMatch(/^C0/);
    expect(body.mapped[ts]).toMatch(/^\d+\.\d{6}$/);
    const { body: timeline } = await send(app, 'GET', '/api/sandboxes/self/timeline?kind=call', fork);
    expect(new Set(timeline.entries.map(({ client }: { client: string }) => client))).toEqual(new Set(['replay']));
    // the calls of a replay are not played by the next
    const again = await trajectoryOf(app, fork);
    expect((await replay(app, await forkOf(app, snapshot), again.text)).body.calls).toBe(0);
  });

  it('plays them in the same sandbox after a reset, too', async () => {
    const { ctl } = await episode(app);
    const { text } = await trajectoryOf(app, ctl);
    await send(app, 'POST', '/api/sandboxes/self/reset', ctl, {});
    expect((await replay(app, ctl, text)).body).toMatchObject({ calls: 6, same: 6, state: { equal: true } });
  });

  it('tells the first difference of each call, and ends at the first one when asked', async () => {
    const { ctl, snapshot } = await episode(app);
    const { text } = await trajectoryOf(app, ctl);
    const play = async (query: string) => {
      const fork = await forkOf(app, snapshot);
      const { body: copy } = await send(app, 'GET', '/api/sandboxes/self/seed?ids=true', fork);
      const channel = copy.channels.find(({ name }: { name: string }) => name === 'ops').id;
      const user = await send(app, 'POST', '/api/sandboxes/self/act-as', fork, { user: 'admin' });
      const archived = await send(app, 'POST', '/api/conversations.archive', bearer(user.body.access_token), {
        channel,
      });
      expect(archived.body.ok, JSON.stringify(archived.body)).toBe(true);
      return (await replay(app, fork, text, query)).body;
    };
    const whole = await play('');
    expect(whole).toMatchObject({ calls: 6, state: { equal: false } });
    expect(whole.differs[0]).toEqual({
      n: expect.any(Number),
      path: 'answer.error',
      expected: null,
      actual: 'is_archived',
    });
    expect(whole.same + whole.differs.length).toBe(6);
    const first = await play('?stop=true');
    expect(first).toMatchObject({ calls: 1, same: 0, differs: [{ path: 'answer.error' }] });
  });

  it('puts a stopped clock to the time of each call', async () => {
    const now = '2026-01-01T09:00:00.000Z';
    const made = await makeSandbox(app, { ...DOCUMENT, clock: { now, frozen: true } });
    const { credentials } = made.body;
    const bot = bearer(credentials.apps['deploy-bot'].bot_token);
    const { id } = (await send(app, 'POST', '/api/sandboxes/self/snapshots', made.ctl, { name: 's' })).body;
    await send(app, 'POST', '/api/sandboxes/self/clock/advance', made.ctl, { seconds: 3600 });
    await send(app, 'POST', '/api/chat.postMessage', bot, { channel: credentials.channels.ops, text: 'later' });
    const { text } = await trajectoryOf(app, made.ctl);
    const fork = await forkOf(app, id);
    expect((await replay(app, fork, text)).body).toMatchObject({ calls: 1, same: 1 });
    const { body: clock } = await send(app, 'GET', '/api/sandboxes/self/clock', fork);
    expect(clock).toMatchObject({ now: '2026-01-01T10:00:00.000Z', frozen: true });
  });

  it('skips calls that were cut, are redacted, or were made by nobody of here', async () => {
    const { ctl } = await makeSandbox(app, DOCUMENT);
    const start = { t: 'start', format: 'understudy.trajectory/1' };
    const call = { t: 'call', product: 'chat', method: 'auth.test', args: {}, status: 200, answer: { ok: true } };
    const lines = [
      start,
      { ...call, n: 1, as: { kind: 'bot', app: 'deploy-bot' }, cut: true },
      { ...call, n: 2, as: { kind: 'bot', app: 'deploy-bot' }, args: { text: '[redacted]' } },
      { ...call, n: 3, as: { kind: 'bot', app: 'nobody' } },
      { ...call, n: 4, as: { kind: 'webhook', webhook: 'deploy-bot' } },
      { ...call, n: 5, as: { kind: 'bot', app: 'deploy-bot' }, client: 'script' },
      { ...call, n: 6, as: { kind: 'bot', app: 'deploy-bot' }, method: 'POST /api/apps' },
    ];
    const { body } = await replay(app, ctl, lines.map((line) => JSON.stringify(line)).join('\n'));
    expect(body).toMatchObject({
      calls: 0,
      skipped: [
        { n: 1, reason: 'cut' },
        { n: 2, reason: 'redacted' },
        { n: 3, reason: 'unknown_actor' },
        { n: 4, reason: 'unknown_actor' },
        { n: 6, reason: 'unknown_actor' },
      ],
      state: { expected: null, equal: false },
    });
  });

  it('refuses what is no trajectory, with the line, and who may not', async () => {
    const { ctl, body } = await makeSandbox(app, DOCUMENT);
    const start = '{"t":"start","format":"understudy.trajectory/1"}';
    const refusals: [string, number, RegExp][] = [
      ['', 400, /^line 1: /],
      ['{"t":"call"}', 400, /^line 1: must be the start/],
      [`${start}\nnonsense`, 400, /^line 2: must be a JSON object with t/],
      [`${start}\n\n{"t":"call","n":1}`, 400, /^line 3: a call needs/],
      [`{"t":"start","format":"understudy.trajectory/2"}`, 400, /^line 1: /],
      [
        `${start}\n{"t":"call","args":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
        400,
        /^line 2: must be a JSON object/,
      ],
    ];
    for (const [text, status, message] of refusals) {
      const answer = await replay(app, ctl, text);
      expect(answer.status, text).toBe(status);
      expect(answer.body.message).toMatch(message);
    }
    expect((await replay(app, ctl, start, '', 'application/json')).status).toBe(415);
    expect((await replay(app, ctl, `${start}\n${'x'.repeat(17 * 1024 * 1024)}`)).status).toBe(413);
    const user = bearer(body.credentials.user_token);
    const call = {
      t: 'call',
      n: 1,
      product: 'chat',
      method: 'auth.test',
      as: { kind: 'bot', app: 'deploy-bot' },
      args: {},
    };
    expect((await replay(app, user, `${start}\n${JSON.stringify(call)}`)).status).toBe(403);
    expect((await replay(app, bearer(body.credentials.bot_token), start)).status).toBe(403);
  });
});

describe.skipIf(serverUrl === undefined)(`trajectories over two replicas${onPostgres}`, () => {
  it('are read from one and replayed by another', async () => {
    const [first, second] = await twoReplicas();
    const { ctl, snapshot } = await episode(first);
    const { text } = await trajectoryOf(second, ctl);
    const fork = await forkOf(second, snapshot);
    expect((await replay(first, fork, text)).body).toMatchObject({ calls: 6, same: 6, state: { equal: true } });
  });
});
