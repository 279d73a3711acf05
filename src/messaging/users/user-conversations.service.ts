import { Injectable } from '@nestjs/common';
import { Db } from '../../kernel/database/db.js';
import { statement } from '../../kernel/database/statement.js';
import { demandEveryType, type Caller } from '../access/conversation-access.js';
import { typesOf } from '../rpc/args/conversation-types.js';
import { encodeCursor, keyOfCursor } from '../rpc/cursor.js';
import type { Answer } from '../rpc/envelope.interceptor.js';
import { conversationColumns, type Conversation } from '../store/conversation.entity.js';
import { UsersAccess } from '../access/users-access.js';
import { MessagingError } from '../wire/codes.js';
import { sqlOtherParty, toWireChannel, toWireIm } from '../wire/conversation-wire.js';
import type { UsersConversationsArgs } from './users.dto.js';

/**
 * A user's conversations as another sees them: all public ones, of the others those where both are members. Parameters:
 * workspace, user, viewer, types, the key to start from (created in microseconds, id), without archived ones, how many.
 */
const CONVERSATIONS_OF = statement(
  'chat_conversations_of_user',
  `SELECT ${conversationColumns('c')},
          CASE WHEN c.type = 'im' THEN EXISTS (
            SELECT FROM users u WHERE u.workspace_id = c.workspace_id AND u.id = ${sqlOtherParty('c', '$3')}
              AND u.deleted_at IS NOT NULL) ELSE false END AS "isUserDeleted"
   FROM members m JOIN conversations c ON c.id = m.conversation_id AND c.workspace_id = $1
   WHERE m.user_id = $2 AND c.type = ANY($4::text[]) AND (c.created_at, c.id) >= ($5::bigint, $6::text)
     AND ($7::boolean IS NOT TRUE OR NOT c.is_archived)
     AND (c.type = 'public' OR $2 = $3::text
          OR EXISTS (SELECT FROM members v WHERE v.conversation_id = c.id AND v.user_id = $3))
   ORDER BY c.created_at, c.id LIMIT $8::int`,
);

type Row = Conversation & { isUserDeleted: boolean } & Record<string, unknown>;

/** Where somebody is a member: users.conversations. */
@Injectable()
export class UserConversations {
  constructor(
    private readonly db: Db,
    private readonly users: UsersAccess,
  ) {}

  async list(caller: Caller, args: UsersConversationsArgs): Promise<Answer> {
    const from = keyOfCursor(args.cursor);
    const types = typesOf(args.types);
    demandEveryType(caller, types);
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
      response_metadata: { next_cursor: next ? encodeCursor('user_team', `${next.createdAt}:${next.id}`) : '' },
    };
  }
}

/** An item of a list, without what goes without saying. */
const toItem = (row: Row, viewerId: string): object =>
  row.type === 'im'
    ? toWireIm(row, { viewerId, isUserDeleted: row.isUserDeleted })
    : { ...toWireChannel(row, { flavour: 'list', isMember: true }), is_member: undefined, num_members: undefined };
