import { statement } from '../../kernel/database/statement.js';
import { messageWithPermalink } from '../wire/message-wire.queries.js';

/* Hand-written: pages of messages as stored wire text. */

/** Parameters: conversation, ts, viewer ids, base URL. */
export const MESSAGE_WITH_REACTIONS = statement(
  'reactions_get',
  `SELECT ${messageWithPermalink('m', '$3::text[]', '$4::text')} AS wire
   FROM messages m WHERE m.conversation_id = $1 AND m.ts = $2 AND m.subtype IS DISTINCT FROM 'tombstone'`,
);

/** What a user reacted to, as far as the viewer sees it. Parameters: workspace, user, viewer. */
const REACTED = `
  (SELECT DISTINCT conversation_id, ts FROM reactions WHERE user_id = $2::text) r
  JOIN conversations c ON c.id = r.conversation_id AND c.workspace_id = $1
   AND (c.type = 'public' OR EXISTS (SELECT FROM members v WHERE v.conversation_id = c.id AND v.user_id = $3::text))`;

/** Further parameters: viewer ids, the key to start from (ts, id) or nulls, how many, how many to leave out, base URL. */
export const PAGE_OF_REACTED = statement(
  'reactions_list',
  `SELECT r.conversation_id AS channel, r.ts, ${messageWithPermalink('m', '$4::text[]', '$9::text')} AS wire
   FROM ${REACTED} JOIN messages m ON m.conversation_id = r.conversation_id AND m.ts = r.ts
   WHERE $5::bigint IS NULL OR (r.ts, r.conversation_id) <= ($5, $6::text)
   ORDER BY r.ts DESC, r.conversation_id DESC LIMIT $7::int OFFSET $8::int`,
);

export const TOTAL_OF_REACTED = statement('reactions_list_total', `SELECT count(*)::int AS total FROM ${REACTED}`);
