import { z } from 'zod';
import { READS, toolFor } from '../../kernel/mcp/tool-set.js';
import { ASSIGNEE, PROJECT_NAME, some, STATE_NAME, TEAM_NAME } from './issue-arguments.js';
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
import type { TrackerApi, Variables } from './tracker-api.js';

/* The tools that change nothing (docs/reference/mcp.md#issue-tools). */

const tool = toolFor<TrackerApi>();

const limit = z.int().min(1).max(250).optional().describe('how many at most; 50 by default, 250 at most');
const cursor = z
  .string()
  .min(1)
  .optional()
  .describe('`pageInfo.endCursor` of the previous answer, for the page after it');
const page = (args: { limit?: number | undefined; cursor?: string | undefined }): Variables => ({
  first: args.limit ?? 50,
  after: args.cursor,
});

export const listTeams = tool({
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

export const listIssues = tool({
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

export const getIssue = tool({
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

export const listProjects = tool({
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
