import { statement } from '../../kernel/database/statement.js';
import { sqlOtherParty } from '../wire/conversation-wire.js';
import type { ConversationType } from '../store/conversation.entity.js';

/* Hand-written: names of a query in one round trip, and matches with what is shown around them. */

/** The ids that the names of a query resolve to. */
export interface ScopeRow {
  /** Of the conversations named by id, and of the ims with the users, those that the caller sees. */
  visible: string[];
  /** Visible channels by name. */
  channels: { id: string; name: string }[];
  /** Named users, with the bot they are, and the caller's im with them. */
  users: { id: string; name: string; bot_id: string | null; im: string | null }[];
}

/** Parameters: workspace, caller, names of channels, names of users, ids of users, ids of conversations. */
export const SCOPE = statement(
  'search_scope',
  `WITH people AS MATERIALIZED (
     SELECT u.id, u.name, u.bot_id, c.id AS im
     FROM users u LEFT JOIN conversations c ON c.workspace_id = $1 AND c.type = 'im'
       AND c.members_key = CASE WHEN u.id = $2 THEN u.id WHEN u.id < $2 THEN u.id || ',' || $2 ELSE $2 || ',' || u.id END
     WHERE u.workspace_id = $1 AND (u.name = ANY($4::text[]) OR u.id = ANY($5::text[]))),
   named AS (
     SELECT id, name, type FROM conversations
     WHERE workspace_id = $1 AND type IN ('public', 'private') AND name = ANY($3::text[])
     UNION
     SELECT c.id, c.name, c.type FROM members m JOIN conversations c ON c.id = m.conversation_id
     WHERE cardinality($3::text[]) > 0 AND m.user_id = $2 AND c.workspace_id = $1 AND c.type = 'mpim'
       AND c.name = ANY($3::text[])
     UNION
     SELECT id, name, type FROM conversations
     WHERE workspace_id = $1 AND id = ANY($6::text[] || ARRAY(SELECT im FROM people WHERE im IS NOT NULL))),
   visible AS MATERIALIZED (
     SELECT id, name FROM named n
     WHERE type = 'public' OR EXISTS (SELECT FROM members m WHERE m.conversation_id = n.id AND m.user_id = $2))
   SELECT ARRAY(SELECT id FROM visible) AS visible,
     coalesce((SELECT json_agg(json_build_object('id', id, 'name', name)) FROM visible WHERE name = ANY($3::text[])), '[]') AS channels,
     coalesce((
       SELECT json_agg(json_build_object('id', id, 'name', name, 'bot_id', bot_id, 'im', im)) FROM people), '[]') AS users`,
);

/** A message that was found, with what its match shows of its context. */
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

/** Adds this many waiting texts to the text index. Those locked by another replica stay. */
export const INDEX_WAITING = statement(
  'search_index_waiting',
  `WITH chosen AS MATERIALIZED (
     SELECT conversation_id, ts FROM message_search WHERE waiting IS NOT NULL LIMIT $1 FOR UPDATE SKIP LOCKED)
   UPDATE message_search s SET folded = s.waiting, waiting = NULL FROM chosen c
   WHERE s.conversation_id = c.conversation_id AND s.ts = c.ts RETURNING 1`,
  { keeps: 'everything' },
);

/** Searchable rows of this many ranges of a workspace's backlog; returns how many ranges there were. */
export const CATCH_UP = statement('search_catch_up', 'SELECT search_catch_up($1, $2) AS ranges');

/** A workspace with a backlog; one that was deleted has nobody who searches. */
export const WORKSPACE_WITH_BACKLOG = statement(
  'search_workspace_with_backlog',
  `SELECT b.workspace_id AS "workspaceId" FROM search_backlog b
   JOIN workspaces w ON w.id = b.workspace_id AND w.deleted_at IS NULL LIMIT 1`,
);
