import { type LinearClient, Request } from '@linear/sdk';
import { describe, expect, it } from 'vitest';
import { agentOf, type Agent } from '../support/agents.js';
import { useApp } from '../support/app.js';
import { closeReceivers } from '../support/receiver.js';

/** Getters that reject (docs/reference/tracker.md#clients): connections of entities that do not exist here. */
const REFUSED: Record<string, string[]> = {
  Issue: ['stateHistory'],
  Team: ['gitAutomationStates', 'loops'],
  Organization: ['loops'],
  User: ['drafts'],
};

/** Getters that are undefined without a request (docs/reference/tracker.md#clients). */
const UNDEFINED: Record<string, string[]> = {
  Issue: ['asksExternalUserRequester', 'externalUserCreator', 'recurringIssueTemplate'],
  Comment: ['externalUser'],
  Project: ['integrationsSettings'],
  Team: ['integrationsSettings', 'triageResponsibility'],
  Organization: ['slackProjectChannelIntegration'],
};

/**
 * References that are always null though their type exists (docs/reference/tracker.md#entities), and therefore
 * undefined too.
 */
const ALWAYS_NULL: Record<string, string[]> = {
  Issue: ['asksRequester'],
  IssueLabel: ['inheritedFrom'],
  WorkflowState: ['inheritedFrom'],
  Cycle: ['inheritedFrom'],
  Team: [
    'draftWorkflowState',
    'markedAsDuplicateWorkflowState',
    'mergeWorkflowState',
    'mergeableWorkflowState',
    'parent',
    'reviewWorkflowState',
    'startWorkflowState',
    'triageIssueState',
  ],
};

/** Methods of the models that change something, listed by name to exclude them; other specs cover them. */
const VERBS = new Set(['archive', 'create', 'delete', 'rotateSecret', 'suspend', 'unarchive', 'unsuspend', 'update']);

const DAY_MS = 86_400_000;

describe('a walk over the models of the official client', () => {
  const app = useApp();
  closeReceivers();

  it('resolves every getter and connection, except for exactly those of docs/reference/tracker.md#clients', async () => {
    const org = await app.organization();
    const bob = await org.member();
    const agent = await agentOf(org);
    const models = await everyModel(org.client(), org.team.id, bob.user.id, agent);
    expect(Object.keys(models)).toHaveLength(12);
    const refused: Record<string, string[]> = {};
    const empty: Record<string, string[]> = {};
    const walk = async ([name, model]: [string, Request]) => {
      const of = model as unknown as Record<string, unknown>;
      const { getters, methods } = membersOf(model);
      const read = async (getter: string) => {
        const value = await of[getter];
        if (value === undefined) (empty[name] ??= []).push(getter);
        else if (typeof value === 'object') expect(value, `${name}.${getter}`).toBeInstanceOf(Request);
      };
      const list = async (method: string) => {
        // the client does not pass on the id of the comment (docs/reference/tracker.md#clients, trap 19)
        const variables = name === 'Comment' ? { id: of['id'] } : undefined;
        const call = of[method] as (variables?: object) => Promise<unknown>;
        const outcome = await call.call(model, variables).catch((error: unknown) => error);
        if (!(outcome instanceof Error)) return;
        expect(outcome.constructor.name, `${name}.${method}: ${outcome.message}`).toBe('GraphqlLinearError');
        (refused[name] ??= []).push(method);
      };
      await Promise.all([...getters.map(read), ...methods.map(list)]);
    };
    await Promise.all(Object.entries(models).map(walk));
    expect(sorted(refused)).toEqual(sorted(REFUSED));
    expect(sorted(empty)).toEqual(sorted(merged(UNDEFINED, ALWAYS_NULL)));
    expect([REFUSED, UNDEFINED].map((lists) => Object.values(lists).flat().length)).toEqual([5, 8]);
  }, 60_000);

  it('pages forward, backward and to the end', async () => {
    const org = await app.organization();
    const client = org.client();
    const titles = Array.from({ length: 120 }, (_, n) => `Issue ${n}`);
    for (let from = 0; from < titles.length; from += 40) {
      const issues = titles.slice(from, from + 40).map((title) => ({ teamId: org.team.id, title }));
      await client.createIssueBatch({ issues });
    }
    const first = await client.issues({ first: 50 });
    expect(first.nodes).toHaveLength(50);
    expect(first.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
    await first.fetchNext();
    await first.fetchNext();
    expect(first.nodes).toHaveLength(120);
    expect(new Set(first.nodes.map(({ id }) => id)).size).toBe(120);
    expect(first.pageInfo.hasNextPage).toBe(false);
    expect(first.nodes.map(({ createdAt }) => createdAt.getTime())).toEqual(
      first.nodes.map(({ createdAt }) => createdAt.getTime()).toSorted((a, b) => b - a),
    );

    const last = await client.issues({ last: 10 });
    expect(last.nodes.map(({ id }) => id)).toEqual(first.nodes.slice(-10).map(({ id }) => id));
    await last.fetchPrevious();
    expect(last.nodes.map(({ id }) => id)).toEqual(first.nodes.slice(-20).map(({ id }) => id));
    for (let calls = 0; last.pageInfo.hasPreviousPage && calls < 12; calls++) await last.fetchPrevious();
    expect(last.nodes.map(({ id }) => id)).toEqual(first.nodes.map(({ id }) => id));

    // the `first` of the first call is kept beside the `last` that the client adds
    const whole = await client.issues({ first: 20 });
    await whole.fetchNext();
    await whole.fetchPrevious();
    expect(whole.nodes.map(({ id }) => id)).toEqual(first.nodes.slice(0, 40).map(({ id }) => id));

    const all = await client.paginate((variables) => client.issues(variables), { first: 25 });
    expect(all.map(({ id }) => id)).toEqual(first.nodes.map(({ id }) => id));

    const team = await client.team('ENG');
    const ofTeam = await team.issues({ first: 100 });
    await ofTeam.fetchNext();
    expect(ofTeam.nodes.map(({ id }) => id)).toEqual(first.nodes.map(({ id }) => id));
  });
});

/** One model of each kind, with as many references as possible. */
async function everyModel(
  client: LinearClient,
  teamId: string,
  bobId: string,
  agent: Agent,
): Promise<Record<string, Request>> {
  const group = (await (await client.createIssueLabel({ name: 'Area', isGroup: true, teamId })).issueLabel)!;
  const label = (await (await client.createIssueLabel({ name: 'API', parentId: group.id, teamId })).issueLabel)!;
  const template = async (type: string): Promise<string> =>
    (await client.createTemplate({ name: type, type, templateData: {} as never })).templateId!;
  const [ofIssues, ofProjects] = [await template('issue'), await template('project')];
  await client.updateTeam(teamId, {
    defaultTemplateForMembersId: ofIssues,
    defaultTemplateForNonMembersId: ofIssues,
    defaultProjectTemplateId: ofProjects,
  });
  const now = Date.now();
  const times = { startsAt: new Date(now - DAY_MS), endsAt: new Date(now + DAY_MS) };
  const cycle = (await (await client.createCycle({ teamId, ...times })).cycle)!;
  const origin = (await (await client.createIssue({ teamId, title: 'Origin' })).issue)!;
  const { projectId } = await client.createProject({
    name: 'P',
    teamIds: [teamId],
    leadId: bobId,
    convertedFromIssueId: origin.id,
    templateId: ofProjects,
  });
  const { projectMilestoneId } = await client.createProjectMilestone({ projectId: projectId!, name: 'Alpha' });
  const { projectUpdateId } = await client.createProjectUpdate({ projectId: projectId!, body: 'Begun' });
  await client.createFavorite({ projectId: projectId! });
  const project = await client.project(projectId!);
  const { initiativeId } = await client.createInitiative({ name: 'Grow' });
  const { initiativeUpdateId } = await client.createInitiativeUpdate({ initiativeId: initiativeId!, body: 'Begun' });
  const thread = (await (await client.createComment({ issueId: origin.id, body: 'Why?' })).comment)!;
  const reply = (await (await client.createComment({ issueId: origin.id, body: 'So.', parentId: thread.id })).comment)!;
  await client.commentResolve(thread.id, { resolvingCommentId: reply.id });
  const made = (await (
    await client.createIssue({
      teamId,
      title: 'Everything',
      parentId: origin.id,
      projectId: project.id,
      projectMilestoneId: projectMilestoneId!,
      templateId: ofIssues,
      cycleId: cycle.id,
      assigneeId: bobId,
      delegateId: agent.userId,
      labelIds: [label.id],
      sourceCommentId: reply.id,
    })
  ).issue)!;
  await client.createFavorite({ issueId: made.id });
  const issue = (await (await client.updateIssue(made.id, { snoozedUntilAt: new Date(now + DAY_MS) })).issue)!;
  const on = async (owner: object): Promise<Request> =>
    (await (
      await client.createComment({ ...owner, body: 'Go' })
    ).comment)!;
  const onOthers = await Promise.all(
    [{ projectId: project.id }, { projectUpdateId }, { initiativeId }, { initiativeUpdateId }].map(on),
  );
  const [session] = (await client.agentSessions({ first: 1 })).nodes;
  const anchor = (await session?.comment)!;
  await client.issueLabelRetire(label.id);
  const webhook = (await (
    await client.createWebhook({ url: 'http://127.0.0.1:9/', resourceTypes: ['Issue'], teamId })
  ).webhook)!;
  const team = await client.team(teamId);
  const models: Record<string, Request> = {
    Issue: issue,
    Comment: await whole([
      await client.comment({ id: reply.id }),
      await client.comment({ id: thread.id }),
      ...onOthers,
      anchor,
    ]),
    Project: project,
    Team: team,
    IssueLabel: await client.issueLabel(label.id),
    WorkflowState: (await issue.state)!,
    Cycle: cycle,
    Organization: await client.organization,
    User: await client.viewer,
    Webhook: webhook,
    ProjectStatus: (await project.status)!,
    TeamMembership: (await team.viewerMembership)!,
  };
  return models;
}

/**
 * No comment can have every reference (a reply is not resolved, a comment belongs to one thing), so for
 * each getter this uses the first comment that has a value.
 */
async function whole(comments: Request[]): Promise<Request> {
  const [first, ...others] = comments as [Request, ...Request[]];
  for (const getter of membersOf(first).getters) {
    const holder = [first, ...others].find(
      (comment) => (comment as unknown as Record<string, unknown>)[getter] !== undefined,
    );
    if (!holder || holder === first) continue;
    Object.defineProperty(first, getter, { get: () => (holder as unknown as Record<string, unknown>)[getter] });
  }
  return first;
}

/** The lazy getters of a model, and its methods that read. */
function membersOf(model: Request): { getters: string[]; methods: string[] } {
  const descriptors = Object.entries(Object.getOwnPropertyDescriptors(Object.getPrototypeOf(model) as object));
  return {
    // `…Id` getters return data that the model already holds
    getters: descriptors.filter(([name, { get }]) => get && !name.endsWith('Id')).map(([name]) => name),
    methods: descriptors
      .filter(([name, { value }]) => typeof value === 'function' && name !== 'constructor' && !VERBS.has(name))
      .map(([name]) => name),
  };
}

const sorted = (lists: Record<string, string[]>) =>
  Object.fromEntries(Object.entries(lists).map(([name, members]) => [name, members.toSorted()]));

function merged(a: Record<string, string[]>, b: Record<string, string[]>): Record<string, string[]> {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return Object.fromEntries([...names].map((name) => [name, [...(a[name] ?? []), ...(b[name] ?? [])]]));
}
