import { Injectable } from '@nestjs/common';
import { Db } from '../../kernel/database/db.js';
import type { Caller } from '../access/conversation-access.js';
import { otherParty, toWireChannel, toWireImInfo, type ConversationExtras } from '../wire/conversation-wire.js';
import { authorIds, type VisibleConversation } from '../access/identity.js';
import { wireObject, WireText } from '../rpc/wire-text.js';
import { IM_DETAILS } from './conversations.queries.js';

/** The full conversation object of every method that answers `channel` (docs/reference/chat.md#conversations). */
@Injectable()
export class ConversationView {
  constructor(private readonly db: Db) {}

  /** Only an im needs a further look-up: its newest message, and whether the other party is deactivated. */
  async info(caller: Caller, conversation: VisibleConversation, extras: ConversationExtras = {}): Promise<object> {
    if (conversation.type !== 'im') {
      return toWireChannel(conversation, {
        flavour: 'info',
        isMember: conversation.isMember,
        isClosed: conversation.isClosed,
        ...extras,
      });
    }
    const [row] = await this.db.read<{ isUserDeleted: boolean; latest: string | null }>(IM_DETAILS, [
      caller.workspaceId,
      otherParty(conversation, caller.userId),
      conversation.id,
      authorIds(caller),
    ]);
    const im = toWireImInfo(conversation, {
      viewerId: caller.userId,
      isUserDeleted: row?.isUserDeleted ?? false,
      isClosed: conversation.isClosed,
      latest: row?.latest ? new WireText(row.latest) : null,
      ...extras,
    });
    return wireObject(im);
  }
}
