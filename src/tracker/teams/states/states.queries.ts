import type { Tx } from '../../../kernel/database/db.js';
import { statement } from '../../../kernel/database/statement.js';
import type { WorkflowState } from './workflow-state.entity.js';

const LAST_POSITION = statement(
  'tracker_last_state_position',
  `SELECT max(w.position) AS position FROM workflow_states w
   WHERE w.team_id = $1::uuid AND w.type = $2 AND w.archived_at IS NULL`,
);
const STATE_ID = statement('tracker_state_id_taken', `SELECT 1 FROM workflow_states w WHERE w.id = $1::uuid`);
const HOLD = statement('tracker_state_hold', `SELECT 1 FROM workflow_states w WHERE w.id = $1::uuid FOR UPDATE`);
const IN_THE_WAY = statement(
  'tracker_state_in_use',
  `SELECT EXISTS (SELECT 1 FROM issues i WHERE i.state_id = $1::uuid AND i.archived_at IS NULL) AS "hasIssues",
     NOT EXISTS (SELECT 1 FROM workflow_states w WHERE w.team_id = $2::uuid AND w.type = $3 AND w.id <> $1::uuid
       AND w.archived_at IS NULL) AS "isLast"`,
);

/** Behind the others of its type. */
export async function nextPosition(tx: Tx, teamId: string, type: string): Promise<number> {
  const [row] = await tx.query<{ position: number | null }>(LAST_POSITION, [teamId, type]);
  return row?.position === null || row === undefined ? 0 : row.position + 1;
}

export async function isStateIdTaken(tx: Tx, id: string): Promise<boolean> {
  return (await tx.query(STATE_ID, [id])).length > 0;
}

/** Waits for those who hold the state while they refer to it, and keeps others from doing so. */
export async function keepIssuesOut(tx: Tx, stateId: string): Promise<void> {
  await tx.query(HOLD, [stateId]);
}

/** What may keep a state from being archived, asked when nobody can enter it any more. */
export async function whatUses(tx: Tx, state: WorkflowState): Promise<{ hasIssues: boolean; isLast: boolean }> {
  const [row] = await tx.query<{ hasIssues: boolean; isLast: boolean }>(IN_THE_WAY, [
    state.id,
    state.teamId,
    state.type,
  ]);
  return row as { hasIssues: boolean; isLast: boolean };
}
