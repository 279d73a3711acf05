import type { NewApp } from '../store/app.entity.js';
import type { Role } from '../store/user.entity.js';

/** What of a workspace is shown to one of its members. */
export interface WorkspaceFacts {
  readonly id: string;
  readonly name: string;
  readonly domain: string;
  readonly icon: string | null;
  /** Microseconds. */
  readonly createdAt: number;
  readonly creatorId: string;
  readonly isDefault: boolean;
  readonly joinable: boolean;
  readonly memberCount: number;
}

/** The `role` that the control plane shows (docs/reference/control-plane.md#workspaces). */
export const wireRole = (role: Role): 'owner' | 'admin' | 'member' => (role === 'primary_owner' ? 'owner' : role);

/** A workspace's object (docs/reference/control-plane.md#workspaces). */
export function toWireWorkspace(workspace: WorkspaceFacts, role: Role, baseUrl: string): object {
  const { icon } = workspace;
  return {
    id: workspace.id,
    team_id: workspace.id,
    name: workspace.name,
    domain: workspace.domain,
    url: `${baseUrl}/`,
    icon: icon === null ? { image_default: true } : { image_default: false, image_original: icon },
    created: Math.floor(workspace.createdAt / 1e6),
    creator: workspace.creatorId,
    is_default: workspace.isDefault,
    joinable: workspace.joinable,
    member_count: workspace.memberCount,
    role: wireRole(role),
  };
}

/** An app's tokens in the clear; null where it has none of a kind. */
export interface AppTokens {
  readonly bot: string | null;
  readonly user: string | null;
  /** App-level. */
  readonly app: string | null;
}

/**
 * An app's object (docs/reference/control-plane.md#apps); tokens appear only in the answer that made them, credentials
 * there and to admins.
 */
export function toWireApp(
  app: NewApp,
  workspaceId: string,
  shown: { tokens?: AppTokens; credentials?: boolean } = {},
): object {
  const { tokens, credentials = tokens !== undefined } = shown;
  const wasInstalled = app.botState !== 'none';
  return {
    id: app.id,
    app_id: app.id,
    name: app.name,
    team_id: workspaceId,
    bot_id: wasInstalled ? app.botId : null,
    bot_user_id: wasInstalled ? app.botUserId : null,
    ...(tokens
      ? { bot_token: tokens.bot, access_token: tokens.bot, user_token: tokens.user, app_token: tokens.app }
      : {}),
    socket_mode: app.socketMode,
    scopes: { bot: app.botScopes, user: app.userScopes },
    ...(credentials
      ? {
          credentials: {
            signing_secret: app.signingSecret,
            verification_token: app.verificationToken,
            ...(app.clientSecret === undefined ? {} : { client_secret: app.clientSecret }),
          },
        }
      : {}),
    client_id: app.clientId,
    distributed: app.isDistributed,
    installed: app.installedAt !== null,
    redirect_urls: app.manifest.oauth_config?.redirect_urls ?? [],
    interactivity_url: app.interactivityUrl,
    manifest: app.manifest,
    creator: app.creatorId,
    created: Math.floor(app.createdAt / 1e6),
  };
}

const TOKEN_PREFIXES = { bot: 'xoxb', user: 'xoxp', app: 'xapp' } as const;

/** What people tell a token by: its form and its last characters. */
export const tokenHint = (kind: keyof typeof TOKEN_PREFIXES, end: string | null, rotates = false): string =>
  `${rotates ? 'xoxe.' : ''}${TOKEN_PREFIXES[kind]}-…${end ?? ''}`;
