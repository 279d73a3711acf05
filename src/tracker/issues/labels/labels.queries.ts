import { columnsOf } from '../../../kernel/database/columns.js';
import type { Tx } from '../../../kernel/database/db.js';
import { statement } from '../../../kernel/database/statement.js';
import type { Viewer } from '../../access/viewer.js';
import { IssueLabel } from './issue-label.entity.js';

/*
 * By hand: names are compared by the expression of their index, and labels of issues are looked for and changed in a
 * list, on all issues at once.
 */

const TEAM_LABELS_NAMED = statement(
  'tracker_team_labels_named',
  `SELECT ${columnsOf(IssueLabel, 'l')} FROM issue_labels l
   WHERE l.organization_id = $1::uuid AND l.team_id <> ALL($3::uuid[]) AND lower(l.name) = lower($2) ORDER BY l.id FOR UPDATE`,
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

/** The labels of this name that teams have, whatever its case, held; none of private teams without the caller. */
export function holdTeamLabels(tx: Tx, viewer: Viewer, name: string): Promise<IssueLabel[]> {
  const values = [viewer.organizationId, name, viewer.hiddenTeamIds];
  return tx.query<IssueLabel & { [column: string]: unknown }>(TEAM_LABELS_NAMED, values);
}

/** Another label that keeps this name from its scope; a workspace label is kept from it by those of all teams. */
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
 * Takes a label off all issues; without a replacement nothing is put in its place. The issues change without an event
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
