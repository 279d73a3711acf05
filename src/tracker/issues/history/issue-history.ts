import type { Tx } from '../../../kernel/database/db.js';
import { newUuid } from '../../../kernel/ids/ids.js';
import { botActorOf } from '../../access/bot-actor.js';
import type { Viewer } from '../../access/viewer.js';
import type { Issue } from '../issue.entity.js';
import type { IssueChange } from './issue-history.entity.js';
import { ADD_TO_HISTORY, INSERT_HISTORY } from './issue-history.queries.js';

interface Entry {
  readonly id: string;
  readonly issue: string;
  readonly changes: IssueChange;
}

/** The entries that a transaction has written, by issue. */
const written = new WeakMap<Tx, Map<string, Entry>>();

/** What a mutation changed of issues. A further change of an issue in the same mutation is added to its entry. */
export async function recordHistory(
  tx: Tx,
  viewer: Viewer,
  at: Date,
  changes: readonly { issueId: string; change: IssueChange }[],
): Promise<void> {
  const entries = written.get(tx) ?? new Map<string, Entry>();
  written.set(tx, entries);
  const botActor = botActorOf(viewer, {});
  const added: Entry[] = [];
  for (const { issueId: issue, change } of changes) {
    if (Object.keys(change).length === 0) continue;
    const known = entries.get(issue);
    const entry = {
      id: known?.id ?? newUuid(),
      issue,
      changes: known ? merged(known.changes, change) : { ...change, ...(botActor && { botActor }) },
    };
    entries.set(issue, entry);
    if (known) await tx.query(ADD_TO_HISTORY, [entry.id, JSON.stringify(entry.changes)]);
    else added.push(entry);
  }
  if (added.length > 0)
    await tx.query(INSERT_HISTORY, [JSON.stringify(added), viewer.organizationId, viewer.userId, at]);
}

/** What was before the first change, and is after the last. */
function merged(first: IssueChange, next: IssueChange): IssueChange {
  const before = Object.entries(first).filter(([name]) => name.startsWith('from'));
  const relationChanges = [...(first.relationChanges ?? []), ...(next.relationChanges ?? [])];
  return {
    ...first,
    ...next,
    ...Object.fromEntries(before),
    ...(relationChanges.length > 0 && { relationChanges }),
  } as IssueChange;
}

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
