import { statement } from '../../kernel/database/statement.js';

/* Hand-written: people, user groups and channels of a text by their names, in one round trip. */

/** Parameters: workspace, caller, names. */
export const NAMED = statement(
  'chat_named',
  `SELECT '#' || c.name AS name, '<#' || c.id || '|' || c.name || '>' AS link FROM conversations c
   WHERE c.workspace_id = $1 AND c.name = ANY($3::text[]) AND (c.type = 'public' OR (c.type = 'private' AND EXISTS (
     SELECT FROM members m WHERE m.conversation_id = c.id AND m.user_id = $2)))
   UNION ALL
   SELECT '@' || u.name, '<@' || u.id || '>' FROM users u
   WHERE u.workspace_id = $1 AND u.name = ANY($3::text[]) AND u.deleted_at IS NULL
   UNION ALL
   SELECT '@' || g.handle, '<!subteam^' || g.id || '>' FROM usergroups g
   WHERE g.workspace_id = $1 AND g.handle = ANY($3::text[]) AND g.deleted_at IS NULL`,
);
