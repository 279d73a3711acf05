import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { TestSandbox } from '../support/sandbox.js';

describe('POST /api/sandboxes/:id/assert', () => {
  const app = useApp();
  const check = async (sandbox: TestSandbox, body: object) => {
    const answer = await sandbox.control('POST', '/assert', body);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    return answer.body;
  };

  it('passes when every expectation is met and nothing_else finds no other change', async () => {
    const sandbox = await TestSandbox.make(app);
    await sandbox.call('chat.postMessage', { channel: 'war-room', text: 'all done' });
    const body = await check(sandbox, {
      since: 'baseline',
      expect: [
        { added: 'message', where: { channel: '#war-room', text: { $contains: 'done' } }, count: 1 },
        { removed: 'message', count: 0 },
        { called: 'chat.postMessage', count: { $lte: 3 } },
        { called: 'chat.*', where: { args: { channel: '#war-room' }, ok: true } },
      ],
      nothing_else: ['message', 'issue'],
    });
    expect(body).toMatchObject({ passed: true, score: 1, failures: [] });
  });

  it('explains each failure in a sentence and lists the closest entries', async () => {
    const sandbox = await TestSandbox.make(app);
    await sandbox.call('chat.postMessage', { channel: 'war-room', text: 'deploying' });
    await sandbox.call('chat.postMessage', { channel: 'war-room', text: 'deploying still' });
    const body = await check(sandbox, {
      expect: [
        { added: 'message', where: { channel: '#war-room', text: { $contains: 'done' } }, count: 1 },
        { added: 'message', where: { text: 'deploying' } },
        { called: 'chat.postMessage', count: { $lte: 1 } },
        { removed: 'channel' },
      ],
      nothing_else: ['message', 'issue'],
    });
    expect(body).toMatchObject({
      passed: false,
      failures: [
        {
          expectation: 0,
          message: 'expected 1 message in #war-room whose text contains "done", found 0',
          closest: [
            {
              entry: { text: 'deploying still' },
              differs: [{ path: 'text', expected: { $contains: 'done' }, actual: 'deploying still' }],
            },
            { entry: { text: 'deploying' } },
          ],
        },
        { expectation: 2, message: 'expected at most 1 call of chat.postMessage, found 2' },
        { expectation: 3, message: 'expected at least 1 removed channel, found 0' },
        { nothing_else: 'message', unexpected: [{ text: 'deploying still' }] },
      ],
    });
    expect(body.failures).toHaveLength(4);
  });

  it('compares an issue before and after its change', async () => {
    const sandbox = await TestSandbox.make(app);
    const teams = await sandbox.graphql('{ teams { nodes { id states { nodes { id name } } } } }');
    const team = teams.body.data.teams.nodes[0];
    const made = await sandbox.graphql(
      'mutation M($input: IssueCreateInput!) { issueCreate(input: $input) { issue { id identifier } } }',
      { input: { teamId: team.id, title: 'Fix login' } },
    );
    const { id, identifier } = made.body.data.issueCreate.issue;
    await sandbox.control('POST', '/snapshots', { name: 'made' });
    const done = team.states.nodes.find(({ name }: { name: string }) => name === 'Done');
    await sandbox.graphql(
      'mutation M($id: String!, $s: String!) { issueUpdate(id: $id, input: { stateId: $s }) { success } }',
      { id, s: done.id },
    );
    const body = await check(sandbox, {
      since: 'made',
      expect: [
        { changed: 'issue', where: { identifier, after: { state: 'Done' } } },
        { changed: 'issue', where: { after: { state: { name: 'Done' } }, fields: ['state'] }, count: 1 },
        { changed: 'issue', where: { after: { state: 'Canceled' } }, count: 0 },
        { called: 'issueUpdate', count: 1 },
        { called: 'issueCreate', count: 0 },
      ],
      nothing_else: ['issue', 'message'],
    });
    expect(body).toMatchObject({ passed: true, score: 1, failures: [] });
  });

  it('counts only calls made since the last reset', async () => {
    const sandbox = await TestSandbox.make(app);
    await sandbox.call('chat.postMessage', { channel: 'war-room', text: 'before' });
    await sandbox.control('POST', '/reset');
    const body = await check(sandbox, {
      expect: [{ called: 'chat.postMessage', count: 0 }],
      nothing_else: ['message', 'channel', 'user', 'app', 'token'],
    });
    expect(body).toMatchObject({ passed: true, score: 1, failures: [] });
  });

  it('refuses an invalid request and names the path of the fault', async () => {
    const sandbox = await TestSandbox.make(app);
    const refusals: [object, number, string][] = [
      [{ expect: [{ added: 'massage' }] }, 400, 'expect[0].added: must be one of'],
      [{ expect: [{ where: {} }] }, 400, 'expect[0]: must have one of'],
      [
        { expect: [{ added: 'message', where: { text: { $foo: 1 } } }] },
        400,
        'expect[0].where.text.$foo: no such operator',
      ],
      [{ expect: [{ added: 'message', count: -1 }] }, 400, 'expect[0].count: '],
      [{ nothing_else: ['x'] }, 400, 'nothing_else[0]: '],
      [{ since: 'never' }, 404, 'snapshot_not_found'],
      [{ expect: [{ any: [] }] }, 400, 'expect[0].any: must be a list of 1 to'],
      [
        { expect: [{ all: [{ added: 'message' }, { any: [{ exists: 'x' }] }] }] },
        400,
        'expect[0].all[1].any[0].exists: must be one of',
      ],
      [{ expect: [{ not: { added: 'message', weight: 2 } }] }, 400, 'expect[0].not.weight: '],
      [{ expect: [{ not: 1 }] }, 400, 'expect[0].not: must be an object'],
      [{ expect: [{ not: { added: 'message', removed: 'message' } }] }, 400, 'expect[0].not: must have one of'],
      [{ expect: [{ order: [{ added: 'message' }] }] }, 400, 'expect[0].order[0]: must have called'],
      [{ expect: [{ state: 'abc' }] }, 400, 'expect[0].state: must be sha256:'],
      [{ expect: [{ state: `sha256:${'0'.repeat(64)}`, ignore: ['mesage'] }] }, 400, 'expect[0].ignore[0]: '],
      [{ expect: [{ added: 'message', by: 'alice' }] }, 400, 'expect[0]: by has no meaning beside added'],
      [{ expect: [{ any: [{ added: 'message' }], where: {} }] }, 400, 'expect[0]: where has no meaning beside any'],
      [{ expect: [{ unchanged: 'message', count: 1 }] }, 400, 'expect[0].count: '],
      [{ expect: [{ added: 'message', weight: -1 }] }, 400, 'expect[0].weight: must be a number from 0'],
      [{ expect: [{ added: 'message', ids: true }] }, 400, 'expect[0]: ids has no meaning beside added'],
    ];
    for (const [request, status, message] of refusals) {
      const answer = await sandbox.control('POST', '/assert', request);
      expect(answer.status).toBe(status);
      expect(answer.body.message).toContain(message);
    }
  });

  it('asks what is there now, with all, any, not, unchanged, order, state, and who called', async () => {
    const sandbox = await TestSandbox.make(app, {
      users: [{ name: 'alice' }],
      channels: [
        { name: 'war-room', members: ['alice'] },
        { name: 'ops', members: ['alice'] },
      ],
    });
    await sandbox.call('chat.postMessage', { channel: 'war-room', text: 'old' });
    await sandbox.control('POST', '/snapshots', { name: 'later' });
    await sandbox.call('chat.postMessage', { channel: 'war-room', text: 'new' });
    await sandbox.call('conversations.setTopic', { channel: 'war-room', topic: 'Incidents' });
    const { hash } = (await sandbox.control('GET', '/state')).body;
    const { body: me } = await sandbox.call('auth.test', {});
    const first = { called: 'chat.postMessage', where: { args: { text: 'new' } } };
    const second = { called: 'conversations.setTopic' };
    const holds: object[] = [
      { exists: 'message', where: { text: 'old', channel: '#war-room' } },
      { exists: 'message', where: { text: { $in: ['old', 'new'] } }, count: 2 },
      { exists: 'issue', count: 0 },
      { not: { added: 'message', where: { text: 'old' } } },
      { any: [{ added: 'issue' }, { added: 'message', where: { text: 'new' } }] },
      {
        all: [{ added: 'message', count: 1 }, { not: { any: [{ added: 'issue' }, { removed: 'user' }] } }],
      },
      { unchanged: 'message', where: { channel: '#ops' } },
      { unchanged: 'issue' },
      { order: [first, second] },
      { state: hash },
      { called: 'chat.postMessage', by: me.user, count: 1 },
      { called: 'chat.postMessage', by: `@${me.user}`, count: 1 },
      { called: 'chat.postMessage', by: 'alice', count: 0 },
    ];
    const passes = await check(sandbox, { since: 'later', expect: holds });
    expect(passes.failures).toEqual([]);
    expect(passes).toMatchObject({ passed: true, score: 1 });
    expect(passes.results).toEqual(holds.map((_, i) => ({ expectation: i, passed: true, weight: 1 })));

    const fails: [object, string | RegExp][] = [
      [{ exists: 'message', where: { text: 'none' } }, 'expected at least 1 message whose text is "none", found 0'],
      [
        { not: { added: 'message', where: { text: 'new' } } },
        'expected not at least 1 message whose text is "new", but it is so',
      ],
      [
        { any: [{ added: 'issue' }, { removed: 'user' }] },
        'expected at least 1 issue, found 0; nor: expected at least 1 removed user, found 0',
      ],
      [{ all: [{ added: 'issue' }, { added: 'message' }] }, 'expected at least 1 issue, found 0'],
      [
        { unchanged: 'message', where: { channel: '#war-room' } },
        'expected no change of a message in #war-room, found 1',
      ],
      [
        { order: [second, first] },
        'expected a call of conversations.setTopic, then a call of chat.postMessage whose args.text is "new", found chat.postMessage called earlier',
      ],
      [{ order: [first, { called: 'chat.delete' }] }, /then a call of chat\.delete, found chat\.delete never called$/],
      [{ state: `sha256:${'0'.repeat(64)}` }, new RegExp(`found ${hash}$`)],
      [{ called: 'chat.postMessage', by: 'alice' }, 'expected at least 1 call of chat.postMessage by alice, found 0'],
    ];
    const { failures, score } = await check(sandbox, { since: 'later', expect: fails.map(([expected]) => expected) });
    expect(score).toBe(0);
    expect(failures.map(({ message }: { message: string }) => message)).toEqual(
      fails.map(([, message]) => (typeof message === 'string' ? message : expect.stringMatching(message))),
    );
  });

  it('uses the article and the plural of what it names', async () => {
    const sandbox = await TestSandbox.make(app);
    const [team] = (await sandbox.graphql('{ teams { nodes { id } } }')).body.data.teams.nodes;
    await sandbox.graphql(`mutation { issueCreate(input: { title: "x", teamId: "${team.id}" }) { success } }`);
    const { failures } = await check(sandbox, {
      expect: [{ added: 'agent_activity', count: 2 }, { unchanged: 'issue' }, { exists: 'user', count: 0 }],
      nothing_else: ['issue'],
    });
    expect(failures.map(({ message }: { message: string }) => message)).toEqual([
      'expected 2 agent activities, found 0',
      'expected no change of an issue, found 1',
      expect.stringMatching(/^expected 0 users, found \d+$/),
      'expected no other change of an issue, found 1',
    ]);
  });

  it('scores by weight, with nothing_else as one of weight 1', async () => {
    const sandbox = await TestSandbox.make(app);
    await sandbox.call('chat.postMessage', { channel: 'war-room', text: 'done' });
    const body = await check(sandbox, {
      expect: [
        { added: 'message', where: { text: 'done' }, weight: 5 },
        { added: 'issue', weight: 0.5 },
        { exists: 'user' },
      ],
      nothing_else: ['message'],
    });
    expect(body).toMatchObject({
      passed: false,
      score: 0.9333,
      results: [
        { expectation: 0, passed: true, weight: 5 },
        { expectation: 1, passed: false, weight: 0.5 },
        { expectation: 2, passed: true, weight: 1 },
        { nothing_else: true, passed: true, weight: 1 },
      ],
    });
  });

  it('takes what exists or is in a group as expected, but not what stands in not, nor another thing of its kind', async () => {
    const sandbox = await TestSandbox.make(app);
    const posted = await sandbox.call('chat.postMessage', { channel: 'war-room', text: 'one' });
    const at = { channel: posted.body.channel, timestamp: posted.body.ts };
    for (const name of ['tada', 'eyes']) await sandbox.call('reactions.add', { ...at, name });
    const of = async (expected: object) =>
      (await check(sandbox, { expect: [expected], nothing_else: ['message'] })).results[1].passed;
    expect(await of({ exists: 'message', where: { text: 'one' } })).toBe(true);
    expect(await of({ any: [{ added: 'issue' }, { added: 'message', where: { text: 'one' } }] })).toBe(true);
    expect(await of({ not: { added: 'message', where: { text: 'one' } } })).toBe(false);
    const { failures } = await check(sandbox, {
      expect: [{ added: 'reaction', where: { name: 'tada' } }],
      nothing_else: ['reaction'],
    });
    expect(failures).toMatchObject([{ nothing_else: 'reaction', unexpected: [{ name: 'eyes' }] }]);
  });

  it('refuses expectations that are nested too deep or are too many', async () => {
    const sandbox = await TestSandbox.make(app);
    let deep: object = { added: 'message' };
    for (let i = 0; i < 200; i++) deep = { not: deep };
    expect((await sandbox.control('POST', '/assert', { expect: [deep] })).status).toBe(400);
    const many = Array.from({ length: 400 }, () => ({ any: [{ added: 'message' }, { added: 'issue' }] }));
    expect((await sandbox.control('POST', '/assert', { expect: many })).status).toBe(400);
  });
});
