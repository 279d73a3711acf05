import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { MessagingError, type ErrorCode } from '../wire/codes.js';
import { ConversationAccess, type Caller } from '../access/conversation-access.js';
import type { VisibleConversation } from '../access/identity.js';
import { UsersAccess } from '../access/users-access.js';
import { eventPlaceOf, memberLeft } from '../events/chat-events.js';
import { channelLeft, groupLeft } from '../events/conversation-events.js';
import { Conversation } from '../store/conversation.entity.js';
import { Member } from '../store/member.entity.js';
import { Memberships } from '../members/memberships.js';
import { MessageLog } from '../messages/message-log.js';
import { formatTs } from '../store/message-ts.js';
import { leaveMessage } from '../messages/system-messages.js';
import type { Answer } from '../rpc/envelope.interceptor.js';
import { requireOpenToMember } from './channel-lifecycle.service.js';
import { ConversationView } from './conversation-view.js';
import type {
  ConversationsInviteArgs,
  ConversationsJoinArgs,
  ConversationsKickArgs,
  ConversationsLeaveArgs,
} from './conversations.dto.js';
import { MEMBERS_AMONG, type MemberRow } from './conversations.queries.js';

/** Why one user could not be invited. */
interface Refusal {
  readonly user: string;
  readonly ok: false;
  readonly error: ErrorCode;
}

/** Members: conversations.join, leave, invite and kick. Each is decided under the conversation's lock. */
@Injectable()
export class Membership {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly conversations: ConversationAccess,
    private readonly users: UsersAccess,
    private readonly memberships: Memberships,
    private readonly log: MessageLog,
    private readonly view: ConversationView,
  ) {}

  async join(caller: Caller, args: ConversationsJoinArgs): Promise<Answer> {
    const { channel, joined } = await this.db.write(async (tx) => {
      const channel = await this.conversations.forUpdate(tx, caller, args.channel);
      if (channel.isArchived) throw new MessagingError('is_archived');
      const joined = await this.memberships.join(tx, eventPlaceOf(caller, channel), [caller.userId]);
      return { channel, joined };
    });
    return {
      channel: await this.view.info(caller, { ...channel, isMember: true }),
      warning: joined.length > 0 ? undefined : 'already_in_channel',
    };
  }

  /** Of the last two members of a private conversation one stays. */
  async leave(caller: Caller, args: ConversationsLeaveArgs): Promise<void> {
    await this.db.write(async (tx) => {
      const channel = await this.conversations.forUpdate(tx, caller, args.channel);
      if (channel.isGeneral) throw new MessagingError('cant_leave_general');
      // the reference service sends the flag without an error
      if (!channel.isMember) throw new MessagingError('not_in_channel', { extra: { not_in_channel: true } });
      if (channel.isArchived) throw new MessagingError('is_archived');
      if (channel.type !== 'public' && channel.memberCount <= 1) throw new MessagingError('last_member');
      await this.remove(tx, caller, channel, caller.userId);
    });
  }

  /** No one is invited if any of them cannot be, unless `force` is set. */
  async invite(caller: Caller, args: ConversationsInviteArgs): Promise<Answer> {
    const facts = await this.users.facts(caller, args.users);
    const { channel, errors } = await this.db.write(async (tx) => {
      const channel = await this.conversations.forUpdate(tx, caller, args.channel);
      requireOpenToMember(channel);
      const members = await tx.query<Pick<MemberRow, 'userId'>>(MEMBERS_AMONG, [channel.id, [...args.users]]);
      const errors = refusals(caller, args.users, facts, new Set(members.map(({ userId }) => userId)));
      const refused = new Set(errors.map(({ user }) => user));
      const invitable = args.users.filter((userId) => !refused.has(userId));
      const [first] = errors;
      if (first && (!args.force || invitable.length === 0))
        throw new MessagingError(first.error, { extra: { errors } });
      await this.memberships.join(tx, eventPlaceOf(caller, channel), invitable, caller.userId);
      return { channel, errors };
    });
    return { channel: await this.view.info(caller, channel), errors: errors.length > 0 ? errors : undefined };
  }

  async kick(caller: Caller, args: ConversationsKickArgs): Promise<Answer> {
    const isKnown = (await this.users.facts(caller, [args.user])).has(args.user);
    await this.db.write(async (tx) => {
      const channel = await this.conversations.forUpdate(tx, caller, args.channel);
      if (channel.isGeneral) throw new MessagingError('cant_kick_from_general');
      if (!isKnown) throw new MessagingError('user_not_found');
      if (args.user === caller.userId) throw new MessagingError('cant_kick_self');
      requireOpenToMember(channel);
      await this.remove(tx, caller, channel, args.user);
    });
    return { errors: {} };
  }

  /** Takes out a member, by their own will or not, with event and system message. @throws MessagingError not_in_channel */
  private async remove(tx: Tx, caller: Caller, channel: VisibleConversation, userId: string): Promise<void> {
    const { affected } = await tx.sql.delete(Member, { conversationId: channel.id, userId });
    if (affected === 0) throw new MessagingError('not_in_channel');
    await tx.sql.update(
      Conversation,
      { id: channel.id },
      { memberCount: () => 'member_count - 1', membersVersion: () => 'members_version + 1' },
    );
    const place = eventPlaceOf(caller, channel);
    const eventTs = formatTs(this.clock.nowMicros());
    tx.record(memberLeft({ ...place, userId, eventTs }));
    const left = channel.type === 'public' ? channelLeft : groupLeft;
    tx.record(left({ ...place, userId, actorId: caller.userId, eventTs }));
    await this.log.append(tx, place, leaveMessage(place, userId, userId !== caller.userId));
  }
}

/** Who of these cannot be invited and why, in their order. */
function refusals(
  caller: Caller,
  userIds: readonly string[],
  facts: Awaited<ReturnType<UsersAccess['facts']>>,
  members: ReadonlySet<string>,
): Refusal[] {
  const reason = (userId: string): ErrorCode | undefined => {
    if (userId === caller.userId) return 'cant_invite_self';
    const user = facts.get(userId);
    if (!user) return 'user_not_found';
    if (user.isDeleted) return 'cant_invite';
    return members.has(userId) ? 'already_in_channel' : undefined;
  };
  return userIds.flatMap((user) => {
    const error = reason(user);
    return error === undefined ? [] : [{ user, ok: false as const, error }];
  });
}
