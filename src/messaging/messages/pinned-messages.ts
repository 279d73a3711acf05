import type { Tx } from '../../kernel/database/db.js';
import type { Message } from '../store/message.entity.js';
import { UNPIN } from './pinned-messages.queries.js';

/** Takes a pin off. Conversation and message are locked by the caller. False when there was none. */
export async function unpin(tx: Tx, { conversationId, ts }: Pick<Message, 'conversationId' | 'ts'>): Promise<boolean> {
  return (await tx.query(UNPIN, [conversationId, ts])).length === 1;
}
