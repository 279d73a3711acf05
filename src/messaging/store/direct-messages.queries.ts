import { statement } from '../../kernel/database/statement.js';
import { conversationColumns } from './conversation.entity.js';

/* By hand: sets of members, and inserts whose unique keys decide a race. */

export const DIRECT_BY_MEMBERS = statement(
  'chat_conversation_by_members',
  `SELECT ${conversationColumns('c')} FROM conversations c WHERE c.workspace_id = $1 AND c.members_key = $2`,
);

export const INSERT_DIRECT = statement(
  'chat_insert_direct',
  `INSERT INTO conversations (id, workspace_id, type, name, members_key, creator_id, topic, purpose, member_count, created_at, updated_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10) ON CONFLICT (workspace_id, members_key) DO NOTHING RETURNING id`,
);

export const INSERT_MEMBERS = statement(
  'chat_insert_direct_members',
  `INSERT INTO members (conversation_id, user_id, joined_at) SELECT $1, u, $3 FROM unnest($2::text[]) u`,
);

export const HOLD_DIRECT = statement('chat_hold_direct', `SELECT FROM conversations WHERE id = $1 FOR NO KEY UPDATE`);

/** Those who left a group message come back when somebody opens it for the same users again. */
export const RETURN_MEMBERS = statement(
  'chat_return_direct_members',
  `WITH back AS (
     INSERT INTO members (conversation_id, user_id, joined_at) SELECT $1, u, $3 FROM unnest($2::text[]) u
     ON CONFLICT DO NOTHING RETURNING user_id)
   UPDATE conversations SET member_count = member_count + (SELECT count(*) FROM back), members_version = members_version + 1
   WHERE id = $1`,
);

export const HANDLES = statement(
  'chat_handles',
  `SELECT id, name FROM users WHERE workspace_id = $1 AND id = ANY($2::text[])`,
);
