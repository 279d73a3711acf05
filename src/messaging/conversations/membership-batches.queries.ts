import { sqlNowMicros } from '../../kernel/clock/clock.js';
import { batchStatement } from '../../kernel/database/batch-statement.js';
import { JOINED_RULE, LEFT_RULE } from '../events/chat-events.js';
import { OWN_LEAVING_RULE } from '../events/conversation-events.js';
import { sqlHearing, type HearingRule } from '../events/define-chat-event.js';
import { QUEUED_OF_BATCH } from '../events/delivery-plan.queries.js';
import {
  outcomesOf,
  LOCK_CONVERSATIONS,
  MESSAGE_EVENT,
  insertSystemMessages,
  eventParts,
} from './conversation-batches.queries.js';

/*
 * Hand-written: joins, leaves and removals of a whole batch, with counts, messages, events and deliveries, in one
 * statement.
 */

/** `open` is the unterminated JSON of the system message, `data` and `left_data` are events. */
const COLUMNS = { conversation_id: 'text', user_id: 'text', text: 'text', open: 'text', data: 'text' } as const;

/**
 * Changes the member count and assigns a ts to each system message.
 * @param sign +1 for joins, -1 for leaves
 * @param people the CTE with a row for each of them
 */
const counted = (sign: '+' | '-', people = 'judged'): string => `
   ok AS MATERIALIZED (
     SELECT j.*, row_number() OVER (PARTITION BY conversation_id ORDER BY n) AS k FROM ${people} j WHERE outcome = 'done'),
   moved AS MATERIALIZED (
     UPDATE conversations c SET member_count = c.member_count ${sign} counted.members, members_version = c.members_version + 1,
       last_ts = greatest(${sqlNowMicros('counted.clock')}, c.last_ts + 1) + counted.members - 1
     FROM (SELECT conversation_id, count(*)::int AS members, min(clock) AS clock FROM ok GROUP BY 1) counted
     WHERE c.id = counted.conversation_id
     RETURNING c.id, c.last_ts - counted.members AS base),
   msg AS MATERIALIZED (
     SELECT ok.*, NULL::text AS metadata, moved.base + ok.k AS ts FROM ok JOIN moved ON moved.id = ok.conversation_id)`;

const isMember = (userId: string): string =>
  `EXISTS (SELECT FROM members a WHERE a.conversation_id = r.conversation_id AND a.user_id = ${userId})`;

const hearing = (rule: HearingRule): string => sqlHearing(rule, 'msg.type').join(', ');

/**
 * New members of the same batch receive each other's events.
 * @param people as of `counted`
 */
const joined = (people?: string): string => `
   ${counted('+', people)},
   added AS (INSERT INTO members (conversation_id, user_id, joined_at) SELECT conversation_id, user_id, joined_at FROM msg),
   ${insertSystemMessages('channel_join')},
   ${eventParts(
     [`'member_joined_channel', msg.data, ${hearing(JOINED_RULE)}, NULL`, MESSAGE_EVENT],
     '(SELECT conversation_id, user_id FROM members UNION ALL SELECT conversation_id, user_id FROM msg)',
   )}`;

/** Refused besides the usual reasons: `already_in_channel`. */
export const JOIN_BATCH = batchStatement(
  'chat_join_batch',
  { ...COLUMNS, joined_at: 'bigint' },
  (req) => `WITH ${req}, ${LOCK_CONVERSATIONS},
   ${outcomesOf(`
         WHEN l.is_archived THEN 'is_archived'
         WHEN b.user_id IS NOT NULL THEN 'already_in_channel'`)},
   ${joined()}
   SELECT r.n, r.outcome, ${QUEUED_OF_BATCH} FROM judged r`,
);

/**
 * A member adds others, all of a row or none: `changed` when one of them is a member already. `people` is a JSON list
 * of them with the other columns of a join.
 */
export const INVITE_BATCH = batchStatement(
  'chat_invite_batch',
  { conversation_id: 'text', user_id: 'text', people: 'text', joined_at: 'bigint' },
  (req) => `WITH ${req}, ${LOCK_CONVERSATIONS},
   ${outcomesOf(`
         WHEN r.of_conversation > 1 THEN 'again'
         WHEN b.user_id IS NULL AND l.type <> 'public' THEN 'channel_not_found'
         WHEN l.is_archived THEN 'is_archived'
         WHEN b.user_id IS NULL THEN 'not_in_channel'
         WHEN EXISTS (SELECT FROM json_to_recordset(r.people::json) AS p (user_id text) WHERE ${isMember('p.user_id')}) THEN 'changed'`)},
   people AS MATERIALIZED (
     SELECT row_number() OVER (ORDER BY j.n, p.place) AS n, p.user_id, p.text, p.open, p.data, j.conversation_id, j.joined_at, j.type,
            j.outcome, j.tenant_id, j.clock, j.shift, j.cause
     FROM judged j CROSS JOIN LATERAL ROWS FROM (
       json_to_recordset(j.people::json) AS (user_id text, text text, open text, data text)) WITH ORDINALITY
       AS p (user_id, text, open, data, place)),
   ${joined('people')}
   SELECT r.n, r.outcome, ${QUEUED_OF_BATCH} FROM judged r`,
);

/** @param refusals as of `outcomesOf` */
const leaving =
  (refusals: string) =>
  (req: string): string => `WITH ${req}, ${LOCK_CONVERSATIONS},
   ${outcomesOf(refusals)},
   ${counted('-')},
   gone AS (DELETE FROM members m USING msg WHERE m.conversation_id = msg.conversation_id AND m.user_id = msg.user_id),
   ${insertSystemMessages('channel_leave')},
   ${eventParts(
     [
       `'member_left_channel', msg.data, ${hearing(LEFT_RULE)}, msg.user_id`,
       `msg.left_kind, msg.left_data, ${hearing(OWN_LEAVING_RULE)}, msg.user_id`,
       MESSAGE_EVENT,
     ],
     `(SELECT o.conversation_id, o.user_id FROM members o
       WHERE NOT EXISTS (SELECT FROM msg WHERE msg.conversation_id = o.conversation_id AND msg.user_id = o.user_id))`,
   )}
   SELECT r.n, r.outcome, ${QUEUED_OF_BATCH} FROM judged r`;

const LEAVE_COLUMNS = { ...COLUMNS, left_kind: 'text', left_data: 'text' } as const;

/** Of the last two members of a private conversation one stays, in whichever batch they leave. */
export const LEAVE_BATCH = batchStatement(
  'chat_leave_batch',
  LEAVE_COLUMNS,
  leaving(`
         WHEN b.user_id IS NULL THEN CASE WHEN l.type = 'public' THEN 'not_in_channel' ELSE 'channel_not_found' END
         WHEN l.is_archived THEN 'is_archived'
         WHEN l.type <> 'public' AND r.of_conversation > 1 THEN 'again'
         WHEN l.type <> 'public' AND l.member_count <= 1 THEN 'last_member'`),
);

/** Removes others one by one, as a user removed meanwhile may no longer remove anyone. */
export const KICK_BATCH = batchStatement(
  'chat_kick_batch',
  { ...LEAVE_COLUMNS, actor_id: 'text' },
  leaving(`
         WHEN r.of_conversation > 1 THEN 'again'
         WHEN NOT ${isMember('r.actor_id')} AND l.type <> 'public' THEN 'channel_not_found'
         WHEN l.is_archived THEN 'is_archived'
         WHEN b.user_id IS NULL OR NOT ${isMember('r.actor_id')} THEN 'not_in_channel'`),
);
