import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { TestSandbox } from '../support/sandbox.js';

describe('GET /api/sandboxes/:id/changes', () => {
  const app = useApp();

  it('is empty while nothing has changed', async () => {
    const sandbox = await TestSandbox.make(app);
    expect((await sandbox.control('GET', '/changes')).body).toEqual({
      added: {},
      changed: {},
      removed: {},
      counts: { added: {}, changed: {}, removed: {} },
      truncated: false,
    });
    expect(await sandbox.control('GET', '/changes?since=nothing')).toMatchObject({
      status: 404,
      body: { message: 'snapshot_not_found' },
    });
  });

  it('lists the net effect, with names beside ids', async () => {
    const sandbox = await TestSandbox.make(app);
    const kept = await sandbox.call('chat.postMessage', { channel: 'war-room', text: 'done' });
    const gone = await sandbox.call('chat.postMessage', { channel: 'war-room', text: 'gone again' });
    await sandbox.call('chat.delete', { channel: gone.body.channel, ts: gone.body.ts });
    await sandbox.call('chat.postMessage', { channel: 'war-room', text: 'reply', thread_ts: kept.body.ts });
    await sandbox.call('reactions.add', { channel: kept.body.channel, timestamp: kept.body.ts, name: 'tada' });
    const made = await sandbox.call('conversations.create', { name: 'incident-1' });
    const { body } = await sandbox.control('GET', '/changes');
    expect(body.added.message).toMatchObject([
      { type: 'message', text: 'done', ts: kept.body.ts, channel: kept.body.channel, channel_name: 'war-room' },
      { text: 'reply', thread_ts: kept.body.ts },
      { subtype: 'channel_join', channel_name: 'incident-1' },
    ]);
    expect(body.added.message[0].user_name).toEqual(expect.any(String));
    expect(body.added.channel).toMatchObject([{ id: made.body.channel.id, name: 'incident-1', is_channel: true }]);
    expect(body.added.reaction).toMatchObject([{ name: 'tada', channel_name: 'war-room', ts: kept.body.ts }]);
    expect(body.added.member).toMatchObject([{ channel: made.body.channel.id, channel_name: 'incident-1' }]);
    expect(body.changed).toEqual({});
    expect(body.removed).toEqual({});
    expect(body.counts.added).toEqual({ message: 3, channel: 1, member: 1, reaction: 1 });
    expect(body.truncated).toBe(false);
  });

  it('compares with a snapshot, by id or name', async () => {
    const sandbox = await TestSandbox.make(app);
    const posted = await sandbox.call('chat.postMessage', { channel: 'war-room', text: 'first' });
    const snapshot = (await sandbox.control('POST', '/snapshots', { name: 'half way' })).body;
    await sandbox.call('chat.update', { channel: posted.body.channel, ts: posted.body.ts, text: 'second' });
    for (const since of [snapshot.id, 'half way']) {
      const { body } = await sandbox.control('GET', `/changes?since=${encodeURIComponent(since)}`);
      expect(body).toMatchObject({ added: {}, removed: {}, counts: { changed: { message: 1 } } });
      expect(body.changed.message).toMatchObject([
        { id: posted.body.ts, before: { text: 'first' }, after: { text: 'second' } },
      ]);
      expect(body.changed.message[0].fields).toContain('text');
    }
    await sandbox.call('chat.delete', { channel: posted.body.channel, ts: posted.body.ts });
    const { body } = await sandbox.control('GET', `/changes?since=${snapshot.id}`);
    expect(body).toMatchObject({ added: {}, changed: {}, removed: { message: [{ text: 'first' }] } });
    expect((await sandbox.control('GET', '/changes')).body).toMatchObject({ added: {}, changed: {}, removed: {} });
  });

  it('says what a document called a message, an issue or a webhook, and assertions find them by it', async () => {
    const sandbox = await TestSandbox.make(app);
    const seed = await sandbox.control('POST', '/seed?baseline=true', {
      channels: [{ name: 'war-room', messages: [{ as: 'alice', text: 'deploy', ref: 'ask' }] }],
      tracker: { teams: [{ key: 'OPS', name: 'Operations', issues: [{ title: 'Fix login', ref: 'login' }] }] },
    });
    expect(seed.body, JSON.stringify(seed.body)).toMatchObject({ refs: { ask: {}, login: {} } });
    const { ask, login } = seed.body.refs;
    await sandbox.call(
      'chat.update',
      { ...ask, text: 'deploy it' },
      { authorization: `Bearer ${sandbox.made.users[0].access_token}` },
    );
    await sandbox.call('reactions.add', { channel: ask.channel, timestamp: ask.ts, name: 'tada' });
    await sandbox.graphql('mutation M($id: String!) { issueUpdate(id: $id, input: { priority: 1 }) { success } }', {
      id: login.id,
    });
    await sandbox.control('POST', '/seed', {
      channels: [{ name: 'war-room', messages: [{ as: 'alice', text: 'later', ref: 'later' }] }],
    });
    const { body } = await sandbox.control('GET', '/changes');
    expect(body.added.message).toMatchObject([{ text: 'later', ref: 'later' }]);
    expect(body.added.reaction[0]).not.toHaveProperty('ref');
    expect(body.changed.message).toMatchObject([{ id: ask.ts, ref: 'ask', fields: expect.arrayContaining(['text']) }]);
    expect(body.changed.issue).toMatchObject([{ id: login.id, ref: 'login' }]);
    const asserted = await sandbox.control('POST', '/assert', {
      expect: [
        { changed: 'message', where: { ref: 'ask', after: { text: 'deploy it' } }, count: 1 },
        { changed: 'issue', where: { ref: 'login' }, count: 1 },
        { added: 'message', where: { ref: 'later' } },
      ],
      nothing_else: ['message', 'issue'],
    });
    expect(asserted.body).toMatchObject({ passed: true, failures: [] });
    const wrong = await sandbox.control('POST', '/assert', { expect: [{ added: 'message', where: { ref: 'ask' } }] });
    expect(wrong.body).toMatchObject({ passed: false, failures: [{ expectation: 0 }] });
  });

  it('shows an issue with the name of its state', async () => {
    const sandbox = await TestSandbox.make(app);
    const teams = await sandbox.graphql('{ teams { nodes { id key states { nodes { id name } } } } }');
    const team = teams.body.data.teams.nodes[0];
    const made = await sandbox.graphql(
      'mutation M($input: IssueCreateInput!) { issueCreate(input: $input) { issue { id identifier } } }',
      { input: { teamId: team.id, title: 'Fix login' } },
    );
    const { id, identifier } = made.body.data.issueCreate.issue;
    await sandbox.control('POST', '/snapshots', { name: 'made' });
    expect((await sandbox.control('GET', '/changes')).body.added.issue).toMatchObject([
      { id, identifier, title: 'Fix login', team: team.key, state: expect.any(String) },
    ]);
    const done = team.states.nodes.find(({ name }: { name: string }) => name === 'Done');
    await sandbox.graphql(
      'mutation M($id: String!, $s: String!) { issueUpdate(id: $id, input: { stateId: $s }) { success } }',
      { id, s: done.id },
    );
    const { body } = await sandbox.control('GET', '/changes?since=made');
    expect(body.changed).toMatchObject({ issue: [{ id, after: { state: 'Done', identifier }, fields: ['state'] }] });
  });

  it('shows no secrets, and at most 1,000 changes of a kind', async () => {
    const sandbox = await TestSandbox.make(app);
    const app2 = await sandbox.send('POST', '/api/apps', sandbox.person, {
      manifest: { display_information: { name: 'probe' }, features: { bot_user: { display_name: 'probe' } } },
    });
    expect(app2.status, JSON.stringify(app2.body)).toBe(201);
    const { body } = await sandbox.control('GET', '/changes');
    expect(body.added.app).toMatchObject([{ name: 'probe' }]);
    expect(body.added.token.length).toBeGreaterThan(0);
    const text = JSON.stringify(body);
    expect(text).not.toContain(app2.body.bot_token);
    expect(text).not.toContain(app2.body.credentials.signing_secret);
    const seeded = await sandbox.control('POST', '/seed', { channels: [{ name: 'war-room', messages: 1_001 }] });
    expect(seeded.status, JSON.stringify(seeded.body)).toBe(200);
    const many = (await sandbox.control('GET', '/changes')).body;
    expect(many.counts.added.message).toBe(1_001);
    expect(many.added.message).toHaveLength(1_000);
    expect(many.truncated).toBe(true);
  });
});
