import { z } from 'zod';
import { ADDS, REPLACES, toolFor } from '../../kernel/mcp/tool-set.js';
import { ASSIGNEE, PROJECT_NAME, some, STATE_NAME, TEAM_NAME } from './issue-arguments.js';
import { COMMENT, Comment, commentText, issueText, WHOLE_ISSUE, WholeIssue } from './issue-shapes.js';
import { idsOf } from './names.js';
import type { TrackerApi, Variables } from './tracker-api.js';

/* The tools that make and change issues and comments (docs/reference/mcp.md#issue-tools). */

const tool = toolFor<TrackerApi>();

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

export const createIssue = tool({
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

export const updateIssue = tool({
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

export const createComment = tool({
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
