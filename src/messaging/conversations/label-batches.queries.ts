import { sqlNowMicros } from '../../kernel/clock/clock.js';
import { batchStatement } from '../../kernel/database/batch-statement.js';
import { QUEUED_OF_BATCH } from '../events/delivery-plan.queries.js';
import { conversationColumns } from '../store/conversation.entity.js';
import {
  outcomesOf,
  LOCK_CONVERSATIONS,
  MESSAGE_EVENT,
  insertSystemMessages,
  eventParts,
} from './conversation-batches.queries.js';

/* Hand-written: topics and purposes of a whole batch, with messages, events and deliveries, in one statement. */

/** Returns the resulting conversation. One row per conversation at a time, so that each is answered its own value. */
const labelBatch = (label: 'topic' | 'purpose') =>
  batchStatement(
    `chat_${label}_batch`,
    { conversation_id: 'text', user_id: 'text', value: 'text', at: 'bigint', text: 'text', open: 'text' },
    (req) => `WITH ${req}, ${LOCK_CONVERSATIONS},
   ${outcomesOf(`
         WHEN r.of_conversation > 1 THEN 'again'
         WHEN b.user_id IS NULL AND l.type <> 'public' THEN 'channel_not_found'
         WHEN l.is_archived THEN 'is_archived'
         WHEN b.user_id IS NULL THEN 'not_in_channel'`)},
   moved AS MATERIALIZED (
     UPDATE conversations c SET ${label} = j.value, ${label}_creator = j.user_id, ${label}_set_at = j.at / 1000000, updated_at = j.at,
       last_ts = CASE WHEN c.type = 'im' THEN c.last_ts ELSE greatest(${sqlNowMicros('j.clock')}, c.last_ts + 1) END
     FROM judged j WHERE j.outcome = 'done' AND c.id = j.conversation_id
     RETURNING c.*),
   msg AS MATERIALIZED (
     SELECT j.*, NULL::text AS metadata, moved.last_ts AS ts FROM judged j JOIN moved ON moved.id = j.conversation_id
     WHERE j.outcome = 'done' AND j.type <> 'im'),
   ${insertSystemMessages(`channel_${label}`)},
   ${eventParts([MESSAGE_EVENT])}
   SELECT r.n, r.outcome, ${QUEUED_OF_BATCH}, ${conversationColumns('c')}
   FROM judged r LEFT JOIN moved c ON r.outcome = 'done' AND c.id = r.conversation_id`,
  );

export const LABEL_BATCHES = { topic: labelBatch('topic'), purpose: labelBatch('purpose') } as const;
