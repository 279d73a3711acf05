import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { closeReceivers, eventually, receiver } from '../support/receiver.js';
import { TestSandbox } from '../support/sandbox.js';

// oxlint-disable-next-line no-explicit-any
type Any = any;

/** docs/reference/sandboxes.md#clock */
describe('the clock of a sandbox', () => {
  const app = useApp();
  closeReceivers();

  const at = async (now: number, document: object = {}): Promise<TestSandbox> => {
    const sandbox = await TestSandbox.make(app, document);
    // created in real time, so its newest message is ahead of a clock set to the past
    const made = await sandbox.control('PUT', '/clock', { now, frozen: true });
    expect(made).toMatchObject({ status: 200, body: { frozen: true } });
    return sandbox;
  };
  const future = Math.floor(Date.now() / 1000) + 10 * 86_400;
  const post = async (sandbox: TestSandbox, text: string): Promise<Any> =>
    (await sandbox.call('chat.postMessage', { channel: 'war-room', text })).body;

  it('stands still when frozen, assigns ascending ts nevertheless, and runs again', async () => {
    const sandbox = await at(future);
    const ts = [(await post(sandbox, 'a')).ts, (await post(sandbox, 'b')).ts, (await post(sandbox, 'c')).ts];
    expect(ts.map((each: string) => Math.floor(Number(each)))).toEqual([future, future, future]);
    expect(ts).toEqual([...ts].sort());
    expect(new Set(ts).size).toBe(3);
    expect((await sandbox.control('POST', '/clock/advance', { by: '1h30m' })).body).toMatchObject({
      now: new Date((future + 5_400) * 1000).toISOString(),
      frozen: true,
    });
    expect(Math.floor(Number((await post(sandbox, 'd')).ts))).toBe(future + 5_400);
    const { entries } = (await sandbox.control('GET', '/timeline?kind=event,call')).body;
    const posts = entries.filter((entry: Any) => entry.event === 'message' || entry.method === 'chat.postMessage');
    expect(posts.map((entry: Any) => Math.floor(Date.parse(entry.at) / 1000))).toEqual(
      [0, 0, 0, 0, 0, 0, 5_400, 5_400].map((later) => future + later),
    );
    for (const { wall } of posts) expect(Math.abs(Date.parse(wall) - Date.now())).toBeLessThan(60_000);
  });

  it('never goes back behind the newest message', async () => {
    const sandbox = await at(future);
    await post(sandbox, 'here');
    const refused = [409, 'clock_would_go_back'];
    const answer = async (method: string, body?: object): Promise<unknown> => {
      const { status, body: said } = await sandbox.control(method, '/clock', body);
      return [status, said.message];
    };
    expect(await answer('PUT', { now: future - 1 })).toEqual(refused);
    expect(await answer('DELETE')).toEqual(refused);
    expect((await answer('PUT', { now: future + 1 })) as Any[]).toMatchObject([200, undefined]);
    for (const bad of [{ now: 'soon' }, { frozen: 1 }, { sign_with: 'me' }, { now: '2200-01-01' }]) {
      expect(((await answer('PUT', bad)) as Any[])[0]).toBe(400);
    }
    for (const bad of [{}, { seconds: 0 }, { by: '3 moons' }, { seconds: 1, by: '1s' }, { seconds: 4e8 }]) {
      expect((await sandbox.control('POST', '/clock/advance', bad)).status).toBe(400);
    }
  });

  it('posts scheduled messages at their times, in order, before the advance is answered', async () => {
    const sandbox = await at(future);
    for (const [text, later] of [
      ['third', 7_200],
      ['first', 60],
      ['second', 3_600],
      ['not yet', 90_000],
    ] as const) {
      const made = await sandbox.call('chat.scheduleMessage', { channel: 'war-room', text, post_at: future + later });
      expect(made.body.ok).toBe(true);
    }
    await sandbox.control('POST', '/clock/advance', { seconds: 86_400 });
    const channel = (await post(sandbox, 'now')).channel;
    const { messages } = (await sandbox.call('conversations.history', { channel })).body;
    const said = messages.filter(({ subtype }: Any) => subtype === undefined || subtype === 'bot_message');
    expect(said.map(({ text, ts }: Any) => [text, Math.floor(Number(ts)) - future])).toEqual([
      ['now', 86_400],
      ['third', 7_200],
      ['second', 3_600],
      ['first', 60],
    ]);
  });

  it('sends retries when they are due by it, each at its time, and none while it is frozen', async () => {
    const far = await receiver((_, reply) => {
      reply.statusCode = 500;
      reply.end();
    });
    const sandbox = await at(future);
    await sandbox.send('POST', '/api/webhooks/outgoing', sandbox.person, { url: far.url, events: ['message'] });
    await post(sandbox, 'hello');
    const next = async (): Promise<Any> => (await sandbox.control('GET', '/deliveries')).body.deliveries[0];
    await eventually(
      async () => (await next())?.state === 'retrying' && (await next()).attempts.length === 2,
      'a retry',
    );
    const waits = Date.parse((await next()).next_retry_at) / 1000 - future;
    expect(waits).toBeGreaterThanOrEqual(59);
    expect(far.received).toHaveLength(2);
    await sandbox.control('POST', '/clock/advance', { seconds: 30 });
    expect(far.received).toHaveLength(2);
    await sandbox.control('POST', '/clock/advance', { by: '1d' });
    // all attempts that were due: the second retry, and the third, which became due after it
    expect(far.received).toHaveLength(4);
    const { attempts, state } = await next();
    expect(state).toBe('failed');
    const moments = attempts.map((attempt: Any) => Math.round(Date.parse(attempt.at) / 1000 - future));
    expect(moments).toEqual([0, 0, 60, 360]);
    const { entries } = (await sandbox.control('GET', '/timeline?kind=delivery')).body;
    expect(entries.map((entry: Any) => Math.round(Date.parse(entry.at) / 1000 - future))).toEqual(moments);
  });

  it('sends deliveries that a rule delays when they are due by it', async () => {
    const far = await receiver();
    const sandbox = await at(future);
    await sandbox.send('POST', '/api/webhooks/outgoing', sandbox.person, { url: far.url, events: ['message'] });
    await sandbox.control('POST', '/delivery-rules', { do: { type: 'delay', ms: 3_600_000 } });
    await post(sandbox, 'late');
    await eventually(
      async () => (await sandbox.control('GET', '/deliveries')).body.counts.held === 1,
      'a delivery that is held',
    );
    await sandbox.control('POST', '/clock/advance', { seconds: 3_599 });
    expect(far.received).toHaveLength(0);
    await sandbox.control('POST', '/clock/advance', { seconds: 1 });
    expect(far.received).toHaveLength(1);
    await sandbox.control('PUT', '/clock', { frozen: false });
    expect((await sandbox.control('GET', '/clock')).body.frozen).toBe(false);
  });

  it('sets event_time, and the timestamps of signatures with sign_with=sandbox', async () => {
    const far = await receiver();
    const sandbox = await at(future);
    await sandbox.send('POST', '/api/webhooks/outgoing', sandbox.person, { url: far.url, events: ['message'] });
    const teams = (await sandbox.graphql('{ teams { nodes { id } } }')).body.data.teams.nodes;
    await sandbox.graphql(
      'mutation($url: String!) { webhookCreate(input: { url: $url, resourceTypes: ["Issue"], allPublicTeams: true }) { success } }',
      { url: far.url },
    );
    const create = (title: string): Promise<Any> =>
      sandbox.graphql('mutation($input: IssueCreateInput!) { issueCreate(input: $input) { issue { createdAt } } }', {
        input: { title, teamId: teams[0].id },
      });
    const both = async (): Promise<Any> => {
      const before = far.received.length;
      await post(sandbox, 'hello');
      const made = await create('an issue');
      expect(made.body.data.issueCreate.issue.createdAt).toBe(new Date(future * 1000).toISOString());
      const got = (await far.until(({ length }) => length === before + 2)).slice(before);
      const chat = got.find(({ headers }) => headers['x-slack-signature'] !== undefined);
      const tracker = got.find(
        ({ headers }) => headers['linear-signature'] !== undefined && headers['x-slack-signature'] === undefined,
      );
      return {
        eventTime: JSON.parse(String(chat?.body)).event_time,
        chat: Number(chat?.headers['x-slack-request-timestamp']),
        tracker: JSON.parse(String(tracker?.body)).webhookTimestamp / 1000,
        header: Number(tracker?.headers['linear-timestamp']) / 1000,
      };
    };
    const wall = await both();
    expect(wall.eventTime).toBe(future);
    for (const key of ['chat', 'tracker', 'header']) expect(Math.abs(wall[key] - Date.now() / 1000)).toBeLessThan(30);
    await sandbox.control('PUT', '/clock', { sign_with: 'sandbox' });
    expect(await both()).toEqual({ eventTime: future, chat: future, tracker: future, header: future });
  });

  it('expires response URLs and refills rate limits', async () => {
    const sandbox = await at(future);
    const { url } = (await sandbox.control('POST', '/inboxes', {})).body;
    await sandbox.send('POST', '/api/commands', sandbox.bot, { command: '/go', url });
    const general = (await sandbox.call('conversations.list', {})).body.channels[0].id;
    await sandbox.send('POST', '/api/commands/execute', sandbox.person, {
      command: '/go',
      text: '',
      channel_id: general,
    });
    const [got] = (await sandbox.control('POST', '/wait', { for: 'received', after: 'start' })).body.entries;
    const respond = async (): Promise<string> => {
      const answer = await fetch(got.request.body.response_url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ text: 'later', response_type: 'in_channel' }),
      });
      return answer.text();
    };
    await sandbox.control('POST', '/clock/advance', { by: '29m' });
    expect(await respond()).toBe('ok');
    const { messages } = (await sandbox.call('conversations.history', { channel: general, limit: 1 })).body;
    expect([messages[0].text, Math.floor(Number(messages[0].ts))]).toEqual(['later', future + 29 * 60]);
    await sandbox.control('PATCH', '', { rate_limit_multiplier: 0.05 });
    const statuses: number[] = [];
    for (let i = 0; i < 6; i++) statuses.push((await sandbox.call('conversations.list', {})).status);
    expect(statuses.at(-1)).toBe(429);
    await sandbox.control('POST', '/clock/advance', { by: '1m' });
    expect((await sandbox.call('conversations.list', {})).status).toBe(200);
    expect(await respond()).toContain('expired_url');
  });
});
