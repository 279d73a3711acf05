import { statement } from '../../kernel/database/statement.js';

/*
 * Hand-written: sets of rows in one statement. Each answers what it changed. Tables of other rooms: issue_to_releases,
 * release_pipeline_teams, releases. Issues are put into releases as they change.
 */

export const ADD_TO_RELEASES = statement(
  'tracker_add_to_releases',
  `INSERT INTO issue_to_releases (id, organization_id, issue_id, release_id, created_at, updated_at)
   SELECT e.id, $2::uuid, e."issueId", e."releaseId", $3::timestamptz, $3::timestamptz
   FROM jsonb_to_recordset($1::jsonb) AS e (id uuid, "issueId" uuid, "releaseId" uuid)
   ON CONFLICT (issue_id, release_id) DO NOTHING RETURNING id, issue_id AS "issueId", release_id AS "releaseId", created_at AS "createdAt"`,
);

/** The teams of the releases' pipelines. */
export const TEAMS_OF_RELEASES = statement(
  'tracker_teams_of_releases',
  `SELECT e.id AS "releaseId", t.id, t.private FROM releases e JOIN release_pipeline_teams x ON x.pipeline_id = e.pipeline_id
   JOIN teams t ON t.id = x.team_id WHERE e.id = ANY($1::uuid[]) ORDER BY t.id`,
);

export const REMOVE_FROM_RELEASES = statement(
  'tracker_remove_from_releases',
  `DELETE FROM issue_to_releases l USING jsonb_to_recordset($1::jsonb) AS e ("issueId" uuid, "releaseId" uuid)
   WHERE l.issue_id = e."issueId" AND l.release_id = e."releaseId"
   RETURNING l.id, l.issue_id AS "issueId", l.release_id AS "releaseId", l.created_at AS "createdAt"`,
);
