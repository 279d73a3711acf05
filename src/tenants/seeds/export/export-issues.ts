import type { Tx } from '../../../kernel/database/db.js';
import { ISSUES_TO_EXPORT, COMMENTS_TO_EXPORT } from '../../../tracker/issues/seeds.queries.js';
import { exportSessions } from './export-sessions.js';
import type { TrackerNamesOut } from './tracker-names-out.js';
import type { ThingsOut } from './export-things.js';
import { said } from './names-out.js';

type Json = Record<string, unknown>;

interface Issue extends Json {
  id: string;
  teamId: string;
  number: number;
  identifier: string;
  title: string;
  priority: number;
  stateId: string;
  assigneeId: string | null;
  creatorId: string | null;
  projectId: string | null;
  cycleId: string | null;
  milestoneId: string | null;
  parentId: string | null;
  labelIds: string[];
  createdAt: Date;
  isArchived: boolean;
  subscriberIds: string[];
}

interface Comment extends Json {
  id: string;
  issueId: string;
  userId: string;
  body: string;
  createdAt: Date;
  parentId: string | null;
  resolvingUserId: string | null;
}

/** Issues with their comments, by team, and the newest time, in microseconds. */
export async function exportIssues(
  tx: Tx,
  organizationId: string,
  names: TrackerNamesOut,
  things: ThingsOut,
): Promise<{ issues: ReadonlyMap<string, Json[]>; newest: number }> {
  const rows = await tx.query<Issue>(ISSUES_TO_EXPORT, [organizationId]);
  const byId = new Map(rows.map((issue) => [issue.id, issue]));
  const parents = new Set(rows.flatMap(({ parentId }) => parentId ?? []));
  const comments = new Map<string, Comment[]>();
  const agents = await exportSessions(tx, organizationId, names);
  let { newest } = agents;
  for (const comment of await tx.query<Comment>(COMMENTS_TO_EXPORT, [organizationId])) {
    comments.set(comment.issueId, [...(comments.get(comment.issueId) ?? []), comment]);
    newest = Math.max(newest, comment.createdAt.getTime() * 1000);
  }
  const issues = new Map<string, Json[]>();
  for (const issue of rows) {
    newest = Math.max(newest, issue.createdAt.getTime() * 1000);
    const list = issues.get(issue.teamId) ?? [];
    list.push(
      exportIssue(
        issue,
        { byId, parents, comments: comments.get(issue.id) ?? [], things, sessions: agents.sessions },
        names,
      ),
    );
    issues.set(issue.teamId, list);
  }
  return { issues, newest };
}

function exportIssue(
  issue: Issue,
  around: {
    byId: ReadonlyMap<string, Issue>;
    parents: ReadonlySet<string>;
    comments: readonly Comment[];
    things: ThingsOut;
    sessions: ReadonlyMap<string, Json[]>;
  },
  { people, ownerId, states, labels, cycles, projects, refs, ids }: TrackerNamesOut,
): Json {
  const parent = issue.parentId === null ? undefined : around.byId.get(issue.parentId);
  const person = (id: string | null): string | undefined => (id === null ? undefined : people.get(id));
  return said({
    id: ids ? issue.id : undefined,
    number: issue.number,
    title: issue.title,
    description: issue['description'],
    state: states.get(issue.stateId)?.name,
    assignee: person(issue.assigneeId),
    as: issue.creatorId === ownerId ? undefined : person(issue.creatorId),
    priority: issue.priority === 0 ? undefined : issue.priority,
    estimate: issue['estimate'],
    due_date: issue['dueDate'],
    labels: issue.labelIds.flatMap((id) => labels.get(id) ?? []),
    parent: parent && refs.ensure(parent.id, parent.identifier),
    project: issue.projectId === null ? undefined : projects.get(issue.projectId),
    cycle: issue.cycleId === null ? undefined : cycles.get(issue.cycleId),
    at: issue.createdAt.toISOString(),
    ref: around.parents.has(issue.id) ? refs.ensure(issue.id, issue.identifier) : refs.of(issue.id),
    ...around.things.of(issue.id),
    subscribers: subscribersOf(issue, around.comments).flatMap((id) => people.get(id) ?? []),
    archived: issue.isArchived ? true : undefined,
    milestone: issue.milestoneId === null ? undefined : around.things.named.get(issue.milestoneId),
    template: issue['template'],
    delegate: issue['delegate'],
    sessions: around.sessions.get(issue.id) ?? [],
    comments: exportComments(null, around, { people, ids }),
  });
}

/** Those that are not subscribed anyway. */
const subscribersOf = (issue: Issue, comments: readonly Comment[]): string[] => {
  const implied = [issue.creatorId, issue.assigneeId, ...comments.map(({ userId }) => userId)];
  return issue.subscriberIds.filter((id) => !implied.includes(id));
};

/** Replies are in the comment that they answer. */
const exportComments = (
  parentId: string | null,
  around: { comments: readonly Comment[]; things: ThingsOut },
  names: Pick<TrackerNamesOut, 'people' | 'ids'>,
): Json[] =>
  around.comments.flatMap((comment) => {
    const { id, body, createdAt, resolvingUserId } = comment;
    const as = names.people.get(comment.userId);
    if (comment.parentId !== parentId || as === undefined) return [];
    const replies = parentId === null ? exportComments(id, around, names) : [];
    return [
      said({
        id: names.ids ? id : undefined,
        as,
        body,
        at: createdAt.toISOString(),
        resolved: resolvingUserId === null ? undefined : names.people.get(resolvingUserId),
        ...around.things.of(id),
        replies,
      }),
    ];
  });
