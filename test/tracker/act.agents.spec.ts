import { describe, expect, it } from 'vitest';
import { clientOf } from '../support/agents.js';
import { closeReceivers, receiver } from '../support/receiver.js';
import { bearer, makeSandbox, OPERATOR, send } from '../support/sandbox-routes.js';
import { useDeliveringApp } from '../support/tracker-hooks.js';

const server = useDeliveringApp();
closeReceivers();

/** An application whose agent answers each of its events as told. */
async function sandboxWithAgent() {
  const end = await receiver();
  const made = await makeSandbox(server.app, {
    users: ['alice', 'bob'],
    tracker: {
      teams: [{ key: 'ENG', issues: [{ title: 'Fix login' }, { title: 'Fix logout' }] }],
      apps: [
        {
          name: 'helper',
          redirect_uris: ['https://app.example/'],
          webhook_url: end.url,
          webhook_resource_types: ['AgentSessionEvent', 'Comment'],
          installed: { actor: 'app', scopes: ['write', 'app:assignable', 'app:mentionable'] },
        },
      ],
    },
  });
  const { helper } = made.body.credentials.tracker_apps;
  const agent = clientOf(server.app, helper.access_token);
  return {
    end,
    agent,
    helper,
    teamId: made.body.team_id as string,
    ctl: made.ctl,
    as: (person: string) => bearer(made.body.credentials.users[person].access_token),
    /** What the agent says to each event of a session. */
    onEvent: (say: (sessionId: string, action: string) => object[]) => {
      end.answer = (received, reply) => {
        reply.writeHead(200).end();
        const { type, action, agentSession } = JSON.parse(received.body);
        if (type !== 'AgentSessionEvent') return;
        void (async () => {
          for (const said of say(agentSession.id, action))
            await agent.createAgentActivity({ agentSessionId: agentSession.id, ...said } as never);
        })();
      };
    },
  };
}

// docs/reference/acting.md#waiting
describe('acts that ask an agent', () => {
  it('wait for what ends its turn, and show it with the deliveries and the mirrored comment', async () => {
    const { as, helper, end, onEvent } = await sandboxWithAgent();
    onEvent((_, action) =>
      action === 'created'
        ? [
            { content: { type: 'thought', body: 'Hm' } },
            {
              content: { type: 'elicitation', body: 'Which one?' },
              signal: 'select',
              signalMetadata: { options: [{ value: 'a' }, { value: 'b' }] },
            },
          ]
        : [{ content: { type: 'response', body: 'Done' } }],
    );
    const act = async (verb: string, fields: object) =>
      (await send(server.app, 'POST', `/api/act/${verb}`, as('alice'), { wait_ms: 8_000, ...fields })).body;
    const begun = await act('issue_create', { team: 'ENG', title: 'Crash', delegate: 'helper' });
    const session = begun.result.session_id;
    expect(begun).toMatchObject({
      result: { identifier: 'ENG-3', url: expect.stringContaining('/issue/ENG-3/crash') },
      timed_out: false,
      replies: {
        comments: [{ body: 'Which one?', user_id: helper.app_user_id }],
        activities: [
          { type: 'thought', body: 'Hm', ephemeral: false, signal: null, session_id: session },
          { type: 'elicitation', signal: 'select', signal_metadata: { options: [{ value: 'a' }, { value: 'b' }] } },
        ],
      },
    });
    expect(begun.deliveries).toContainEqual(
      expect.objectContaining({
        app_id: helper.id,
        kind: 'AgentSessionEvent',
        outcome: 'acked',
        status_code: 200,
        target: end.url,
      }),
    );
    expect(begun.deliveries.map(({ kind }: { kind: string }) => kind)).toContain('Comment');
    const chosen = await act('session_select', { session, value: 'b' });
    expect(chosen).toMatchObject({
      result: { session_id: session, status: 'pending' },
      replies: { comments: [{ body: 'Done' }], activities: [{ type: 'response', body: 'Done' }] },
      timed_out: false,
    });
  });

  it('wait for the first activity alone if asked to, and for nothing where no agent is asked', async () => {
    const { as, onEvent } = await sandboxWithAgent();
    onEvent(() => [{ content: { type: 'thought', body: 'Hm' } }]);
    const act = async (verb: string, fields: object) =>
      (await send(server.app, 'POST', `/api/act/${verb}`, as('bob'), fields)).body;
    const asked = await act('comment', {
      issue: 'ENG-1',
      body: 'please look',
      mention: 'helper',
      until: 'activity',
      wait_ms: 8_000,
    });
    expect(asked).toMatchObject({ timed_out: false, replies: { activities: [{ type: 'thought' }], comments: [] } });
    expect(asked.result.session_id).toEqual(expect.any(String));
    const plain = await act('comment', { issue: 'ENG-2', body: 'nothing to see', wait_ms: 8_000 });
    expect(plain).toMatchObject({ timed_out: false, replies: { activities: [], comments: [] } });
    expect(plain.result).not.toHaveProperty('session_id');
    expect(plain.waited_ms).toBeLessThan(8_000);
  });

  it('show comments of applications alone as replies, in that thread', async () => {
    const { as, agent, end } = await sandboxWithAgent();
    end.answer = (received, reply) => {
      reply.writeHead(200).end();
      const { type, action, data } = JSON.parse(received.body);
      if (type === 'Comment' && action === 'create' && !data.parentId)
        void agent.createComment({ issueId: data.issueId, parentId: data.id, body: 'I saw it' });
    };
    const said = await send(server.app, 'POST', '/api/act/comment', as('alice'), {
      issue: 'ENG-1',
      body: 'A bug',
      until: 'reply',
      wait_ms: 8_000,
    });
    expect(said.body).toMatchObject({ timed_out: false, replies: { comments: [{ body: 'I saw it' }] } });
    expect(said.body.replies.comments[0].parent_id).toBe(said.body.result.id);
  });
});

// docs/reference/acting.md#tracker-screen
describe('GET /api/act/tracker', () => {
  it('shows a person an issue with its sessions, as they stand', async () => {
    const { as, agent, helper, teamId } = await sandboxWithAgent();
    const act = async (verb: string, fields: object) =>
      (await send(server.app, 'POST', `/api/act/${verb}`, as('alice'), { until: 'none', ...fields })).body.result;
    const { session_id: session } = await act('issue_update', { issue: 'ENG-1', delegate: 'helper', assignee: 'bob' });
    await agent.createAgentActivity({
      agentSessionId: session,
      content: { type: 'thought', body: 'Hm' },
      ephemeral: true,
    });
    await agent.updateAgentSession(session, {
      plan: [{ content: 'Look', status: 'inProgress' }],
      externalUrls: [{ label: 'Log', url: 'https://log.example/1' }],
    });
    await agent.createIssueRelation({ issueId: 'ENG-2', relatedIssueId: 'ENG-1', type: 'blocks' as never });
    await agent.createAttachment({ issueId: 'ENG-1', title: 'Trace', url: 'https://trace.example/1' });
    const shown = await send(server.app, 'GET', '/api/act/tracker?issue=ENG-1', as('bob'));
    expect(shown.status).toBe(200);
    expect(shown.body.issue).toMatchObject({
      identifier: 'ENG-1',
      title: 'Fix login',
      state: 'Backlog',
      assignee: 'bob',
      delegate: 'helper',
      labels: [],
      sessions: [
        {
          id: session,
          app: 'helper',
          status: 'active',
          unresponsive: false,
          plan: [{ content: 'Look', status: 'inProgress' }],
          external_urls: [{ label: 'Log', url: 'https://log.example/1' }],
          activities: [{ type: 'thought', body: 'Hm', ephemeral: true, signal: null }],
        },
      ],
      relations: [{ type: 'blocked_by', issue: 'ENG-2' }],
      attachments: [{ title: 'Trace', url: 'https://trace.example/1' }],
      comments: [{ user: 'helper', parent_id: null }],
    });
    expect(shown.body.issue.sessions[0].stale_in_ms).toBeGreaterThan(29 * 60_000);
    const byOperator = `/api/act/tracker?team_id=${teamId}&as=alice&issue=ENG-1`;
    expect((await send(server.app, 'GET', byOperator, OPERATOR)).body.issue).toEqual({
      ...shown.body.issue,
      sessions: [{ ...shown.body.issue.sessions[0], stale_in_ms: expect.any(Number) }],
    });
    const unknown = await send(server.app, 'GET', '/api/act/tracker?issue=ENG-9', as('bob'));
    expect([unknown.status, unknown.body.message]).toEqual([404, 'issue_not_found']);
    expect(helper.app_user_id).toEqual(expect.any(String));
  });

  it('says that an agent is unresponsive when its ten seconds are over', async () => {
    const { as, ctl } = await sandboxWithAgent();
    const act = (verb: string, fields: object) =>
      send(server.app, 'POST', `/api/act/${verb}`, as('alice'), { until: 'none', ...fields });
    await act('issue_update', { issue: 'ENG-1', delegate: 'helper' });
    const advanced = await send(server.app, 'POST', '/api/sandboxes/self/clock/advance', ctl, {
      seconds: 11,
    });
    expect(advanced.status).toBe(200);
    const { body } = await send(server.app, 'GET', '/api/act/tracker?issue=ENG-1', as('alice'));
    expect(body.issue.sessions).toMatchObject([{ status: 'pending', unresponsive: true, activities: [] }]);
  });

  it('does not say so of one that nobody was told of, as a document made it', async () => {
    const { ctl, as } = await sandboxWithAgent();
    const issue = { title: 'Seeded', ref: 'seeded', sessions: [{ app: 'helper', as: 'alice', status: 'pending' }] };
    const seeded = await send(server.app, 'POST', '/api/sandboxes/self/seed', ctl, {
      tracker: { teams: [{ key: 'ENG', issues: [issue] }] },
    });
    const path = `/api/act/tracker?issue=${seeded.body.refs.seeded.identifier}`;
    const session = async () => (await send(server.app, 'GET', path, as('alice'))).body.issue.sessions[0];
    expect(await session()).toMatchObject({ status: 'pending', unresponsive: false });
    const advance = { seconds: 31 * 60 };
    expect((await send(server.app, 'POST', '/api/sandboxes/self/clock/advance', ctl, advance)).status).toBe(200);
    expect(await session()).toMatchObject({ status: 'stale', unresponsive: false });
    const { entries } = (await send(server.app, 'GET', '/api/sandboxes/self/timeline?kind=event', ctl)).body;
    expect(entries.map(({ event }: { event: string }) => event)).not.toContain('agentSession.unresponsive');
  });

  it('does not say so of one that has said something which is over', async () => {
    const { as, ctl, agent } = await sandboxWithAgent();
    const act = (verb: string, fields: object) =>
      send(server.app, 'POST', `/api/act/${verb}`, as('alice'), { until: 'none', ...fields });
    const { session_id: session } = (await act('issue_update', { issue: 'ENG-1', delegate: 'helper' })).body.result;
    await agent.createAgentActivity({
      agentSessionId: session,
      content: { type: 'thought', body: 'Hm' },
      ephemeral: true,
    });
    await send(server.app, 'POST', '/api/sandboxes/self/clock/advance', ctl, { seconds: 31 * 60 });
    await expect.poll(async () => (await agent.agentSession(session)).status).toBe('stale');
    expect((await act('session_prompt', { session, body: 'And?' })).body.result.status).toBe('pending');
    const { body } = await send(server.app, 'GET', '/api/act/tracker?issue=ENG-1', as('alice'));
    expect(body.issue.sessions).toMatchObject([{ status: 'pending', unresponsive: false }]);
  });
});
