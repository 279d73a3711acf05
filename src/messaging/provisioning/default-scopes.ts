import type { SocketMode } from '../store/app.entity.js';
import type { AppManifest } from '../store/app-manifest.js';

/** Bot scopes of a default app (docs/reference/control-plane.md#first-start), in manifest order. */
export const DEFAULT_BOT_SCOPES: readonly string[] = (
  'app_mentions:read assistant:write bookmarks:read bookmarks:write channels:history channels:join channels:manage channels:read ' +
  'channels:write.invites channels:write.topic chat:write chat:write.customize chat:write.public commands emoji:read ' +
  'files:read files:write groups:history groups:read groups:write groups:write.invites groups:write.topic im:history ' +
  'im:read im:write im:write.topic incoming-webhook links:read links:write mpim:history mpim:read mpim:write ' +
  'mpim:write.topic pins:read pins:write reactions:read reactions:write search:read search:read.files search:read.public ' +
  'search:read.users team:read usergroups:read usergroups:write users.profile:read users.profile:write users:read users:read.email users:write'
).split(' ');

const NOT_FOR_USERS = new Set([
  'app_mentions:read',
  'assistant:write',
  'channels:join',
  'channels:manage',
  'chat:write.customize',
  'chat:write.public',
  'commands',
  'incoming-webhook',
]);

/**
 * User scopes of a default app: the same with `channels:write` for joining and managing and the search in what is not
 * public, without what bots alone have.
 */
export const DEFAULT_USER_SCOPES: readonly string[] = [
  ...DEFAULT_BOT_SCOPES.filter((scope) => !NOT_FOR_USERS.has(scope)),
  'channels:write',
  'search:read.im',
  'search:read.mpim',
  'search:read.private',
].sort();

const defaultManifests = new WeakSet<AppManifest>();

/** The manifest of a workspace's default app. */
export const defaultManifest = (): AppManifest => {
  const manifest: AppManifest = {
    display_information: { name: 'default-app' },
    oauth_config: { scopes: { bot: [...DEFAULT_BOT_SCOPES], user: [...DEFAULT_USER_SCOPES] } },
  };
  defaultManifests.add(manifest);
  return manifest;
};

/** The settings of a manifest; an app that was made without one may use sockets or not. */
export const socketModeOf = (manifest: AppManifest, isDefault: boolean): SocketMode => {
  if (manifest.settings?.socket_mode_enabled === true) return 'on';
  return isDefault || defaultManifests.has(manifest) ? 'auto' : 'off';
};
