import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Lifecycle } from '../../src/kernel/http/lifecycle.js';
import { Db } from '../../src/kernel/database/db.js';
import { readWait } from '../../src/sandbox/waiting/wait-request.js';
import { Waits, type WaitResult } from '../../src/sandbox/waiting/waits.service.js';
import { TestApp, useApp } from '../support/app.js';
import { closeReceivers, eventually, receiver } from '../support/receiver.js';
import { TestSandbox, type Answer } from '../support/sandbox.js';

// oxlint-disable-next-line no-explicit-any
type Any = any;

/** docs/reference/sandboxes.md#waiting */
describe('POST /api/sandboxes/:id/wait', () => {
  const app = useApp();
  closeReceivers();
  const post = (sandbox: TestSandbox, text: string): Promise<Answer> =>
    sandbox.call('chat.postMessage', { channel: 'war-room', text });
  const wait = (sandbox: TestSandbox, body: object): Promise<Answer> => sandbox.control('POST', '/wait', body);

  it('matches idle only when no call or delivery is in progress or held, of one target if it is named', async () => {
    const [near, far] = [await receiver(), await receiver(() => undefined)];
    const sandbox = await TestSandbox.make(app);
    const hooks = await Promise.all(
      [near, far].map(({ url }) =>
        sandbox.send('POST', '/api/webhooks/outgoing', sandbox.person, { url, events: ['message'] }),
      ),
    );
    await post(sandbox, 'hello');
    await far.until(({ length }) => length === 1);
    const idle = async (where?: object, ms = 0): Promise<boolean> =>
      (await wait(sandbox, { for: 'idle', timeout_ms: ms, ...(where && { where }) })).body.matched as boolean;
    expect(await idle()).toBe(false);
    expect(await idle({ target: { id: hooks[0]?.body.id } }, 5_000)).toBe(true);
    expect(await idle({ target: hooks[1]?.body.id })).toBe(false);
    expect(await idle({ target: { url: { $contains: new URL(far.url).port } } })).toBe(false);
    far.answer = (_, reply) => void reply.end();
    expect(await idle({ target: { kind: 'outgoing_webhook' } }, 20_000)).toBe(true);
    await sandbox.control('POST', '/delivery-rules', { do: { type: 'hold' } });
    await post(sandbox, 'held');
    await eventually(async () => (await sandbox.control('GET', '/deliveries')).body.counts.held === 2, 'held ones');
    expect(await idle()).toBe(false);
    await sandbox.control('POST', '/deliveries/release', {});
    expect(await idle(undefined, 5_000)).toBe(true);
    await sandbox.control('POST', '/faults', { on: { method: 'auth.test' }, fault: { type: 'delay', ms: 3_000 } });
    const slow = sandbox.call('auth.test', {});
    await eventually(async () => (await sandbox.control('GET', '/faults')).body.faults[0].fired === 1, 'a held call');
    expect(await idle()).toBe(false);
    await slow;
    expect(await idle(undefined, 5_000)).toBe(true);
  });

  it('matches idle while a retry is waiting for its time', async () => {
    const far = await receiver((_, reply) => void reply.writeHead(500).end());
    const sandbox = await TestSandbox.make(app);
    await sandbox.send('POST', '/api/webhooks/outgoing', sandbox.person, { url: far.url, events: ['message'] });
    await post(sandbox, 'fails');
    await far.until(({ length }) => length === 2);
    expect((await wait(sandbox, { for: 'idle' })).body.matched).toBe(true);
    await sandbox.control('PUT', '/clock', { frozen: true });
    expect((await wait(sandbox, { for: 'idle' })).body.matched).toBe(true);
  });

  it('matches received requests, and messages older than the timeline by their own fields', async () => {
    const sandbox = await TestSandbox.make(app);
    await post(sandbox, 'long ago');
    await sandbox.control('DELETE', '/timeline');
    const old = await wait(sandbox, {
      for: 'message',
      where: { text: 'long ago', user: 'default-app' },
      after: 'start',
    });
    expect(old.body).toMatchObject({ matched: true, entries: [{ data: { text: 'long ago' } }] });
    const missed = await wait(sandbox, { for: 'message', where: { text: 'long ago' }, timeout_ms: 0 });
    expect(missed.body.matched).toBe(false);
    const { url, id } = (await sandbox.control('POST', '/inboxes', {})).body;
    const waiting = wait(sandbox, { for: 'received', where: { inbox: id, request: { body: { a: { $gt: 1 } } } } });
    await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"a":1}' });
    await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"a":2}' });
    expect((await waiting).body).toMatchObject({ matched: true, entries: [{ request: { body: { a: 2 } } }] });
  });

  it('matches issues by the names of state, team and users', async () => {
    const sandbox = await TestSandbox.make(app);
    const { teams, viewer } = (await sandbox.graphql('{ viewer { id name } teams { nodes { id key } } }')).body.data;
    const waiting = wait(sandbox, {
      for: 'issue',
      where: { title: { $startsWith: 'Fix' }, team: 'ENG', assignee: viewer.name, labels: ['Bug'] },
    });
    const label = await sandbox.graphql(
      'mutation($input: IssueLabelCreateInput!) { issueLabelCreate(input: $input) { issueLabel { id } } }',
      { input: { name: 'Bug', teamId: teams.nodes[0].id } },
    );
    await sandbox.graphql('mutation($input: IssueCreateInput!) { issueCreate(input: $input) { success } }', {
      input: {
        title: 'Fix login',
        teamId: teams.nodes[0].id,
        assigneeId: viewer.id,
        labelIds: [label.body.data.issueLabelCreate.issueLabel.id],
      },
    });
    expect((await waiting).body).toMatchObject({ matched: true, entries: [{ kind: 'event' }] });
  });

  it('lists the closest entries in order, with the differing paths', async () => {
    const sandbox = await TestSandbox.make(app);
    for (const text of ['deploying', 'deployed badly', 'lunch']) await post(sandbox, text);
    await sandbox.call('chat.postMessage', { channel: 'general', text: 'deployed well' });
    const { body } = await wait(sandbox, {
      for: 'message',
      where: { channel: '#war-room', text: { $contains: 'deployed', $endsWith: 'well' } },
      timeout_ms: 0,
    });
    expect(body.closest).toHaveLength(3);
    expect(body.closest[0].differs).toHaveLength(1);
    expect(body.closest[0].differs[0]).toMatchObject({ path: 'channel' });
    expect(body.closest.map(({ differs }: Any) => differs.length)).toEqual([1, 1, 2]);
  });

  it('lists the issues that come closest as they are, also those of which nothing happened', async () => {
    const sandbox = await TestSandbox.make(app, {
      tracker: { teams: [{ key: 'ENG', issues: [{ title: 'Fix login', state: 'Todo' }] }] },
    });
    const { body } = await wait(sandbox, { for: 'issue', where: { title: 'Fix login', state: 'Done' }, timeout_ms: 0 });
    expect(body).toMatchObject({
      matched: false,
      closest: [{ differs: [{ path: 'state', expected: 'Done', actual: 'Todo' }] }],
    });
    expect(body.closest[0].entry.data.identifier).toBe('ENG-1');
  });

  it('serves 500 waits at once without a database query for each', async () => {
    const sandbox = await TestSandbox.make(app);
    const tenantId = await tenantOf(app, sandbox);
    const waits = Array.from({ length: 500 }, (_, i) => waitInside(app, tenantId, `number ${i % 5}`));
    await wait(sandbox, { for: 'quiet', quiet_ms: 300 });
    const reads = vi.spyOn(app.nest.get(Db), 'read');
    await wait(sandbox, { for: 'quiet', quiet_ms: 500 });
    // the feed of the sandbox polls once for all its followers
    expect(reads.mock.calls.length).toBeLessThan(500);
    reads.mockRestore();
    for (let i = 0; i < 5; i++) await post(sandbox, `number ${i}`);
    expect((await Promise.all(waits)).filter(({ matched }) => matched)).toHaveLength(500);
  });
});

const tenantOf = async (app: TestApp, sandbox: TestSandbox): Promise<number> => {
  const { team_id: team } = (await sandbox.control('GET', '')).body;
  const rows = (await app.store.dataSource.query('SELECT tenant_id::float8 AS id FROM workspaces WHERE id = $1', [
    team,
  ])) as { id: number }[];
  return (rows[0] as { id: number }).id;
};

/** Calls the service directly, as the route would, to save a connection for each. */
const waitInside = (app: TestApp, tenantId: number, text: string): Promise<WaitResult> =>
  app.nest
    .get(Waits, { strict: false })
    .wait(tenantId, readWait({ for: 'message', where: { text }, timeout_ms: 60_000 }));

const heldBy = (app: TestApp): number => app.nest.get(Waits, { strict: false }).count;

describe('waits of a sandbox', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await TestApp.start();
  });
  afterAll(() => app.stop().catch(() => undefined));

  it('are limited to 1,000, and answer 503 when the server stops', async () => {
    const sandbox = await TestSandbox.make(app);
    const tenantId = await tenantOf(app, sandbox);
    const asked = { for: 'message', where: { text: 'never' }, timeout_ms: 60_000 };
    const all = Array.from({ length: 1_000 }, () => waitInside(app, tenantId, 'never').catch((error: Any) => error));
    const refused = await sandbox.control('POST', '/wait', asked);
    expect(refused).toMatchObject({ status: 503, body: { message: 'service_unavailable' } });
    expect(refused.headers.get('retry-after')).toBe('1');
    const one = (await TestSandbox.make(app)).control('POST', '/wait', asked);
    await eventually(() => heldBy(app) === 1_001, 'a thousand and one that wait');
    app.nest.get(Lifecycle).drain();
    expect(await one).toMatchObject({ status: 503, body: { message: 'service_unavailable' } });
    expect((await Promise.all(all)).filter((error: Any) => error.code === 'service_unavailable')).toHaveLength(1_000);
  });
});
