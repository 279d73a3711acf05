import { statement } from '../../kernel/database/statement.js';
import { conversationColumns, type Conversation } from '../store/conversation.entity.js';
import { sqlOtherParty } from '../wire/conversation-wire.js';
import { sqlTs } from '../wire/message-wire.queries.js';

/* Hand-written: conversations with counts of what is unread, in one read. */

/** How many conversations and marks there may be. */
export const MAX_CONVERSATIONS = 2_000;

/** Unread messages are counted up to this number. */
const MAX_UNREAD = 100;

const TOP_LEVEL = '(x.thread_ts IS NULL OR x.is_broadcast)';

/**
 * The caller's conversations with what is new in each. Parameters: workspace, user, ids and marks of conversations that
 * were read up to there, the time before which an im without a message is not shown, a pattern of what mentions the user.
 */
export const SIDEBAR = statement(
  'chat_sidebar',
  `WITH marks AS MATERIALIZED (SELECT * FROM unnest($3::text[], $4::bigint[]) AS r (id, mark))
   SELECT ${conversationColumns('c')}, ${sqlTs('latest.ts')} AS latest, coalesce(counts.unread, 0)::int AS unread,
          coalesce(counts.mentions, 0)::int AS mentions,
          CASE WHEN c.type = 'im' THEN EXISTS (
            SELECT FROM users u WHERE u.workspace_id = c.workspace_id AND u.id = ${sqlOtherParty('c', '$2')}
              AND u.deleted_at IS NOT NULL) ELSE false END AS "isUserDeleted"
   FROM members m
   CROSS JOIN LATERAL (SELECT * FROM conversations c WHERE c.id = m.conversation_id AND c.workspace_id = $1 OFFSET 0) c
   LEFT JOIN marks r ON r.id = c.id
   LEFT JOIN LATERAL (
     SELECT x.ts FROM messages x WHERE x.conversation_id = c.id AND ${TOP_LEVEL} ORDER BY x.ts DESC LIMIT 1) latest ON true
   LEFT JOIN LATERAL (
     SELECT count(*) AS unread, count(*) FILTER (WHERE n.text ~ $6) AS mentions
     FROM (SELECT x.text FROM messages x
           WHERE x.conversation_id = c.id AND x.ts > r.mark AND ${TOP_LEVEL} AND x.user_id IS DISTINCT FROM $2
           ORDER BY x.ts DESC LIMIT ${MAX_UNREAD}) n) counts ON r.mark < latest.ts
   WHERE m.user_id = $2 AND NOT c.is_archived
     AND (c.type <> 'im' OR latest.ts IS NOT NULL OR greatest(c.created_at, m.joined_at) > $5)
   ORDER BY c.type IN ('im', 'mpim'), c.name, c.id
   LIMIT ${MAX_CONVERSATIONS}`,
);

export interface SidebarRow extends Conversation, Record<string, unknown> {
  readonly latest: string | null;
  readonly unread: number;
  readonly mentions: number;
  readonly isUserDeleted: boolean;
}
