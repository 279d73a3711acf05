import { z } from 'zod';
import { ADDS, READS, REPLACES, toolFor, type ToolSet } from '../../kernel/mcp/tool-set.js';
import {
  COMMENT,
  Comment,
  commentText,
  ISSUE,
  Issue,
  issueLine,
  issueText,
  lines,
  moreLine,
  PAGE_INFO,
  PageInfo,
  PROJECT,
  Project,
  Team,
  TEAM,
  WHOLE_ISSUE,
  WholeIssue,
} from './issue-shapes.js';
import { idsOf, named, requireNames } from './names.js';
import { TrackerApi, type Variables } from './tracker-api.js';

const tool = toolFor<TrackerApi>();

const limit = z.int().min(1).max(250).optional().describe('how many at most; 50 by default, 250 at most');
const cursor = z
  .string()
  .min(1)
  .optional()
  .describe('`pageInfo.endCursor` of the previous answer, for the page after it');
const some = (what: string): z.ZodString => z.string().min(1).describe(what);
const page = (args: { limit?: number | undefined; cursor?: string | undefined }): Variables => ({
  first: args.limit ?? 50,
  after: args.cursor,
});

const TEAM_NAME = 'the team: key (ENG), name or id';
const STATE_NAME = 'workflow state, by name as list_teams shows it (Todo, In Progress, Done), or id';
const ASSIGNEE = "person: e-mail, display name, id, or me for the key's owner";
const PROJECT_NAME = 'project: name or id';

const listTeams = tool({
  name: 'list_teams',
  title: 'List teams',
  description:
    'Lists the teams that can be seen, newest first, each with its key and the workflow states of its issues.',
  input: z.strictObject({ limit, cursor }),
  output: z.object({ teams: z.array(Team), pageInfo: PageInfo }),
  annotations: READS,
  call: async (api, args) => {
    const { teams } = await api.run<{ teams: Connection }>(
      `query ($first: Int, $after: String) { teams(first: $first, after: $after) { nodes { ${TEAM} } ${PAGE_INFO} } }`,
      page(args),
    );
    return { teams: teams.nodes, pageInfo: teams.pageInfo };
  },
  text: ({ teams, pageInfo }) =>
    lines(
      teams.length === 0 && 'No teams.',
      ...teams.map(
        ({ key, name, id, states }) => `${key} ${name} ${id}: ${states.nodes.map((s) => s.name).join(', ')}`,
      ),
      moreLine(pageInfo),
    ),
});

interface Connection {
  nodes: unknown[];
  pageInfo: unknown;
}

const listIssues = tool({
  name: 'list_issues',
  title: 'List issues',
  description:
    'Lists issues, newest first, that meet all the given conditions; without any, all that can be seen. Descriptions and comments are left out: get_issue has them.',
  input: z.strictObject({
    limit,
    cursor,
    query: some('text that the title or the description contains, ignoring case').optional(),
    team: some(TEAM_NAME).optional(),
    state: some(STATE_NAME).optional(),
    assignee: some(ASSIGNEE).optional(),
    label: some('label, by name or id').optional(),
    project: some(PROJECT_NAME).optional(),
    includeArchived: z.boolean().optional().describe('true: archived and trashed issues too; false by default'),
  }),
  output: z.object({ issues: z.array(Issue), pageInfo: PageInfo }),
  annotations: READS,
  call: async (api, args) => {
    const { team, assignee, project } = await idsOf(api, {
      team: args.team,
      assignee: args.assignee,
      project: args.project,
    });
    await requireNames(api, args, team);
    const filter: Variables = {
      ...(args.query === undefined
        ? {}
        : {
            or: [{ title: { containsIgnoreCase: args.query } }, { description: { containsIgnoreCase: args.query } }],
          }),
      ...(team === undefined ? {} : { team: { id: { eq: team } } }),
      ...(args.state === undefined ? {} : { state: named(args.state) }),
      ...(assignee === undefined ? {} : { assignee: { id: { eq: assignee } } }),
      ...(args.label === undefined ? {} : { labels: named(args.label) }),
      ...(project === undefined ? {} : { project: { id: { eq: project } } }),
    };
    const { issues } = await api.run<{ issues: Connection }>(
      `query ($first: Int, $after: String, $filter: IssueFilter, $includeArchived: Boolean) {
        issues(first: $first, after: $after, filter: $filter, includeArchived: $includeArchived) {
          nodes { ${ISSUE} } ${PAGE_INFO}
        }
      }`,
      { ...page(args), filter, includeArchived: args.includeArchived ?? false },
    );
    return { issues: issues.nodes, pageInfo: issues.pageInfo };
  },
  text: ({ issues, pageInfo }) =>
    lines(issues.length === 0 && 'No issues.', ...issues.map((issue) => issueLine(issue)), moreLine(pageInfo)),
});

const getIssue = tool({
  name: 'get_issue',
  title: 'Read an issue',
  description: 'Reads one issue with its description, its 50 newest sub-issues and its 50 newest comments.',
  input: z.strictObject({ id: some('the issue: identifier (ENG-12) or id') }),
  output: z.object({
    issue: WholeIssue.extend({
      children: z.object({
        nodes: z.array(z.object({ id: z.string(), identifier: z.string(), title: z.string() })),
      }),
      comments: z.object({ nodes: z.array(Comment), pageInfo: z.object({ hasNextPage: z.boolean() }) }),
    }),
  }),
  annotations: READS,
  call: (api, { id }) =>
    api.run(
      `query ($id: String!) {
        issue(id: $id) {
          ${WHOLE_ISSUE}
          children(first: 50) { nodes { id identifier title } }
          comments(first: 50) { nodes { ${COMMENT} } pageInfo { hasNextPage } }
        }
      }`,
      { id },
    ),
  text: ({ issue }) =>
    lines(
      issueText(issue),
      issue.children.nodes.length > 0 && '\nSub-issues:',
      ...issue.children.nodes.map(({ identifier, title }) => `${identifier} ${title}`),
      issue.comments.nodes.length > 0 && '\nComments, newest first:',
      ...issue.comments.nodes.map((comment) => commentText(comment)),
      issue.comments.pageInfo.hasNextPage && 'There are older comments.',
    ),
});

/** Fields of an issue that both creating and updating take. */
const fields = {
  priority: z.int().min(0).max(4).optional().describe('0 none, 1 urgent, 2 high, 3 medium, 4 low'),
  state: some(`${STATE_NAME}; of the issue's team`).optional(),
};
const description = z.string().describe('Markdown');
const estimate = z.int().min(0).describe('points');
const dueDate = z.iso.date().describe('YYYY-MM-DD');
const assignee = some(ASSIGNEE);
const project = some(`${PROJECT_NAME}; one that the team takes part in`);
const parentId = some('the issue it becomes a sub-issue of: identifier (ENG-12) or id');
const labels = z.array(some('label, by name or id'));

/** For updates: null takes the value away. The description stands where a model looks for it, outside the alternatives. */
const clearable = <T extends z.ZodType>(schema: T): z.ZodOptional<z.ZodNullable<T>> =>
  schema
    .nullable()
    .optional()
    .describe(`${schema.description ?? ''}; null clears it`);

interface IssueArguments {
  title?: string | undefined;
  team?: string | undefined;
  description?: string | null | undefined;
  priority?: number | undefined;
  estimate?: number | null | undefined;
  dueDate?: string | null | undefined;
  state?: string | undefined;
  assignee?: string | null | undefined;
  labels?: string[] | undefined;
  project?: string | null | undefined;
  parentId?: string | null | undefined;
}

/** The input of issueCreate and issueUpdate. Null clears; what is undefined is not sent. */
async function issueInput(api: TrackerApi, args: IssueArguments, teamOf?: () => Promise<string>): Promise<Variables> {
  const ids = await idsOf(
    api,
    {
      team: args.team,
      state: args.state,
      assignee: args.assignee ?? undefined,
      project: args.project ?? undefined,
      labels: args.labels,
    },
    teamOf,
  );
  return {
    title: args.title,
    description: args.description,
    priority: args.priority,
    estimate: args.estimate,
    dueDate: args.dueDate,
    parentId: args.parentId,
    teamId: ids.team,
    stateId: ids.state,
    assigneeId: args.assignee === null ? null : ids.assignee,
    projectId: args.project === null ? null : ids.project,
    labelIds: args.labels?.length === 0 ? [] : ids.labels,
  };
}

const createIssue = tool({
  name: 'create_issue',
  title: 'Create an issue',
  description: 'Creates an issue in a team. Each call creates one more. Without a state it begins in the backlog.',
  input: z.strictObject({
    title: some('at most 512 characters'),
    team: some(TEAM_NAME),
    description: description.optional(),
    ...fields,
    estimate: estimate.optional(),
    dueDate: dueDate.optional(),
    assignee: assignee.optional(),
    labels: labels.optional().describe('labels of the team or of the whole organization, by name or id'),
    project: project.optional(),
    parentId: parentId.optional(),
  }),
  output: z.object({ issue: WholeIssue }),
  annotations: ADDS,
  call: async (api, args) => {
    const input = await issueInput(api, args);
    const { issueCreate } = await api.run<{ issueCreate: unknown }>(
      `mutation ($input: IssueCreateInput!) { issueCreate(input: $input) { issue { ${WHOLE_ISSUE} } } }`,
      { input },
    );
    return issueCreate;
  },
  text: ({ issue }) => `Created ${issueText(issue)}`,
});

const updateIssue = tool({
  name: 'update_issue',
  title: 'Update an issue',
  description:
    'Changes fields of an issue; a field that is left out stays as it is, null clears one that can be empty. A new team moves the issue and gives it a new identifier; the old one keeps working.',
  input: z.strictObject({
    id: some('the issue: identifier (ENG-12) or id'),
    title: some('at most 512 characters').optional(),
    team: some(TEAM_NAME).optional(),
    description: clearable(description),
    ...fields,
    estimate: clearable(estimate),
    dueDate: clearable(dueDate),
    assignee: clearable(assignee),
    labels: labels
      .optional()
      .describe('all labels it is to have, by name or id: this replaces the ones it has, [] removes all'),
    project: clearable(project),
    parentId: clearable(parentId),
  }),
  output: z.object({ issue: WholeIssue }),
  annotations: REPLACES,
  call: async (api, { id, ...args }) => {
    const input = await issueInput(api, args, async () => {
      const { issue } = await api.run<{ issue: { team: { id: string } } }>(
        'query ($id: String!) { issue(id: $id) { team { id } } }',
        { id },
      );
      return issue.team.id;
    });
    const { issueUpdate } = await api.run<{ issueUpdate: unknown }>(
      `mutation ($id: String!, $input: IssueUpdateInput!) {
        issueUpdate(id: $id, input: $input) { issue { ${WHOLE_ISSUE} } }
      }`,
      { id, input },
    );
    return issueUpdate;
  },
  text: ({ issue }) => `Updated ${issueText(issue)}`,
});

const createComment = tool({
  name: 'create_comment',
  title: 'Comment on an issue',
  description: 'Adds a comment to an issue, or a reply to a comment. Each call adds one more.',
  input: z.strictObject({
    issueId: some('the issue: identifier (ENG-12) or id'),
    body: some('Markdown'),
    parentId: some('id of the comment to reply to, one that is no reply itself').optional(),
  }),
  output: z.object({
    comment: Comment.extend({ issue: z.object({ id: z.string(), identifier: z.string() }).nullable() }),
  }),
  annotations: ADDS,
  call: async (api, input) => {
    const { commentCreate } = await api.run<{ commentCreate: unknown }>(
      `mutation ($input: CommentCreateInput!) {
        commentCreate(input: $input) { comment { ${COMMENT} issue { id identifier } } }
      }`,
      { input },
    );
    return commentCreate;
  },
  text: ({ comment }) => `Commented on ${comment.issue?.identifier ?? 'the issue'} as ${commentText(comment)}`,
});

const listProjects = tool({
  name: 'list_projects',
  title: 'List projects',
  description: 'Lists projects, newest first, of one team or of all that can be seen.',
  input: z.strictObject({ limit, cursor, team: some(TEAM_NAME).optional() }),
  output: z.object({ projects: z.array(Project), pageInfo: PageInfo }),
  annotations: READS,
  call: async (api, args) => {
    const { team } = await idsOf(api, { team: args.team });
    const { projects } = await api.run<{ projects: Connection }>(
      `query ($first: Int, $after: String, $filter: ProjectFilter) {
        projects(first: $first, after: $after, filter: $filter) { nodes { ${PROJECT} } ${PAGE_INFO} }
      }`,
      { ...page(args), filter: team === undefined ? {} : { accessibleTeams: { id: { eq: team } } } },
    );
    return { projects: projects.nodes, pageInfo: projects.pageInfo };
  },
  text: ({ projects, pageInfo }) =>
    lines(
      projects.length === 0 && 'No projects.',
      ...projects.map((found) => {
        const teams = found.teams.nodes.map(({ key }) => key).join(', ');
        return `${found.name} (${found.status.name}, ${Math.round(found.progress * 100)} %, ${teams}) ${found.id}`;
      }),
      moreLine(pageInfo),
    ),
});

/** The tools of docs/reference/mcp.md#issue-tools. */
export const issueTools: ToolSet<TrackerApi> = {
  name: 'understudy-issues',
  title: 'Understudy issues',
  instructions:
    "Tools for the issues of one organization; they act as the owner of the API key. Wherever an id is wanted, names do as well: ENG-12, a team's key, the name of a state, label or project, a person's e-mail. list_teams shows teams and their states. Where a tool is refused, the text says why, with the code of the refusal in brackets.",
  tools: [listTeams, listIssues, getIssue, createIssue, updateIssue, createComment, listProjects],
  connect: (client, credential) => new TrackerApi(client, credential),
  check: async (api) => {
    await api.run('{ viewer { id } }');
  },
};
