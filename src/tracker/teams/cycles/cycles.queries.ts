import type { Tx } from '../../../kernel/database/db.js';
import { statement } from '../../../kernel/database/statement.js';

const CYCLE_ID = statement('tracker_cycle_id_taken', `SELECT 1 FROM cycles y WHERE y.id = $1::uuid`);
const NEXT_NUMBER = statement(
  'tracker_next_cycle_number',
  `UPDATE teams SET cycle_counter = cycle_counter + 1 WHERE id = $1::uuid RETURNING cycle_counter AS number`,
);
/** Touching ends do not overlap. */
const OVERLAP = statement(
  'tracker_cycle_overlap',
  `SELECT 1 FROM cycles y WHERE y.team_id = $1::uuid AND y.archived_at IS NULL AND y.id <> $2::uuid
     AND y.starts_at < $4::timestamptz AND y.ends_at > $3::timestamptz LIMIT 1`,
);
const HOLD = statement('tracker_cycle_hold', `SELECT 1 FROM cycles y WHERE y.id = $1::uuid FOR UPDATE`);
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

export async function isCycleIdTaken(tx: Tx, id: string): Promise<boolean> {
  return (await tx.query(CYCLE_ID, [id])).length > 0;
}

/** Never used again, not even when the cycle is archived. */
export async function nextCycleNumber(tx: Tx, teamId: string): Promise<number> {
  const [row] = await tx.query<{ number: number }>(NEXT_NUMBER, [teamId]);
  return (row as { number: number }).number;
}

/** Whether another cycle of the team takes some of this time. The caller holds the team's row. */
export async function overlaps(
  tx: Tx,
  { teamId, id, startsAt, endsAt }: { teamId: string; id: string; startsAt: Date; endsAt: Date },
): Promise<boolean> {
  return (await tx.query(OVERLAP, [teamId, id, startsAt, endsAt])).length > 0;
}

/** Takes all issues out of a cycle, when nobody can put one in any more. */
export async function unlinkIssues(tx: Tx, cycleId: string, at: Date): Promise<void> {
  await tx.query(HOLD, [cycleId]);
  await tx.query(UNLINK_ISSUES, [cycleId, at]);
}

/** As the connection lists them: newest first. */
export async function uncompletedIds(tx: Tx, cycleId: string): Promise<string[]> {
  return (await tx.query<{ id: string }>(UNCOMPLETED, [cycleId])).map(({ id }) => id);
}
