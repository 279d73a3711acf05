import type { NewApp } from './workspace-setup.js';
import type { Role } from './identity.js';

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
  readonly memberCount: number;
}

/** The `role` that the control plane shows (messaging.md E.3). */
export const wireRole = (role: Role): 'owner' | 'admin' | 'member' => (role === 'primary_owner' ? 'owner' : role);

/** The shape W of messaging.md E.3. */
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
    member_count: workspace.memberCount,
    role: wireRole(role),
  };
}

/** The shape P of messaging.md E.9; tokens and credentials appear only in the answer that made them. */
export function toWireApp(app: NewApp, workspaceId: string, tokens?: { bot: string; user: string | null }): object {
  return {
    id: app.id,
    app_id: app.id,
    name: app.name,
    team_id: workspaceId,
    bot_id: app.botId,
    bot_user_id: app.botUserId,
    ...(tokens ? { bot_token: tokens.bot, access_token: tokens.bot, user_token: tokens.user } : {}),
    scopes: { bot: app.botScopes, user: app.userScopes },
    ...(tokens
      ? { credentials: { signing_secret: app.signingSecret, verification_token: app.verificationToken } }
      : {}),
    interactivity_url: app.interactivityUrl,
    manifest: app.manifest,
    creator: app.creatorId,
    created: Math.floor(app.createdAt / 1e6),
  };
}
