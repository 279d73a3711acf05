import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { PublicUrl } from '../../kernel/http/public-url.js';
import { ConversationAccess, type Caller } from '../access/conversation-access.js';
import { authorIds, type VisibleConversation } from '../access/identity.js';
import { MessageAccess } from '../access/message-access.js';
import { eventPlaceOf } from '../events/define-chat-event.js';
import { stringifyFields, WireText } from '../rpc/wire-text.js';
import type { Answer } from '../rpc/envelope.interceptor.js';
import { SYSTEM_SUBTYPES, TOMBSTONE, type Message } from '../store/message.entity.js';
import { formatTs } from '../store/message-ts.js';
import { unpin } from '../messages/pinned-messages.js';
import { MessagingError } from '../wire/codes.js';
import type { PinsAddArgs, PinsListArgs, PinsRemoveArgs } from './pins.dto.js';
import { Pin } from './pin.entity.js';
import { pinAdded, pinRemoved, type PinnedBy } from './pins.events.js';
import { MESSAGE_OF_PIN, PIN, PINS } from './pins.queries.js';
import { workspaceUrl } from '../wire/chat-urls.js';

/** Most pins of a conversation. */
const MAX_PINS = 100;

type PinRow = PinnedBy & { message: string } & Record<string, unknown>;

/** Pinned messages of a conversation: pins.add, pins.remove, pins.list. */
@Injectable()
export class PinsService {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly publicUrl: PublicUrl,
    private readonly conversations: ConversationAccess,
    private readonly messages: MessageAccess,
  ) {}

  async add(caller: Caller, args: PinsAddArgs): Promise<void> {
    await this.db.write(async (tx) => {
      const { conversation, message } = await this.lock(tx, caller, args);
      const { subtype } = message;
      if (subtype !== null && (subtype === TOMBSTONE || SYSTEM_SUBTYPES.has(subtype))) {
        throw new MessagingError('not_pinnable');
      }
      const at = this.clock.nowSeconds();
      const shown = {
        pinned_to: [conversation.id],
        pinned_info: { channel: conversation.id, pinned_by: caller.userId, pinned_ts: at },
      };
      const values = [conversation.id, message.ts, caller.userId, at, JSON.stringify(shown).slice(1, -1)];
      if ((await tx.query(PIN, values)).length === 0) throw new MessagingError('already_pinned');
      if (conversation.pinCount >= MAX_PINS) throw new MessagingError('too_many_pins');
      const pin = { by: caller.userId, at };
      tx.record(pinAdded(await this.change(tx, caller, conversation, message, pin, conversation.pinCount + 1)));
    });
  }

  /** Any member may. */
  async remove(caller: Caller, args: PinsRemoveArgs): Promise<void> {
    await this.db.write(async (tx) => {
      const { conversation, message } = await this.lock(tx, caller, args);
      if (message.pinned === null) throw new MessagingError('no_pin');
      const { conversationId, ts } = message;
      const pin = await tx.sql.findOneByOrFail(Pin, { conversationId, ts });
      await unpin(tx, message);
      const by = { by: pin.userId, at: pin.createdAt };
      tx.record(pinRemoved(await this.change(tx, caller, conversation, message, by, conversation.pinCount - 1)));
    });
  }

  async list(caller: Caller, args: PinsListArgs): Promise<Answer> {
    const conversation = await this.conversations.visible(caller, args.channel);
    const rows = await this.db.read<PinRow>(PINS, [
      conversation.id,
      authorIds(caller),
      workspaceUrl(this.publicUrl.base, caller),
    ]);
    const items = rows.map(({ by, at, message }) => {
      const fields = { channel: conversation.id, created: at, created_by: by, message: new WireText(message) };
      return `{"type":"message"${stringifyFields(fields)}}`;
    });
    return { items: new WireText(`[${items.join(',')}]`) };
  }

  private async lock(
    tx: Tx,
    caller: Caller,
    args: PinsAddArgs,
  ): Promise<{ conversation: VisibleConversation; message: Message }> {
    const conversation = await this.conversations.forUpdate(tx, caller, args.channel);
    if (conversation.isArchived) throw new MessagingError('is_archived');
    if (!conversation.isMember) throw new MessagingError('not_in_channel');
    return { conversation, message: await this.messages.forUpdate(tx, conversation, args.timestamp) };
  }

  /** What the events tell, of the message as it is after the change. */
  private async change(
    tx: Tx,
    caller: Caller,
    conversation: VisibleConversation,
    message: Message,
    pin: PinnedBy,
    pinCount: number,
  ) {
    const values = [message.conversationId, message.ts, workspaceUrl(this.publicUrl.base, caller)];
    const [shown] = await tx.query<{ wire: string }>(MESSAGE_OF_PIN, values);
    return {
      ...eventPlaceOf(caller, conversation),
      userId: caller.userId,
      pin,
      message: (shown as { wire: string }).wire,
      authorId: message.userId ?? undefined,
      pinCount,
      eventTs: formatTs(this.clock.nowMicros()),
    };
  }
}
