import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import type { Tx } from '../../kernel/database/db.js';
import { newId, sha256Hex } from '../../kernel/ids/ids.js';
import type { Role } from '../access/identity.js';
import { SOCKET_KINDS } from '../events/event-names.js';
import { insertTargets, type TargetToMake } from '../events/event-targets.js';
import { avatarColorOf, botNameOf, freeName, handleOf, hintOf, profileOf, type NewApp } from './beginnings.js';
import {
  ADD_MEMBERSHIPS,
  DIRECTS,
  INSERT_APPS,
  INSERT_COMMANDS,
  INSERT_CONVERSATIONS,
  INSERT_TOKENS,
  INSERT_USERS,
} from './bulk-setup.queries.js';

/** Somebody who becomes a user of a workspace. */
export interface NewUser {
  /** The account's. */
  readonly id: string;
  readonly handle: string;
  readonly realName: string;
  readonly email: string | null;
  readonly role?: Role;
  readonly profile?: Readonly<Record<string, unknown>>;
  readonly presence?: 'auto' | 'away' | undefined;
}

/** The app whose bot is to be made, and whether it joins #general. */
export interface AppToMake {
  readonly app: NewApp;
  readonly isDefault: boolean;
}

export interface ChannelToMake {
  /** Default: a new one. */
  readonly id?: string | undefined;
  readonly name: string;
  readonly isPrivate?: boolean;
  readonly isGeneral?: boolean;
  readonly topic?: string | undefined;
  readonly purpose?: string | undefined;
  readonly creatorId: string;
  readonly members: readonly string[];
}

export interface TokenToMake {
  readonly token: string;
  readonly kind: 'bot' | 'user' | 'app';
  readonly appId: string;
  readonly userId: string;
  readonly scopes: readonly string[];
}

export interface Membership {
  readonly conversationId: string;
  readonly userId: string;
}

/**
 * The quiet verbs of WorkspaceSetup for many at once: each is a few statements, however many rows, in its caller's
 * transaction.
 */
@Injectable()
export class BulkSetup {
  constructor(private readonly clock: Clock) {}

  /** People, who join #general where there is one. Answers the ids of those whose handle was free. */
  async addUsers(tx: Tx, workspaceId: string, users: readonly NewUser[]): Promise<ReadonlySet<string>> {
    return this.insertUsers(
      tx,
      workspaceId,
      users.map((user) => ({ ...user, role: user.role ?? 'member', joins: true })),
    );
  }

  private async insertUsers(
    tx: Tx,
    workspaceId: string,
    users: readonly (NewUser & { joins: boolean; appId?: string; botId?: string })[],
  ): Promise<ReadonlySet<string>> {
    if (users.length === 0) return new Set();
    const rows = users.map((user, n) => ({
      id: user.id,
      name: user.handle,
      role: user.role ?? 'member',
      app_id: user.appId ?? null,
      bot_id: user.botId ?? null,
      email: user.email,
      profile: { ...profileOf(user.realName, user.handle), ...user.profile },
      presence: user.presence ?? 'auto',
      color: avatarColorOf(user.id),
      joins: user.joins,
      n,
    }));
    const stored = await tx.query<{ id: string }>(INSERT_USERS, [
      workspaceId,
      JSON.stringify(rows),
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
    const rows = apps.map(({ app, isDefault }) => ({
      id: app.id,
      name: app.name,
      bot_id: app.botId,
      bot_user_id: app.botUserId,
      bot_scopes: app.botScopes,
      user_scopes: app.userScopes,
      signing_secret: tx.secrets.seal(app.signingSecret),
      verification_token: tx.secrets.seal(app.verificationToken),
      interactivity_url: app.interactivityUrl,
      manifest: app.manifest,
      is_default: isDefault,
      creator_id: app.creatorId,
      created_at: app.createdAt,
      socket_mode: app.socketMode,
    }));
    await tx.query(INSERT_APPS, [workspaceId, JSON.stringify(rows)]);
    const handles = new Set(taken);
    const bots = apps.map(({ app, isDefault }) => {
      const handle = freeName(handleOf(app.name, 'app'), handles, '-');
      handles.add(handle);
      const names = { handle, realName: botNameOf(app), email: null };
      return { id: app.botUserId, ...names, appId: app.id, botId: app.botId, joins: isDefault };
    });
    const stored = await this.insertUsers(tx, workspaceId, bots);
    if (stored.size !== bots.length) throw new Error('a handle that was free is not');
    return this.addParts(
      tx,
      tenant,
      apps.map(({ app }) => app),
    );
  }

  /** The commands and subscriptions of manifests. @returns those commands that another app has */
  async addParts(
    tx: Tx,
    { tenantId, workspaceId }: { readonly tenantId: number; readonly workspaceId: string },
    apps: readonly NewApp[],
  ): Promise<string[]> {
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
    const targets = apps.flatMap((app) => targetsOf(app, { tenantId, workspaceId }));
    if (targets.length > 0) await insertTargets(tx, targets);
    if (commands.length === 0) return [];
    const stored = await tx.query<{ command: string }>(INSERT_COMMANDS, [workspaceId, JSON.stringify(commands)]);
    const made = new Map<string, number>();
    for (const { command } of stored) made.set(command, 1);
    // the first of two alike in this call is stored, the second is the one that is taken
    return commands.flatMap(({ command }) => {
      const left = made.get(command) ?? 0;
      made.set(command, left - 1);
      return left > 0 ? [] : [command];
    });
  }

  /** Stores hashes of tokens that nobody has. */
  async issueTokens(tx: Tx, workspaceId: string, tokens: readonly TokenToMake[]): Promise<void> {
    if (tokens.length === 0) return;
    const rows = tokens.map(({ token, kind, appId, userId, scopes }) => ({
      hash: sha256Hex(token),
      kind,
      app_id: appId,
      user_id: userId,
      scopes,
      hint: hintOf(token),
    }));
    await tx.query(INSERT_TOKENS, [workspaceId, JSON.stringify(rows)]);
  }

  /** Answers the ids in order; undefined for a channel whose name is in use. */
  async addChannels(
    tx: Tx,
    workspaceId: string,
    channels: readonly ChannelToMake[],
  ): Promise<readonly (string | undefined)[]> {
    const rows = channels.map((channel) => ({
      id: channel.id ?? newId('C'),
      type: channel.isPrivate ? 'private' : 'public',
      name: channel.name,
      members_key: null,
      creator_id: channel.creatorId,
      is_general: channel.isGeneral ?? false,
      topic: channel.topic ?? '',
      purpose: channel.purpose ?? '',
      members: channel.members,
    }));
    const stored = await this.insertConversations(tx, workspaceId, rows);
    return rows.map(({ id }) => (stored.has(id) ? id : undefined));
  }

  /** Ims and mpims of these sets of people, found or made; in order. @param handles by user id */
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
    await tx.query(ADD_MEMBERSHIPS, [JSON.stringify(members.map(toRow)), this.clock.nowMicros()]);
  }

  private async insertConversations(
    tx: Tx,
    workspaceId: string,
    rows: readonly { readonly id: string; readonly members: readonly string[] }[],
  ): Promise<ReadonlySet<string>> {
    if (rows.length === 0) return new Set();
    const members = rows.flatMap(({ id, members }) => members.map((userId) => toRow({ conversationId: id, userId })));
    const stored = await tx.query<{ id: string }>(INSERT_CONVERSATIONS, [
      workspaceId,
      JSON.stringify(rows.map((row, n) => ({ ...row, members: undefined, n }))),
      JSON.stringify(members),
      this.clock.nowMicros(),
    ]);
    return new Set(stored.map(({ id }) => id));
  }
}

const toRow = ({ conversationId, userId }: Membership) => ({ conversation_id: conversationId, user_id: userId });

/** Where an app hears of events by its manifest: its URL, its sockets, or both. */
function targetsOf(app: NewApp, tenant: { tenantId: number; workspaceId: string }): TargetToMake[] {
  const {
    request_url: url,
    bot_events: names,
    user_events: userNames,
  } = app.manifest.settings?.event_subscriptions ?? {};
  const common = { ...tenant, appId: app.id, creatorId: app.creatorId, createdAt: app.createdAt };
  const all = [...(names ?? []), ...(userNames ?? [])];
  return [
    ...(app.socketMode === 'on' && all.length > 0 ? [{ ...common, names: all, socket: 'always' as const }] : []),
    ...(app.socketMode === 'auto' ? [{ ...common, names: SOCKET_KINDS, socket: 'while_open' as const }] : []),
    ...(url && app.socketMode !== 'on' ? [{ ...common, url, names: names ?? undefined }] : []),
  ];
}
