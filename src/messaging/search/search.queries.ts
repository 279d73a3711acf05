import { statement } from '../../kernel/database/statement.js';
import { sqlOtherParty } from '../model/conversation-wire.js';
import type { ConversationType } from '../model/conversation.entity.js';

/** What the caller may search, and what the names of a query stand for. */
export interface ScopeRow {
  visible: string[];
  /** Visible channels by name. */
  channels: { id: string; name: string }[];
  /** Named users, with the bot they are, and the caller's im with them. */
  users: { id: string; name: string; bot_id: string | null; im: string | null }[];
}

/** Parameters: workspace, caller, names of channels, names of users, ids of users. */
export const SCOPE = statement(
  'search_scope',
  `WITH visible AS MATERIALIZED (
     SELECT id, name FROM conversations WHERE workspace_id = $1 AND type = 'public'
     UNION ALL
     SELECT c.id, c.name FROM members m JOIN conversations c ON c.id = m.conversation_id
     WHERE m.user_id = $2 AND c.workspace_id = $1 AND c.type <> 'public')
   SELECT ARRAY(SELECT id FROM visible) AS visible,
     coalesce((SELECT json_agg(json_build_object('id', id, 'name', name)) FROM visible WHERE name = ANY($3::text[])), '[]') AS channels,
     coalesce((
       SELECT json_agg(json_build_object('id', u.id, 'name', u.name, 'bot_id', u.bot_id, 'im', c.id))
       FROM users u LEFT JOIN conversations c ON c.workspace_id = $1 AND c.type = 'im'
         AND c.members_key = CASE WHEN u.id = $2 THEN u.id WHEN u.id < $2 THEN u.id || ',' || $2 ELSE $2 || ',' || u.id END
       WHERE u.workspace_id = $1 AND (u.name = ANY($4::text[]) OR u.id = ANY($5::text[]))), '[]') AS users`,
);

/** A message that was found, with what its match shows of its surroundings. */
export interface MatchRow {
  conversation_id: string;
  ts: number;
  thread_ts: number | null;
  wire: string;
  has_reactions: boolean;
  type: ConversationType;
  /** Of an im, the other user's id. */
  channel_name: string;
  user_name: string | null;
}

/** Parameters: workspace, caller, conversation ids, ts; both lists go together. */
export const MATCHES = statement(
  'search_matches',
  `SELECT m.conversation_id, m.ts, m.thread_ts, m.wire, m.reactions IS NOT NULL AS has_reactions, c.type,
          CASE c.type WHEN 'im' THEN ${sqlOtherParty('c', '$2::text')} ELSE c.name END AS channel_name, u.name AS user_name
   FROM unnest($3::text[], $4::bigint[]) WITH ORDINALITY AS r (conversation_id, ts, n)
   JOIN messages m ON m.conversation_id = r.conversation_id AND m.ts = r.ts
   JOIN conversations c ON c.id = m.conversation_id AND c.workspace_id = $1
   LEFT JOIN users u ON u.workspace_id = $1 AND u.id = m.user_id
   WHERE is_searchable(m.subtype)
   ORDER BY r.n`,
);
