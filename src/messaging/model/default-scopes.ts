/** Bot scopes of a default app (messaging.md E.0), in manifest order. */
export const DEFAULT_BOT_SCOPES: readonly string[] = (
  'channels:history channels:join channels:manage channels:read channels:write.invites channels:write.topic chat:write ' +
  'chat:write.customize chat:write.public commands groups:history groups:read groups:write groups:write.invites ' +
  'groups:write.topic im:history im:read im:write im:write.topic incoming-webhook mpim:history mpim:read mpim:write ' +
  'mpim:write.topic reactions:read reactions:write search:read users.profile:read users.profile:write users:read ' +
  'users:read.email users:write'
).split(' ');

const NOT_FOR_USERS = new Set([
  'channels:join',
  'channels:manage',
  'chat:write.customize',
  'chat:write.public',
  'commands',
  'incoming-webhook',
]);

/** User scopes of a default app: the same with `channels:write` for joining and managing, without what bots alone have. */
export const DEFAULT_USER_SCOPES: readonly string[] = [
  ...DEFAULT_BOT_SCOPES.filter((scope) => !NOT_FOR_USERS.has(scope)),
  'channels:write',
].sort();

/** The manifest of a workspace's default app. */
export const defaultManifest = (): AppManifest => ({
  display_information: { name: 'default-app' },
  oauth_config: { scopes: { bot: [...DEFAULT_BOT_SCOPES], user: [...DEFAULT_USER_SCOPES] } },
});

/** What we read of an app's manifest; it is stored and returned as sent (E.9). */
export interface AppManifest {
  display_information: { name: string };
  oauth_config?: { scopes?: { bot?: string[]; user?: string[] } };
  features?: {
    bot_user?: { display_name?: string };
    slash_commands?: { command: string; url: string; description?: string; usage_hint?: string }[];
  };
  settings?: {
    event_subscriptions?: { request_url?: string; bot_events?: string[] };
    interactivity?: { request_url?: string };
  };
  [other: string]: unknown;
}
