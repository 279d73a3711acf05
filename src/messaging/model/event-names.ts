import type { ConversationType } from './conversation.entity.js';

/** What events are about (messaging.md D.2): the nine kinds that a target hears of unless it says otherwise. */
export const EVENT_KINDS = [
  'message',
  'reaction_added',
  'reaction_removed',
  'channel_created',
  'channel_archive',
  'member_joined_channel',
  'member_left_channel',
  'user_change',
  'presence_change',
] as const;

/** Sent only to targets that name it (D.3). */
export const MESSAGE_REPLIED = 'message_replied';

/** The reference service's names for messages of one type of conversation (E.6). */
const MESSAGE_OF: Readonly<Record<string, ConversationType>> = {
  'message.channels': 'public',
  'message.groups': 'private',
  'message.im': 'im',
  'message.mpim': 'mpim',
};

export const TARGET_NAMES: readonly string[] = [...EVENT_KINDS, MESSAGE_REPLIED];
export const SUBSCRIPTION_NAMES: readonly string[] = [...TARGET_NAMES, ...Object.keys(MESSAGE_OF)];

/**
 * Names of the reference service's events that are never sent here. A manifest may ask for them, so that one written for
 * the reference works unchanged (docs/decisions/manifest-events.md).
 */
const NEVER_SENT = `
  app_deleted app_home_opened app_installed app_mention app_requested app_uninstalled app_uninstalled_team
  assistant_thread_context_changed assistant_thread_started call_rejected channel_deleted channel_history_changed
  channel_id_changed channel_left channel_rename channel_shared channel_unarchive channel_unshared dnd_updated
  dnd_updated_user email_domain_changed emoji_changed file_change file_created file_deleted file_public file_shared
  file_unshared function_executed grid_migration_finished grid_migration_started group_archive group_close group_deleted
  group_history_changed group_left group_open group_rename group_unarchive im_close im_created im_history_changed im_open
  invite_requested link_shared message.app_home message_metadata_deleted message_metadata_posted
  message_metadata_updated pin_added pin_removed scope_denied scope_granted shared_channel_invite_accepted
  shared_channel_invite_approved shared_channel_invite_declined shared_channel_invite_received
  shared_channel_invite_requested star_added star_removed subteam_created subteam_members_changed subteam_self_added
  subteam_self_removed subteam_updated team_access_granted team_access_revoked team_domain_change team_join team_rename
  tokens_revoked user_huddle_changed user_profile_changed user_status_changed workflow_deleted workflow_published
  workflow_step_deleted workflow_step_execute workflow_unpublished
`;
export const MANIFEST_NAMES: readonly string[] = [...SUBSCRIPTION_NAMES, ...NEVER_SENT.trim().split(/\s+/)];

/** What a list of names comes to. */
export interface WantedEvents {
  readonly names: readonly string[];
  readonly kinds: readonly string[];
  /** Types of conversation whose `message` events are wanted; null = all. */
  readonly messageTypes: readonly ConversationType[] | null;
}

/** @param names valid ones; absent or empty: all nine kinds */
export function wantedEvents(names: readonly string[] | undefined): WantedEvents {
  const distinct = names && names.length > 0 ? [...new Set(names)] : EVENT_KINDS;
  const types = distinct.flatMap((name) => MESSAGE_OF[name] ?? []);
  const kinds = new Set(distinct.map((name) => (name in MESSAGE_OF ? 'message' : name)));
  const everyMessage = distinct.includes('message') || types.length === 0;
  return { names: distinct, kinds: [...kinds], messageTypes: everyMessage ? null : types };
}

/** The scope under which messages of a type of conversation are heard (D.4). */
export const HISTORY_SCOPES: Readonly<Record<ConversationType, string>> = {
  public: 'channels:history',
  private: 'groups:history',
  im: 'im:history',
  mpim: 'mpim:history',
};

/** SQL for the same. @param type an expression for the type */
export const sqlHistoryScope = (type: string): string =>
  `CASE ${type} ${Object.entries(HISTORY_SCOPES)
    .map(([of, scope]) => `WHEN '${of}' THEN '${scope}'`)
    .join(' ')} END`;

const READ_SCOPES: Readonly<Record<ConversationType, string>> = {
  public: 'channels:read',
  private: 'groups:read',
  im: 'im:read',
  mpim: 'mpim:read',
};

/** What an identity needs to hear of an event: a scope, and whether it must be a member of the conversation (D.4). */
export interface EventRule {
  readonly scope: string;
  readonly membersOnly: boolean;
}

export function ruleOf(kind: string, type: ConversationType | undefined): EventRule | null {
  switch (kind) {
    case 'message':
    case MESSAGE_REPLIED:
      return type ? { scope: HISTORY_SCOPES[type], membersOnly: true } : null;
    case 'reaction_added':
    case 'reaction_removed':
      return { scope: 'reactions:read', membersOnly: true };
    case 'member_joined_channel':
    case 'member_left_channel':
      return type ? { scope: READ_SCOPES[type], membersOnly: true } : null;
    case 'channel_created':
    case 'channel_archive':
      return { scope: 'channels:read', membersOnly: false };
    case 'user_change':
    case 'presence_change':
      return { scope: 'users:read', membersOnly: false };
    default:
      return null;
  }
}
