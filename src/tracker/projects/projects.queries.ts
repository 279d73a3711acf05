import type { Tx } from '../../kernel/database/db.js';
import { statement } from '../../kernel/database/statement.js';

/** Hand-written, as are the next: sets of rows, each changed in one statement. */
const SET_TEAMS = statement(
  'tracker_set_project_teams',
  `WITH gone AS (DELETE FROM project_teams WHERE project_id = $1::uuid AND team_id <> ALL($2::uuid[]))
   INSERT INTO project_teams (project_id, team_id) SELECT $1::uuid, unnest($2::uuid[]) ON CONFLICT DO NOTHING`,
);
const SET_MEMBERS = statement(
  'tracker_set_project_members',
  `WITH gone AS (DELETE FROM project_members WHERE project_id = $1::uuid AND user_id <> ALL($2::uuid[]))
   INSERT INTO project_members (project_id, user_id) SELECT $1::uuid, unnest($2::uuid[]) ON CONFLICT DO NOTHING`,
);
const DROP_FROM_ISSUES = statement(
  'tracker_drop_project',
  `UPDATE issues SET project_id = NULL, project_milestone_id = NULL, added_to_project_at = NULL, updated_at = $3::timestamptz
   WHERE project_id = $1::uuid AND team_id <> ALL($2::uuid[])`,
);

const LABELS_APPLIED = statement(
  'tracker_project_labels_applied',
  `UPDATE project_labels l SET last_applied_at = $2::timestamptz
   FROM (SELECT x.id FROM project_labels x WHERE x.id = ANY($1::uuid[]) ORDER BY x.id FOR NO KEY UPDATE) held
   WHERE l.id = held.id`,
);

export async function setLabelsApplied(tx: Tx, labelIds: readonly string[], at: Date): Promise<void> {
  if (labelIds.length > 0) await tx.query(LABELS_APPLIED, [labelIds, at]);
}

export async function setTeams(tx: Tx, projectId: string, teamIds: readonly string[]): Promise<void> {
  await tx.query(SET_TEAMS, [projectId, teamIds]);
}

export async function setMembers(tx: Tx, projectId: string, userIds: readonly string[]): Promise<void> {
  await tx.query(SET_MEMBERS, [projectId, userIds]);
}

/** Takes the issues of all other teams out of the project. */
export async function dropFromIssuesOfOthers(
  tx: Tx,
  projectId: string,
  teamIds: readonly string[],
  at: Date,
): Promise<void> {
  await tx.query(DROP_FROM_ISSUES, [projectId, teamIds, at]);
}
