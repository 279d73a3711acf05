import { batchStatement } from '../../kernel/database/batch-statement.js';
import { statement } from '../../kernel/database/statement.js';
import { sqlIsClosed } from '../access/conversation-access.queries.js';
import { READ_SCOPES } from '../events/chat-events.js';
import { sqlHearingColumns } from '../events/define-chat-event.js';
import { QUEUED_OF_BATCH, recordEvents } from '../events/delivery-plan.queries.js';
import { conversationColumns } from './conversation.entity.js';

/* Hand-written: sets of members, found or made for a whole batch in one statement, where unique keys decide a race. */

export const DIRECT_BY_MEMBERS = statement(
  'chat_conversation_by_members',
  `SELECT ${conversationColumns('c')} FROM conversations c WHERE c.workspace_id = $1 AND c.members_key = $2`,
);

/**
 * The direct message of exactly the members of each row: `found`, `created` as `id` with what `kind` and `data` tell of it, or
 * `returned`, where those who left it are members again; with the conversation as it is then. Where `is_judged`, the others
 * must be active users of the workspace, and no bot where a bot asks for one.
 *
 * Who loses the race for a new one waits for the winner and finds it in the next batch. Conversations to return to are
 * locked in the order of their ids, new ones stored in that of their keys, so that batches cannot wait for each other.
 */
export const OPEN_DIRECT_BATCH = batchStatement(
  'chat_open_direct_batch',
  {
    id: 'text',
    workspace_id: 'text',
    user_id: 'text',
    is_bot: 'boolean',
    members_key: 'text',
    type: 'text',
    is_judged: 'boolean',
    only_existing: 'boolean',
    at: 'bigint',
    kind: 'text',
    data: 'text',
  },
  (req) => `WITH ${req},
   sets AS MATERIALIZED (
     SELECT r.*, m.members, cardinality(m.members) AS size, c.id AS conversation_id, b.user_id IS NOT NULL AS is_member,
            c.member_count >= cardinality(m.members) AS is_complete, ${sqlIsClosed('c', 'b')} AS is_closed,
            row_number() OVER (PARTITION BY r.workspace_id, r.members_key ORDER BY n) AS same
     FROM req r CROSS JOIN LATERAL (SELECT string_to_array(r.members_key, ',') AS members) m
     LEFT JOIN conversations c ON c.workspace_id = r.workspace_id AND c.members_key = r.members_key
     LEFT JOIN members b ON b.conversation_id = c.id AND b.user_id = r.user_id),
   held AS MATERIALIZED (
     SELECT id FROM conversations
     WHERE id IN (SELECT conversation_id FROM sets WHERE NOT only_existing AND NOT (is_member AND is_complete))
     ORDER BY id FOR NO KEY UPDATE),
   judged AS MATERIALIZED (
     SELECT s.*, people.handles, CASE
         
         WHEN s.is_judged AND people.known < s.size THEN 'user_not_found'
         WHEN s.is_judged AND people.gone THEN 'user_disabled'
         WHEN s.is_judged AND s.is_bot AND s.size = 2 AND people.bots THEN 'cannot_dm_bot'
         WHEN s.is_member AND (s.is_complete OR s.only_existing) THEN 'found'
         WHEN s.only_existing THEN 'channel_not_found'
         WHEN s.same > 1 THEN 'again'
         WHEN s.conversation_id IS NULL THEN 'created'
         ELSE 'returned' END AS outcome
     FROM sets s CROSS JOIN LATERAL (
       SELECT count(*) AS known, bool_or(p.deleted_at IS NOT NULL) FILTER (WHERE p.id <> s.user_id) AS gone,
              bool_or(p.is_bot) FILTER (WHERE p.id <> s.user_id) AS bots, array_agg(p.name ORDER BY p.name COLLATE "C") AS handles
       FROM users p WHERE p.workspace_id = s.workspace_id AND p.id = ANY (s.members)) people),
   made AS (
     INSERT INTO conversations (id, workspace_id, type, name, members_key, creator_id, topic, purpose, member_count, created_at, updated_at)
     SELECT id, workspace_id, type, CASE type WHEN 'mpim' THEN 'mpdm-' || array_to_string(handles, '--') || '-1' END, members_key, user_id,
            CASE type WHEN 'mpim' THEN 'Group messaging' ELSE '' END,
            CASE type WHEN 'mpim' THEN 'Group messaging with: @' || array_to_string(handles, ' @') ELSE '' END, size, at, at
     FROM judged WHERE outcome = 'created' ORDER BY workspace_id, members_key
     ON CONFLICT (workspace_id, members_key) DO NOTHING RETURNING *),
   entered AS MATERIALIZED (
     SELECT j.id AS conversation_id, p.user_id, j.at FROM judged j JOIN made ON made.id = j.id CROSS JOIN LATERAL unnest(j.members) p (user_id)),
   added AS (INSERT INTO members (conversation_id, user_id, joined_at) SELECT conversation_id, user_id, at FROM entered),
   back AS (
     INSERT INTO members (conversation_id, user_id, joined_at)
     SELECT j.conversation_id, p.user_id, j.at FROM judged j JOIN held ON held.id = j.conversation_id
     CROSS JOIN LATERAL unnest(j.members) p (user_id) WHERE j.outcome = 'returned'
     ON CONFLICT DO NOTHING RETURNING conversation_id),
   refilled AS (
     UPDATE conversations c SET member_count = c.member_count + came.people, members_version = c.members_version + 1
     FROM (SELECT conversation_id, count(*)::int AS people FROM back GROUP BY 1) came WHERE c.id = came.conversation_id
     RETURNING c.*),
   new_events AS (
     SELECT j.n, j.tenant_id, j.kind, 'conversation:' || j.id AS room, j.data, j.cause, j.shift, j.id AS conversation_id, j.type,
            ${sqlHearingColumns({ scope: READ_SCOPES, audience: 'members' }, 'j.type')}, NULL::text AS subject_id
     FROM judged j JOIN made ON made.id = j.id),
   ${recordEvents('new_events', '(SELECT conversation_id, user_id FROM members UNION ALL SELECT conversation_id, user_id FROM entered)')},
   opened AS (
     SELECT * FROM made UNION ALL SELECT * FROM refilled
     UNION ALL SELECT * FROM conversations WHERE id IN (SELECT conversation_id FROM judged WHERE outcome = 'found'))
   SELECT r.n, CASE WHEN r.outcome IN ('created', 'returned') AND c.id IS NULL THEN 'again' ELSE r.outcome END AS outcome,
          r.outcome = 'found' AND r.is_closed AS "isClosed", ${QUEUED_OF_BATCH}, ${conversationColumns('c')}
   FROM judged r LEFT JOIN opened c ON c.id = CASE r.outcome WHEN 'created' THEN r.id ELSE r.conversation_id END`,
);
