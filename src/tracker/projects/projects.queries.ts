import type { Tx } from '../../kernel/database/db.js';
import { statement } from '../../kernel/database/statement.js';

/* Tables of other rooms: issues. They leave a project that their team leaves. */

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
