import { sqlNowMicros } from '../../kernel/clock/clock.js';
import { batchStatement } from '../../kernel/database/batch-statement.js';
import { MESSAGE_RULE } from '../events/chat-events.js';
import { sqlHearingColumns } from '../events/define-chat-event.js';
import { QUEUED_OF_BATCH, recordEvents } from '../events/delivery-plan.queries.js';
import { sqlFilled } from '../wire/blanks.js';
import { sqlTs } from '../wire/message-wire.queries.js';
import { sqlSearchRows } from './search-rows.queries.js';

/* Hand-written: posts of a whole batch, with their events and deliveries, in one statement. */

/** Whether the conversation of the part `l` is a direct message that somebody closed, which a post opens again. */
export const HAS_CLOSED = `l.type IN ('im', 'mpim') AND EXISTS (
  SELECT FROM members closed WHERE closed.conversation_id = l.id AND closed.closed_at IS NOT NULL)`;

/**
 * The post of a whole batch: conversations locked in id order (no deadlocks), one ts each from the conversation's
 * counter, message, event and deliveries in the same statement. The texts of message and event come finished, with blanks
 * for the ts.
 *
 * What waited for a lock has the row's newest version, but sees other tables as of before the wait: who was kicked just
 * now would still get through, and hear of it. So the conversation counts changes of its members, and a post of one
 * whose count moved under the wait is not stored.
 *
 * Refused beside that: `own_transaction`, where the post opens a direct message again, which its members are told of.
 *
 * A post inside a transaction is a batch of one without `data`: the transaction records the event, with what belongs to it.
 */
export const POST_BATCH = batchStatement(
  'chat_post_batch',
  {
    conversation_id: 'text',
    member_id: 'text',
    user_id: 'text',
    bot_id: 'text',
    subtype: 'text',
    text: 'text',
    wire: 'text',
    metadata: 'text',
    data: 'text',
  },
  (req, lock) => `WITH ${req},
   seen AS MATERIALIZED (
     SELECT id, members_version FROM conversations WHERE id IN (SELECT conversation_id FROM req)),
   locked AS MATERIALIZED (
     SELECT id, workspace_id, type, is_archived, members_version FROM conversations
     WHERE id IN (SELECT conversation_id FROM req) ORDER BY id ${lock}),
   judged AS MATERIALIZED (
     SELECT r.*, l.workspace_id, l.type,
       CASE WHEN l.members_version IS DISTINCT FROM s.members_version THEN 'again'
         WHEN l.id IS NULL THEN 'channel_not_found'
         WHEN l.is_archived THEN 'is_archived'
         WHEN r.member_id IS NOT NULL AND b.user_id IS NULL THEN 'not_in_channel'
         WHEN r.data IS NOT NULL AND ${HAS_CLOSED} THEN 'own_transaction'
         ELSE 'done' END AS outcome
     FROM req r LEFT JOIN locked l ON l.id = r.conversation_id LEFT JOIN seen s ON s.id = r.conversation_id
     LEFT JOIN members b ON b.conversation_id = r.conversation_id AND b.user_id = r.member_id),
   ok AS MATERIALIZED (
     SELECT j.*, row_number() OVER (PARTITION BY conversation_id ORDER BY n) AS k FROM judged j WHERE outcome = 'done'),
   counted AS MATERIALIZED (SELECT conversation_id, count(*) AS posts, min(clock) AS clock FROM ok GROUP BY 1),
   moved AS MATERIALIZED (
     UPDATE conversations c SET last_ts = greatest(${sqlNowMicros('counted.clock')}, c.last_ts + 1) + counted.posts - 1
     FROM counted WHERE c.id = counted.conversation_id
     RETURNING c.id, c.last_ts - counted.posts AS base),
   msg AS MATERIALIZED (
     SELECT o.n, o.tenant_id, o.cause, o.shift, o.draw, o.conversation_id, o.workspace_id, o.type, o.user_id, o.bot_id, o.subtype, o.text,
            o.metadata, m.base + o.k AS ts, ${sqlFilled('o.wire', 'ts', sqlTs('m.base + o.k'))} AS wire,
            ${sqlFilled('o.data', 'ts', sqlTs('m.base + o.k'))} AS data
     FROM ok o JOIN moved m ON m.id = o.conversation_id),
   stored AS (
     INSERT INTO messages (conversation_id, ts, user_id, bot_id, subtype, text, wire, metadata)
     SELECT conversation_id, ts, user_id, bot_id, subtype, text, wire, metadata FROM msg),
   indexed AS (${sqlSearchRows("coalesce(user_id, bot_id, '')")}),
   new_events AS (
     SELECT n, tenant_id, 'message' AS kind, 'conversation:' || conversation_id AS room, data, cause, shift, draw, conversation_id, type,
            ${sqlHearingColumns(MESSAGE_RULE, 'type')}, NULL::text AS subject_id FROM msg WHERE data IS NOT NULL),
   ${recordEvents('new_events')}
   SELECT r.n, r.outcome, msg.ts, ${QUEUED_OF_BATCH} FROM judged r LEFT JOIN msg ON msg.n = r.n`,
  { keeps: 'callers' },
);
