import { ContentSweep } from '../../kernel/database/content-sweep.js';
import { statement } from '../../kernel/database/statement.js';

/* Hand-written: the bytes go in with the change of the row, and what nothing uses is swept in sets. */

/**
 * The first of several uploads succeeds. Bytes that are there already are held, so that no sweep takes them.
 * Parameters: id, bytes, their hash.
 */
export const STORE_CONTENT = statement(
  'tracker_files_store_content',
  `WITH filled AS (
     UPDATE tracker_files SET content_hash = $3, upload_hash = NULL WHERE id = $1::uuid AND content_hash IS NULL
     RETURNING organization_id),
   stored AS (
     INSERT INTO tracker_file_contents (organization_id, hash, bytes) SELECT organization_id, $3, $2::bytea FROM filled
     ON CONFLICT (organization_id, hash) DO UPDATE SET hash = excluded.hash)
   SELECT 1 FROM filled`,
);

const AT_ONCE = 200;

/** Places that nothing was uploaded to. */
export const SWEEP_FILES = statement(
  'tracker_files_sweep',
  `DELETE FROM tracker_files WHERE id IN (
     SELECT id FROM tracker_files WHERE content_hash IS NULL AND upload_until < $1 LIMIT ${AT_ONCE}) RETURNING 1`,
);

/** Bytes that nothing uses. */
export const CONTENT_SWEEP = new ContentSweep({
  contents: 'tracker_file_contents',
  files: 'tracker_files',
  ownerColumn: 'organization_id',
  ownerType: 'uuid',
  owners: 'organizations',
});

/** The same of the tracker. Parameters: the new organization, the old one's tenant. */
export const COPY_TRACKER_CONTENTS = statement(
  'copies_tracker_contents',
  `INSERT INTO tracker_file_contents (organization_id, hash, bytes)
   SELECT $1::uuid, c.hash, c.bytes FROM organizations o JOIN tracker_file_contents c ON c.organization_id = o.id
   WHERE o.tenant_id = $2 AND c.hash IN (SELECT f.content_hash FROM tracker_files f WHERE f.organization_id = $1::uuid)`,
);
