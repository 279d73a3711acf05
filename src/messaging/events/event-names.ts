import type { ConversationType } from '../store/conversation.entity.js';
import { MESSAGE_RULE } from './chat-events.js';

/** Groups of events (docs/reference/events.md#kinds): the nine kinds that a target receives by default. */
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

/** Sent only to targets that name it (docs/reference/events.md#kinds). */
export const MESSAGE_REPLIED = 'message_replied';

/** Names of `message` events in conversations of one type, and that type. */
const MESSAGE_OF = Object.fromEntries(
  Object.entries(MESSAGE_RULE.namesByType).map(([type, name]) => [name, type as ConversationType]),
);

/** Sent only to targets that name them, and to the sockets of an app that was made without a manifest. */
export const FURTHER_KINDS = [
  'agent_session_stopped',
  'agent_session_title_changed',
  'app_context_changed',
  'app_home_opened',
  'app_mention',
  'app_uninstalled',
  'assistant_thread_context_changed',
  'assistant_thread_started',
  'channel_left',
  'channel_rename',
  'channel_unarchive',
  'entity_details_requested',
  'file_created',
  'file_deleted',
  'file_public',
  'file_shared',
  'function_executed',
  'group_archive',
  'group_close',
  'group_left',
  'group_open',
  'group_rename',
  'group_unarchive',
  'im_close',
  'im_created',
  'im_open',
  'link_shared',
  'pin_added',
  'pin_removed',
  'subteam_created',
  'subteam_members_changed',
  'subteam_self_added',
  'subteam_self_removed',
  'subteam_updated',
  'team_domain_change',
  'team_join',
  'team_rename',
  'tokens_revoked',
  'user_profile_changed',
  'user_status_changed',
] as const;

/** Those of them that only methods beyond the core cause. */
export const BEYOND_CORE_KINDS: readonly string[] = [
  'channel_unarchive',
  'file_created',
  'file_deleted',
  'file_public',
  'file_shared',
  'group_close',
  'group_unarchive',
  'im_close',
  'im_open',
  'pin_added',
  'pin_removed',
  'subteam_created',
  'subteam_members_changed',
  'subteam_self_added',
  'subteam_self_removed',
  'subteam_updated',
];

/** The kinds that the sockets of an app without a manifest receive. */
export const SOCKET_KINDS: readonly string[] = [...EVENT_KINDS, ...FURTHER_KINDS];

/** Names that outgoing webhooks and event subscriptions may use. */
export const TARGET_NAMES: readonly string[] = [
  ...EVENT_KINDS,
  MESSAGE_REPLIED,
  ...FURTHER_KINDS,
  ...Object.keys(MESSAGE_OF),
];

/**
 * Names of the reference service's events that are never sent here. A manifest may ask for them, so that one written for
 * the reference works unchanged (docs/decisions/manifest-events.md).
 */
const NEVER_SENT = `
  app_deleted app_installed app_requested app_uninstalled_team call_rejected channel_deleted channel_history_changed channel_id_changed channel_shared
  channel_unshared dnd_updated dnd_updated_user email_domain_changed emoji_changed file_change
  file_unshared grid_migration_finished grid_migration_started group_deleted group_history_changed
  im_history_changed invite_requested message.app_home message_metadata_deleted message_metadata_posted
  message_metadata_updated scope_denied scope_granted shared_channel_invite_accepted shared_channel_invite_approved
  shared_channel_invite_declined shared_channel_invite_received shared_channel_invite_requested star_added star_removed
  team_access_granted
  team_access_revoked user_huddle_changed workflow_deleted workflow_published workflow_step_deleted
  workflow_step_execute workflow_unpublished
`;
export const MANIFEST_NAMES: readonly string[] = [...TARGET_NAMES, ...NEVER_SENT.trim().split(/\s+/)];

/** The meaning of a list of names. */
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
