import type { Tx } from '../../kernel/database/db.js';
import { statement } from '../../kernel/database/statement.js';

/*
 * Hand-written: what teams do with their issues, which have a room above them, in one statement each. Tables of other
 * rooms: issues. The room above.
 */

const UNASSIGN = statement(
  'tracker_unassign_in_team',
  `UPDATE issues SET assignee_id = NULL, updated_at = $3::timestamptz WHERE team_id = $1::uuid AND assignee_id = $2::uuid`,
);
const IN_STATE = statement(
  'tracker_issues_in_state',
  'SELECT EXISTS (SELECT FROM issues WHERE state_id = $1::uuid AND archived_at IS NULL) AS found',
);

/** The team's issues are nobody's that were this user's. */
export async function unassignInTeam(tx: Tx, teamId: string, userId: string, at: Date): Promise<void> {
  await tx.query(UNASSIGN, [teamId, userId, at]);
}

/** Whether issues that are not archived are in the state. */
export async function hasIssuesInState(tx: Tx, stateId: string): Promise<boolean> {
  const [answer] = await tx.query<{ found: boolean }>(IN_STATE, [stateId]);
  return answer?.found === true;
}
