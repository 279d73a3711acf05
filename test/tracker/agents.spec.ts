import { LinearClient } from '@linear/sdk';
import { LinearWebhookClient } from '@linear/sdk/webhooks';
import { describe, expect, it } from 'vitest';
import { clientOf } from '../support/agents.js';
import { eventually, receiver, type Received } from '../support/receiver.js';
import { bearer, makeSandbox, send } from '../support/sandbox-routes.js';
import { useDeliveringApp } from '../support/tracker-hooks.js';

const server = useDeliveringApp();

/**
 * When the clocks stand still: later than all that real time brings while the specs run, however slowly. Tokens live by
 * these clocks, for a day.
 */
const START = new Date(Math.ceil(Date.now() / 60_000 + 60) * 60_000);
const after = (seconds: number): Date => new Date(START.getTime() + seconds * 1_000);

/** A sandbox whose clock stands still, with an agent and its webhook. */
async function sandboxWithAgent(more: { app?: object; team?: object; tracker?: object } = {}) {
  const end = await receiver();
  const made = await makeSandbox(server.app, {
    users: ['alice'],
    tracker: {
      ...more.tracker,
      teams: [{ key: 'ENG', name: 'Engineering', labels: [{ name: 'Bug' }], ...more.team }],
      apps: [
        {
          name: 'helper',
          redirect_uris: ['https://app.example/'],
          webhook_url: end.url,
          webhook_resource_types: ['AgentSessionEvent', 'Comment'],
          installed: { actor: 'app', scopes: ['write', 'app:assignable', 'app:mentionable'] },
          ...more.app,
        },
      ],
    },
  });
  const control = (method: string, path: string, body?: unknown) =>
    send(server.app, method, `/api/sandboxes/self${path}`, made.ctl, body);
  expect((await control('PUT', '/clock', { now: START.toISOString(), frozen: true })).status).toBe(200);
  const { helper } = made.body.credentials.tracker_apps;
  const person = new LinearClient({
    apiKey: made.body.credentials.api_key,
    apiUrl: `${server.app.baseUrl}/graphql`,
  });
  const team = (await person.teams({ filter: { key: { eq: 'ENG' } } })).nodes[0]!;
  const verified = new LinearWebhookClient(helper.webhook_secret);
  const parsed = ({ body, headers }: Received) => {
    const { webhookTimestamp } = JSON.parse(body);
    return verified.parseData(Buffer.from(body), String(headers['linear-signature']), webhookTimestamp);
  };
  // oxlint-disable-next-line typescript/no-explicit-any -- specs read fields of bodies freely
  const heard = (): any[] => end.received.map(parsed).filter(({ type }) => type === 'AgentSessionEvent');
  return {
    end,
    control,
    person,
    act: (verb: string, fields: object) =>
      send(server.app, 'POST', `/api/act/${verb}`, bearer(made.body.credentials.user_token), fields),
    team,
    agent: clientOf(server.app, helper.access_token),
    agentId: helper.app_user_id as string,
    /** Waits for this many `AgentSessionEvent`s, which the official webhook client has verified. */
    until: async (count: number) => {
      await eventually(() => heard().length >= count, `${count} events of sessions`);
      return heard();
    },
    events: async (): Promise<{ event: string; at: string }[]> => {
      const { entries } = (await control('GET', '/timeline?kind=event&limit=1000')).body;
      return entries.map(({ event, at }: { event: string; at: string }) => ({ event, at }));
    },
  };
}

const issueOf = async (client: LinearClient, input: Parameters<LinearClient['createIssue']>[0]) =>
  (await (
    await client.createIssue(input)
  ).issue)!;
const commentOf = async (client: LinearClient, input: Parameters<LinearClient['createComment']>[0]) =>
  (await (
    await client.createComment(input)
  ).comment)!;

/** docs/reference/tracker-agents.md */
describe('an agent', () => {
  it('that answers a mention within ten seconds works, and is stale after thirty minutes of silence', async () => {
    const box = await sandboxWithAgent();
    const issue = await issueOf(box.person, { teamId: box.team.id, title: 'Fix <login>', description: 'It fails.' });
    const comment = await commentOf(box.person, { issueId: issue.id, body: '@helper please fix' });
    const [created] = await box.until(1);
    expect(created).toMatchObject({
      action: 'created',
      appUserId: box.agentId,
      agentSession: {
        status: 'pending',
        type: 'commentThread',
        creatorId: (await box.person.viewer).id,
        comment: { id: comment.id, body: '@helper please fix' },
        issue: { identifier: issue.identifier, description: 'It fails.', team: { key: 'ENG' } },
      },
    });
    expect(created.guidance).toBeUndefined();
    expect(created.previousComments).toBeUndefined();
    const author = (await box.person.viewer).name;
    expect(created.promptContext).toBe(
      `<issue identifier="${issue.identifier}">\n<title>Fix &lt;login&gt;</title>\n<description>It fails.</description>\n` +
        `<team name="Engineering"/>\n</issue>\n\n<primary-directive-thread comment-id="${comment.id}">\n` +
        `<comment author="${author}" created-at="${START.toISOString().slice(0, 19).replace('T', ' ')}">@helper please fix</comment>\n</primary-directive-thread>`,
    );
    const agentSessionId: string = created.agentSession.id;
    await box.control('POST', '/clock/advance', { seconds: 9 });
    const session = async () => box.agent.agentSession(agentSessionId);
    await box.agent.createAgentActivity({
      agentSessionId,
      content: { type: 'thought', body: 'Looking' },
      ephemeral: true,
    });
    expect(await session()).toMatchObject({ status: 'active', startedAt: after(9) });
    await box.control('POST', '/clock/advance', { by: '29m' });
    expect((await session()).status).toBe('active');
    await box.control('POST', '/clock/advance', { by: '2m' });
    expect((await session()).status).toBe('stale');
    const events = await box.events();
    expect(events.map(({ event }) => event)).not.toContain('agentSession.unresponsive');
    expect(events.filter(({ event }) => event === 'agentSession.updated').at(-1)?.at).toBe(after(1_809).toISOString());
    await box.agent.createAgentActivity({ agentSessionId, content: { type: 'response', body: 'Done.' } });
    expect(await session()).toMatchObject({ status: 'complete', endedAt: after(1_869) });
    const { nodes } = await (await session()).activities();
    expect(nodes.map(({ content }) => content)).toEqual([
      expect.objectContaining({ __typename: 'AgentActivityResponseContent', body: 'Done.' }),
    ]);
    const reply = (await nodes[0]!.sourceComment)!;
    expect(reply).toMatchObject({ body: 'Done.', parentId: comment.id, userId: box.agentId });
    expect((await reply.agentSession)?.id).toBe(agentSessionId);
  });

  it('is told the rules of its organization and of the team, each with whose it is', async () => {
    const { person, team, agentId, until, control, end } = await sandboxWithAgent({
      team: { guidance: 'Write tests.' },
      tracker: { guidance: 'Be <brief>.' },
    });
    await issueOf(person, { teamId: team.id, title: 'Fix login', delegateId: agentId });
    const [created] = await until(1);
    const { id, key, name } = team;
    expect(created.guidance).toEqual([
      { body: 'Be <brief>.', origin: { type: 'workspace' } },
      { body: 'Write tests.', origin: { type: 'team', team: { id, key, name, displayName: name } } },
    ]);
    expect(created.promptContext).toContain(
      [
        '<guidance>',
        '<guidance-rule origin="workspace">Be &lt;brief&gt;.</guidance-rule>',
        '<guidance-rule origin="team" team-name="Engineering">Write tests.</guidance-rule>',
        '</guidance>',
      ].join('\n'),
    );
    // the timeline says whose webhook it was
    const deliveries = async () => (await control('GET', '/timeline?kind=delivery&limit=1000')).body.entries;
    await expect.poll(deliveries).toContainEqual(
      expect.objectContaining({
        event: 'AgentSessionEvent.created',
        target: { id: created.webhookId, kind: 'tracker_webhook', url: end.url, app: 'helper' },
      }),
    );
  });

  it('that is silent is unresponsive after ten seconds and stale after thirty minutes, each once', async () => {
    const box = await sandboxWithAgent();
    const issue = await issueOf(box.person, { teamId: box.team.id, title: 'x', delegateId: box.agentId });
    const [created] = await box.until(1);
    await box.control('POST', '/clock/advance', { by: '31m' });
    const events = await box.events();
    const at = (name: string) => events.filter(({ event }) => event === name).map((entry) => entry.at);
    expect(at('agentSession.unresponsive')).toEqual([after(10).toISOString()]);
    expect(at('agentSession.updated')).toEqual([after(1_800).toISOString()]);
    expect((await box.person.agentSession(created.agentSession.id)).status).toBe('stale');
    // of the delegation, nobody's words
    const [thread] = (await issue.comments()).nodes;
    expect(thread).toMatchObject({ body: 'This thread is for an agent session with helper.', userId: undefined });
    expect(created.promptContext).not.toContain('thread');
  });

  it('asks, is prompted by replies of people alone', async () => {
    const box = await sandboxWithAgent();
    const issue = await issueOf(box.person, { teamId: box.team.id, title: 'x' });
    const first = await commentOf(box.person, { issueId: issue.id, body: 'Why does it fail?' });
    const mention = await commentOf(box.person, { issueId: issue.id, parentId: first.id, body: 'ask @Helper' });
    const [created] = await box.until(1);
    expect(created.previousComments).toEqual([
      { id: first.id, body: 'Why does it fail?', issueId: issue.id, userId: first.userId },
    ]);
    expect(created.agentSession).toMatchObject({ commentId: first.id, sourceCommentId: mention.id });
    const agentSessionId: string = created.agentSession.id;
    const status = async () => (await box.person.agentSession(agentSessionId)).status;
    const say = (content: Record<string, unknown>, more: object = {}) =>
      box.agent.createAgentActivity({ agentSessionId, content, ...more });
    const signalMetadata = { options: [{ value: 'main' }, { label: 'Old', value: 'v1' }] };
    await say({ type: 'elicitation', body: 'Which branch?' }, { signal: 'select', signalMetadata });
    expect(await status()).toBe('awaitingInput');
    const answer = await commentOf(box.person, { issueId: issue.id, parentId: first.id, body: 'main' });
    const [, prompted] = await box.until(2);
    expect(prompted).toMatchObject({
      action: 'prompted',
      agentActivity: { content: { type: 'prompt', body: 'main' }, sourceCommentId: answer.id, userId: answer.userId },
    });
    expect(prompted.promptContext).toBeUndefined();
    expect(await status()).toBe('pending');
    await say({ type: 'action', action: 'search', parameter: 'login' });
    await commentOf(box.agent, { issueId: issue.id, parentId: first.id, body: 'by myself' });
    await commentOf(box.person, { issueId: issue.id, body: 'another thread, `@helper` in code' });
    await say({ type: 'error', body: 'No.', reasonCode: 'none' });
    expect(await status()).toBe('error');
    await commentOf(box.person, { issueId: issue.id, parentId: first.id, body: 'again' });
    expect((await box.until(3)).map(({ action }) => action)).toEqual(['created', 'prompted', 'prompted']);
    expect(await status()).toBe('pending');
    const { nodes } = await (await box.person.agentSession(agentSessionId)).activities();
    expect(nodes.toReversed().map(({ content }) => content.__typename)).toEqual([
      'AgentActivityElicitationContent',
      'AgentActivityPromptContent',
      'AgentActivityActionContent',
      'AgentActivityErrorContent',
      'AgentActivityPromptContent',
    ]);
    expect(nodes.at(-1)!.signalMetadata).toEqual(signalMetadata);
  });

  it('is stopped, and told a choice, for people by session_stop, session_select and session_prompt', async () => {
    const box = await sandboxWithAgent();
    const issue = await issueOf(box.person, { teamId: box.team.id, title: 'x', delegateId: box.agentId });
    const [{ agentSession }] = await box.until(1);
    const session: string = agentSession.id;
    const act = (verb: string, fields: object = {}) => box.act(verb, { as: 'alice', session, ...fields });
    const say = (content: Record<string, unknown>, more: object = {}) =>
      box.agent.createAgentActivity({ agentSessionId: session, content, ...more });
    await say({ type: 'thought', body: 'Hm' });
    const stopped = await act('session_stop');
    expect(stopped).toMatchObject({ status: 200, body: { result: { session_id: session, status: 'stopping' } } });
    expect((await box.until(2))[1].agentActivity).toMatchObject({ signal: 'stop', content: { type: 'prompt' } });
    await say({ type: 'thought', body: 'Stopping' });
    expect((await box.person.agentSession(session)).status).toBe('stopping');
    const signalMetadata = { options: [{ value: 'main' }] };
    await say({ type: 'elicitation', body: 'Which?' }, { signal: 'select', signalMetadata });
    expect(await act('session_select', { value: 'other' })).toMatchObject({
      status: 400,
      body: { message: 'invalid_option' },
    });
    expect((await act('session_select', { value: 'main' })).body.result.status).toBe('pending');
    expect((await act('session_prompt', { body: 'and quickly' })).body.result.status).toBe('pending');
    const bodies = (await box.until(4)).slice(2).map(({ agentActivity }) => agentActivity.content.body);
    expect(bodies).toEqual(['main', 'and quickly']);
    const replies = (await issue.comments()).nodes.map(({ body }) => body);
    expect(replies).toEqual(expect.arrayContaining(['Which?', 'main', 'and quickly']));
    expect(await act('session_stop', { session: crypto.randomUUID() })).toMatchObject({
      status: 404,
      body: { message: 'session_not_found' },
    });
    await box.person.updateIssue(issue.id, { delegateId: null });
    expect(await act('session_stop')).toMatchObject({ status: 409, body: { message: 'session_dismissed' } });
  });

  it('has one open session of a delegation, which ends with it', async () => {
    const box = await sandboxWithAgent();
    const issue = await issueOf(box.person, { teamId: box.team.id, title: 'x', delegateId: box.agentId });
    const [{ agentSession }] = await box.until(1);
    await box.person.updateIssue(issue.id, { delegateId: null });
    const dismissed = await box.person.agentSession(agentSession.id);
    expect(dismissed).toMatchObject({ status: 'pending', dismissedAt: START });
    expect((await dismissed.dismissedBy)?.id).toBe((await box.person.viewer).id);
    await expect(
      box.agent.createAgentActivity({ agentSessionId: agentSession.id, content: { type: 'thought', body: 'late' } }),
    ).rejects.toThrow('agent session is dismissed');
    await box.person.updateIssue(issue.id, { delegateId: box.agentId });
    expect((await box.until(2))[1]).toMatchObject({ action: 'created' });
    expect((await box.person.issue(issue.id)).delegateId).toBe(box.agentId);
    expect(await sessionIdsOf(box.person, issue.id)).toHaveLength(2);
  });

  it('begins sessions by itself, with urls and a plan that it changes', async () => {
    const box = await sandboxWithAgent();
    const issue = await issueOf(box.person, { teamId: box.team.id, title: 'x' });
    const made = await box.agent.agentSessionCreateOnIssue({ issueId: issue.identifier, externalUrls: [] });
    const { id } = (await made.agentSession)!;
    const update = (input: Parameters<LinearClient['updateAgentSession']>[1]) =>
      box.agent.updateAgentSession(id, input);
    const [a, b] = ['a', 'b'].map((label) => ({ label, url: `https://x.example/${label}` })) as [Url, Url];
    await update({ addedExternalUrls: [a, b], plan: [{ content: 'Read', status: 'inProgress' }] as never });
    await update({ removedExternalUrls: [a.url], summary: 'Reading' });
    const session = await box.person.agentSession(id);
    expect(session).toMatchObject({
      status: 'pending',
      summary: 'Reading',
      externalUrls: [b],
      externalLinks: [expect.objectContaining(b)],
      plan: [{ content: 'Read', status: 'inProgress' }],
      url: expect.stringMatching(new RegExp(`#agent-session-${id.slice(0, 8)}$`)),
    });
    expect(await session.creator).toBeUndefined();
    await expect(update({ plan: [{ content: 1 }] as never })).rejects.toThrow('plan');
    await expect(update({ summary: 'two\nlines' })).rejects.toThrow('summary');
    await box.control('POST', '/clock/advance', { by: '1m' });
    expect((await box.events()).map(({ event }) => event)).not.toContain('agentSession.unresponsive');
    const onComment = await box.agent.agentSessionCreateOnComment({
      commentId: (await commentOf(box.person, { issueId: issue.id, body: 'Hm' })).id,
    });
    expect((await onComment.agentSession)?.status).toBe('pending');
    expect(box.end.received.filter(({ body }) => JSON.parse(body).type === 'AgentSessionEvent')).toEqual([]);
  });

  it('is refused what does not fit, and others may not speak for it', async () => {
    const box = await sandboxWithAgent();
    const issue = await issueOf(box.person, { teamId: box.team.id, title: 'x', delegateId: box.agentId });
    const [{ agentSession }] = await box.until(1);
    const agentSessionId: string = agentSession.id;
    const say = (content: Record<string, unknown>, more: object = {}, by = box.agent) =>
      by.createAgentActivity({ agentSessionId, content, ...more });
    await expect(say({ type: 'thought', body: ' ' })).rejects.toThrow('content.body should not be empty.');
    await expect(say({ type: 'thought', body: 'x', action: 'y' })).rejects.toThrow('content.action');
    await expect(say({ type: 'prompt', body: 'x' })).rejects.toThrow('content.type');
    await expect(say({ type: 'response', body: 'x' }, { ephemeral: true })).rejects.toThrow('ephemeral');
    await expect(say({ type: 'thought', body: 'x' }, { signal: 'stop' })).rejects.toThrow('signal');
    await expect(say({ type: 'elicitation', body: 'x' }, { signal: 'auth' })).rejects.toThrow('signalMetadata');
    await expect(say({ type: 'thought', body: 'x' }, {}, box.person)).rejects.toThrow('its own application');
    await expect(box.person.agentSessionCreateOnIssue({ issueId: issue.id })).rejects.toThrow('Only applications');
    expect((await (await box.agent.agentSession(agentSessionId)).activities()).nodes).toEqual([]);
  });

  it('has no sessions where its webhook does not ask for them', async () => {
    const box = await sandboxWithAgent({ app: { webhook_resource_types: ['Comment'] } });
    const issue = await issueOf(box.person, { teamId: box.team.id, title: 'x', delegateId: box.agentId });
    expect((await box.person.user(box.agentId)).supportsAgentSessions).toBe(false);
    expect(issue.delegateId).toBe(box.agentId);
    expect(await sessionIdsOf(box.person, issue.id)).toEqual([]);
    await expect(box.agent.agentSessionCreateOnIssue({ issueId: issue.id })).rejects.toThrow(
      'Agent sessions are not enabled for this application.',
    );
  });

  it('finds the repositories that an issue is about', async () => {
    const box = await sandboxWithAgent({ team: { name: 'Gateway' } });
    const issue = await issueOf(box.person, {
      teamId: box.team.id,
      title: 'Login of webapp',
      description: 'It fails.',
    });
    await box.person.createAttachment({ issueId: issue.id, url: 'https://github.com/acme/linked/pull/1', title: 'PR' });
    const names = ['acme/other', 'acme/api-gateway', 'acme/webapp', 'acme/linked'];
    const candidates = names.map((repositoryFullName) => ({ hostname: 'github.com', repositoryFullName }));
    const { suggestions } = await box.agent.issueRepositorySuggestions(candidates, issue.id);
    expect(suggestions.map(({ repositoryFullName, confidence }) => [repositoryFullName, confidence])).toEqual([
      ['acme/linked', 0.9],
      ['acme/webapp', 0.7],
      ['acme/api-gateway', 0.4],
      ['acme/other', 0.1],
    ]);
  });
});

interface Url {
  label: string;
  url: string;
}

async function sessionIdsOf(client: LinearClient, issueId: string): Promise<string[]> {
  const query = 'query ($id: String!) { issue(id: $id) { agentSessions { nodes { id } } } }';
  const { data } = await client.client.rawRequest<
    { issue: { agentSessions: { nodes: { id: string }[] } } },
    { id: string }
  >(query, { id: issueId });
  return data!.issue.agentSessions.nodes.map(({ id }) => id);
}
