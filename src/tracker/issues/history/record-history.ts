import type { Tx } from '../../../kernel/database/db.js';
import { newUuid } from '../../../kernel/ids/ids.js';
import { botActorOf } from '../../access/bot-actor.js';
import type { Viewer } from '../../access/viewer.js';
import type { IssueChange } from './issue-history.entity.js';
import { ADD_TO_HISTORY, INSERT_HISTORY } from './record-history.queries.js';

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
