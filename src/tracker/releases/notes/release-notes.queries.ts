import type { Tx } from '../../../kernel/database/db.js';
import { statement } from '../../../kernel/database/statement.js';

/* Hand-written: sets of rows in one statement. */

/** Those of a pipeline from the one to the other, by their making; without an end all there are. */
const RANGE = statement(
  'tracker_releases_in_range',
  `SELECT r.id FROM releases r
   LEFT JOIN releases f ON f.id = $2::uuid LEFT JOIN releases t ON t.id = $3::uuid
   WHERE r.pipeline_id = $1::uuid AND r.trashed IS NOT TRUE
     AND (f.id IS NULL OR (r.created_at, r.id) >= (f.created_at, f.id))
     AND (t.id IS NULL OR (r.created_at, r.id) <= (t.created_at, t.id))
   ORDER BY r.created_at, r.id`,
);

const SET_RELEASES = statement(
  'tracker_set_note_releases',
  `WITH gone AS (DELETE FROM release_note_releases WHERE note_id = $1::uuid AND release_id <> ALL($3::uuid[]))
   INSERT INTO release_note_releases (id, organization_id, note_id, release_id, created_at, updated_at)
   SELECT n.id, $2::uuid, $1::uuid, n.release, $5::timestamptz, $5::timestamptz
   FROM unnest($4::uuid[], $3::uuid[]) AS n (id, release) ON CONFLICT DO NOTHING`,
);

const RELEASES_OF = statement(
  'tracker_releases_of_note',
  `SELECT r.id FROM release_note_releases l JOIN releases r ON r.id = l.release_id
   WHERE l.note_id = $1::uuid ORDER BY r.created_at, r.id`,
);

/** The oldest first. */
export async function releasesOfNote(tx: Tx, noteId: string): Promise<string[]> {
  return (await tx.query<{ id: string }>(RELEASES_OF, [noteId])).map(({ id }) => id);
}

export async function releasesBetween(
  tx: Tx,
  pipelineId: string,
  from: string | null,
  to: string | null,
): Promise<string[]> {
  return (await tx.query<{ id: string }>(RANGE, [pipelineId, from, to])).map(({ id }) => id);
}

/** @param ids for new rows, one a release */
export async function setNoteReleases(
  tx: Tx,
  note: { id: string; organizationId: string },
  releaseIds: readonly string[],
  ids: readonly string[],
  at: Date,
): Promise<void> {
  await tx.query(SET_RELEASES, [note.id, note.organizationId, releaseIds, ids, at]);
}
