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
    expect(body).toEqual({ passed: true, failures: [] });
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
    expect(body).toEqual({ passed: true, failures: [] });
  });

  it('counts only calls made since the last reset', async () => {
    const sandbox = await TestSandbox.make(app);
    await sandbox.call('chat.postMessage', { channel: 'war-room', text: 'before' });
    await sandbox.control('POST', '/reset');
    const body = await check(sandbox, {
      expect: [{ called: 'chat.postMessage', count: 0 }],
      nothing_else: ['message', 'channel', 'user', 'app', 'token'],
    });
    expect(body).toEqual({ passed: true, failures: [] });
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
    ];
    for (const [request, status, message] of refusals) {
      const answer = await sandbox.control('POST', '/assert', request);
      expect(answer.status).toBe(status);
      expect(answer.body.message).toContain(message);
    }
  });
});
