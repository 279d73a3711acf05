import { Injectable } from '@nestjs/common';
import type { Tx } from '../../kernel/database/db.js';
import { MessagingError } from '../wire/codes.js';
import type { VisibleConversation } from './identity.js';
import type { Message } from '../store/message.entity.js';
import { MESSAGE_FOR_UPDATE } from './message-access.queries.js';

/**
 * Access to single messages. It requires a conversation that the caller was allowed to see, so that a message is never
 * found without that check; errors about the conversation's state come in between (docs/METHODS.md).
 */
@Injectable()
export class MessageAccess {
  /**
   * A message with its row locked until the commit. If the conversation is locked too, it is locked first.
   * @param ts microseconds
   * @throws MessagingError message_not_found
   */
  async forUpdate(tx: Tx, conversation: Pick<VisibleConversation, 'id'>, ts: number): Promise<Message> {
    const [row] = await tx.query<Message>(MESSAGE_FOR_UPDATE, [conversation.id, ts]);
    if (!row) throw new MessagingError('message_not_found');
    return row;
  }
}
