import { seenId } from '../../kernel/clock/request-sandbox.js';
import type { Tx } from '../../kernel/database/db.js';
import { newId, sha256Hex } from '../../kernel/ids/ids.js';
import type { Role } from '../store/user.entity.js';
import { SOCKET_KINDS } from '../events/event-names.js';
import type { TargetToMake } from '../events/event-targets.js';
import { avatarColorOf, botNameOf, freeName, handleOf, hintOf, profileOf } from './initial-values.js';
import type { NewApp } from '../store/app.entity.js';

// The data to be created, and the rows that bulk-setup.queries.ts takes.

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
  readonly kind: 'bot' | 'user' | 'app' | 'refresh';
  readonly appId: string;
  readonly userId: string;
  readonly scopes: readonly string[];
  /** Of a rotating token, in microseconds. Default: it has no end. */
  readonly expiresAt?: number | undefined;
  /** Somebody consented to it. Default: the app was given it where it was made. */
  readonly isConsented?: boolean;
}

export interface Membership {
  readonly conversationId: string;
  readonly userId: string;
}

/** A user, with its bot if it is one. */
export type UserToMake = NewUser & { readonly joins: boolean; readonly appId?: string; readonly botId?: string };

export const userRows = (users: readonly UserToMake[]) =>
  users.map((user, n) => ({
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

export const appRows = (tx: Tx, apps: readonly AppToMake[]) =>
  apps.map(({ app, isDefault }) => ({
    id: app.id,
    name: app.name,
    bot_id: app.botId,
    bot_user_id: app.botUserId,
    bot_scopes: app.botScopes,
    user_scopes: app.userScopes,
    // as a document gives it: it may hold what looks like an id
    signing_secret: tx.secrets.seal(seenId(app.signingSecret)),
    verification_token: tx.secrets.seal(app.verificationToken),
    interactivity_url: app.interactivityUrl,
    manifest: app.manifest,
    is_default: isDefault,
    creator_id: app.creatorId,
    created_at: app.createdAt,
    socket_mode: app.socketMode,
    client_id: app.clientId,
    client_secret_hash: sha256Hex(app.clientSecret ?? ''),
    is_distributed: app.isDistributed,
    bot_state: app.botState,
    installed_at: app.installedAt,
  }));

/** The users that apps post as. @param taken handles that are in use */
export function botsOf(apps: readonly AppToMake[], taken: ReadonlySet<string>): UserToMake[] {
  const handles = new Set(taken);
  return apps.map(({ app, isDefault }) => {
    const handle = freeName(handleOf(app.name, 'app'), handles, '-');
    handles.add(handle);
    const names = { handle, realName: botNameOf(app), email: null };
    return { id: app.botUserId, ...names, appId: app.id, botId: app.botId, joins: isDefault };
  });
}

export const tokenRows = (tokens: readonly TokenToMake[]) =>
  tokens.map(({ token, kind, appId, userId, scopes, expiresAt, isConsented }) => ({
    hash: sha256Hex(token),
    kind,
    app_id: appId,
    user_id: userId,
    scopes,
    hint: hintOf(token),
    expires_at: expiresAt ?? null,
    is_consented: isConsented ?? false,
  }));

export const channelRows = (channels: readonly ChannelToMake[]) =>
  channels.map((channel) => ({
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

/** Conversations and their members apart. */
export const conversationRows = (rows: readonly { readonly id: string; readonly members: readonly string[] }[]) => ({
  conversations: rows.map((row, n) => ({ ...row, members: undefined, n })),
  memberships: rows.flatMap(({ id, members }) =>
    members.map((userId) => membershipRow({ conversationId: id, userId })),
  ),
});

export const membershipRow = ({ conversationId, userId }: Membership) => ({
  conversation_id: conversationId,
  user_id: userId,
});

/** Where an app receives events by its manifest: its URL, its sockets, or both. */
export function targetsOf(app: NewApp, tenant: { tenantId: number; workspaceId: string }): TargetToMake[] {
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
