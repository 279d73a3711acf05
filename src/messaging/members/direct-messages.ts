import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { insertUnlessTaken } from '../../kernel/database/insert-unless-taken.js';
import { newId } from '../../kernel/ids/ids.js';
import type { Identity, VisibleConversation } from '../access/identity.js';
import { UsersAccess, type UserFacts } from '../access/users-access.js';
import { groupOpened, imCreated } from '../events/conversation-events.js';
import { WorkspaceSetup } from '../provisioning/workspace-setup.js';
import { MessagingError } from '../wire/codes.js';
import { Conversation } from '../store/conversation.entity.js';
import { DIRECT_BY_MEMBERS } from './direct-messages.queries.js';
import { formatTs } from '../store/message-ts.js';

type Opener = Pick<Identity, 'tenantId' | 'workspaceId' | 'userId' | 'isBot'>;

export interface OpenedDirect {
  readonly conversation: VisibleConversation;
  readonly isNew: boolean;
}

/** What else is sent as an id names nobody; a comma would be read as two of them. */
const ID = /^\w+$/;

/** Sorted ids: the same set of users always has the same conversation (conversations.open). */
const membersOf = (userIds: readonly string[]): string[] => [...new Set(userIds)].sort();

/** Ims and mpims: found by their set of members, or made. */
@Injectable()
export class DirectMessages {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly users: UsersAccess,
    private readonly setup: WorkspaceSetup,
  ) {}

  /** The conversation of exactly these users, the caller among them, or null. */
  async find(
    caller: Pick<Identity, 'workspaceId' | 'userId'>,
    userIds: readonly string[],
  ): Promise<VisibleConversation | null> {
    const values = [caller.workspaceId, membersOf(userIds).join(','), caller.userId];
    const [row] = await this.db.read<VisibleConversation>(DIRECT_BY_MEMBERS, values);
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
    const [people, found] = await Promise.all([this.users.facts(caller, members), this.find(caller, members)]);
    if (isJudged) judge(caller, members, people);
    if (found?.isMember && (onlyLookUp || found.memberCount >= members.length)) {
      return { conversation: found, isNew: false };
    }
    if (onlyLookUp) throw new MessagingError('channel_not_found');
    if (found) return { conversation: await this.refilled(found, members), isNew: false };
    const made = await this.db.write((tx) => this.make(tx, caller, members, people));
    // who loses the race for a new one finds the winner's
    return made ? { conversation: made, isNew: true } : this.open(caller, userIds, { isJudged });
  }

  /** Those who left are members again. */
  private async refilled(found: VisibleConversation, members: readonly string[]): Promise<VisibleConversation> {
    const back = await this.db.write((tx) => this.setup.addMembers(tx, found.id, members));
    return { ...found, memberCount: found.memberCount + back.length, isMember: true, isClosed: false };
  }

  /** Undefined where somebody else has made it meanwhile: the unique index decides. */
  private async make(
    tx: Tx,
    caller: Opener,
    members: readonly string[],
    people: ReadonlyMap<string, UserFacts>,
  ): Promise<VisibleConversation | undefined> {
    const isIm = members.length <= 2;
    const handles = [...people.values()].map(({ name }) => name).sort();
    const at = this.clock.nowMicros();
    const made = await insertUnlessTaken(tx, Conversation, {
      id: newId(isIm ? 'D' : 'G'),
      workspaceId: caller.workspaceId,
      type: isIm ? 'im' : 'mpim',
      name: isIm ? null : `mpdm-${handles.join('--')}-1`,
      membersKey: members.join(','),
      creatorId: caller.userId,
      topic: isIm ? '' : 'Group messaging',
      purpose: isIm ? '' : `Group messaging with: @${handles.join(' @')}`,
      createdAt: at,
      updatedAt: at,
    });
    if (!made) return undefined;
    await this.setup.addMembers(tx, made.id, members);
    const change = {
      tenantId: caller.tenantId,
      workspaceId: caller.workspaceId,
      conversation: { id: made.id, type: made.type },
      userId: caller.userId,
      eventTs: formatTs(at),
    };
    const otherId = members.find((userId) => userId !== caller.userId) ?? caller.userId;
    tx.record(isIm ? imCreated({ ...change, otherId, createdAt: at }) : groupOpened(change));
    return { ...made, memberCount: members.length, isMember: true };
  }
}

/** @throws MessagingError user_not_found, user_disabled, cannot_dm_bot */
function judge(caller: Opener, members: readonly string[], people: ReadonlyMap<string, UserFacts>): void {
  if (people.size < members.length) throw new MessagingError('user_not_found');
  const others = [...people.values()].filter(({ id }) => id !== caller.userId);
  if (others.some(({ isDeleted }) => isDeleted)) throw new MessagingError('user_disabled');
  if (caller.isBot && members.length === 2 && others.some(({ isBot }) => isBot))
    throw new MessagingError('cannot_dm_bot');
}
