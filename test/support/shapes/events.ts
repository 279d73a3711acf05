import { z } from 'zod';
import { id, teamId, userId, channelId, ts, seconds, usergroup } from './fields.js';
import { messageFields, allMessageFields, consistent, message, withPermalink } from './message.js';
import { user } from './user.js';
import { channelFields } from './conversation.js';

const channelType = z.enum(['channel', 'group', 'im', 'mpim']);
const notice = {
  type: z.literal('message'),
  hidden: z.literal(true),
  channel: channelId,
  channel_type: channelType,
  ts,
  event_ts: ts,
};
/** A message in an event has no viewer, so nobody is subscribed to its thread. */
const eventMessage = message.refine((fields) => fields.subscribed !== true, 'an event has no viewer');
const reactionFields = {
  user: userId,
  reaction: z.string(),
  item_user: userId.optional(),
  item: z.strictObject({ type: z.literal('message'), channel: channelId, ts }),
  event_ts: ts,
};
const memberFields = { user: userId, channel: channelId, channel_type: z.enum(['C', 'G']), team: teamId, event_ts: ts };
const sameTs = (event: { ts: string; event_ts: string }) => event.ts === event.event_ts;

const posted = z
  .strictObject({
    ...allMessageFields,
    channel: channelId,
    channel_type: channelType,
    event_ts: ts,
    // an app's answer that only one user's sockets receive (docs/reference/realtime.md#chat)
    is_ephemeral: z.literal(true).optional(),
  })
  .superRefine(consistent)
  .refine(sameTs, 'event_ts is ts');
const changed = z
  .strictObject({
    ...notice,
    subtype: z.literal('message_changed'),
    message: eventMessage,
    previous_message: eventMessage,
  })
  .refine(sameTs)
  .refine((event) => event.message.ts === event.previous_message.ts && event.message.ts < event.ts);
const deleted = z
  .strictObject({ ...notice, subtype: z.literal('message_deleted'), deleted_ts: ts, previous_message: eventMessage })
  .refine(sameTs)
  .refine((event) => event.previous_message.ts === event.deleted_ts && event.deleted_ts < event.ts);
const messageEvent = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('posted'), event: posted }),
  z.strictObject({ kind: z.literal('message_changed'), event: changed }),
  z.strictObject({ kind: z.literal('message_deleted'), event: deleted }),
]);

const event = <T extends z.ZodRawShape>(type: string, shape: T) =>
  z.strictObject({ type: z.literal(type), ...shape, event_ts: ts });
const ofChannel = { channel: channelId };
const byUser = { user: userId, ...ofChannel };
const renamedTo = {
  channel: z.strictObject({
    id: channelId,
    is_channel: z.literal(true),
    is_mpim: z.literal(false),
    name: z.string(),
    name_normalized: z.string(),
    created: seconds,
  }),
};
const pinned = {
  user: userId,
  channel_id: channelId,
  item: z.strictObject({
    type: z.literal('message'),
    created: seconds,
    created_by: userId,
    channel: channelId,
    message: withPermalink,
  }),
  item_user: userId.optional(),
  pin_count: z.int().min(0),
};
const ofFile = { file_id: id('F'), user_id: userId, file: z.strictObject({ id: id('F') }) };

const ofPerson = { user: user.refine((fields) => fields.deleted || fields.locale === 'en-US'), cache_ts: seconds };

/** Inner objects of the further event kinds (docs/reference/events.md#more-kinds) that methods cause. */
const furtherEvents: Readonly<Record<string, z.ZodType | undefined>> = {
  channel_rename: event('channel_rename', renamedTo),
  group_rename: event('group_rename', renamedTo),
  channel_unarchive: event('channel_unarchive', byUser),
  group_archive: event('group_archive', { ...byUser, is_moved: z.literal(0) }),
  group_unarchive: event('group_unarchive', { ...ofChannel, actor_id: userId }),
  channel_left: event('channel_left', { ...ofChannel, actor_id: userId }),
  group_left: event('group_left', { ...ofChannel, actor_id: userId }),
  im_created: event('im_created', {
    user: userId,
    channel: z.strictObject({ id: id('D'), is_im: z.literal(true), created: seconds, user: userId }),
  }),
  app_mention: event('app_mention', {
    user: userId.optional(),
    text: z.string(),
    ts,
    team: z.string(),
    channel: channelId,
    thread_ts: ts.optional(),
    parent_user_id: userId.optional(),
    blocks: z.array(z.unknown()).optional(),
    attachments: z.array(z.unknown()).optional(),
    files: z.array(z.unknown()).optional(),
    edited: z.looseObject({}).optional(),
    bot_id: z.string().optional(),
    app_id: z.string().optional(),
    bot_profile: z.looseObject({}).optional(),
    is_bot: z.literal(true).optional(),
    subtype: z.literal('bot_message').optional(),
  }),
  link_shared: event('link_shared', {
    user: userId.optional(),
    channel: channelId,
    message_ts: ts,
    thread_ts: ts.optional(),
    links: z.array(z.strictObject({ url: z.string(), domain: z.string() })).min(1),
    is_bot_user_member: z.boolean(),
    unfurl_id: z.string(),
    source: z.literal('conversations_history'),
  }),
  team_join: event('team_join', ofPerson),
  user_profile_changed: event('user_profile_changed', ofPerson),
  user_status_changed: event('user_status_changed', ofPerson),
  team_rename: event('team_rename', { name: z.string() }),
  team_domain_change: event('team_domain_change', { url: z.string(), domain: z.string() }),
  tokens_revoked: event('tokens_revoked', {
    tokens: z.strictObject({ oauth: z.array(userId), bot: z.array(userId) }),
  }),
  app_uninstalled: event('app_uninstalled', {}),
  im_open: event('im_open', byUser),
  im_close: event('im_close', byUser),
  group_open: event('group_open', byUser),
  group_close: event('group_close', byUser),
  pin_added: event('pin_added', {
    ...pinned,
    pinned_info: z.strictObject({ channel: channelId, pinned_by: userId, pinned_ts: seconds }),
  }),
  pin_removed: event('pin_removed', { ...pinned, has_pins: z.boolean() }),
  subteam_created: event('subteam_created', { subteam: usergroup.required() }),
  subteam_updated: event('subteam_updated', { subteam: usergroup.required() }),
  subteam_members_changed: event('subteam_members_changed', {
    subteam_id: id('S'),
    team_id: teamId,
    date_previous_update: seconds,
    date_update: seconds,
    added_users: z.array(userId),
    added_users_count: z.int().min(0),
    removed_users: z.array(userId),
    removed_users_count: z.int().min(0),
  }),
  subteam_self_added: event('subteam_self_added', { subteam_id: id('S') }),
  subteam_self_removed: event('subteam_self_removed', { subteam_id: id('S') }),
  file_created: event('file_created', ofFile),
  file_public: event('file_public', ofFile),
  file_shared: event('file_shared', { ...ofFile, channel_id: channelId }),
  file_deleted: event('file_deleted', { file_id: id('F'), channel_ids: z.array(channelId) }),
};

/** Declared inner objects of events by kind (docs/reference/events.md#kinds). */
export const eventShapes: Readonly<Record<string, z.ZodType | undefined>> = {
  screen_changed: z.strictObject({ app_id: z.string() }),
  app_home_opened: z.strictObject({
    type: z.literal('app_home_opened'),
    user: userId,
    channel: z.string(),
    tab: z.enum(['home', 'messages']),
    event_ts: ts,
    view: z.looseObject({ type: z.literal('home') }).optional(),
  }),
  message: z.preprocess((event) => {
    const { subtype = '' } = event as { subtype?: string };
    return { kind: /^message_(changed|deleted)$/.test(subtype) ? subtype : 'posted', event };
  }, messageEvent),
  message_replied: z
    .strictObject({
      ...notice,
      subtype: z.literal('message_replied'),
      message: z.strictObject({
        ...messageFields,
        replies: z.array(z.strictObject({ user: userId.optional(), ts })).length(1),
      }),
    })
    .refine(sameTs),
  reaction_added: z.strictObject({ type: z.literal('reaction_added'), ...reactionFields }),
  reaction_removed: z.strictObject({ type: z.literal('reaction_removed'), ...reactionFields }),
  channel_created: z.strictObject({
    type: z.literal('channel_created'),
    channel: z.strictObject({ ...channelFields, is_frozen: z.literal(false), is_private: z.literal(false) }),
    event_ts: ts,
  }),
  channel_archive: z.strictObject({
    type: z.literal('channel_archive'),
    channel: channelId,
    user: userId,
    is_moved: z.literal(0),
    event_ts: ts,
  }),
  member_joined_channel: z.strictObject({
    type: z.literal('member_joined_channel'),
    ...memberFields,
    inviter: userId.optional(),
  }),
  member_left_channel: z.strictObject({ type: z.literal('member_left_channel'), ...memberFields }),
  user_change: z.strictObject({
    type: z.literal('user_change'),
    user: user.refine((fields) => fields.deleted || fields.locale === 'en-US'),
    cache_ts: seconds,
    event_ts: ts,
  }),
  presence_change: z.strictObject({
    type: z.literal('presence_change'),
    user: userId,
    presence: z.enum(['active', 'away']),
    event_ts: ts,
  }),
  ...furtherEvents,
};
