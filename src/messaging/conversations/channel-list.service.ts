import { Injectable } from '@nestjs/common';
import { Db } from '../../kernel/database/db.js';
import { MessagingError } from '../model/codes.js';
import { ConversationAccess, missingScope, type Caller } from '../model/conversation-access.js';
import type { ConversationType } from '../model/conversation.entity.js';
import { toWireChannel, toWireIm } from '../model/conversation-wire.js';
import { encodeCursor } from '../rpc/cursor.js';
import type { Answer } from '../rpc/envelope.interceptor.js';
import { ConversationView } from './conversation-view.js';
import type {
  ConversationsInfoArgs,
  ConversationsListArgs,
  ConversationsMembersArgs,
  ConversationTypeWord,
} from './conversations.dto.js';
import { listOf, MEMBERS, type ListRow, type MemberRow } from './conversations.queries.js';

const TYPE_OF: Readonly<Record<ConversationTypeWord, ConversationType>> = {
  public_channel: 'public',
  private_channel: 'private',
  mpim: 'mpim',
  im: 'im',
};

/** Before every key: times are positive and ids are not empty. */
const START: readonly [number, string] = [0, ''];

/**
 * Cursors of this family hold the whole key of the next item, so that a page starts at the right place even when that
 * item is gone meanwhile (a member who left).
 * @throws MessagingError invalid_cursor
 */
function keyOf(cursor: string | undefined): readonly [number, string] {
  if (cursor === undefined) return START;
  const match = /^(\d{1,16}):([A-Z0-9]{11})$/.exec(cursor);
  const time = Number(match?.[1]);
  if (!match || !Number.isSafeInteger(time)) throw new MessagingError('invalid_cursor');
  return [time, match[2] as string];
}

/** What there is: conversations.list, conversations.info, conversations.members. */
@Injectable()
export class ChannelList {
  constructor(
    private readonly db: Db,
    private readonly conversations: ConversationAccess,
    private readonly view: ConversationView,
  ) {}

  async list(caller: Caller, args: ConversationsListArgs): Promise<Answer> {
    const from = keyOf(args.cursor);
    const types = args.types.map((word) => TYPE_OF[word]);
    demandEveryType(caller, types);
    const rows = await this.db.read<ListRow & Record<string, unknown>>(listOf(types, { live: args.exclude_archived }), [
      caller.workspaceId,
      caller.userId,
      types,
      ...from,
      args.limit + 1,
    ]);
    const next = rows[args.limit];
    return {
      channels: rows.slice(0, args.limit).map((row) => listItem(row, caller.userId)),
      response_metadata: {
        next_cursor: next ? encodeCursor('team', `${Math.floor(next.createdAt / 1e6)}:${next.id}`) : '',
      },
    };
  }

  async info(caller: Caller, args: ConversationsInfoArgs): Promise<Answer> {
    const conversation = await this.conversations.visible(caller, args.channel);
    const extras = { numMembers: args.include_num_members, locale: args.include_locale };
    return { channel: await this.view.info(caller, conversation, extras) };
  }

  async members(caller: Caller, args: ConversationsMembersArgs): Promise<Answer> {
    const from = keyOf(args.cursor);
    const conversation = await this.conversations.visible(caller, args.channel);
    const rows = await this.db.read<MemberRow & Record<string, unknown>>(MEMBERS, [
      conversation.id,
      ...from,
      args.limit + 1,
    ]);
    const next = rows[args.limit];
    return {
      members: rows.slice(0, args.limit).map((row) => row.userId),
      response_metadata: { next_cursor: next ? encodeCursor('user_id', `${next.joinedAt}:${next.userId}`) : '' },
    };
  }
}

const listItem = (row: ListRow, viewerId: string): object =>
  row.type === 'im'
    ? toWireIm(row, { viewerId, isUserDeleted: row.isUserDeleted })
    : toWireChannel(row, { flavour: 'list', isMember: row.isMember });

/**
 * Unlike elsewhere, every type that is asked for needs its scope, and the refusal names all that are missing.
 * @throws MessagingError missing_scope
 */
function demandEveryType(caller: Caller, types: readonly ConversationType[]): void {
  if (caller.kind === 'jwt') return;
  const byType = caller.rule?.byType?.[caller.kind] ?? {};
  const missing = types
    .map((type) => byType[type] ?? [])
    .filter((accepted) => !accepted.some((scope) => caller.scopes.includes(scope)));
  if (missing.length > 0) throw missingScope(missing.flat(), caller.scopes);
}
