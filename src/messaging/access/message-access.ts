import { Injectable } from '@nestjs/common';
import type { Tx } from '../../kernel/database/db.js';
import { MessagingError } from '../wire/codes.js';
import type { VisibleConversation } from './identity.js';
import type { Message } from '../store/message.entity.js';
import { MESSAGE_FOR_UPDATE } from './message-access.queries.js';

/**
 * The door to single messages. It asks for a conversation that another door let the caller see, so that a message is
 * never found past it; the codes of a conversation's state come between the two (docs/METHODS.md).
 */
@Injectable()
export class MessageAccess {
  /**
   * A message with its row locked until the commit. Whoever also locks the conversation does so first.
   * @param ts microseconds
   * @throws MessagingError message_not_found
   */
  async forUpdate(tx: Tx, conversation: Pick<VisibleConversation, 'id'>, ts: number): Promise<Message> {
    const [row] = await tx.query<Message>(MESSAGE_FOR_UPDATE, [conversation.id, ts]);
    if (!row) throw new MessagingError('message_not_found');
    return row;
  }
}
