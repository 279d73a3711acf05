import type { Issue } from '../issue.entity.js';
import type { IssueChange } from './issue-history.entity.js';

const PLAIN = ['title', 'priority', 'estimate', 'dueDate'] as const;
const REFERENCES = [
  'stateId',
  'assigneeId',
  'delegateId',
  'cycleId',
  'projectId',
  'projectMilestoneId',
  'parentId',
  'teamId',
] as const;

/** The tracked fields that differ. */
export function changeOf(before: Issue, after: Issue): IssueChange {
  const change: Record<string, unknown> = {};
  for (const field of [...PLAIN, ...REFERENCES]) {
    if (before[field] === after[field]) continue;
    const name = field.charAt(0).toUpperCase() + field.slice(1);
    if (before[field] !== null) change[`from${name}`] = before[field];
    if (after[field] !== null) change[`to${name}`] = after[field];
  }
  if (before.description !== after.description) change['updatedDescription'] = true;
  const added = after.labelIds.filter((id) => !before.labelIds.includes(id));
  const removed = before.labelIds.filter((id) => !after.labelIds.includes(id));
  if (added.length > 0) change['addedLabelIds'] = added;
  if (removed.length > 0) change['removedLabelIds'] = removed;
  if ((before.archivedAt === null) !== (after.archivedAt === null)) change['archived'] = after.archivedAt !== null;
  if ((before.trashed === true) !== (after.trashed === true)) change['trashed'] = after.trashed === true;
  return change as IssueChange;
}
