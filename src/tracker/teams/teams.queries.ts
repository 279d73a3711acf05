import type { Tx } from '../../kernel/database/db.js';
import { statement } from '../../kernel/database/statement.js';

/* Tables of other rooms: issues. Their identifiers say the key of the team. */

/**
 * Hand-written, for thousands of issues at once. An identifier is appended to the previous ones, where it may have been
 * before.
 */
const RENAME_ISSUES = statement(
  'tracker_rename_issues',
  `UPDATE issues i SET identifier = $2::text || '-' || i.number, updated_at = $3::timestamptz,
     previous_identifiers = array_append(array_remove(i.previous_identifiers, i.identifier), i.identifier)
   WHERE i.team_id = $1::uuid`,
);

/**
 * Renames all issues of a team to its new key, in one statement; old identifiers keep resolving. The caller has locked
 * the team's row, so that no number is assigned under the old key meanwhile.
 */
export async function renameIssues(tx: Tx, teamId: string, key: string, at: Date): Promise<void> {
  await tx.query(RENAME_ISSUES, [teamId, key, at]);
}

/** A condition: this user owns the team `t`. */
export const isOwnedBy = (t: string, userId: string): string =>
  `EXISTS (SELECT 1 FROM team_memberships x WHERE x.team_id = ${t}.id AND x.user_id = ${userId} AND x.owner)`;
