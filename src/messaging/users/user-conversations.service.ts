import { Injectable } from '@nestjs/common';
import { Db } from '../../kernel/database/db.js';
import { requireScopesForTypes, type Caller } from '../access/conversation-access.js';
import { typesOf } from '../rpc/args/conversation-types.js';
import { encodeCursor, keyOfCursor, pageEnd } from '../rpc/cursor.js';
import type { Answer } from '../rpc/envelope.interceptor.js';
import type { Conversation } from '../store/conversation.entity.js';
import { UsersAccess } from '../access/users-access.js';
import { MessagingError } from '../wire/codes.js';
import { readStateOfIm, toWireChannel, toWireIm } from '../wire/conversation-wire.js';
import type { UsersConversationsArgs } from './users.dto.js';
import { CONVERSATIONS_OF } from './user-conversations.queries.js';

type Row = Conversation & { isUserDeleted: boolean; isClosed: boolean } & Record<string, unknown>;

/** A user's conversations: users.conversations. */
@Injectable()
export class UserConversations {
  constructor(
    private readonly db: Db,
    private readonly users: UsersAccess,
  ) {}

  async list(caller: Caller, args: UsersConversationsArgs): Promise<Answer> {
    const from = keyOfCursor(args.cursor);
    const types = typesOf(args.types);
    requireScopesForTypes(caller, types);
    const userId = args.user ?? caller.userId;
    if (userId !== caller.userId && !(await this.users.facts(caller, [userId])).has(userId)) {
      throw new MessagingError('user_not_found');
    }
    const rows = await this.db.read<Row>(CONVERSATIONS_OF, [
      caller.workspaceId,
      userId,
      caller.userId,
      types,
      ...from,
      args.exclude_archived,
      args.limit + 1,
    ]);
    const next = rows[args.limit];
    return {
      channels: rows.slice(0, args.limit).map((row) => toItem(row, caller.userId)),
      ...pageEnd(next && encodeCursor('user_team', `${Math.floor(next.createdAt / 1e6)}:${next.id}`)),
    };
  }
}

/** An item of a list, without what goes without saying. */
const toItem = (row: Row, viewerId: string): object =>
  row.type === 'im'
    ? { ...toWireIm(row, { viewerId, isUserDeleted: row.isUserDeleted }), ...readStateOfIm(row.isClosed) }
    : {
        ...toWireChannel(row, { flavour: 'list', isMember: true, isClosed: row.isClosed }),
        is_member: undefined,
        num_members: undefined,
      };
