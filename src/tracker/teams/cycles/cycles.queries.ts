import type { Tx } from '../../../kernel/database/db.js';
import { statement } from '../../../kernel/database/statement.js';

/* Tables of other rooms: issues. They leave a cycle that ends. */

/** Hand-written: the counter is taken and answered at once, and a cycle's issues are changed and listed as sets. */
const NEXT_NUMBER = statement(
  'tracker_next_cycle_number',
  `UPDATE teams SET cycle_counter = cycle_counter + 1 WHERE id = $1::uuid RETURNING cycle_counter AS number`,
);
const UNLINK_ISSUES = statement(
  'tracker_unlink_cycle',
  `UPDATE issues SET cycle_id = NULL, added_to_cycle_at = NULL, updated_at = $2::timestamptz WHERE cycle_id = $1::uuid`,
);
const UNCOMPLETED = statement(
  'tracker_uncompleted_issues',
  `SELECT i.id FROM issues i JOIN workflow_states w ON w.id = i.state_id
   WHERE i.cycle_id = $1::uuid AND i.archived_at IS NULL AND w.type NOT IN ('completed', 'canceled', 'duplicate')
   ORDER BY i.created_at DESC, i.id DESC`,
);

/** Never used again, not even when the cycle is archived. */
export async function nextCycleNumber(tx: Tx, teamId: string): Promise<number> {
  const [row] = await tx.query<{ number: number }>(NEXT_NUMBER, [teamId]);
  return (row as { number: number }).number;
}

/** Takes all issues out of a cycle that is closed for new ones. */
export async function unlinkIssues(tx: Tx, cycleId: string, at: Date): Promise<void> {
  await tx.query(UNLINK_ISSUES, [cycleId, at]);
}

/** As the connection lists them: newest first. */
export async function uncompletedIds(tx: Tx, cycleId: string): Promise<string[]> {
  return (await tx.query<{ id: string }>(UNCOMPLETED, [cycleId])).map(({ id }) => id);
}
