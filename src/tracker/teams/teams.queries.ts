import type { Tx } from '../../kernel/database/db.js';
import { statement } from '../../kernel/database/statement.js';

/** By hand, for thousands of issues at once. An identifier goes to the end of those held before, where it may have stood already. */
const RENAME_ISSUES = statement(
  'tracker_rename_issues',
  `UPDATE issues i SET identifier = $2::text || '-' || i.number, updated_at = $3::timestamptz,
     previous_identifiers = array_append(array_remove(i.previous_identifiers, i.identifier), i.identifier)
   WHERE i.team_id = $1::uuid`,
);

/**
 * Gives all issues of a team their identifiers under its new key, in one statement; what they were called keeps
 * resolving. The caller holds the team's row, so that no number is given out under the old key meanwhile.
 */
export async function renameIssues(tx: Tx, teamId: string, key: string, at: Date): Promise<void> {
  await tx.query(RENAME_ISSUES, [teamId, key, at]);
}

/** A condition: this user owns the team `t`. */
export const isOwnedBy = (t: string, userId: string): string =>
  `EXISTS (SELECT 1 FROM team_memberships x WHERE x.team_id = ${t}.id AND x.user_id = ${userId} AND x.owner)`;
