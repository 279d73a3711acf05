import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { newId } from '../../kernel/ids/ids.js';
import type { Caller } from '../access/conversation-access.js';
import { UsersAccess } from '../access/users-access.js';
import type { Answer } from '../rpc/envelope.interceptor.js';
import type { ConversationType } from '../store/conversation.entity.js';
import { formatTs } from '../store/message-ts.js';
import { Usergroup } from '../store/usergroup.entity.js';
import { MessagingError } from '../wire/codes.js';
import { isLongerThan } from '../wire/text.js';
import {
  handleFault,
  handleOf,
  MAX_GROUP_DESCRIPTION,
  MAX_GROUP_NAME,
  MAX_GROUPS,
  toWireUsergroup,
} from '../wire/usergroup-wire.js';
import type {
  UsergroupsCreateArgs,
  UsergroupsDisableArgs,
  UsergroupsListArgs,
  UsergroupsUpdateArgs,
  UsergroupsUsersListArgs,
  UsergroupsUsersUpdateArgs,
} from './usergroups.dto.js';
import {
  subteamCreated,
  subteamMembersChanged,
  subteamSelfAdded,
  subteamSelfRemoved,
  subteamUpdated,
} from './usergroups.events.js';
import { CHANNELS, GROUPS, LOCK_GROUPS, TAKEN } from './usergroups.queries.js';

/** What a caller says of a group; what is absent stays as it is. */
type GroupFields = Partial<Pick<UsergroupsCreateArgs, 'name' | 'handle' | 'description' | 'channels'>>;

const WHOLE = { users: true, counts: true };

/** User groups: `usergroups.*` (docs/reference/chat.md#user-groups). Any member may change them. */
@Injectable()
export class UsergroupsService {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly users: UsersAccess,
  ) {}

  async create(caller: Caller, args: UsergroupsCreateArgs): Promise<Answer> {
    const group = await this.db.write(async (tx) => {
      const id = newId('S');
      const named = { ...args, handle: args.handle ?? handleOf(args.name) };
      const fields = await this.checkFields(tx, caller, id, named);
      if ((await tx.sql.countBy(Usergroup, { workspaceId: caller.workspaceId })) >= MAX_GROUPS) {
        throw new MessagingError('too_many_subteams');
      }
      const at = this.clock.nowSeconds();
      const { workspaceId, userId } = caller;
      const made = tx.sql.create(Usergroup, {
        id,
        workspaceId,
        description: '',
        userIds: [],
        channelIds: [],
        groupIds: [],
        ...fields,
        createdBy: userId,
        updatedBy: userId,
        deletedBy: null,
        createdAt: at,
        updatedAt: at,
        deletedAt: null,
      });
      await tx.sql.insert(Usergroup, made);
      tx.record(subteamCreated({ ...this.about(caller), subteam: toWireUsergroup(made, WHOLE) }));
      return made;
    });
    return { usergroup: toWireUsergroup(group, WHOLE) };
  }

  async update(caller: Caller, args: UsergroupsUpdateArgs): Promise<Answer> {
    const group = await this.db.write(async (tx) => {
      const before = await this.lock(tx, caller, args.usergroup);
      return this.change(tx, caller, before, await this.checkFields(tx, caller, before.id, args));
    });
    return { usergroup: toWireUsergroup(group, WHOLE) };
  }

  /** @throws MessagingError already_enabled, already_disabled */
  async setEnabled(caller: Caller, args: UsergroupsDisableArgs, isEnabled: boolean): Promise<Answer> {
    const group = await this.db.write(async (tx) => {
      const before = await this.lock(tx, caller, args.usergroup);
      if ((before.deletedAt === null) === isEnabled) {
        throw new MessagingError(isEnabled ? 'already_enabled' : 'already_disabled');
      }
      const ended = { deletedBy: caller.userId, deletedAt: this.clock.nowSeconds() };
      return this.change(tx, caller, before, isEnabled ? { deletedBy: null, deletedAt: null } : ended);
    });
    return { usergroup: toWireUsergroup(group, { users: true, counts: args.include_count ?? false }) };
  }

  /** Replaces the whole list of users. */
  async updateUsers(caller: Caller, args: UsergroupsUsersUpdateArgs): Promise<Answer> {
    const group = await this.db.write(async (tx) => {
      const before = await this.lock(tx, caller, args.usergroup);
      const known = await this.users.facts(caller, args.users, tx);
      if (args.users.some((id) => known.get(id)?.isDeleted !== false)) throw new MessagingError('invalid_users');
      const after = await this.change(tx, caller, before, { userIds: args.users });
      this.tellMembers(tx, caller, before, after);
      return after;
    });
    return { usergroup: toWireUsergroup(group, WHOLE) };
  }

  async list(caller: Caller, args: UsergroupsListArgs): Promise<Answer> {
    const rows = await this.db.read<Usergroup & Record<string, unknown>>(GROUPS, [
      caller.workspaceId,
      args.include_disabled ?? false,
    ]);
    const shown = { users: args.include_users ?? false, counts: args.include_count ?? false };
    return { usergroups: rows.map((group) => toWireUsergroup(group, shown)) };
  }

  /** @throws MessagingError no_such_subteam, also for a disabled group without `include_disabled` */
  async usersOf({ workspaceId }: Caller, args: UsergroupsUsersListArgs): Promise<Answer> {
    const group = await this.db.load((entities) => entities.findOneBy(Usergroup, { id: args.usergroup, workspaceId }));
    if (!group || (group.deletedAt !== null && args.include_disabled !== true)) {
      throw new MessagingError('no_such_subteam');
    }
    return { users: group.userIds };
  }

  private async lock(tx: Tx, { workspaceId }: Caller, id: string): Promise<Usergroup> {
    const group = await tx.sql.findOne(Usergroup, {
      where: { id, workspaceId },
      lock: { mode: 'pessimistic_write' },
    });
    if (!group) throw new MessagingError('no_such_subteam');
    return group;
  }

  private async change(tx: Tx, caller: Caller, before: Usergroup, fields: Partial<Usergroup>): Promise<Usergroup> {
    const changed = { ...fields, updatedBy: caller.userId, updatedAt: this.clock.nowSeconds() };
    await tx.sql.update(Usergroup, { id: before.id }, changed);
    const after = { ...before, ...changed };
    tx.record(subteamUpdated({ ...this.about(caller), subteam: toWireUsergroup(after, WHOLE) }));
    return after;
  }

  private tellMembers(tx: Tx, caller: Caller, before: Usergroup, after: Usergroup): void {
    const added = after.userIds.filter((id) => !before.userIds.includes(id));
    const removed = before.userIds.filter((id) => !after.userIds.includes(id));
    if (added.length + removed.length === 0) return;
    const about = { ...this.about(caller), groupId: after.id };
    const [previousUpdate, update] = [before.updatedAt, after.updatedAt];
    tx.record(subteamMembersChanged({ ...about, previousUpdate, update, added, removed }));
    for (const userId of added) tx.record(subteamSelfAdded({ ...about, userId }));
    for (const userId of removed) tx.record(subteamSelfRemoved({ ...about, userId }));
  }

  /** The columns that the fields fill, checked in the order of the error table. */
  private async checkFields(tx: Tx, caller: Caller, groupId: string, sent: GroupFields): Promise<Partial<Usergroup>> {
    const { handle, description, channels } = sent;
    const name = sent.name?.trim();
    if (name === '') throw new MessagingError('missing_subteam_name');
    if (name !== undefined && isLongerThan(name, MAX_GROUP_NAME)) throw new MessagingError('name_too_long');
    if (description !== undefined && isLongerThan(description, MAX_GROUP_DESCRIPTION)) {
      throw new MessagingError('description_too_long');
    }
    const fault = handle === undefined ? undefined : handleFault(handle);
    if (fault) throw new MessagingError(fault);
    if (name !== undefined || handle !== undefined) {
      await tx.query(LOCK_GROUPS, [caller.workspaceId]);
      const values = [caller.workspaceId, name ?? null, handle ?? null, groupId];
      const [taken] = await tx.query<{ name: boolean; handle: boolean }>(TAKEN, values);
      if (taken?.name) throw new MessagingError('name_already_exists');
      if (taken?.handle) throw new MessagingError('handle_already_exists');
    }
    return {
      ...(name !== undefined && { name }),
      ...(handle !== undefined && { handle }),
      ...(description !== undefined && { description }),
      ...(channels && (await channelsOf(tx, caller, channels))),
    };
  }

  private about({ tenantId, workspaceId }: Caller) {
    return { tenantId, workspaceId, eventTs: formatTs(this.clock.nowMicros()) };
  }
}

/** @throws MessagingError invalid_channel_provided for one that the caller may not see, and for direct messages */
async function channelsOf(
  tx: Tx,
  { workspaceId, userId }: Caller,
  ids: readonly string[],
): Promise<Pick<Usergroup, 'channelIds' | 'groupIds'>> {
  const rows = await tx.query<{ id: string; type: ConversationType }>(CHANNELS, [workspaceId, userId, [...ids]]);
  const types = new Map(rows.map(({ id, type }) => [id, type]));
  if (ids.some((id) => !types.has(id))) throw new MessagingError('invalid_channel_provided');
  return {
    channelIds: ids.filter((id) => types.get(id) === 'public'),
    groupIds: ids.filter((id) => types.get(id) === 'private'),
  };
}
