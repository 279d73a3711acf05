import { Injectable } from '@nestjs/common';
import { Db } from '../../kernel/database/db.js';
import { PublicUrl } from '../../kernel/http/public-url.js';
import { ChatService } from '../chat/chat.service.js';
import type { Posted } from '../chat/posted.js';
import { asAuthor, type App } from '../access/apps-access.js';
import type { EventPlace } from '../events/chat-events.js';
import { EphemeralMessages } from '../messages/ephemeral-messages.js';
import { formatTs } from '../store/message-ts.js';
import { openWire } from '../wire/message-wire.js';
import type { MessagePayload } from './message-payload.js';

/** Messages of apps in answer to commands and clicks (docs/reference/control-plane.md#slash-commands). */
@Injectable()
export class AppMessages {
  constructor(
    private readonly db: Db,
    private readonly publicUrl: PublicUrl,
    private readonly chat: ChatService,
    private readonly ephemeral: EphemeralMessages,
  ) {}

  /** Public: an ordinary message of the app's bot, which need not be a member. */
  post(eventPlace: EventPlace, app: App, message: MessagePayload): Promise<Posted> {
    const { threadTs, broadcast, ...content } = message;
    return this.chat.post(eventPlace, {
      author: { user: app.botUserId, app: asAuthor(app) },
      content,
      memberId: null,
      threadTs,
      broadcast,
    });
  }

  /** Ephemeral, for one user. */
  async postEphemeral(eventPlace: EventPlace, app: App, userId: string, message: MessagePayload): Promise<void> {
    const thread = message.threadTs === undefined ? undefined : formatTs(message.threadTs);
    const open = this.open(eventPlace, app, message, thread);
    await this.db.write((tx) => this.ephemeral.send(tx, eventPlace, { userId, appId: app.id, open }));
  }

  /**
   * Replaces or deletes (null) an app's ephemeral message, in the same thread. False when there is none.
   * @param ts microseconds
   */
  async replaceEphemeral(
    eventPlace: EventPlace,
    app: App,
    to: { userId: string; ts: number },
    message: MessagePayload | null,
  ): Promise<boolean> {
    const whispered = await this.ephemeral.find(eventPlace.workspaceId, eventPlace.conversation.id, to.userId, to.ts);
    if (whispered?.appId !== app.id) return false;
    const { thread_ts: thread } = JSON.parse(whispered.wire) as { thread_ts?: string };
    const open = message && this.open(eventPlace, app, message, thread);
    await this.db.write((tx) => this.ephemeral.revise(tx, eventPlace, { ...to, appId: app.id, open }));
    return true;
  }

  private open(eventPlace: EventPlace, app: App, message: MessagePayload, thread: string | undefined): string {
    return openWire({
      workspaceId: eventPlace.workspaceId,
      publicUrl: this.publicUrl.base,
      author: { user: app.botUserId, app: asAuthor(app) },
      content: message,
      ...(thread === undefined ? {} : { thread: { ts: thread, parentUserId: null } }),
    });
  }
}
