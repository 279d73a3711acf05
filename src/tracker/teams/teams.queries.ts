import type { Tx } from '../../kernel/database/db.js';
import { statement } from '../../kernel/database/statement.js';

const KEYS = statement(
  'tracker_team_keys',
  `SELECT t.key FROM teams t WHERE t.organization_id = $1::uuid AND starts_with(t.key, $2)`,
);
const TEAM_ID = statement('tracker_team_id_taken', `SELECT 1 FROM teams t WHERE t.id = $1::uuid`);
/** An identifier goes to the end of those held before, where it may have stood already. */
const RENAME_ISSUES = statement(
  'tracker_rename_issues',
  `UPDATE issues i SET identifier = $2::text || '-' || i.number, updated_at = $3::timestamptz,
     previous_identifiers = array_append(array_remove(i.previous_identifiers, i.identifier), i.identifier)
   WHERE i.team_id = $1::uuid`,
);

/** The keys with this beginning that the organization's teams hold, archived ones too. */
export async function keysLike(tx: Tx, organizationId: string, base: string): Promise<Set<string>> {
  const rows = await tx.query<{ key: string }>(KEYS, [organizationId, base]);
  return new Set(rows.map(({ key }) => key));
}

/** Whether a team of any organization has this id. */
export async function isTeamIdTaken(tx: Tx, id: string): Promise<boolean> {
  return (await tx.query(TEAM_ID, [id])).length > 0;
}

/**
 * Gives all issues of a team their identifiers under its new key, in one statement; what they were called keeps
 * resolving. The caller holds the team's row, so that no number is given out under the old key meanwhile.
 */
export async function renameIssues(tx: Tx, teamId: string, key: string, at: Date): Promise<void> {
  await tx.query(RENAME_ISSUES, [teamId, key, at]);
}
