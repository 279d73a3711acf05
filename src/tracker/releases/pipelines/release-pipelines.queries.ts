import { columnsOf } from '../../../kernel/database/columns.js';
import type { Tx } from '../../../kernel/database/db.js';
import { statement } from '../../../kernel/database/statement.js';
import { keyedLoader } from '../../store/keyed-loader.js';
import { ReleaseNote } from '../notes/release-note.entity.js';

/* Hand-written: sets of rows in one statement, and those of many pipelines at once. */

const SET_TEAMS = statement(
  'tracker_set_pipeline_teams',
  `WITH gone AS (DELETE FROM release_pipeline_teams WHERE pipeline_id = $1::uuid AND team_id <> ALL($3::uuid[]))
   INSERT INTO release_pipeline_teams (id, organization_id, pipeline_id, team_id, created_at, updated_at)
   SELECT n.id, $2::uuid, $1::uuid, n.team, $5::timestamptz, $5::timestamptz
   FROM unnest($4::uuid[], $3::uuid[]) AS n (id, team) ON CONFLICT DO NOTHING`,
);

/** @param ids for new rows, one a team */
export async function setPipelineTeams(
  tx: Tx,
  pipeline: { id: string; organizationId: string },
  teamIds: readonly string[],
  ids: readonly string[],
  at: Date,
): Promise<void> {
  await tx.query(SET_TEAMS, [pipeline.id, pipeline.organizationId, teamIds, ids, at]);
}

/** Those that are not archived. */
export const releaseCountOfPipeline = keyedLoader<{ count: number }, number>({
  statement: statement(
    'tracker_count_releases_of_pipelines',
    `SELECT r.pipeline_id AS key, count(*)::int AS count FROM releases r
     WHERE r.pipeline_id = ANY($1::uuid[]) AND r.organization_id = $2::uuid AND r.archived_at IS NULL GROUP BY 1`,
  ),
  values: (ids, viewer) => [ids, viewer.organizationId],
  answer: ([row]) => row?.count ?? 0,
});

export const latestNoteOfPipeline = keyedLoader<ReleaseNote & { key: string }, ReleaseNote | null>({
  statement: statement(
    'tracker_latest_notes_of_pipelines',
    `SELECT DISTINCT ON (n.pipeline_id) n.pipeline_id AS key, ${columnsOf(ReleaseNote, 'n')} FROM release_notes n
     WHERE n.pipeline_id = ANY($1::uuid[]) AND n.organization_id = $2::uuid
     ORDER BY n.pipeline_id, n.created_at DESC, n.id DESC`,
  ),
  values: (ids, viewer) => [ids, viewer.organizationId],
  answer: ([note]) => note ?? null,
});
