import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import type { Tx } from '../../kernel/database/db.js';
import { newId } from '../../kernel/ids/ids.js';
import { insertTargets, targetRows } from '../events/event-targets.js';
import type { NewApp } from '../store/app.entity.js';
import {
  appRows,
  botsOf,
  channelRows,
  conversationRows,
  membershipRow,
  targetsOf,
  tokenRows,
  userRows,
  type AppToMake,
  type ChannelToMake,
  type Membership,
  type NewUser,
  type TokenToMake,
  type UserToMake,
} from './bulk-rows.js';
import {
  ADD_MEMBERSHIPS,
  DIRECTS,
  FOUND_WORKSPACE,
  INSERT_APPS,
  INSERT_COMMANDS,
  INSERT_CONVERSATIONS,
  INSERT_TOKENS,
  INSERT_USERS,
} from './bulk-setup.queries.js';

/**
 * The operations of WorkspaceSetup for many at once: each is a few statements, however many rows, in its caller's
 * transaction.
 */
@Injectable()
export class BulkSetup {
  constructor(private readonly clock: Clock) {}

  /**
   * The initial data of a workspace, in one statement: its first app and person, their tokens, its channels.
   * @returns duplicate commands of the manifest
   */
  async found(
    tx: Tx,
    tenant: { readonly tenantId: number; readonly workspaceId: string },
    begin: {
      readonly app: AppToMake;
      readonly person: NewUser;
      readonly tokens: readonly TokenToMake[];
      readonly channels: readonly ChannelToMake[];
    },
  ): Promise<string[]> {
    const { workspaceId } = tenant;
    const { app, person, tokens, channels } = begin;
    const users = [{ ...person, joins: false }, ...botsOf([app], new Set([person.handle]))];
    const { conversations, memberships } = conversationRows(channelRows(channels));
    await tx.query(FOUND_WORKSPACE, [
      workspaceId,
      JSON.stringify(appRows(tx, [app])),
      JSON.stringify(userRows(users)),
      JSON.stringify(tokenRows(tokens)),
      JSON.stringify(targetRows(tx, targetsOf(app.app, tenant))),
      JSON.stringify(conversations),
      JSON.stringify(memberships),
      this.clock.nowMicros(),
    ]);
    return this.addCommands(tx, workspaceId, [app.app]);
  }

  /** People, who join #general where there is one. Answers the ids of those whose handle was free. */
  async addUsers(tx: Tx, workspaceId: string, users: readonly NewUser[]): Promise<ReadonlySet<string>> {
    return this.insertUsers(
      tx,
      workspaceId,
      users.map((user) => ({ ...user, role: user.role ?? 'member', joins: true })),
    );
  }

  private async insertUsers(tx: Tx, workspaceId: string, users: readonly UserToMake[]): Promise<ReadonlySet<string>> {
    if (users.length === 0) return new Set();
    const stored = await tx.query<{ id: string }>(INSERT_USERS, [
      workspaceId,
      JSON.stringify(userRows(users)),
      this.clock.nowMicros(),
    ]);
    return new Set(stored.map(({ id }) => id));
  }

  /**
   * Apps with their bot users, and what their manifests bring along.
   * @param taken handles that are in use
   * @returns those commands (`/deploy`) that another app has
   */
  async addApps(
    tx: Tx,
    tenant: { readonly tenantId: number; readonly workspaceId: string },
    apps: readonly AppToMake[],
    taken: ReadonlySet<string>,
  ): Promise<string[]> {
    if (apps.length === 0) return [];
    const { workspaceId } = tenant;
    await tx.query(INSERT_APPS, [workspaceId, JSON.stringify(appRows(tx, apps))]);
    // what is registered only has neither a bot nor what its manifest brings along
    const installed = apps.filter(({ app }) => app.installedAt !== null);
    const bots = botsOf(installed, taken);
    const stored = await this.insertUsers(tx, workspaceId, bots);
    if (stored.size !== bots.length) throw new Error('a handle that was free is not');
    return this.addParts(
      tx,
      tenant,
      installed.map(({ app }) => app),
    );
  }

  /** The commands and subscriptions of manifests. @returns those commands that another app has */
  async addParts(
    tx: Tx,
    { tenantId, workspaceId }: { readonly tenantId: number; readonly workspaceId: string },
    apps: readonly NewApp[],
  ): Promise<string[]> {
    const targets = apps.flatMap((app) => targetsOf(app, { tenantId, workspaceId }));
    if (targets.length > 0) await insertTargets(tx, targets);
    return this.addCommands(tx, workspaceId, apps);
  }

  /** The commands of manifests. @returns those that another app has */
  private async addCommands(tx: Tx, workspaceId: string, apps: readonly NewApp[]): Promise<string[]> {
    const commands = apps.flatMap(({ id: appId, creatorId, createdAt, manifest }) =>
      (manifest.features?.slash_commands ?? []).map(({ command, url, description, usage_hint }) => ({
        id: newId('Sc'),
        app_id: appId,
        command: command.startsWith('/') ? command : `/${command}`,
        url: url ?? null,
        description: description ?? '',
        usage_hint: usage_hint ?? '',
        creator_id: creatorId,
        created_at: createdAt,
      })),
    );
    if (commands.length === 0) return [];
    const stored = await tx.query<{ command: string }>(INSERT_COMMANDS, [workspaceId, JSON.stringify(commands)]);
    const made = new Map<string, number>();
    for (const { command } of stored) made.set(command, 1);
    // the first of two equal ones in this call is stored, the second is reported
    return commands.flatMap(({ command }) => {
      const left = made.get(command) ?? 0;
      made.set(command, left - 1);
      return left > 0 ? [] : [command];
    });
  }

  /** Stores hashes of tokens that nobody has. */
  async issueTokens(tx: Tx, workspaceId: string, tokens: readonly TokenToMake[]): Promise<void> {
    if (tokens.length === 0) return;
    await tx.query(INSERT_TOKENS, [workspaceId, JSON.stringify(tokenRows(tokens))]);
  }

  /** Answers the ids in order; undefined for a channel whose name is in use. */
  async addChannels(
    tx: Tx,
    workspaceId: string,
    channels: readonly ChannelToMake[],
  ): Promise<readonly (string | undefined)[]> {
    const rows = channelRows(channels);
    const stored = await this.insertConversations(tx, workspaceId, rows);
    return rows.map(({ id }) => (stored.has(id) ? id : undefined));
  }

  /**
   * Ims and mpims with these members, found or made; in order.
   * @param handles by user id
   */
  async openDirects(
    tx: Tx,
    workspaceId: string,
    sets: readonly (readonly string[])[],
    handles: ReadonlyMap<string, string>,
  ): Promise<readonly { readonly id: string; readonly lastTs: number }[]> {
    if (sets.length === 0) return [];
    const keys = sets.map((members) => [...new Set(members)].sort());
    const there = new Map(
      (
        await tx.query<{ id: string; key: string; lastTs: number }>(DIRECTS, [
          workspaceId,
          keys.map((key) => key.join(',')),
        ])
      ).map((row) => [row.key, { id: row.id, lastTs: row.lastTs }]),
    );
    const wanted = [...new Map(keys.map((members) => [members.join(','), members]))].filter(([key]) => !there.has(key));
    const rows = wanted.map(([key, members], i) => {
      const names = members.map((id) => handles.get(id) ?? id).sort();
      const isIm = members.length <= 2;
      const id = newId(isIm ? 'D' : 'G');
      there.set(key, { id, lastTs: 0 });
      return {
        id,
        type: isIm ? 'im' : 'mpim',
        name: isIm ? null : `mpdm-${names.join('--')}-1`,
        members_key: key,
        creator_id: sets[keys.findIndex((one) => one.join(',') === key)]?.[0] ?? members[i % members.length] ?? '',
        is_general: false,
        topic: isIm ? '' : 'Group messaging',
        purpose: isIm ? '' : `Group messaging with: ${names.map((name) => `@${name}`).join(' ')}`,
        members,
      };
    });
    await this.insertConversations(tx, workspaceId, rows);
    return keys.map((key) => there.get(key.join(',')) as { id: string; lastTs: number });
  }

  /** Adds members to conversations; those who are in already stay. */
  async addMembers(tx: Tx, members: readonly Membership[]): Promise<void> {
    if (members.length === 0) return;
    await tx.query(ADD_MEMBERSHIPS, [JSON.stringify(members.map(membershipRow)), this.clock.nowMicros()]);
  }

  private async insertConversations(
    tx: Tx,
    workspaceId: string,
    rows: readonly { readonly id: string; readonly members: readonly string[] }[],
  ): Promise<ReadonlySet<string>> {
    if (rows.length === 0) return new Set();
    const { conversations, memberships } = conversationRows(rows);
    const stored = await tx.query<{ id: string }>(INSERT_CONVERSATIONS, [
      workspaceId,
      JSON.stringify(conversations),
      JSON.stringify(memberships),
      this.clock.nowMicros(),
    ]);
    return new Set(stored.map(({ id }) => id));
  }
}
