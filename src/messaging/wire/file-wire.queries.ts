import type { Db } from '../../kernel/database/db.js';
import { statement } from '../../kernel/database/statement.js';
import type { FileUrls } from './chat-urls.js';
import { toWireFile, type FileRow, type ShareRow } from './file-wire.js';
import { sqlTs } from './message-wire.queries.js';

/*
 * Hand-written: files with all their shares that a viewer sees, in one statement. Tables of other rooms: file_shares.
 * Files are shown by all that shows messages.
 */

/** Columns of a `FileRow`. */
export const FILE_COLUMNS = `f.id, f.workspace_id AS "workspaceId", f.app_id AS "appId", f.user_id AS "userId", f.state, f.name, f.title,
  f.alt_txt AS "altText", f.size, f.content_hash AS "contentHash", f.details, f.created_at AS "createdAt",
  f.public_secret AS "publicSecret"`;

/** A conversation `c` that the viewer sees. */
const sqlSeen = (viewer: string): string =>
  `(c.type = 'public' OR EXISTS (SELECT FROM members v WHERE v.conversation_id = c.id AND v.user_id = ${viewer}))`;

/**
 * A file `f` that the viewer sees: who uploaded it, or sees a conversation that it is in.
 * @param among only files that are in one of these conversations, an expression for a list of ids; null: all
 */
export const sqlVisibleFile = (viewer: string, among = 'NULL::text[]'): string => `(
  (${among} IS NULL AND f.user_id = ${viewer}) OR EXISTS (
    SELECT FROM file_shares s JOIN conversations c ON c.id = s.conversation_id
    WHERE s.file_id = f.id AND (${among} IS NULL OR c.id = ANY(${among})) AND ${sqlSeen(viewer)}))`;

/** Parameters: files, viewer: conversations that the viewer does not see are not named. */
const SHARES = statement(
  'files_shares',
  `SELECT s.file_id AS "fileId", c.id AS channel, c.type, c.name AS "channelName", ${sqlTs('m.ts')} AS ts,
          ${sqlTs('m.thread_ts')} AS "threadTs", m.reply_users AS "replyUsers", m.reply_users_count AS "replyUsersCount",
          m.reply_count AS "replyCount"
   FROM file_shares s JOIN conversations c ON c.id = s.conversation_id
   JOIN messages m ON m.conversation_id = s.conversation_id AND m.ts = s.ts
   WHERE s.file_id = ANY($1::text[]) AND ${sqlSeen('$2')}
   ORDER BY s.ts, c.id`,
);

/** Files as a viewer sees them, with the messages that show them. */
export async function wireFiles(
  db: Db,
  files: readonly FileRow[],
  { viewer, urls }: { readonly viewer: string; readonly urls: FileUrls },
): Promise<object[]> {
  if (files.length === 0) return [];
  const rows = await db.read<ShareRow & { fileId: string } & Record<string, unknown>>(SHARES, [
    files.map(({ id }) => id),
    viewer,
  ]);
  const shares = new Map<string, ShareRow[]>();
  for (const row of rows) shares.set(row.fileId, [...(shares.get(row.fileId) ?? []), row]);
  return files.map((file) => toWireFile(file, shares.get(file.id) ?? [], urls));
}
