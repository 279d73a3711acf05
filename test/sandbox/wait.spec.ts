import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { TestSandbox } from '../support/sandbox.js';

describe('POST /api/sandboxes/:id/wait', () => {
  const app = useApp();

  it('matches entries since the mark, and later ones', async () => {
    const sandbox = await TestSandbox.make(app);
    await sandbox.call('chat.postMessage', { channel: 'war-room', text: 'before the mark' });
    await sandbox.control('POST', '/timeline/mark');
    await sandbox.call('chat.postMessage', { channel: 'war-room', text: 'deployed a' });
    const where = { channel: '#war-room', text: { $startsWith: 'deployed' } };
    const first = await sandbox.control('POST', '/wait', { for: 'message', where });
    expect(first).toMatchObject({ status: 200, body: { matched: true, entries: [{ data: { text: 'deployed a' } }] } });
    const second = sandbox.control('POST', '/wait', { for: 'message', where, after: first.body.cursor });
    await sandbox.call('chat.postMessage', { channel: 'war-room', text: 'nothing' });
    await sandbox.call('chat.postMessage', { channel: 'war-room', text: 'deployed b' });
    expect((await second).body).toMatchObject({ matched: true, entries: [{ data: { text: 'deployed b' } }] });
    const calls = await sandbox.control('POST', '/wait', {
      for: 'call',
      where: { method: 'chat.postMessage' },
      count: 3,
    });
    expect(calls.body).toMatchObject({ matched: true, entries: [{}, {}, {}] });
  });

  it('lists the closest entries when the time is over', async () => {
    const sandbox = await TestSandbox.make(app);
    await sandbox.call('chat.postMessage', { channel: 'war-room', text: 'deploying' });
    const { body } = await sandbox.control('POST', '/wait', {
      for: 'event',
      where: { event: 'message', data: { channel: '#war-room', text: { $contains: 'deployed' } } },
      timeout_ms: 50,
    });
    expect(body).toMatchObject({
      matched: false,
      entries: [],
      closest: [
        {
          entry: { kind: 'event', event: 'message' },
          differs: [{ path: 'data.text', expected: { $contains: 'deployed' }, actual: 'deploying' }],
        },
      ],
      cursor: expect.any(String),
    });
    expect(body.waited_ms).toBeGreaterThanOrEqual(50);
  });

  it('finds an ephemeral message only where it is asked for', async () => {
    const sandbox = await TestSandbox.make(app);
    const user = sandbox.made.users[0].user_id;
    const shown = await sandbox.call('chat.postEphemeral', { channel: 'war-room', user, text: 'only for you' });
    expect(shown.body).toMatchObject({ ok: true });
    const wait = (body: object) => sandbox.control('POST', '/wait', { timeout_ms: 50, ...body });
    const text = 'only for you';
    expect((await wait({ for: 'message', where: { text } })).body).toMatchObject({ matched: false, closest: [] });
    for (const body of [
      { for: 'ephemeral', where: { text } },
      { for: 'message', where: { text }, ephemeral: true },
      { for: 'message', where: { text, ephemeral: true } },
      { for: 'message', where: { text, is_ephemeral: true } },
    ]) {
      expect((await wait(body)).body, JSON.stringify(body)).toMatchObject({
        matched: true,
        entries: [{ data: { text, is_ephemeral: true } }],
      });
    }
    await sandbox.call('chat.postMessage', { channel: 'war-room', text: 'stored' });
    const stored = { text: 'stored' };
    expect((await wait({ for: 'message', where: { ...stored, ephemeral: false } })).body.matched).toBe(true);
    expect((await wait({ for: 'message', where: { ...stored, ephemeral: true } })).body.matched).toBe(false);
    expect((await wait({ for: 'ephemeral', where: stored })).body.matched).toBe(false);
  });

  it('asserts that nothing happens, and fails at once when something does', async () => {
    const sandbox = await TestSandbox.make(app);
    const quiet = await sandbox.control('POST', '/wait', { for: 'quiet', quiet_ms: 50 });
    expect(quiet.body).toMatchObject({ matched: true, entries: [] });
    const broken = sandbox.control('POST', '/wait', { for: 'quiet', where: { event: 'message' }, quiet_ms: 20_000 });
    await sandbox.control('POST', '/wait', { for: 'quiet', quiet_ms: 50 });
    await sandbox.call('chat.postMessage', { channel: 'war-room', text: 'noise' });
    expect((await broken).body).toMatchObject({ matched: false, entries: [{ data: { text: 'noise' } }] });
  });

  it('matches idle while nothing is in progress', async () => {
    const sandbox = await TestSandbox.make(app);
    expect((await sandbox.control('POST', '/wait', { for: 'idle' })).body).toMatchObject({ matched: true });
  });

  it('matches an issue by its current state, and when it changes', async () => {
    const sandbox = await TestSandbox.make(app);
    const teams = await sandbox.graphql('{ teams { nodes { id states { nodes { id name } } } } }');
    const team = teams.body.data.teams.nodes[0];
    const made = await sandbox.graphql(
      'mutation M($input: IssueCreateInput!) { issueCreate(input: $input) { issue { id identifier } } }',
      { input: { teamId: team.id, title: 'Fix login' } },
    );
    const { id, identifier } = made.body.data.issueCreate.issue;
    const now = await sandbox.control('POST', '/wait', { for: 'issue', where: { identifier } });
    expect(now.body, JSON.stringify(now.body)).toMatchObject({ matched: true });
    const done = team.states.nodes.find(({ name }: { name: string }) => name === 'Done');
    const later = sandbox.control('POST', '/wait', { for: 'issue', where: { identifier, state: 'Done' } });
    await sandbox.graphql(
      'mutation M($id: String!, $s: String!) { issueUpdate(id: $id, input: { stateId: $s }) { success } }',
      {
        id,
        s: done.id,
      },
    );
    expect((await later).body).toMatchObject({ matched: true });
  });

  it('refuses an invalid request with the path of the fault', async () => {
    const sandbox = await TestSandbox.make(app);
    for (const [body, message] of [
      [{}, /^for: /],
      [{ for: 'event', where: { text: { $matches: '(' } } }, /^where\.text\.\$matches: /],
      [{ for: 'event', where: JSON.parse('{"data":{"__proto__":{"text":"x"}}}') }, /^where\.data\.__proto__: no field/],
      [{ for: 'event', where: { constructor: 1 } }, /^where\.constructor: no field/],
      [{ for: 'event', timeout_ms: 60_001 }, /^timeout_ms: /],
      [{ for: 'event', after: 'x' }, /^invalid_cursor$/],
    ] as const) {
      const refused = await sandbox.control('POST', '/wait', body);
      expect(refused.status).toBe(400);
      expect(refused.body.message).toMatch(message);
    }
  });
});
