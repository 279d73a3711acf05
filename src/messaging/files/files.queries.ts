import { ContentSweep } from '../../kernel/database/content-sweep.js';
import { statement } from '../../kernel/database/statement.js';
import { FILE_COLUMNS, sqlVisibleFile } from '../wire/file-wire.queries.js';

/* Hand-written: a file is visible through its shares, and its state decides what may come next. */

/** Reserving space in a workspace is exclusive. */
export const HOLD_WORKSPACE = statement('files_hold', 'SELECT FROM workspaces WHERE id = $1 FOR NO KEY UPDATE');

/** Bytes of all files of a workspace, including announced ones. */
export const TOTAL = statement(
  'files_total',
  `SELECT coalesce(sum(size), 0)::bigint AS total FROM files WHERE workspace_id = $1 AND state <> 'deleted'`,
);

export const INSERT_FILE = statement(
  'files_insert',
  `INSERT INTO files (id, workspace_id, app_id, user_id, name, title, alt_txt, size, upload_hash, created_at, upload_until,
     complete_until)
   VALUES ($1, $2, $3, $4, $5, $5, $6, $7, $8, $9, $10, $11)`,
);

/** $1: hash of the upload URL's secret; $2: now in real time. */
export const SLOT = statement(
  'files_slot',
  `SELECT f.id, f.workspace_id AS "workspaceId", f.state, f.name, f.size, s.id_key AS "idKey" FROM files f
   JOIN workspaces w ON w.id = f.workspace_id AND w.deleted_at IS NULL
   LEFT JOIN sandboxes s ON s.tenant_id = w.tenant_id
   WHERE f.upload_hash = $1 AND f.upload_until > $2`,
);

/**
 * The first of several uploads succeeds. Bytes that are there already are held, so that no sweep takes them.
 * Parameters: id, bytes, their hash, size, details.
 */
export const STORE_CONTENT = statement(
  'files_store_content',
  `WITH filled AS (
     UPDATE files SET state = 'uploaded', content_hash = $3, size = $4, details = $5::jsonb WHERE id = $1 AND state = 'slot'
     RETURNING workspace_id),
   stored AS (
     INSERT INTO file_contents (workspace_id, hash, bytes) SELECT workspace_id, $3, $2::bytea FROM filled
     ON CONFLICT (workspace_id, hash) DO UPDATE SET hash = excluded.hash)
   SELECT 1 FROM filled`,
);

/** Files of this app (or person without an app) that wait to be completed, locked. */
export const UPLOADED = statement(
  'files_uploaded',
  `SELECT ${FILE_COLUMNS} FROM files f
   WHERE f.workspace_id = $1 AND f.id = ANY($2::text[]) AND f.state = 'uploaded' AND f.app_id IS NOT DISTINCT FROM $3
     AND ($3::text IS NOT NULL OR f.user_id = $4) AND f.complete_until > $5
   ORDER BY f.id FOR NO KEY UPDATE`,
);

/** Parameters: ids, titles. */
export const COMPLETE = statement(
  'files_complete',
  `UPDATE files f SET state = 'complete', title = coalesce(t.title, f.title)
   FROM unnest($1::text[], $2::text[]) AS t (id, title) WHERE f.id = t.id`,
);

export const SHARE = statement(
  'files_share',
  'INSERT INTO file_shares (file_id, conversation_id, ts) SELECT id, $2, $3 FROM unnest($1::text[]) id',
);

/** One that the viewer may see. Parameters: workspace, id, viewer. */
export const VISIBLE = statement(
  'files_visible',
  `SELECT ${FILE_COLUMNS} FROM files f
   WHERE f.workspace_id = $1 AND f.id = $2 AND f.state IN ('complete', 'deleted') AND ${sqlVisibleFile('$3')}`,
);

/**
 * Files that the viewer may see and that are asked for: in a conversation, by a user, made from and until then
 * (microseconds), with a name that fits a pattern or as a snippet; null: any.
 */
const LISTED = `FROM files f WHERE f.workspace_id = $1 AND f.state = 'complete' AND ${sqlVisibleFile('$2', '$3::text[]')}
  AND ($4::text IS NULL OR f.user_id = $4) AND ($5::bigint IS NULL OR f.created_at >= $5)
  AND ($6::bigint IS NULL OR f.created_at <= $6)
  AND ($7::text IS NULL OR lower(f.name) ~ $7 OR ($8::boolean AND f.details ? 'lines'))`;

export const COUNT_LISTED = statement('files_count', `SELECT count(*)::int AS total ${LISTED}`);

/** $9: how many; $10: after how many. */
export const FILES = statement(
  'files_list',
  `SELECT ${FILE_COLUMNS} ${LISTED} ORDER BY f.created_at DESC, f.id DESC LIMIT $9 OFFSET $10`,
);

/** The secret stays where there is one. */
export const MAKE_PUBLIC = statement(
  'files_make_public',
  `UPDATE files SET public_secret = coalesce(public_secret, $2) WHERE id = $1 AND state = 'complete'
   RETURNING public_secret AS "publicSecret"`,
);

/** A file by the parts of its public URL: workspace, id, secret. */
export const PUBLIC_FILE = statement(
  'files_public',
  `SELECT f.name, f.content_hash AS "contentHash" FROM files f
   JOIN workspaces w ON w.id = f.workspace_id AND w.deleted_at IS NULL
   WHERE f.workspace_id = $1 AND f.id = $2 AND f.public_secret = $3 AND f.state = 'complete'`,
);

/** Public files with a secret in sandboxes with ids of their own: their ids do not name them. */
export const PUBLIC_FILES_OF_FORKS = statement(
  'files_public_of_forks',
  `SELECT f.id, f.workspace_id AS "workspaceId", sb.id_key AS "idKey" FROM files f
   JOIN workspaces w ON w.id = f.workspace_id AND w.deleted_at IS NULL
   JOIN sandboxes sb ON sb.tenant_id = w.tenant_id AND sb.id_key IS NOT NULL
   WHERE f.public_secret = $1 LIMIT 100`,
);

export const CONTENT = statement(
  'files_content',
  'SELECT bytes FROM file_contents WHERE workspace_id = $1 AND hash = $2',
);

/** Every conversation with messages that show a file, in order of id. */
export const SHARED_IN = statement(
  'files_shared_in',
  `SELECT DISTINCT c.id, c.type FROM file_shares s JOIN conversations c ON c.id = s.conversation_id
   WHERE s.file_id = $1 ORDER BY c.id`,
);

/** The file in the messages that show it becomes a tombstone. */
export const MARK_DELETED_IN_MESSAGES = statement(
  'files_mark_deleted_in_messages',
  `UPDATE messages m SET wire = jsonb_set(m.wire::jsonb, '{files}', (
     SELECT jsonb_agg(CASE WHEN f ->> 'id' = $1 THEN jsonb_build_object('id', $1::text, 'mode', 'tombstone') ELSE f END ORDER BY n)
     FROM jsonb_array_elements(m.wire::jsonb -> 'files') WITH ORDINALITY AS t (f, n)))::text
   FROM file_shares s WHERE s.file_id = $1 AND m.conversation_id = s.conversation_id AND m.ts = s.ts
     AND m.wire::jsonb ? 'files'`,
);

export const DELETE_FILE = statement(
  'files_delete',
  `UPDATE files SET state = 'deleted', public_secret = NULL, content_hash = NULL, upload_hash = NULL WHERE id = $1 AND state = 'complete' RETURNING 1`,
);

const AT_ONCE = 200;

/** Slots that were not completed, and files that were deleted long ago. */
export const SWEEP_FILES = statement(
  'files_sweep',
  `DELETE FROM files WHERE id IN (
     SELECT id FROM files WHERE state IN ('slot', 'uploaded') AND complete_until < $1 LIMIT ${AT_ONCE}) RETURNING 1`,
);

/** Bytes that nothing uses. */
export const CONTENT_SWEEP = new ContentSweep({
  contents: 'file_contents',
  files: 'files',
  ownerColumn: 'workspace_id',
  ownerType: 'text',
  owners: 'workspaces',
});

/** Bytes of files. Parameters: the new workspace, the old one. */
export const COPY_CONTENTS = statement(
  'copies_contents',
  `INSERT INTO file_contents (workspace_id, hash, bytes)
   SELECT $1, c.hash, c.bytes FROM file_contents c
   WHERE c.workspace_id = $2 AND c.hash IN (SELECT f.content_hash FROM files f WHERE f.workspace_id = $1)`,
);
