import type { Tx } from '../../kernel/database/db.js';
import { issueOfNews } from './issue-of-news.js';
import { mayConcern, type Cause, type News } from '../events/notify.js';
import type { IssueSnapshot } from './issue-events.js';
import type { Facts } from './issue-facts.js';
import { HOLD_BLOCKED, UNBLOCKED, type UnblockedIssue } from './issue-news.queries.js';
import type { Issue } from './issue.entity.js';

/** An issue that was made, or changed from what it was before. */
export interface IssueChanged {
  readonly before?: IssueSnapshot | undefined;
  readonly after: IssueSnapshot;
}

type Setting = Pick<News, 'viewer' | 'web' | 'at' | 'origin'>;

/** The states that everybody who follows an issue is told of. */
const ENDS: readonly (string | undefined)[] = ['completed', 'canceled'];

/** What a change of an issue is to others (docs/reference/tracker-notifications.md#causes). */
export function newsOfIssue(setting: Setting, { before, after }: IssueChanged, facts: Facts): News[] {
  const team = facts.get('team', after.issue.teamId);
  const causes = [
    ...causesOf(before, after, facts),
    ...(setting.viewer.hasSubscriptions ? subscribedTo(before?.issue, after.issue) : []),
  ].filter((cause) => mayConcern(cause, setting.viewer));
  return team && causes.length > 0 ? [{ ...setting, ...issueOfNews(setting, after.issue, team), causes }] : [];
}

function causesOf(before: IssueSnapshot | undefined, { issue, subscriberIds }: IssueSnapshot, facts: Facts): Cause[] {
  const was = before?.issue;
  const [had, has] = [theirs(was), theirs(issue)];
  const type = facts.get('state', issue.stateId)?.type;
  const isEnding = was && ENDS.includes(type) && type !== facts.get('state', was.stateId)?.type;
  const isUrgent = issue.priority === 1 && was?.priority !== 1;
  return [
    { type: 'issueAssignedToYou', users: has.filter((id) => !had.includes(id)) },
    { type: 'issueUnassignedFromYou', users: had.filter((id) => !has.includes(id)) },
    { type: 'issueMention', mentionedIn: { text: issue.description, before: was?.description ?? null } },
    { type: 'issueStatusChanged', users: isEnding ? subscriberIds : [] },
    { type: 'issuePriorityUrgent', users: isUrgent ? [issue.assigneeId] : [] },
    { type: 'issueSubscribed', users: subscriberIds.filter((id) => !before?.subscriberIds.includes(id)) },
  ];
}

/** Whose it is. */
const theirs = (issue: Issue | undefined): (string | null)[] =>
  issue ? [issue.assigneeId, issue.delegateId].filter((id) => id !== null) : [];

function subscribedTo(before: Issue | undefined, { stateId }: Issue): Cause[] {
  if (!before) return [{ type: 'issueCreated', audience: 'issueSubscriptions' }];
  return before.stateId === stateId ? [] : [{ type: 'issueStatusChangedAll', audience: 'issueSubscriptions' }];
}

/** News of issues that no open issue blocks any more, as these have come to an end. */
export async function newsOfUnblocked(tx: Tx, setting: Setting, changes: readonly IssueChanged[]): Promise<News[]> {
  const ended = changes.filter(({ before, after }) => before && !isOver(before.issue) && isOver(after.issue));
  if (ended.length === 0) return [];
  const ids = ended.map(({ after }) => after.issue.id);
  const blocked = await tx.query<{ id: string }>(HOLD_BLOCKED, [ids]);
  if (blocked.length === 0) return [];
  const issues = await tx.query<UnblockedIssue>(UNBLOCKED, [blocked.map(({ id }) => id)]);
  return issues.map((issue) => ({
    ...setting,
    ...issueOfNews(setting, issue, { id: issue.teamId, key: issue.teamKey, name: issue.teamName }),
    causes: [{ type: 'issueUnblocked', users: [issue.assigneeId] }],
  }));
}

const isOver = ({ completedAt, canceledAt }: Issue): boolean => completedAt !== null || canceledAt !== null;

/** Somebody is subscribed by somebody else. */
export const newsOfSubscriber = (
  setting: Setting,
  issue: Issue,
  team: Parameters<typeof issueOfNews>[2],
  userId: string,
): News => ({
  ...setting,
  ...issueOfNews(setting, issue, team),
  causes: [{ type: 'issueSubscribed', users: [userId] }],
});
