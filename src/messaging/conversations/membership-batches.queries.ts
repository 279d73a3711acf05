import { sqlNowMicros } from '../../kernel/clock/clock.js';
import { batchStatement } from '../../kernel/database/batch-statement.js';
import { HISTORY_SCOPES, MESSAGE_RULE, READ_SCOPES } from '../events/chat-events.js';
import { sqlScopeByType } from '../events/define-chat-event.js';
import { QUEUED_OF_BATCH } from '../events/delivery-plan.queries.js';
import { recordEvents } from '../events/delivery-plan.queries.js';
import { EVENT_TAIL } from '../store/message-log.queries.js';
import { sqlTs } from '../wire/message-wire.queries.js';

/* By hand: joins and leaves of a whole batch, with counts, messages, events and deliveries, in one statement. */

/** `open` is the system message without its end, `data` and `left_data` are events. */
const COLUMNS = { conversation_id: 'text', user_id: 'text', text: 'text', open: 'text', data: 'text' } as const;

/**
 * Conversations are locked in the order of their ids, as by whoever posts there. Members are seen as of before the wait for
 * the lock, so where their count moved under it the row is done again.
 */
const locked = (takes: (after: string) => string): string => `
   seen AS MATERIALIZED (
     SELECT id, members_version FROM conversations WHERE id IN (SELECT conversation_id FROM req)),
   locked AS MATERIALIZED (
     SELECT id, type, is_general, is_archived, member_count, members_version FROM conversations
     WHERE id IN (SELECT conversation_id FROM req) ORDER BY id FOR NO KEY UPDATE),
   ${takes('locked')}`;

const judged = (refusals: string): string => `
   judged AS MATERIALIZED (
     SELECT r.*, l.type, CASE
         WHEN u.n IS NOT NULL THEN 'untaken'
         WHEN l.id IS NULL THEN 'channel_not_found'
         WHEN l.members_version <> s.members_version OR r.same > 1 THEN 'again'
         ${refusals}
         ELSE 'done' END AS outcome
     FROM (
       SELECT req.*, row_number() OVER (PARTITION BY conversation_id, user_id ORDER BY n) AS same,
              row_number() OVER (PARTITION BY conversation_id ORDER BY n) AS of_conversation FROM req) r
     LEFT JOIN untaken u ON u.n = r.n LEFT JOIN locked l ON l.id = r.conversation_id LEFT JOIN seen s ON s.id = l.id
     LEFT JOIN members b ON b.conversation_id = r.conversation_id AND b.user_id = r.user_id)`;

/** Counts members and gives a ts for the message about each. @param sign of those who come or go */
const counted = (sign: '+' | '-'): string => `
   ok AS MATERIALIZED (
     SELECT j.*, row_number() OVER (PARTITION BY conversation_id ORDER BY n) AS k FROM judged j WHERE outcome = 'done'),
   moved AS MATERIALIZED (
     UPDATE conversations c SET member_count = c.member_count ${sign} counted.members, members_version = c.members_version + 1,
       last_ts = greatest(${sqlNowMicros('counted.clock')}, c.last_ts + 1) + counted.members - 1
     FROM (SELECT conversation_id, count(*)::int AS members, min(clock) AS clock FROM ok GROUP BY 1) counted
     WHERE c.id = counted.conversation_id
     RETURNING c.id, c.last_ts - counted.members AS base),
   msg AS MATERIALIZED (
     SELECT ok.*, NULL::text AS metadata, moved.base + ok.k AS ts FROM ok JOIN moved ON moved.id = ok.conversation_id)`;

const stored = (subtype: string): string => `
   stored AS (
     INSERT INTO messages (conversation_id, ts, user_id, subtype, text, wire)
     SELECT conversation_id, ts, user_id, '${subtype}', text, open || ',"ts":"' || ${sqlTs('ts')} || '"}' FROM msg)`;

/** The system message, as the last of what is told of each. */
const MESSAGE = `'message', msg.open || ',"ts":"' || ${sqlTs('msg.ts')} || '"' || ${EVENT_TAIL},
         ${sqlScopeByType(HISTORY_SCOPES, 'msg.type')}, '${MESSAGE_RULE.audience}', NULL`;

const READ_SCOPE = sqlScopeByType(READ_SCOPES, 'msg.type');

/** @param events for each `msg`: its place among them, kind, data, scope, audience and subject @param members those of after the change */
const eventParts = (each: number, events: readonly string[], members: string): string => `
   news AS (
     SELECT e.n, msg.tenant_id, e.kind, 'conversation:' || msg.conversation_id AS room, e.data, msg.cause, msg.shift, msg.conversation_id,
            msg.type, e.scope, e.audience, e.subject_id
     FROM msg CROSS JOIN LATERAL (VALUES
       ${events.map((event, i) => `(${each} * msg.n + ${i}, ${event})`).join(',\n       ')}) e (n, kind, data, scope, audience, subject_id)),
   ${recordEvents('news', members)}`;

/** Refused beside who may not: `already_in_channel`. Whoever comes in the same batch hears of the others. */
export const JOIN_BATCH = batchStatement(
  'chat_join_batch',
  { ...COLUMNS, joined_at: 'bigint' },
  (req, takes) => `WITH ${req}, ${locked(takes)},
   ${judged(`
         WHEN l.is_archived THEN 'is_archived'
         WHEN b.user_id IS NOT NULL THEN 'already_in_channel'`)},
   ${counted('+')},
   added AS (INSERT INTO members (conversation_id, user_id, joined_at) SELECT conversation_id, user_id, joined_at FROM msg),
   ${stored('channel_join')},
   ${eventParts(
     2,
     [`'member_joined_channel', msg.data, ${READ_SCOPE}, 'members', NULL`, MESSAGE],
     '(SELECT conversation_id, user_id FROM members UNION ALL SELECT conversation_id, user_id FROM msg)',
   )}
   SELECT r.n, r.outcome, ${QUEUED_OF_BATCH} FROM judged r`,
);

/** Of the last two of a private conversation one stays, in whichever batch they leave. */
export const LEAVE_BATCH = batchStatement(
  'chat_leave_batch',
  { ...COLUMNS, left_kind: 'text', left_data: 'text' },
  (req, takes) => `WITH ${req}, ${locked(takes)},
   ${judged(`
         WHEN b.user_id IS NULL THEN CASE WHEN l.type = 'public' THEN 'not_in_channel' ELSE 'channel_not_found' END
         WHEN l.is_archived THEN 'is_archived'
         WHEN l.type <> 'public' AND r.of_conversation > 1 THEN 'again'
         WHEN l.type <> 'public' AND l.member_count <= 1 THEN 'last_member'`)},
   ${counted('-')},
   gone AS (DELETE FROM members m USING msg WHERE m.conversation_id = msg.conversation_id AND m.user_id = msg.user_id),
   ${stored('channel_leave')},
   ${eventParts(
     3,
     [
       `'member_left_channel', msg.data, ${READ_SCOPE}, 'members', msg.user_id`,
       `msg.left_kind, msg.left_data, ${READ_SCOPE}, 'subject', msg.user_id`,
       MESSAGE,
     ],
     `(SELECT o.conversation_id, o.user_id FROM members o
       WHERE NOT EXISTS (SELECT FROM msg WHERE msg.conversation_id = o.conversation_id AND msg.user_id = o.user_id))`,
   )}
   SELECT r.n, r.outcome, ${QUEUED_OF_BATCH} FROM judged r`,
);
