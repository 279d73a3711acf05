import { columnsOf } from '../../../kernel/database/columns.js';
import type { Tx } from '../../../kernel/database/db.js';
import { statement } from '../../../kernel/database/statement.js';
import type { Viewer } from '../../access/viewer.js';
import { IssueLabel } from './issue-label.entity.js';
import { isShown } from '../../access/hidden-teams.js';

/* Hand-written: names are compared by the expression of their index, and labels are replaced on all issues at once. */

const TEAM_LABELS_NAMED = statement(
  'tracker_team_labels_named',
  `SELECT ${columnsOf(IssueLabel, 'l')} FROM issue_labels l
   WHERE l.organization_id = $1::uuid AND ${isShown('l.team_id', '$3::uuid[]')} AND lower(l.name) = lower($2) ORDER BY l.id FOR UPDATE`,
);
const IN_THE_WAY = statement(
  'tracker_label_in_the_way',
  `SELECT l.name, l.team_id AS "teamId", t.name AS "teamName" FROM issue_labels l LEFT JOIN teams t ON t.id = l.team_id
   WHERE l.organization_id = $1::uuid AND lower(l.name) = lower($2) AND l.id <> $4::uuid
     AND ($3::uuid IS NULL OR l.team_id IS NULL OR l.team_id = $3::uuid)
   ORDER BY l.team_id NULLS FIRST LIMIT 1`,
);
const ON_ISSUES = statement(
  'tracker_label_on_issues',
  `SELECT 1 FROM issues i WHERE i.organization_id = $2::uuid AND i.label_ids @> ARRAY[$1::uuid] LIMIT 1`,
);
const TAKE_OFF = statement(
  'tracker_label_off_issues',
  `UPDATE issues SET updated_at = $4::timestamptz, label_ids = CASE
     WHEN $2::uuid IS NULL OR label_ids @> ARRAY[$2::uuid] THEN array_remove(label_ids, $1::uuid)
     ELSE array_replace(label_ids, $1::uuid, $2::uuid) END
   WHERE organization_id = $3::uuid AND label_ids @> ARRAY[$1::uuid]`,
);

/** The labels of this name in teams, case-insensitively, locked; without private teams the caller is not in. */
export function holdTeamLabels(tx: Tx, viewer: Viewer, name: string): Promise<IssueLabel[]> {
  const values = [viewer.organizationId, name, viewer.hiddenTeamIds];
  return tx.query<IssueLabel & { [column: string]: unknown }>(TEAM_LABELS_NAMED, values);
}

/** Another label with this name in its scope; for a workspace label the scope includes all teams. */
export async function labelInTheWay(
  tx: Tx,
  viewer: Viewer,
  { name, teamId, id }: Pick<IssueLabel, 'name' | 'teamId' | 'id'>,
): Promise<{ name: string; teamId: string | null; teamName: string | null } | undefined> {
  const [other] = await tx.query<{ name: string; teamId: string | null; teamName: string | null }>(IN_THE_WAY, [
    viewer.organizationId,
    name,
    teamId,
    id,
  ]);
  return other;
}

export async function isOnIssues(tx: Tx, { id, organizationId }: IssueLabel): Promise<boolean> {
  return (await tx.query(ON_ISSUES, [id, organizationId])).length > 0;
}

/**
 * Removes a label from all issues, or replaces it. The issues change without an event
 * (docs/reference/tracker-webhooks.md#what-fires).
 */
export async function takeOffIssues(
  tx: Tx,
  { id, organizationId }: IssueLabel,
  replacement: string | null,
  at: Date,
): Promise<void> {
  await tx.query(TAKE_OFF, [id, replacement, organizationId, at]);
}
