import { statement } from '../../kernel/database/statement.js';
import { sqlTs } from '../wire/message-wire.queries.js';

/* Hand-written: names around matches, neighbours of many messages, and words over small lists. */

const SHOWN_NAME = `coalesce(nullif(u.profile->>'display_name', ''), nullif(u.profile->>'real_name', ''), u.name)`;

/** What people are called. Parameters: workspace, users. */
export const NAMES_OF_PEOPLE = statement(
  'context_names',
  `SELECT u.id, ${SHOWN_NAME} AS name FROM users u WHERE u.workspace_id = $1 AND u.id = ANY($2::text[])`,
);

/** How many messages are shown on each side. */
const AROUND = 2;

const neighbours = (side: 'before' | 'after') => `(
  SELECT coalesce(json_agg(json_build_object('text', n.text, 'user_id', n.user_id, 'ts', ${sqlTs('n.ts')}) ORDER BY n.ts), '[]')
  FROM (SELECT ts, text, user_id FROM messages n
        WHERE n.conversation_id = m.conversation_id AND n.ts ${side === 'before' ? '<' : '>'} m.ts
          AND n.thread_ts IS NOT DISTINCT FROM m.thread_ts AND is_searchable(n.subtype)
        ORDER BY n.ts ${side === 'before' ? 'DESC' : 'ASC'} LIMIT ${AROUND}) n)`;

/** Messages around others, in their threads or outside of any. Parameters: conversations, ts. */
export const NEIGHBOURS = statement(
  'context_neighbours',
  `SELECT m.conversation_id AS channel, m.ts, ${neighbours('before')} AS before, ${neighbours('after')} AS after
   FROM unnest($1::text[], $2::bigint[]) AS r (conversation_id, ts)
   JOIN messages m ON m.conversation_id = r.conversation_id AND m.ts = r.ts`,
);

/** How many of the words ($n) stand in a text. */
const hits = (text: string, words: string): string =>
  `(SELECT count(*) FROM unnest(${words}::text[]) t WHERE strpos(lower(${text}), t) > 0)`;

/** Parameters: workspace, viewer, words, types, with archived ones, limit, offset. */
export const FIND_CHANNELS = statement(
  'context_channels',
  `SELECT c.id, c.name, c.topic, c.purpose, c.creator_id AS "creatorId", c.created_at AS "createdAt", c.updated_at AS "updatedAt"
   FROM conversations c
   CROSS JOIN LATERAL (SELECT ${hits(`concat_ws(' ', c.name, c.topic, c.purpose)`, '$3')} AS score) s
   WHERE c.workspace_id = $1 AND c.type = ANY($4::text[]) AND c.type IN ('public', 'private') AND ($5 OR NOT c.is_archived) AND s.score > 0
     AND (c.type = 'public' OR EXISTS (SELECT FROM members m WHERE m.conversation_id = c.id AND m.user_id = $2))
   ORDER BY s.score DESC, c.name LIMIT $6 OFFSET $7`,
);

/** Parameters: workspace, words, with bots, with deleted ones, limit, offset. */
export const FIND_USERS = statement(
  'context_users',
  `SELECT u.id, u.name, ${SHOWN_NAME} AS "fullName", u.profile->>'title' AS title, u.is_bot AS "isBot", u.deleted_at IS NOT NULL AS "isDeleted"
   FROM users u
   CROSS JOIN LATERAL (SELECT ${hits(`concat_ws(' ', u.name, u.profile->>'real_name', u.profile->>'display_name', u.profile->>'title')`, '$2')} AS score) s
   WHERE u.workspace_id = $1 AND ($3 OR NOT u.is_bot) AND ($4 OR u.deleted_at IS NULL) AND s.score > 0
   ORDER BY s.score DESC, u.name LIMIT $5 OFFSET $6`,
);
