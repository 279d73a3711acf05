import { Injectable } from '@nestjs/common';
import { Db } from '../../kernel/database/db.js';
import { PublicUrl } from '../../kernel/http/public-url.js';
import { ConversationAccess, type Caller } from '../access/conversation-access.js';
import { authorIds } from '../access/identity.js';
import { UsersAccess } from '../access/users-access.js';
import { decodeCursor, encodeCursor, keyOfCursor, pageEnd } from '../rpc/cursor.js';
import type { Answer } from '../rpc/envelope.interceptor.js';
import { WireText } from '../rpc/wire-text.js';
import { MessagingError } from '../wire/codes.js';
import type { ReactionsGetArgs, ReactionsListArgs } from './reactions.dto.js';
import { MESSAGE_WITH_REACTIONS, PAGE_OF_REACTED, TOTAL_OF_REACTED } from './reaction-lists.queries.js';
import { workspaceUrl } from '../wire/chat-urls.js';

interface Row extends Record<string, unknown> {
  channel: string;
  ts: number;
  wire: string;
}

/** Reads reactions: reactions.get and reactions.list. */
@Injectable()
export class ReactionLists {
  constructor(
    private readonly db: Db,
    private readonly publicUrl: PublicUrl,
    private readonly conversations: ConversationAccess,
    private readonly users: UsersAccess,
  ) {}

  async get(caller: Caller, args: ReactionsGetArgs): Promise<Answer> {
    const conversation = await this.conversations.visible(caller, args.channel);
    const values = [conversation.id, args.timestamp, authorIds(caller), workspaceUrl(this.publicUrl.base, caller)];
    const [row] = await this.db.read<{ wire: string }>(MESSAGE_WITH_REACTIONS, values);
    if (!row) throw new MessagingError('message_not_found');
    return { type: 'message', channel: conversation.id, message: new WireText(row.wire) };
  }

  async list(caller: Caller, args: ReactionsListArgs): Promise<Answer> {
    const userId = args.user ?? caller.userId;
    if (userId !== caller.userId && !(await this.users.facts(caller, [userId])).has(userId)) {
      throw new MessagingError('user_not_found');
    }
    const key = args.cursor === undefined ? [null, null] : keyOfCursor(decodeCursor('reaction', args.cursor));
    const who = [caller.workspaceId, userId, caller.userId];
    const read = (from: readonly unknown[], count: number, skip: number): Promise<Row[]> =>
      this.db.read<Row>(PAGE_OF_REACTED, [
        ...who,
        authorIds(caller),
        ...from,
        count,
        skip,
        workspaceUrl(this.publicUrl.base, caller),
      ]);
    if (args.isPaged) {
      const [counted] = await this.db.read<{ total: number }>(TOTAL_OF_REACTED, who);
      const total = counted?.total ?? 0;
      const rows = await read([null, null], args.count, Math.min((args.page - 1) * args.count, 1e9));
      return {
        items: itemsOf(rows),
        ...pageEnd(),
        paging: { count: args.count, total, page: args.page, pages: Math.ceil(total / args.count) },
      };
    }
    const rows = await read(key, args.limit + 1, 0);
    const next = rows[args.limit];
    return {
      items: itemsOf(rows.slice(0, args.limit)),
      ...pageEnd(next && encodeCursor('reaction', `${next.ts}:${next.channel}`)),
    };
  }
}

const itemsOf = (rows: readonly Row[]): WireText =>
  new WireText(
    `[${rows.map(({ channel, wire }) => `{"type":"message","channel":"${channel}","message":${wire}}`).join(',')}]`,
  );
