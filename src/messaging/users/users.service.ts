import { Injectable } from '@nestjs/common';
import { Accounts } from '../../auth/accounts.js';
import { Clock } from '../../kernel/clock/clock.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import type { DomainEvent } from '../../kernel/events/event.js';
import { leavesTenant } from '../../kernel/http/call-context.js';
import { Realtime } from '../../kernel/realtime/realtime.js';
import { PublicUrl } from '../../kernel/http/public-url.js';
import { TenantMemories, type TenantMemory } from '../../kernel/tenancy/tenant-memory.js';
import { userProfileChanged, userStatusChanged } from '../events/app-events.js';
import { presenceChanged, userChanged } from '../events/chat-events.js';
import { MessagingError } from '../wire/codes.js';
import type { Caller } from '../access/conversation-access.js';
import { holdsScope, isAdmin } from '../access/identity.js';
import { formatTs } from '../store/message-ts.js';
import {
  effectivePresence,
  toWireProfile,
  toWireUser,
  withoutExpiredStatus,
  type UserView,
} from '../wire/user-wire.js';
import { User, type StoredProfile } from '../store/user.entity.js';
import { encodeCursor, pageEnd } from '../rpc/cursor.js';
import type { Answer } from '../rpc/envelope.interceptor.js';
import { MAX_CHARACTERS, PageTexts, type PageText } from '../rpc/page-texts.js';
import { NO_ROWS } from '../rpc/page-texts.queries.js';
import { WireText } from '../rpc/wire-text.js';
import { changedProfile, checkStatus } from './profile.js';
import type {
  ProfileChanges,
  UsersGetPresenceArgs,
  UsersInfoArgs,
  UsersListArgs,
  UsersLookupByEmailArgs,
  UsersProfileGetArgs,
  UsersProfileSetArgs,
  UsersSetPresenceArgs,
} from './users.dto.js';
import { findUser, findUserByEmail, lockUser, updateProfile, usersPage } from './users.queries.js';

const STATUS_FIELDS = ['status_text', 'status_emoji', 'status_expiration'] as const;

/** The people and bots of a workspace, as they see each other. */
@Injectable()
export class UsersService {
  private readonly pages = new PageTexts<User>();
  private readonly lists: TenantMemory<PageText>;

  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly publicUrl: PublicUrl,
    private readonly accounts: Accounts,
    private readonly realtime: Realtime,
    memories: TenantMemories,
  ) {
    this.lists = memories.ofUsers(MAX_CHARACTERS, ({ items }) => items.json.length);
  }

  async list(caller: Caller, args: UsersListArgs): Promise<Answer> {
    const limit = args.limit === 0 ? null : args.limit;
    const view = this.viewOf(caller, { withLocale: args.include_locale });
    const shown = `${limit} ${view.publicUrl} ${view.withEmail} ${args.include_locale}`;
    const page = await this.lists.of(
      caller.tenantId,
      `${caller.workspaceId} ${shown} ${args.cursor ?? ''}`,
      async () => {
        const rows = await usersPage(this.db, caller, args.cursor, limit === null ? null : limit + 1);
        if (rows === NO_ROWS && args.cursor !== undefined) throw new MessagingError('invalid_cursor');
        return this.pages.of(rows, shown, (users) => usersOf(users, limit, view));
      },
      ({ lasts }) => lasts,
    );
    return { members: page.items, cache_ts: view.now, ...pageEnd(page.next) };
  }

  async info(caller: Caller, args: UsersInfoArgs): Promise<Answer> {
    const user = await findUser(this.db, caller, args.user);
    if (!user) throw new MessagingError('user_not_found');
    return { user: toWireUser(user, this.viewOf(caller, { withLocale: args.include_locale })) };
  }

  async byEmail(caller: Caller, args: UsersLookupByEmailArgs): Promise<Answer> {
    const user = await findUserByEmail(this.db, caller, args.email.trim().toLowerCase());
    if (!user) throw new MessagingError('users_not_found');
    return { user: toWireUser(user, this.viewOf(caller)) };
  }

  /** One's own presence says more. */
  async presence(caller: Caller, args: UsersGetPresenceArgs): Promise<Answer> {
    const user = await findUser(this.db, caller, args.user ?? caller.userId);
    if (!user) throw new MessagingError('user_not_found');
    const presence = effectivePresence(user.presence);
    if (user.id !== caller.userId) return { presence };
    const sockets = [...this.realtime.sessionsOf('chat', caller.tenantId)] as { userId?: string }[];
    return {
      presence,
      online: presence === 'active',
      auto_away: false,
      manual_away: user.presence === 'away',
      connection_count: sockets.filter(({ userId }) => userId === caller.userId).length,
      last_activity: this.clock.nowSeconds(),
    };
  }

  async profile(caller: Caller, args: UsersProfileGetArgs): Promise<Answer> {
    const user = await findUser(this.db, caller, args.user ?? caller.userId);
    if (!user) throw new MessagingError('user_not_found');
    return { profile: toWireProfile(user, this.viewOf(caller, { withLabels: args.include_labels })) };
  }

  async setProfile(caller: Caller, args: UsersProfileSetArgs): Promise<Answer> {
    const { changes, user: userId = caller.userId } = args;
    const user = await this.db.write((tx) => this.changeProfile(tx, caller, userId, changes));
    return { username: user.name, profile: toWireProfile(user, this.viewOf(caller)) };
  }

  /** Records the event, unless nothing changed. */
  async setPresence(caller: Caller, { presence }: UsersSetPresenceArgs): Promise<void> {
    await this.db.write(async (tx) => {
      const user = await lockUser(tx, caller, caller.userId);
      if (!user || user.presence === presence) return;
      const { tenantId, workspaceId, userId } = caller;
      await tx.sql.update(User, { workspaceId, id: userId }, { presence });
      const eventTs = formatTs(this.clock.nowMicros());
      tx.record(presenceChanged({ tenantId, workspaceId, userId, presence: effectivePresence(presence), eventTs }));
    });
  }

  private async changeProfile(tx: Tx, caller: Caller, userId: string, changes: ProfileChanges): Promise<User> {
    const found = await lockUser(tx, caller, userId);
    const current = this.changeable(caller, found, userId, changes);
    const user = found as User;
    const email = user.isBot ? null : await this.changeEmail(tx, user, changes.email);
    if (changes.display_name?.startsWith('@')) throw new MessagingError('invalid_starts_with_at');
    const change = this.changeOf(caller, { ...user, email }, current, changes);
    if (!change) return user;
    await updateProfile(tx, user, change.changed.profile, change.changed.updatedAt);
    for (const event of change.events) tx.record(event);
    return change.changed;
  }

  /** The profile that the changes are to be made to. @throws MessagingError user_not_found, not_admin, as of `checkStatus` */
  private changeable(caller: Caller, user: User | undefined, userId: string, changes: ProfileChanges): StoredProfile {
    if (!user) throw new MessagingError('user_not_found');
    if ((userId !== caller.userId || changes.email !== undefined) && !isAdmin(caller))
      throw new MessagingError('not_admin');
    const current = withoutExpiredStatus(user.profile, this.clock.nowSeconds());
    checkStatus(current, changes);
    return current;
  }

  /** The user as they are then, and the events about it; undefined where nothing is to be changed. */
  private changeOf(
    caller: Caller,
    user: User,
    current: StoredProfile,
    changes: ProfileChanges,
  ): { changed: User; events: DomainEvent[] } | undefined {
    const isAnnounced = Object.keys(changes).filter((key) => key !== 'fields').length > 0;
    if (!isAnnounced && !changes.fields) return undefined;
    const now = this.clock.nowMicros();
    const profile = changedProfile(current, changes);
    const changed: User = { ...user, profile, updatedAt: Math.max(now, user.updatedAt) };
    if (!isAnnounced) return { changed, events: [] };
    const view = { ...this.viewOf(caller), withEmail: true, withLocale: true };
    const change = {
      tenantId: caller.tenantId,
      workspaceId: caller.workspaceId,
      user: toWireUser(changed, view),
      cacheTs: view.now,
      eventTs: formatTs(now),
    };
    const hasOtherStatus = STATUS_FIELDS.some((field) => current[field] !== profile[field]);
    return {
      changed,
      events: [userChanged(change), userProfileChanged(change), ...(hasOtherStatus ? [userStatusChanged(change)] : [])],
    };
  }

  /** Answers the address as it is then. @throws MessagingError email_taken */
  private async changeEmail(tx: Tx, user: User, wanted: string | undefined): Promise<string | null> {
    const email = wanted?.toLowerCase();
    if (email === undefined || email === user.email) return user.email;
    if (!(await this.accounts.changeEmail(tx, user.id, email))) throw new MessagingError('email_taken');
    // an account has one address, in every workspace in which it is a user
    leavesTenant();
    await tx.sql.update(User, { id: user.id, isBot: false }, { email });
    return email;
  }

  private viewOf(caller: Caller, more: Partial<UserView> = {}): UserView {
    return {
      publicUrl: this.publicUrl.base,
      now: this.clock.nowSeconds(),
      withEmail: holdsScope(caller, 'users:read.email'),
      ...more,
    };
  }
}

/** A page of people. The time of a status may be over at the next look. */
function usersOf(rows: User[], limit: number | null, view: UserView): PageText {
  const users = limit === null ? rows : rows.slice(0, limit);
  const following = limit === null ? undefined : rows[limit];
  return {
    items: new WireText(JSON.stringify(users.map((user) => toWireUser(user, view)))),
    next: following ? encodeCursor('user', following.id) : '',
    lasts: users.every(({ profile }) => !profile.status_expiration),
  };
}
