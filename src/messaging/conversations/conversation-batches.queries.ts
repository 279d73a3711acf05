import { MESSAGE_RULE } from '../events/chat-events.js';
import { sqlHearing } from '../events/define-chat-event.js';
import { recordEvents } from '../events/delivery-plan.queries.js';
import { EVENT_TAIL } from '../store/message-log.queries.js';
import { sqlTs } from '../wire/message-wire.queries.js';

/*
 * Hand-written: parts of statements that change a whole batch of conversations with messages about it, events and
 * deliveries.
 */

/**
 * Conversations are locked in the order of their ids, like posts. Members are read as of before the lock wait, so a row
 * whose member count changed meanwhile is done again.
 */
export const LOCK_CONVERSATIONS = `
   before_lock AS MATERIALIZED (
     SELECT id, members_version FROM conversations WHERE id IN (SELECT conversation_id FROM req)),
   locked AS MATERIALIZED (
     SELECT id, type, is_general, is_archived, member_count, members_version FROM conversations
     WHERE id IN (SELECT conversation_id FROM req) ORDER BY id FOR NO KEY UPDATE)`;

/**
 * The outcome of each row for the user in `user_id`.
 * @param refusals SQL of further cases: `r` the row, `l` its conversation, `b` the user's membership
 */
export const outcomesOf = (refusals: string): string => `
   judged AS MATERIALIZED (
     SELECT r.*, l.type, CASE
         WHEN l.id IS NULL THEN 'channel_not_found'
         WHEN l.members_version <> s.members_version OR r.same > 1 THEN 'again'
         ${refusals}
         ELSE 'done' END AS outcome
     FROM (
       SELECT req.*, row_number() OVER (PARTITION BY conversation_id, user_id ORDER BY n) AS same,
              row_number() OVER (PARTITION BY conversation_id ORDER BY n) AS of_conversation FROM req) r
     LEFT JOIN locked l ON l.id = r.conversation_id LEFT JOIN before_lock s ON s.id = l.id
     LEFT JOIN members b ON b.conversation_id = r.conversation_id AND b.user_id = r.user_id)`;

/** Stores the system message of each `msg`, whose unterminated JSON is `open`. */
export const insertSystemMessages = (subtype: string): string => `
   stored AS (
     INSERT INTO messages (conversation_id, ts, user_id, subtype, text, wire)
     SELECT conversation_id, ts, user_id, '${subtype}', text, open || ',"ts":"' || ${sqlTs('ts')} || '"}' FROM msg)`;

/** The event of that message: kind, data, its rule (`sqlHearing`) and subject. */
export const MESSAGE_EVENT = `'message', msg.open || ',"ts":"' || ${sqlTs('msg.ts')} || '"' || ${EVENT_TAIL},
         ${sqlHearing(MESSAGE_RULE, 'msg.type').join(', ')}, NULL`;

/**
 * @param events what is told of each `msg`, in order: kind, data, its rule (`sqlHearing`) and subject
 * @param members those of after the change
 */
export const eventParts = (events: readonly string[], members?: string): string => `
   new_events AS (
     SELECT e.n, msg.tenant_id, e.kind, 'conversation:' || msg.conversation_id AS room, e.data, msg.cause, msg.shift, msg.conversation_id,
            msg.type, e.scope, e.audience, e.named_by_type, e.subject_id
     FROM msg CROSS JOIN LATERAL (VALUES
       ${events.map((event, i) => `(${events.length} * msg.n + ${i}, ${event})`).join(',\n       ')}) e (n, kind, data, scope, audience, named_by_type, subject_id)),
   ${recordEvents('new_events', members)}`;
