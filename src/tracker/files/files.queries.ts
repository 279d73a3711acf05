import { statement } from '../../kernel/database/statement.js';

/* Hand-written: the bytes go in with the change of the row, and what nothing uses is swept in sets. */

/** The first of several uploads succeeds. Parameters: id, bytes, their hash. */
export const STORE_CONTENT = statement(
  'tracker_files_store_content',
  `WITH filled AS (
     UPDATE tracker_files SET content_hash = $3, upload_hash = NULL WHERE id = $1::uuid AND content_hash IS NULL
     RETURNING organization_id),
   stored AS (
     INSERT INTO tracker_file_contents (organization_id, hash, bytes) SELECT organization_id, $3, $2::bytea FROM filled
     ON CONFLICT DO NOTHING)
   SELECT 1 FROM filled`,
);

const AT_ONCE = 200;

/** Places that nothing was uploaded to. */
export const SWEEP_FILES = statement(
  'tracker_files_sweep',
  `DELETE FROM tracker_files WHERE id IN (
     SELECT id FROM tracker_files WHERE content_hash IS NULL AND upload_until < $1 LIMIT ${AT_ONCE}) RETURNING 1`,
);

/** Bytes used by no file and by no state that a reset or a copy may restore. */
export const SWEEP_CONTENTS = statement(
  'tracker_files_sweep_contents',
  `DELETE FROM tracker_file_contents WHERE (organization_id, hash) IN (
     SELECT c.organization_id, c.hash FROM tracker_file_contents c
     WHERE NOT EXISTS (SELECT FROM tracker_files f WHERE f.organization_id = c.organization_id AND f.content_hash = c.hash)
       AND NOT EXISTS (
         SELECT FROM organizations o JOIN sandbox_undo u ON u.tenant_id = o.tenant_id
         WHERE o.id = c.organization_id AND u.tbl = 'tracker_files' AND u.image ->> 'content_hash' = c.hash)
     LIMIT ${AT_ONCE}) RETURNING 1`,
);
