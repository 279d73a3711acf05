import type { Tx } from '../../kernel/database/db.js';
import { statement } from '../../kernel/database/statement.js';
import type { Message } from './message.entity.js';

/** The conversation is locked, so its count is right. */
const UNPIN = statement(
  'chat_unpin',
  `WITH gone AS (DELETE FROM pins WHERE conversation_id = $1 AND ts = $2 RETURNING 1),
   counted AS (UPDATE conversations SET pin_count = pin_count - 1 WHERE id = $1 AND EXISTS (SELECT FROM gone))
   UPDATE messages SET pinned = NULL WHERE conversation_id = $1 AND ts = $2 AND EXISTS (SELECT FROM gone) RETURNING 1`,
);

/** Takes a pin off. Conversation and message are locked by the caller. False when there was none. */
export async function unpin(tx: Tx, { conversationId, ts }: Pick<Message, 'conversationId' | 'ts'>): Promise<boolean> {
  return (await tx.query(UNPIN, [conversationId, ts])).length === 1;
}
