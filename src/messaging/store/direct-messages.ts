import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Db } from '../../kernel/database/db.js';
import { BatchedWrites, type BatchedRow } from '../../kernel/events/batched-writes.js';
import { newId } from '../../kernel/ids/ids.js';
import { groupOpened, imCreated } from '../events/conversation-events.js';
import { MessagingError, type ErrorCode } from '../wire/codes.js';
import { formatTs } from './message-ts.js';
import type { Conversation } from './conversation.entity.js';
import type { Identity, VisibleConversation } from '../access/identity.js';
import { DIRECT_BY_MEMBERS, OPEN_DIRECT_BATCH } from './direct-messages.queries.js';

type Opener = Pick<Identity, 'tenantId' | 'workspaceId' | 'userId' | 'isBot'>;

export interface OpenedDirect {
  readonly conversation: VisibleConversation;
  readonly isNew: boolean;
}

type OpenedRow = BatchedRow & Conversation & { readonly isClosed: boolean };

/** What else is sent as an id names nobody; a comma would be read as two of them. */
const ID = /^\w+$/;

/** Sorted ids: the same set of users always has the same conversation (conversations.open). */
const membersOf = (userIds: readonly string[]): string[] => [...new Set(userIds)].sort();

/** Ims and mpims: found by their set of members, or made; those that are asked for at once share a statement. */
@Injectable()
export class DirectMessages {
  private readonly opening;

  constructor(
    private readonly db: Db,
    writes: BatchedWrites,
    private readonly clock: Clock,
  ) {
    this.opening = writes.verb(OPEN_DIRECT_BATCH, {
      name: 'conversations.open',
      together: (row) => String(row.members_key),
    });
  }

  /** The conversation of exactly these users, the caller among them, or null. */
  async find(caller: Pick<Identity, 'workspaceId'>, userIds: readonly string[]): Promise<Conversation | null> {
    const key = membersOf(userIds).join(',');
    const [row] = await this.db.read<Conversation>(DIRECT_BY_MEMBERS, [caller.workspaceId, key]);
    return row ?? null;
  }

  /**
   * Finds or makes it: an im for one or two users, an mpim for more. All of them are members from the start, and again if they
   * left; no message (conversations.open).
   * @param how.isJudged false where the caller knows that it may talk to the others
   * @param how.onlyLookUp the one that is there and that the caller is in
   * @throws MessagingError user_not_found, user_disabled, cannot_dm_bot, channel_not_found
   */
  async open(
    caller: Opener,
    userIds: readonly string[],
    { isJudged = true, onlyLookUp = false }: { isJudged?: boolean; onlyLookUp?: boolean } = {},
  ): Promise<OpenedDirect> {
    if (!userIds.every((userId) => ID.test(userId))) throw new MessagingError('user_not_found');
    const members = membersOf([caller.userId, ...userIds]);
    const type = members.length <= 2 ? 'im' : 'mpim';
    const id = newId(type === 'im' ? 'D' : 'G');
    const at = this.clock.nowMicros();
    const change = {
      tenantId: caller.tenantId,
      workspaceId: caller.workspaceId,
      conversation: { id, type } as const,
      userId: caller.userId,
      eventTs: formatTs(at),
    };
    const otherId = members.find((userId) => userId !== caller.userId) ?? caller.userId;
    const { kind, data } = type === 'im' ? imCreated({ ...change, otherId, createdAt: at }) : groupOpened(change);
    const {
      n: _,
      outcome,
      queued: __,
      ...conversation
    } = await this.opening<OpenedRow>(caller.tenantId, {
      id,
      workspace_id: caller.workspaceId,
      user_id: caller.userId,
      is_bot: caller.isBot,
      members_key: members.join(','),
      type,
      is_judged: isJudged,
      only_existing: onlyLookUp,
      at,
      kind,
      data,
    });
    if (outcome !== 'found' && outcome !== 'created' && outcome !== 'returned') {
      throw new MessagingError(outcome as ErrorCode);
    }
    return { conversation: { ...conversation, isMember: true }, isNew: outcome === 'created' };
  }
}
