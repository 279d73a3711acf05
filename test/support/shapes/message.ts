import { z } from 'zod';
import { id, teamId, userId, channelId, ts, seconds, userContent } from './fields.js';

// docs/reference/chat.md#bots-apps-and-teams
const botProfile = z.strictObject({
  id: id('B'),
  deleted: z.literal(false),
  name: z.string(),
  updated: seconds,
  app_id: id('A'),
  icons: z.strictObject({ image_36: z.url(), image_48: z.url(), image_72: z.url() }),
  team_id: teamId,
  user_id: userId,
});

const edited = z.strictObject({ user: id('[UB]'), ts });
const url = z.string().optional();
const icons = z
  .strictObject({ emoji: z.string().optional(), image_36: url, image_48: url, image_64: url, image_72: url })
  .refine((icon) => (icon.emoji === undefined) !== (icon.image_48 === undefined), 'one icon');
const reactions = z
  .array(
    z
      .strictObject({ name: z.string(), users: z.array(userId).min(1), count: z.int() })
      .refine((reaction) => reaction.users.length === reaction.count),
  )
  .min(1);

/** A file as apps receive it (docs/reference/chat.md#files). */
export const file = z.strictObject({
  id: id('F'),
  created: seconds,
  timestamp: seconds,
  name: z.string(),
  title: z.string(),
  mimetype: z.string(),
  filetype: z.string(),
  pretty_type: z.string(),
  user: userId,
  user_team: teamId,
  editable: z.literal(false),
  size: z.int().min(0),
  mode: z.enum(['hosted', 'snippet']),
  lines: z.int().min(0).optional(),
  lines_more: z.int().min(0).optional(),
  preview: z.string().optional(),
  preview_is_truncated: z.boolean().optional(),
  original_w: z.int().min(0).optional(),
  original_h: z.int().min(0).optional(),
  ...Object.fromEntries(
    [64, 80, 160, 360, 480, 720, 800, 960, 1024].flatMap((size) => [
      [`thumb_${size}`, z.url().optional()],
      [`thumb_${size}_w`, z.int().min(1).optional()],
      [`thumb_${size}_h`, z.int().min(1).optional()],
    ]),
  ),
  is_external: z.literal(false),
  external_type: z.literal(''),
  is_public: z.boolean(),
  public_url_shared: z.boolean(),
  permalink_public: z.url().optional(),
  display_as_bot: z.literal(false),
  username: z.literal(''),
  alt_txt: z.string().optional(),
  url_private: z.url(),
  url_private_download: z.url(),
  permalink: z.url(),
  shares: z
    .record(z.enum(['public', 'private']), z.record(z.string(), z.array(z.record(z.string(), z.unknown()))))
    .or(z.record(z.string(), z.unknown())),
  channels: z.array(channelId),
  groups: z.array(channelId),
  ims: z.array(channelId),
  has_rich_preview: z.literal(false),
  file_access: z.literal('visible'),
});
const fileInMessage = z.union([file, z.strictObject({ id: id('F'), mode: z.literal('tombstone') })]);

/** docs/reference/chat.md#messages: the fields of all subtypes; their combinations are checked below. */
export const messageFields = {
  type: z.literal('message'),
  subtype: z
    .enum([
      'bot_message',
      'thread_broadcast',
      'tombstone',
      'channel_join',
      'channel_leave',
      'channel_topic',
      'channel_purpose',
      'channel_name',
      'channel_archive',
      'channel_unarchive',
      'me_message',
      'file_share',
      'assistant_app_thread',
    ])
    .optional(),
  ts,
  text: z.string(),
  user: z.union([userId, z.literal('USLACKBOT')]).optional(),
  team: teamId,
  bot_id: id('B').optional(),
  app_id: id('A').optional(),
  is_bot: z.literal(true).optional(),
  bot_profile: botProfile.optional(),
  username: z.string().optional(),
  icons: icons.optional(),
  blocks: userContent.optional(),
  attachments: userContent.optional(),
  metadata: z
    .strictObject({
      event_type: z.string().optional(),
      event_payload: z.record(z.string(), z.unknown()).optional(),
      entities: z
        .array(
          z.looseObject({
            entity_type: z.string(),
            entity_payload: z.looseObject({
              attributes: z.looseObject({ title: z.looseObject({ text: z.string() }) }),
            }),
            external_ref: z.looseObject({ id: z.string() }),
            url: z.string(),
          }),
        )
        .min(1)
        .optional(),
    })
    .optional(),
  agent_session: z
    .strictObject({
      status: z.enum(['active', 'processing', 'suspended', 'closed']),
      agent_bot_user_ids: z.array(userId).min(1),
      title: z.string().optional(),
      date_status_processing_expire: seconds.optional(),
      agent_statuses: z.array(
        z.strictObject({
          agent_bot_user_id: userId,
          status: z.string(),
          date_status_processing_expire: seconds.optional(),
          is_stoppable: z.boolean(),
        }),
      ),
    })
    .optional(),
  assistant_app_thread: z
    .strictObject({ title: z.string(), title_blocks: z.array(z.never()), artifacts: z.array(z.never()) })
    .optional(),
  streaming_state: z.enum(['in_progress', 'completed']).optional(),
  edited: edited.optional(),
  hidden: z.literal(true).optional(),
  // system messages
  inviter: userId.optional(),
  topic: z.string().optional(),
  purpose: z.string().optional(),
  old_name: z.string().optional(),
  name: z.string().optional(),
  // files and pins
  files: z.array(fileInMessage).min(1).optional(),
  upload: z.literal(false).optional(),
  pinned_to: z.array(channelId).length(1).optional(),
  pinned_info: z.strictObject({ channel: channelId, pinned_by: userId, pinned_ts: seconds }).optional(),
  // threads
  thread_ts: ts.optional(),
  parent_user_id: z.union([userId, z.literal('USLACKBOT')]).optional(),
  reply_count: z.int().min(1).optional(),
  reply_users_count: z.int().min(1).optional(),
  reply_users: z.array(id('[UB]')).min(1).max(5).optional(),
  latest_reply: ts.optional(),
  is_locked: z.literal(false).optional(),
  subscribed: z.boolean().optional(),
  last_read: ts.optional(),
  unread_count: z.int().min(0).optional(),
  reactions: reactions.optional(),
};

type Fields = z.infer<z.ZodObject<typeof messageFields>>;

const COUNTERS = [
  'reply_count',
  'reply_users_count',
  'reply_users',
  'latest_reply',
  'is_locked',
  'subscribed',
] as const;

/** Yields a fault for each field that does not go with the kind of message. */
function* messageFaults(message: Fields & { root?: unknown }): Generator<string> {
  const { subtype } = message;
  const isBotMessage = subtype === 'bot_message';
  const isBot = message.bot_id !== undefined;
  if ((message.user === undefined) !== isBotMessage && subtype !== 'thread_broadcast')
    yield 'user is absent on bot_message only';
  if ((message.is_bot === true) !== isBot) yield 'is_bot goes with bot_id';
  if ((message.app_id !== undefined) !== isBot) yield 'app_id goes with bot_id';
  if (message.bot_profile && (isBotMessage || !isBot)) yield 'bot_profile is for bots, but not for bot_message';
  if (isBot && !message.bot_profile && message.user !== undefined) yield 'a bot that shows its user shows its profile';
  if (isBotMessage && message.username === undefined) yield 'bot_message has a username';
  if (message.username !== undefined && !isBotMessage && subtype !== 'thread_broadcast')
    yield 'username is for bot_message';
  if (message.icons && message.username === undefined) yield 'icons go with username';
  if ((subtype === 'tombstone') !== (message.user === 'USLACKBOT')) yield 'a tombstone is by USLACKBOT';
  if ((subtype === 'tombstone') !== (message.hidden === true)) yield 'a tombstone is hidden';

  const counters = COUNTERS.filter((field) => message[field] !== undefined).length;
  const isParent = counters > 0;
  if (isParent && counters < COUNTERS.length) yield 'counters come together';
  if (isParent && message.thread_ts !== message.ts) yield "a parent's thread_ts is its ts";
  if (!isParent && message.thread_ts === message.ts) yield 'thread_ts of its own without replies';
  if ((message.subscribed === true) !== (message.last_read !== undefined)) yield 'last_read goes with subscribed';
  if (message.unread_count !== undefined && message.subscribed !== true) yield 'unread_count goes with subscribed';
  if (isParent && message.reply_users!.length !== Math.min(5, message.reply_users_count!))
    yield 'reply_users are five at most';
  const isReply = message.thread_ts !== undefined && message.thread_ts !== message.ts;
  if (message.parent_user_id !== undefined && !isReply) yield 'parent_user_id is for replies';
  if (subtype === 'thread_broadcast' && !isReply) yield 'a broadcast is a reply';
  if ((subtype === 'thread_broadcast') !== (message.root !== undefined)) yield 'root goes with thread_broadcast';
  const last = message.reply_users;
  if (last && new Set(last).size !== last.length) yield 'a replier is listed once';
}

export const consistent = (message: Fields & { root?: unknown }, context: z.RefinementCtx): void => {
  for (const fault of messageFaults(message)) context.addIssue({ code: 'custom', message: fault });
};

const root = z.strictObject(messageFields).superRefine(consistent);
export const allMessageFields = { ...messageFields, root: root.optional() };

/** docs/reference/chat.md#messages */
export const message = z.strictObject(allMessageFields).superRefine(consistent);

export const withPermalink = z.strictObject({ ...allMessageFields, permalink: z.url() });
