import { z } from 'zod';

const nullable = z.string().nullable();
const Reference = z.object({ id: z.string(), name: z.string() });
const Person = z.object({ id: z.string(), name: z.string(), displayName: z.string() });

export const Team = z.object({
  id: z.string(),
  key: z.string().describe('begins the identifiers of its issues'),
  name: z.string(),
  description: nullable,
  private: z.boolean(),
  states: z
    .object({
      nodes: z.array(
        z.object({
          id: z.string(),
          name: z.string(),
          type: z.string().describe('backlog, unstarted, started, completed, canceled or duplicate'),
        }),
      ),
    })
    .describe('the first 20 states its issues can be in'),
});
export type Team = z.output<typeof Team>;
export const TEAM = 'id key name description private states(first: 20) { nodes { id name type } }';

export const Issue = z.object({
  id: z.string(),
  identifier: z.string().describe('such as ENG-12; any tool takes it as an id'),
  title: z.string(),
  url: z.string(),
  priority: z.number().describe('0 none, 1 urgent, 2 high, 3 medium, 4 low'),
  priorityLabel: z.string(),
  estimate: z.number().nullable(),
  dueDate: nullable.describe('YYYY-MM-DD'),
  createdAt: z.string(),
  updatedAt: z.string(),
  archivedAt: nullable,
  state: Reference.extend({ type: z.string() }),
  team: Reference.extend({ key: z.string() }),
  assignee: Person.nullable(),
  project: Reference.nullable(),
  parent: z.object({ id: z.string(), identifier: z.string() }).nullable(),
  labels: z.object({ nodes: z.array(Reference) }),
});
export type Issue = z.output<typeof Issue>;
export const ISSUE = `id identifier title url priority priorityLabel estimate dueDate createdAt updatedAt archivedAt
  state { id name type } team { id key name } assignee { id name displayName } project { id name }
  parent { id identifier } labels { nodes { id name } }`;

export const WholeIssue = Issue.extend({ description: nullable.describe('Markdown') });
export const WHOLE_ISSUE = `${ISSUE} description`;

export const Comment = z.object({
  id: z.string(),
  body: z.string().describe('Markdown'),
  createdAt: z.string(),
  url: z.string(),
  parentId: nullable.describe('the comment it answers'),
  user: Person.nullable(),
});
export type Comment = z.output<typeof Comment>;
export const COMMENT = 'id body createdAt url parentId user { id name displayName }';

export const Project = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  url: z.string(),
  progress: z.number().describe('0 to 1'),
  startDate: nullable,
  targetDate: nullable,
  status: Reference.extend({ type: z.string() }),
  lead: Person.nullable(),
  teams: z.object({ nodes: z.array(z.object({ id: z.string(), key: z.string() })) }).describe('at most 10 of them'),
});
export type Project = z.output<typeof Project>;
export const PROJECT = `id name description url progress startDate targetDate status { id name type }
  lead { id name displayName } teams(first: 10) { nodes { id key } }`;

export const PageInfo = z.object({
  hasNextPage: z.boolean(),
  endCursor: nullable.describe('pass as `cursor` for the next page'),
});
export const PAGE_INFO = 'pageInfo { hasNextPage endCursor }';

export const lines = (...parts: (string | false | null | undefined)[]): string =>
  parts.filter((part) => typeof part === 'string' && part !== '').join('\n');

export const moreLine = ({ hasNextPage, endCursor }: z.output<typeof PageInfo>): string =>
  hasNextPage ? `More: call again with cursor ${JSON.stringify(endCursor)}.` : '';

export const issueLine = (issue: Issue): string => {
  const notes = [
    issue.state.name,
    issue.priority > 0 && issue.priorityLabel,
    issue.assignee && `@${issue.assignee.displayName}`,
    ...issue.labels.nodes.map(({ name }) => name),
    issue.project && `project ${issue.project.name}`,
    issue.dueDate && `due ${issue.dueDate}`,
    issue.archivedAt && 'archived',
  ].filter((note) => typeof note === 'string');
  return `${issue.identifier} ${issue.title} (${notes.join(', ')}) ${issue.id}`;
};

export const issueText = (issue: z.output<typeof WholeIssue>): string =>
  lines(
    issueLine(issue),
    issue.parent && `Sub-issue of ${issue.parent.identifier}`,
    issue.estimate !== null && `Estimate: ${issue.estimate}`,
    issue.url,
    issue.description !== null && issue.description !== '' && `\n${issue.description}`,
  );

export const commentText = ({ id, user, createdAt, parentId, body }: Comment): string =>
  `${user ? `@${user.displayName}` : 'somebody'}, ${createdAt}${parentId === null ? '' : `, in reply to ${parentId}`} (${id}):\n${body}`;
