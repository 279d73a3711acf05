import { Injectable } from '@nestjs/common';
import { Db } from '../../kernel/database/db.js';
import { PublicUrl } from '../../kernel/http/public-url.js';
import { ConversationAccess, type Caller } from '../access/conversation-access.js';
import { MessagingError } from '../wire/codes.js';
import { workspaceUrl } from '../wire/chat-urls.js';
import { permalinkOf } from '../wire/permalink.js';
import { THREAD_OF_MESSAGE } from './permalinks.queries.js';

/** Addresses of messages: chat.getPermalink. */
@Injectable()
export class Permalinks {
  constructor(
    private readonly db: Db,
    private readonly conversations: ConversationAccess,
    private readonly publicUrl: PublicUrl,
  ) {}

  /** @param ts microseconds. @throws MessagingError channel_not_found, message_not_found */
  async of(caller: Caller, channel: string, ts: number): Promise<string> {
    const conversation = await this.conversations.visible(caller, channel);
    const [row] = await this.db.read<{ threadTs: number | null }>(THREAD_OF_MESSAGE, [conversation.id, ts]);
    if (!row) throw new MessagingError('message_not_found');
    return permalinkOf(workspaceUrl(this.publicUrl.base, caller), {
      channel: conversation.id,
      ts,
      threadTs: row.threadTs,
    });
  }
}
