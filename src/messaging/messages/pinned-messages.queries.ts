import { statement } from '../../kernel/database/statement.js';

/* Hand-written: pin, count and message in one statement. Tables of other rooms: pins. They go with their message. */

/** The conversation is locked, so its count is right. */
export const UNPIN = statement(
  'chat_unpin',
  `WITH gone AS (DELETE FROM pins WHERE conversation_id = $1 AND ts = $2 RETURNING 1),
   counted AS (UPDATE conversations SET pin_count = pin_count - 1 WHERE id = $1 AND EXISTS (SELECT FROM gone))
   UPDATE messages SET pinned = NULL WHERE conversation_id = $1 AND ts = $2 AND EXISTS (SELECT FROM gone) RETURNING 1`,
);
