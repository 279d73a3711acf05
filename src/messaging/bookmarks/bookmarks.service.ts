import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { newId } from '../../kernel/ids/ids.js';
import { ConversationAccess, type Caller } from '../access/conversation-access.js';
import type { VisibleConversation } from '../access/identity.js';
import type { Answer } from '../rpc/envelope.interceptor.js';
import { Bookmark, rankOf } from '../store/bookmark.entity.js';
import { MAX_BOOKMARKS, toWireBookmark } from '../wire/bookmark-wire.js';
import { MessagingError } from '../wire/codes.js';
import type { BookmarksAddArgs, BookmarksEditArgs, BookmarksListArgs, BookmarksRemoveArgs } from './bookmarks.dto.js';

/** Links above the messages of a conversation: `bookmarks.*` (docs/reference/chat.md#bookmarks). Members may change them. */
@Injectable()
export class BookmarksService {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly conversations: ConversationAccess,
  ) {}

  async add(caller: Caller, args: BookmarksAddArgs): Promise<Answer> {
    const made = await this.db.write(async (tx) => {
      const conversation = await this.lock(tx, caller, args.channel_id);
      const there = await tx.sql.find(Bookmark, {
        where: { conversationId: conversation.id },
        order: { rank: 'ASC' },
      });
      if (there.length >= MAX_BOOKMARKS) throw new MessagingError('too_many_bookmarks');
      const last = there.at(-1);
      const bookmark = tx.sql.create(Bookmark, {
        id: newId('Bk'),
        conversationId: conversation.id,
        title: args.title,
        link: args.link,
        emoji: args.emoji ?? '',
        rank: rankOf(last ? Number.parseInt(last.rank, 36) + 1 : 0),
        appId: caller.app?.id ?? null,
        updatedBy: caller.userId,
        createdAt: this.clock.nowSeconds(),
        updatedAt: 0,
      });
      await tx.sql.insert(Bookmark, bookmark);
      return bookmark;
    });
    return { bookmark: toWireBookmark(made, caller.workspaceId) };
  }

  async edit(caller: Caller, args: BookmarksEditArgs): Promise<Answer> {
    const edited = await this.db.write(async (tx) => {
      const bookmark = await this.find(tx, await this.lock(tx, caller, args.channel_id), args.bookmark_id);
      const { title = bookmark.title, link = bookmark.link, emoji = bookmark.emoji } = args;
      const changed = { title, link, emoji, updatedBy: caller.userId, updatedAt: this.clock.nowSeconds() };
      await tx.sql.update(Bookmark, { id: bookmark.id }, changed);
      return { ...bookmark, ...changed };
    });
    return { bookmark: toWireBookmark(edited, caller.workspaceId) };
  }

  async remove(caller: Caller, args: BookmarksRemoveArgs): Promise<void> {
    await this.db.write(async (tx) => {
      const { id } = await this.find(tx, await this.lock(tx, caller, args.channel_id), args.bookmark_id);
      await tx.sql.delete(Bookmark, { id });
    });
  }

  async list(caller: Caller, args: BookmarksListArgs): Promise<Answer> {
    const conversation = await this.conversations.find(caller, args.channel_id);
    if (!conversation) throw new MessagingError('channel_not_found');
    if (!conversation.isMember) throw new MessagingError('permission_denied');
    const rows = await this.db.load((entities) =>
      entities.find(Bookmark, { where: { conversationId: conversation.id }, order: { rank: 'ASC' } }),
    );
    return { bookmarks: rows.map((bookmark) => toWireBookmark(bookmark, caller.workspaceId)) };
  }

  private async lock(tx: Tx, caller: Caller, id: string): Promise<VisibleConversation> {
    const conversation = await this.conversations.forUpdate(tx, caller, id);
    if (!conversation.isMember) throw new MessagingError('permission_denied');
    return conversation;
  }

  private async find(tx: Tx, { id: conversationId }: VisibleConversation, id: string): Promise<Bookmark> {
    const bookmark = await tx.sql.findOneBy(Bookmark, { id, conversationId });
    if (!bookmark) throw new MessagingError('not_found');
    return bookmark;
  }
}
