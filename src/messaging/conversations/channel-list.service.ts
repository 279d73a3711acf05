import { Injectable } from '@nestjs/common';
import { Db } from '../../kernel/database/db.js';
import { MessagingError } from '../wire/codes.js';
import { ConversationAccess, requireScopesForTypes, type Caller } from '../access/conversation-access.js';
import { toWireChannel, toWireIm } from '../wire/conversation-wire.js';
import { encodeCursor, keyOfCursor, pageEnd } from '../rpc/cursor.js';
import { typesOf } from '../rpc/args/conversation-types.js';
import type { Answer } from '../rpc/envelope.interceptor.js';
import { PageTexts, readPage, type PageText } from '../rpc/page-texts.js';
import { WireText } from '../rpc/wire-text.js';
import { ConversationView } from './conversation-view.js';
import type {
  ConversationsInfoArgs,
  ConversationsListArgs,
  ConversationsMarkArgs,
  ConversationsMembersArgs,
} from './conversations.dto.js';
import { listOf, MEMBERS, type ListRow, type MemberRow } from './conversations.queries.js';

/** Lists and details: conversations.list, conversations.info, conversations.members, conversations.mark. */
@Injectable()
export class ChannelList {
  private readonly pages = new PageTexts<ListRow>();

  constructor(
    private readonly db: Db,
    private readonly conversations: ConversationAccess,
    private readonly view: ConversationView,
  ) {}

  async list(caller: Caller, args: ConversationsListArgs): Promise<Answer> {
    const from = keyOfCursor(args.cursor);
    const types = typesOf(args.types);
    requireScopesForTypes(caller, types);
    const rows = await readPage(this.db, listOf(types, { live: args.exclude_archived }), [
      caller.workspaceId,
      caller.userId,
      types,
      ...from,
      args.limit + 1,
    ]);
    const page = this.pages.of(rows, `${caller.userId} ${args.limit}`, (channels) =>
      channelsOf(channels, args.limit, caller.userId),
    );
    return { channels: page.items, ...pageEnd(page.next) };
  }

  async info(caller: Caller, args: ConversationsInfoArgs): Promise<Answer> {
    const conversation = await this.conversations.visible(caller, args.channel);
    const extras = { numMembers: args.include_num_members, locale: args.include_locale };
    return { channel: await this.view.info(caller, conversation, extras) };
  }

  /** Read state is not modelled, so nothing changes. */
  async mark(caller: Caller, args: ConversationsMarkArgs): Promise<void> {
    const conversation = await this.conversations.visible(caller, args.channel);
    if (!conversation.isMember) throw new MessagingError('not_in_channel');
  }

  async members(caller: Caller, args: ConversationsMembersArgs): Promise<Answer> {
    const from = keyOfCursor(args.cursor);
    const conversation = await this.conversations.visible(caller, args.channel);
    const rows = await this.db.read<MemberRow & Record<string, unknown>>(MEMBERS, [
      conversation.id,
      ...from,
      args.limit + 1,
    ]);
    const next = rows[args.limit];
    return {
      members: rows.slice(0, args.limit).map((row) => row.userId),
      ...pageEnd(next && encodeCursor('user_id', `${next.joinedAt}:${next.userId}`)),
    };
  }
}

function channelsOf(rows: ListRow[], limit: number, viewerId: string): PageText {
  const following = rows[limit];
  return {
    items: new WireText(JSON.stringify(rows.slice(0, limit).map((row) => listItem(row, viewerId)))),
    next: following ? encodeCursor('team', `${Math.floor(following.createdAt / 1e6)}:${following.id}`) : '',
    lasts: true,
  };
}

const listItem = (row: ListRow, viewerId: string): object =>
  row.type === 'im'
    ? toWireIm(row, { viewerId, isUserDeleted: row.isUserDeleted })
    : toWireChannel(row, { flavour: 'list', isMember: row.isMember, isClosed: row.isClosed });
