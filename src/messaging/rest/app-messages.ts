import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Db } from '../../kernel/database/db.js';
import { PublicUrl } from '../../kernel/http/public-url.js';
import { ChatService, type Posted } from '../chat/chat.service.js';
import { asAuthor, type App } from '../model/apps-access.js';
import { ephemeralSent, type Scene } from '../model/chat-events.js';
import { formatTs } from '../model/message-ts.js';
import { openWire } from '../model/message-wire.js';
import type { MessagePayload } from './message-payload.js';

/** What apps say in answer to commands and clicks (messaging.md E.7). */
@Injectable()
export class AppMessages {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly publicUrl: PublicUrl,
    private readonly chat: ChatService,
  ) {}

  /** For everybody: an ordinary message of the app's bot, which need not be a member. */
  post(scene: Scene, app: App, message: MessagePayload): Promise<Posted> {
    const { threadTs, broadcast, ...content } = message;
    return this.chat.post(scene, {
      author: { user: app.botUserId, app: asAuthor(app) },
      content,
      memberId: null,
      threadTs,
      broadcast,
    });
  }

  /** For one user's sockets: nothing is stored. */
  async whisper(scene: Scene, app: App, userId: string, message: MessagePayload): Promise<void> {
    const open = openWire({
      workspaceId: scene.workspaceId,
      publicUrl: this.publicUrl.base,
      author: { user: app.botUserId, app: asAuthor(app) },
      content: message,
      ...(message.threadTs === undefined ? {} : { thread: { ts: formatTs(message.threadTs), parentUserId: null } }),
    });
    const ts = formatTs(this.clock.nowMicros());
    await this.db.write(async (tx) => void tx.record(ephemeralSent({ ...scene, userId, open, ts })));
  }
}
