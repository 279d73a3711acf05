import { beforeAll, describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { ensureBuilt } from '../support/server-process.js';
import type { OrganizationBuilder, TrackerCaller } from '../support/tracker.js';
import { isDocumented, ToolClient } from './clients.js';

const app = useApp();

const WRITTEN = [
  'description',
  'priority',
  'state',
  'estimate',
  'dueDate',
  'assignee',
  'labels',
  'project',
  'parentId',
];

/** docs/reference/mcp.md#issue-tools: names and arguments, in the order of its table. */
const TOOLS: Record<string, { required: string[]; optional: string[] }> = {
  list_teams: { required: [], optional: ['limit', 'cursor'] },
  list_issues: {
    required: [],
    optional: ['limit', 'cursor', 'query', 'team', 'state', 'assignee', 'label', 'project', 'includeArchived'],
  },
  get_issue: { required: ['id'], optional: [] },
  create_issue: { required: ['title', 'team'], optional: WRITTEN },
  update_issue: { required: ['id'], optional: ['title', 'team', ...WRITTEN] },
  create_comment: { required: ['issueId', 'body'], optional: ['parentId'] },
  list_projects: { required: [], optional: ['limit', 'cursor', 'team'] },
};

const CALLS: Record<string, Record<string, unknown>> = {
  list_teams: {},
  list_issues: {},
  get_issue: { id: 'ENG-1' },
  create_issue: { title: 'One more', team: 'ENG' },
  update_issue: { id: 'ENG-1', title: 'Another title' },
  create_comment: { issueId: 'ENG-1', body: 'Noted' },
  list_projects: {},
};

const sorted = (names: readonly string[]): string[] => [...names].sort();

async function label(org: OrganizationBuilder, name: string, teamId?: string): Promise<string> {
  const { issueLabelCreate } = await org.data(
    'mutation ($input: IssueLabelCreateInput!) { issueLabelCreate(input: $input) { issueLabel { id } } }',
    { input: { name, teamId } },
  );
  return issueLabelCreate.issueLabel.id;
}

async function project(org: OrganizationBuilder, name: string, teamIds: string[]): Promise<string> {
  const { projectCreate } = await org.data(
    'mutation ($input: ProjectCreateInput!) { projectCreate(input: $input) { project { id } } }',
    { input: { name, teamIds } },
  );
  return projectCreate.project.id;
}

describe.each(['stdio', 'http'] as const)('the issue tools over %s', (transport) => {
  beforeAll(() => (transport === 'stdio' ? ensureBuilt() : undefined), 240_000);

  const connect = (caller: TrackerCaller): Promise<ToolClient> =>
    ToolClient.over(transport, app, 'issues', caller.apiKey);

  it('are the seven documented ones, each described and annotated', async () => {
    const { tools } = await connect(await app.organization());
    expect(tools.map(({ name }) => name)).toEqual(Object.keys(TOOLS));
    for (const tool of tools) {
      isDocumented(tool);
      const { required, optional } = TOOLS[tool.name] as (typeof TOOLS)[string];
      expect(sorted(tool.inputSchema.required ?? []), tool.name).toEqual(sorted(required));
      expect(sorted(Object.keys(tool.inputSchema.properties ?? {})), tool.name).toEqual(
        sorted([...required, ...optional]),
      );
      expect(tool.annotations?.readOnlyHint, tool.name).toBe(/^(list|get)_/.test(tool.name));
    }
  });

  it('have their documented effect by names, and answer it as text and data', async () => {
    const org = await app.organization();
    const bob = await org.member({ name: 'Bob Builder' });
    const design = await org.newTeam({ name: 'Design' });
    const bug = await label(org, 'Bug');
    const urgent = await label(org, 'Needs care', org.team.id);
    await label(org, 'Sketch', design.id);
    const launch = await project(org, 'Launch', [org.team.id]);
    const tools = await connect(org);

    const { teams } = await tools.data('list_teams', {}, [org.team.id, 'ENG', 'Engineering', design.id, 'In Progress']);
    expect(teams.map(({ key }: { key: string }) => key)).toEqual([design.key, 'ENG']);
    const { projects } = await tools.data('list_projects', { team: 'eng' }, ['Launch', launch]);
    expect(projects).toEqual([expect.objectContaining({ id: launch, name: 'Launch' })]);
    expect((await tools.data('list_projects', { team: 'Design' })).projects).toEqual([]);

    const parent = await tools.data('create_issue', { title: 'Everything', team: org.team.id });
    const { issue } = await tools.data(
      'create_issue',
      {
        title: 'The door squeaks',
        team: 'engineering',
        description: 'In the *morning*.',
        priority: 2,
        estimate: 3,
        dueDate: '2026-12-24',
        state: 'in progress',
        assignee: bob.user.email,
        labels: ['bug', 'Needs care'],
        project: 'launch',
        parentId: 'ENG-1',
      },
      ['ENG-2', 'The door squeaks', 'In Progress', 'High', 'Bug', 'Launch', 'ENG-1', 'In the *morning*.'],
    );
    expect(issue).toMatchObject({
      identifier: 'ENG-2',
      description: 'In the *morning*.',
      priority: 2,
      estimate: 3,
      dueDate: '2026-12-24',
      state: { name: 'In Progress' },
      assignee: { id: bob.user.id },
      project: { id: launch },
      parent: { id: parent.issue.id, identifier: 'ENG-1' },
      labels: {
        nodes: expect.arrayContaining([expect.objectContaining({ id: bug }), expect.objectContaining({ id: urgent })]),
      },
    });

    const { comment } = await tools.data('create_comment', { issueId: 'eng-2', body: 'Oil it.' }, ['Oil it.', 'ENG-2']);
    const reply = await tools.data('create_comment', { issueId: issue.id, body: 'Done.', parentId: comment.id });
    expect(reply.comment).toMatchObject({ parentId: comment.id, body: 'Done.', issue: { identifier: 'ENG-2' } });

    const read = await tools.data('get_issue', { id: 'ENG-2' }, ['Oil it.', 'In the *morning*.', issue.id]);
    expect(read.issue.comments.nodes.map(({ body }: { body: string }) => body)).toEqual(['Done.', 'Oil it.']);
    const whole = await tools.data('get_issue', { id: 'ENG-1' }, ['ENG-2']);
    expect(whole.issue.children.nodes).toEqual([{ id: issue.id, identifier: 'ENG-2', title: 'The door squeaks' }]);

    const updated = await tools.data(
      'update_issue',
      { id: 'ENG-2', state: 'Done', assignee: 'me', labels: ['Bug'], dueDate: null, project: null },
      ['ENG-2', 'Done', 'Bug'],
    );
    expect(updated.issue).toMatchObject({
      title: 'The door squeaks',
      description: 'In the *morning*.',
      priority: 2,
      state: { name: 'Done' },
      assignee: { id: org.owner.id },
      labels: { nodes: [{ id: bug, name: 'Bug' }] },
      dueDate: null,
      project: null,
      parent: { identifier: 'ENG-1' },
    });
    expect((await tools.data('update_issue', { id: 'ENG-2', labels: [] })).issue.labels.nodes).toEqual([]);
    const moved = await tools.data('update_issue', { id: 'ENG-2', team: 'Design', state: 'Todo', labels: ['sketch'] });
    expect(moved.issue).toMatchObject({ team: { key: design.key }, state: { name: 'Todo' } });
    expect((await tools.data('get_issue', { id: 'ENG-2' })).issue.id).toBe(issue.id);
  });

  it('list issues that meet all conditions, page by page', async () => {
    const org = await app.organization();
    const bob = await org.member({ name: 'Bob Builder' });
    const launch = await project(org, 'Launch', [org.team.id]);
    await label(org, 'Bug');
    const tools = await connect(org);
    const make = async (args: object): Promise<string> =>
      (await tools.data('create_issue', { title: 'Plain', team: 'ENG', ...args })).issue.identifier;
    const plain = await make({});
    const odd = await make({ title: 'An ODD thing', state: 'Todo' });
    const described = await make({ description: 'somewhat odd', assignee: bob.user.displayName });
    const labelled = await make({ labels: ['Bug'], project: launch });
    const listed = async (args: object): Promise<string[]> =>
      (await tools.data('list_issues', { ...args })).issues.map((issue: { identifier: string }) => issue.identifier);

    expect(await listed({})).toEqual([labelled, described, odd, plain]);
    expect(await listed({ query: 'odd' })).toEqual([described, odd]);
    expect(await listed({ state: 'todo', team: 'ENG' })).toEqual([odd]);
    expect(await listed({ state: 'Todo', query: 'somewhat' })).toEqual([]);
    expect(await listed({ assignee: `@${bob.user.displayName}` })).toEqual([described]);
    expect(await listed({ assignee: 'me' })).toEqual([]);
    expect(await listed({ label: 'bug' })).toEqual([labelled]);
    expect(await listed({ project: 'launch' })).toEqual([labelled]);

    const first = await tools.data('list_issues', { limit: 3 }, ['More: call again']);
    expect(first.pageInfo.hasNextPage).toBe(true);
    expect(await listed({ limit: 3, cursor: first.pageInfo.endCursor })).toEqual([plain]);

    await org.data('mutation { issueArchive(id: "ENG-1") { success } }');
    expect(await listed({})).toEqual([labelled, described, odd]);
    expect(await listed({ includeArchived: true })).toEqual([labelled, described, odd, plain]);
  });

  it('refuse unknown names, and answer the errors of the API', async () => {
    const org = await app.organization();
    const tools = await connect(org);
    await tools.data('create_issue', CALLS['create_issue']);
    const create = { title: 'x', team: 'ENG' };
    const refusals: [string, Record<string, unknown>, RegExp][] = [
      [
        'create_issue',
        { ...create, team: 'NOPE' },
        /^Could not find referenced Team\. \(INPUT_ERROR\) .*"NOPE".*list_teams/,
      ],
      ['create_issue', { ...create, state: 'Nowhere' }, /^Could not find referenced WorkflowState\. \(INPUT_ERROR\)/],
      ['create_issue', { ...create, assignee: 'nobody' }, /^Could not find referenced User\. \(INPUT_ERROR\)/],
      ['create_issue', { ...create, labels: ['None'] }, /^Could not find referenced IssueLabel\. \(INPUT_ERROR\)/],
      ['create_issue', { ...create, project: 'None' }, /^Could not find referenced Project\. \(INPUT_ERROR\)/],
      ['list_issues', { state: 'Nowhere' }, /^Could not find referenced WorkflowState\. \(INPUT_ERROR\)/],
      ['list_issues', { label: 'None' }, /^Could not find referenced IssueLabel\. \(INPUT_ERROR\)/],
      ['list_projects', { team: 'NOPE' }, /^Could not find referenced Team\. \(INPUT_ERROR\)/],
      ['get_issue', { id: 'ENG-99' }, /^Could not find referenced Issue\. \(INPUT_ERROR\)/],
      ['update_issue', { id: 'ENG-99', state: 'Todo' }, /^Could not find referenced Issue\. \(INPUT_ERROR\)/],
      ['create_comment', { issueId: 'ENG-99', body: 'x' }, /\(INPUT_ERROR\)/],
      ['create_comment', { issueId: 'ENG-1', body: ' ' }, /\(INVALID_INPUT\)/],
      ['list_issues', { cursor: 'nonsense' }, /^after is not a valid cursor\. \(INVALID_INPUT\)/],
      ['create_issue', { ...create, priority: 5 }, /priority/],
      ['list_issues', { limit: 251 }, /limit/],
      ['list_issues', { status: 'Todo' }, /status/],
    ];
    for (const [name, args, expected] of refusals) {
      expect(await tools.refusal(name, args), `${name} ${JSON.stringify(args)}`).toMatch(expected);
    }
  });

  it('see nothing of another organization', async () => {
    const [org, other] = await Promise.all([app.organization(), app.organization()]);
    const { issue } = await (await connect(org)).data('create_issue', { title: 'Secret', team: 'ENG' });
    const tools = await connect(other);
    expect((await tools.data('list_teams')).teams).toEqual([expect.objectContaining({ id: other.team.id })]);
    expect((await tools.data('list_issues')).issues).toEqual([]);
    expect((await tools.data('list_issues', { team: org.team.id })).issues).toEqual([]);
    expect((await tools.data('list_projects')).projects).toEqual([]);
    expect(await tools.refusal('get_issue', { id: issue.id })).toMatch(/INPUT_ERROR/);
    expect(await tools.refusal('create_issue', { title: 'x', team: org.team.id })).toMatch(/INPUT_ERROR/);
    expect(await tools.refusal('update_issue', { id: issue.id, title: 'x' })).toMatch(/INPUT_ERROR/);
    expect(await tools.refusal('create_comment', { issueId: issue.id, body: 'x' })).toMatch(/INPUT_ERROR/);
  });

  it('cannot do what the API key may not do', async () => {
    const org = await app.organization();
    const bob = await org.member();
    const hidden = await org.newTeam({ private: true });
    const tools = await connect(bob);
    expect((await tools.data('list_teams')).teams).toEqual([expect.objectContaining({ id: org.team.id })]);
    expect(await tools.refusal('create_issue', { title: 'x', team: hidden.key })).toMatch(
      /referenced Team.*INPUT_ERROR/,
    );
  });

  it('refuse a revoked key in every call', async () => {
    const org = await app.organization();
    const other = await org.newApiKey();
    const tools = await connect(other);
    await tools.data('create_issue', CALLS['create_issue']);
    await other.endApiKeys();
    for (const [name, args] of Object.entries(CALLS)) {
      expect(await tools.refusal(name, args), name).toMatch(
        /^You need to authenticate to access this operation\. \(AUTHENTICATION_ERROR\) .*SVC_API_KEY/,
      );
    }
  });
});
