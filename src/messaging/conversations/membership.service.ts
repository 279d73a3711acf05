import { Injectable } from '@nestjs/common';
import { Db } from '../../kernel/database/db.js';
import { MessagingError, type ErrorCode } from '../wire/codes.js';
import { ConversationAccess, type Caller } from '../access/conversation-access.js';
import { UsersAccess } from '../access/users-access.js';
import type { Answer } from '../rpc/envelope.interceptor.js';
import { requireOpenToMember } from './channel-lifecycle.service.js';
import { ConversationView } from './conversation-view.js';
import type {
  ConversationsInviteArgs,
  ConversationsJoinArgs,
  ConversationsKickArgs,
  ConversationsLeaveArgs,
} from './conversations.dto.js';
import { MembershipBatches } from './membership-batches.js';
import { MEMBERS_AMONG, type MemberRow } from './conversations.queries.js';

/** Why one user could not be invited. */
interface Refusal {
  readonly user: string;
  readonly ok: false;
  readonly error: ErrorCode;
}

/** Members: conversations.join, leave, invite and kick. Each is decided under the conversation's lock, in batches. */
@Injectable()
export class Membership {
  constructor(
    private readonly db: Db,
    private readonly conversations: ConversationAccess,
    private readonly users: UsersAccess,
    private readonly view: ConversationView,
    private readonly batches: MembershipBatches,
  ) {}

  async join(caller: Caller, args: ConversationsJoinArgs): Promise<Answer> {
    const channel = await this.conversations.visible(caller, args.channel);
    const joined = await this.batches.join(caller, channel);
    return {
      channel: await this.view.info(caller, { ...channel, isMember: true }),
      warning: joined ? undefined : 'already_in_channel',
    };
  }

  async leave(caller: Caller, args: ConversationsLeaveArgs): Promise<void> {
    const conversation = await this.conversations.visible(caller, args.channel);
    if (conversation.isGeneral) throw new MessagingError('cant_leave_general');
    await this.batches.leave(caller, conversation);
  }

  /** No one is invited if any of them cannot be, unless `force` is set. */
  async invite(caller: Caller, args: ConversationsInviteArgs): Promise<Answer> {
    const channel = await this.conversations.visible(caller, args.channel);
    requireOpenToMember(channel);
    let errors: Refusal[];
    let invitable: string[];
    do {
      errors = await this.refusals(caller, channel.id, args.users);
      const refused = new Set(errors.map((refusal) => refusal.user));
      invitable = args.users.filter((userId) => !refused.has(userId));
      const [first] = errors;
      if (first && (!args.force || invitable.length === 0))
        throw new MessagingError(first.error, { extra: { errors } });
    } while ((await this.batches.invite(caller, channel, invitable)) === 'changed');
    return { channel: await this.view.info(caller, channel), errors: errors.length > 0 ? errors : undefined };
  }

  async kick(caller: Caller, args: ConversationsKickArgs): Promise<Answer> {
    const channel = await this.conversations.visible(caller, args.channel);
    if (channel.isGeneral) throw new MessagingError('cant_kick_from_general');
    if (!(await this.users.facts(caller, [args.user])).has(args.user)) throw new MessagingError('user_not_found');
    if (args.user === caller.userId) throw new MessagingError('cant_kick_self');
    await this.batches.kick(caller, channel, args.user);
    return { errors: {} };
  }

  /** Who of these cannot be invited and why, in their order. */
  private async refusals(caller: Caller, channelId: string, userIds: readonly string[]): Promise<Refusal[]> {
    const [facts, rows] = await Promise.all([
      this.users.facts(caller, userIds),
      this.db.read<Pick<MemberRow, 'userId'>>(MEMBERS_AMONG, [channelId, [...userIds]]),
    ]);
    const members = new Set(rows.map((row) => row.userId));
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
}
