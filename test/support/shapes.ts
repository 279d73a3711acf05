import { z } from 'zod';

/**
 * Every answer and event as docs/METHODS.md, docs/reference/chat.md#messages, docs/reference/events.md#kinds declare
 * them. Objects are strict: a field that is not declared fails, whatever its value.
 */

const id = (prefix: string) => z.string().regex(new RegExp(`^(?:${prefix})0[0-9A-Z]{9}$`));
const teamId = id('T');
const userId = id('U');
const channelId = id('[CDG]');
const ts = z.string().regex(/^\d{10}\.\d{6}$/);
const seconds = z.int().min(0);
const cursor = z.strictObject({ next_cursor: z.string() });
const warnings = {
  warning: z.string().optional(),
  response_metadata: z.strictObject({ warnings: z.array(z.string()) }).optional(),
};
/** What a user sent, with ids filled in. */
const userContent = z.array(z.record(z.string(), z.unknown())).min(1);

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

/** A file as apps see it (docs/reference/chat.md#files). */
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
  mode: z.literal('hosted'),
  is_external: z.literal(false),
  external_type: z.literal(''),
  is_public: z.boolean(),
  public_url_shared: z.literal(false),
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

/** docs/reference/chat.md#messages, all fields of all subtypes; what goes with what is checked below. */
const messageFields = {
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
  metadata: z.strictObject({ event_type: z.string(), event_payload: z.record(z.string(), z.unknown()) }).optional(),
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

/** Which fields a message has by what it is. Yields what is wrong with it. */
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

const consistent = (message: Fields & { root?: unknown }, context: z.RefinementCtx): void => {
  for (const fault of messageFaults(message)) context.addIssue({ code: 'custom', message: fault });
};

const root = z.strictObject(messageFields).superRefine(consistent);
const allMessageFields = { ...messageFields, root: root.optional() };

/** docs/reference/chat.md#messages */
export const message = z.strictObject(allMessageFields).superRefine(consistent);

// docs/reference/chat.md#profiles
const profile = z.strictObject({
  title: z.string(),
  phone: z.string(),
  skype: z.string(),
  real_name: z.string(),
  real_name_normalized: z.string(),
  display_name: z.string(),
  display_name_normalized: z.string(),
  pronouns: z.string().min(1).optional(),
  fields: z.record(
    id('Xf').or(z.string().regex(/^Xf[0-9A-Z]+$/)),
    z.strictObject({ value: z.string(), alt: z.string(), label: z.string().optional() }),
  ),
  status_text: z.string().max(100),
  status_emoji: z.string(),
  status_emoji_display_info: z
    .array(z.strictObject({ emoji_name: z.string(), display_url: z.url(), unicode: z.string() }))
    .max(1),
  status_expiration: seconds,
  status_text_canonical: z.literal(''),
  avatar_hash: z.string().regex(/^g[0-9a-f]{11}$/),
  first_name: z.string(),
  last_name: z.string(),
  email: z.email().optional(),
  api_app_id: id('A').optional(),
  bot_id: id('B').optional(),
  always_active: z.literal(false).optional(),
  image_24: z.url(),
  image_32: z.url(),
  image_48: z.url(),
  image_72: z.url(),
  image_192: z.url(),
  image_512: z.url(),
  team: teamId,
});

const personOrBot = z
  .strictObject({
    id: userId,
    team_id: teamId,
    name: z.string(),
    deleted: z.literal(false),
    color: z.string().regex(/^[0-9a-f]{6}$/),
    real_name: z.string(),
    tz: z.literal('Etc/UTC'),
    tz_label: z.literal('Coordinated Universal Time'),
    tz_offset: z.literal(0),
    profile,
    is_admin: z.boolean(),
    is_owner: z.boolean(),
    is_primary_owner: z.boolean(),
    is_restricted: z.literal(false),
    is_ultra_restricted: z.literal(false),
    is_bot: z.boolean(),
    is_app_user: z.literal(false),
    updated: seconds,
    is_email_confirmed: z.literal(true),
    who_can_share_contact_card: z.literal('EVERYONE'),
    has_2fa: z.literal(false).optional(),
    presence: z.enum(['active', 'away']),
    locale: z.literal('en-US').optional(),
  })
  .refine((user) => user.is_bot === (user.has_2fa === undefined), 'has_2fa is for people')
  .refine((user) => user.is_bot === (user.profile.bot_id !== undefined), 'bot_id is for bots')
  .refine(
    (user) => !user.is_bot || (!user.is_admin && user.profile.email === undefined),
    'a bot has no role and no e-mail',
  )
  .refine((user) => user.real_name === user.profile.real_name);

const deactivated = z.strictObject({
  id: userId,
  team_id: teamId,
  name: z.string(),
  deleted: z.literal(true),
  profile,
  is_bot: z.boolean(),
  is_app_user: z.literal(false),
  updated: seconds,
});

/** docs/reference/chat.md#users */
export const user = z.union([personOrBot, deactivated]);

// docs/reference/chat.md#conversations
const note = z.strictObject({ value: z.string(), creator: z.union([userId, z.literal('')]), last_set: seconds });
const channelFields = {
  id: channelId,
  name: z.string(),
  is_channel: z.boolean(),
  is_group: z.boolean(),
  is_im: z.literal(false),
  is_mpim: z.boolean(),
  is_private: z.boolean(),
  created: seconds,
  is_archived: z.boolean(),
  is_general: z.boolean(),
  unlinked: z.literal(0),
  name_normalized: z.string(),
  is_shared: z.literal(false),
  is_org_shared: z.literal(false),
  is_pending_ext_shared: z.literal(false),
  pending_shared: z.array(z.never()),
  context_team_id: teamId,
  updated: z.int(),
  creator: userId,
  is_ext_shared: z.literal(false),
  shared_team_ids: z.array(teamId),
  pending_connected_team_ids: z.array(z.never()),
  topic: note,
  purpose: note,
  previous_names: z.array(z.string()),
};
const everyFlavour = { is_open: z.boolean().optional(), is_frozen: z.literal(false).optional() };

const listedChannel = z.strictObject({
  ...channelFields,
  ...everyFlavour,
  is_member: z.boolean(),
  num_members: z.int().min(0),
});

const infoFields = {
  ...channelFields,
  is_frozen: z.literal(false),
  is_open: z.boolean().optional(),
  parent_conversation: z.null(),
  is_member: z.boolean(),
  last_read: z.literal('0000000000.000000').optional(),
};
const infoChannel = z
  .strictObject({ ...infoFields, num_members: z.int().min(0).optional(), locale: z.literal('en-US').optional() })
  .refine((channel) => channel.is_member === (channel.last_read !== undefined), 'last_read is for members');
const createdChannel = z.strictObject({
  ...infoFields,
  is_member: z.literal(true),
  last_read: z.literal('0000000000.000000'),
  latest: z.null(),
  unread_count: z.literal(0),
  unread_count_display: z.literal(0),
  priority: z.literal(0),
});

const imFields = {
  id: id('D'),
  created: seconds,
  is_archived: z.literal(false),
  is_im: z.literal(true),
  is_org_shared: z.literal(false),
  context_team_id: teamId,
  updated: z.int(),
  user: userId,
  is_user_deleted: z.boolean(),
  priority: z.literal(0),
};
const listedIm = z.strictObject(imFields);
const infoIm = z.strictObject({
  ...imFields,
  is_open: z.boolean(),
  last_read: z.literal('0000000000.000000'),
  latest: message.nullable(),
  unread_count: z.literal(0),
  unread_count_display: z.literal(0),
  num_members: z.int().optional(),
  locale: z.literal('en-US').optional(),
  // conversations.setTopic and setPurpose
  topic: note.optional(),
  purpose: note.optional(),
});
const anyInfo = z.union([infoChannel, infoIm]);

const ok = <T extends z.ZodRawShape>(shape: T) => z.strictObject({ ok: z.literal(true), ...shape });

const searchMatch = z
  .strictObject({
    iid: z.string().regex(/^[CDG]0[0-9A-Z]{9}\.\d{16}$/),
    team: teamId,
    score: z.number().min(1),
    channel: z.strictObject({
      id: channelId,
      is_channel: z.boolean(),
      is_group: z.boolean(),
      is_im: z.boolean(),
      is_mpim: z.boolean(),
      is_shared: z.literal(false),
      is_org_shared: z.literal(false),
      is_ext_shared: z.literal(false),
      is_private: z.boolean(),
      name: z.string(),
      pending_shared: z.array(z.never()),
      is_pending_ext_shared: z.literal(false),
    }),
    type: z.literal('message'),
    user: userId.optional(),
    username: z.string(),
    ts,
    text: z.string(),
    permalink: z.url(),
    no_reactions: z.literal(true).optional(),
    is_bot: z.literal(true).optional(),
    bot_id: id('B').optional(),
    blocks: userContent.optional(),
    attachments: userContent.optional(),
  })
  .refine((match) => (match.is_bot === true) === (match.bot_id !== undefined));

/** Declared successes by method (section B). */
export const answers = {
  'auth.test': ok({
    url: z.string().regex(/^https?:\/\/.*\/$/),
    team: z.string(),
    user: z.string(),
    team_id: teamId,
    user_id: userId,
    bot_id: id('B').optional(),
    app_id: id('A').optional(),
    app_name: z.string().optional(),
    is_enterprise_install: z.literal(false),
  }),
  'chat.delete': ok({ channel: channelId, ts }),
  'chat.postMessage': ok({ channel: channelId, ts, message, ...warnings }),
  'chat.update': ok({ channel: channelId, ts, text: z.string(), message }),
  'conversations.archive': ok({}),
  'conversations.create': ok({ channel: createdChannel }),
  'conversations.history': ok({
    latest: z.string().optional(),
    oldest: z.string().optional(),
    messages: z.array(message),
    has_more: z.boolean(),
    pin_count: z.int().min(0),
    channel_actions_ts: z.null(),
    channel_actions_count: z.literal(0),
    response_metadata: cursor,
  }),
  'conversations.info': ok({ channel: anyInfo }),
  'conversations.invite': ok({
    channel: infoChannel,
    errors: z
      .array(z.strictObject({ user: z.string(), ok: z.literal(false), error: z.string() }))
      .min(1)
      .optional(),
  }),
  'conversations.join': ok({ channel: infoChannel, ...warnings }),
  'conversations.kick': ok({ errors: z.strictObject({}) }),
  'conversations.leave': ok({}),
  'conversations.list': ok({ channels: z.array(z.union([listedChannel, listedIm])), response_metadata: cursor }),
  'conversations.members': ok({ members: z.array(userId), response_metadata: cursor }),
  'conversations.open': ok({
    channel: z.union([z.strictObject({ id: id('[DG]') }), infoIm, infoChannel]),
    no_op: z.literal(true).optional(),
    already_open: z.literal(true).optional(),
  }),
  'conversations.rename': ok({ channel: infoChannel }),
  'conversations.replies': ok({ messages: z.array(message), has_more: z.boolean(), response_metadata: cursor }),
  'conversations.setPurpose': ok({ channel: anyInfo, purpose: z.string() }),
  'conversations.setTopic': ok({ channel: anyInfo, topic: z.string() }),
  'reactions.add': ok({}),
  'reactions.remove': ok({}),
  'search.messages': ok({
    query: z.string(),
    messages: z.strictObject({
      total: z.int(),
      pagination: z.strictObject({
        total_count: z.int(),
        page: z.int(),
        per_page: z.int(),
        page_count: z.int(),
        first: z.int(),
        last: z.int(),
      }),
      paging: z.strictObject({ count: z.int(), total: z.int(), page: z.int(), pages: z.int() }),
      matches: z.array(searchMatch),
    }),
    response_metadata: cursor.optional(),
  }),
  'users.info': ok({ user }),
  'users.list': ok({ members: z.array(user), cache_ts: seconds, response_metadata: cursor }),
  'users.profile.get': ok({ profile }),
  'users.profile.set': ok({ username: z.string(), profile }),
  'users.setPresence': ok({}),
} as const;

const item = z.strictObject({ type: z.literal('message'), channel: channelId, message });
const withPermalink = z.strictObject({ ...allMessageFields, permalink: z.url() });

/** Declared successes of the methods beyond the 27 (docs/METHODS.md). */
export const furtherAnswers = {
  'apps.connections.open': ok({ url: z.url() }),
  'views.open': ok({ view: z.record(z.string(), z.unknown()) }),
  'views.publish': ok({ view: z.record(z.string(), z.unknown()) }),
  'views.push': ok({ view: z.record(z.string(), z.unknown()) }),
  'views.update': ok({ view: z.record(z.string(), z.unknown()) }),
  'api.test': ok({ args: z.record(z.string(), z.string()).optional() }),
  'assistant.threads.setStatus': ok({}),
  'assistant.threads.setSuggestedPrompts': ok({}),
  'assistant.threads.setTitle': ok({}),
  'auth.teams.list': ok({
    teams: z.array(z.strictObject({ id: teamId, name: z.string() })),
    response_metadata: cursor,
  }),
  'bots.info': ok({
    bot: z.strictObject({
      id: id('B'),
      deleted: z.boolean(),
      name: z.string(),
      updated: seconds,
      app_id: id('A'),
      user_id: userId.optional(),
      icons: z.strictObject({ image_36: z.url(), image_48: z.url(), image_72: z.url() }),
    }),
  }),
  'chat.deleteScheduledMessage': ok({}),
  'chat.getPermalink': ok({ channel: channelId, permalink: z.url() }),
  'chat.meMessage': ok({ channel: channelId, ts }),
  'chat.postEphemeral': ok({ message_ts: ts, ...warnings }),
  'chat.scheduleMessage': ok({
    channel: channelId,
    scheduled_message_id: id('Q'),
    post_at: seconds,
    message: z.strictObject({ ...allMessageFields, ts: ts.optional() }),
    ...warnings,
  }),
  'chat.scheduledMessages.list': ok({
    scheduled_messages: z.array(
      z.strictObject({
        id: id('Q'),
        channel_id: channelId,
        post_at: seconds,
        date_created: seconds,
        text: z.string(),
      }),
    ),
    response_metadata: cursor,
  }),
  'chat.unfurl': ok({}),
  'conversations.close': ok({ no_op: z.literal(true).optional(), already_closed: z.literal(true).optional() }),
  'conversations.mark': ok({}),
  'conversations.unarchive': ok({}),
  'emoji.list': ok({ emoji: z.strictObject({}), cache_ts: ts, categories: z.array(z.never()).optional() }),
  'files.completeUploadExternal': ok({ files: z.array(file).min(1) }),
  'files.delete': ok({}),
  'files.getUploadURLExternal': ok({ upload_url: z.url(), file_id: id('F') }),
  'files.info': ok({ file, comments: z.array(z.never()), response_metadata: cursor }),
  'pins.add': ok({}),
  'pins.list': ok({
    items: z.array(z.strictObject({ ...item.shape, created: seconds, created_by: userId })),
  }),
  'pins.remove': ok({}),
  'reactions.get': ok({ type: z.literal('message'), channel: channelId, message: withPermalink }),
  'reactions.list': ok({
    items: z.array(item),
    response_metadata: cursor,
    paging: z.strictObject({ count: z.int(), total: z.int(), page: z.int(), pages: z.int() }).optional(),
  }),
  'team.info': ok({
    team: z.strictObject({
      id: teamId,
      name: z.string(),
      url: z.url(),
      domain: z.string(),
      email_domain: z.literal(''),
      icon: z.record(z.string(), z.unknown()),
      avatar_base_url: z.url(),
      is_verified: z.literal(false),
    }),
  }),
  'usergroups.list': ok({ usergroups: z.array(z.never()) }),
  'usergroups.users.list': ok({}),
  'users.conversations': ok({
    channels: z.array(z.union([z.strictObject({ ...channelFields, ...everyFlavour }), listedIm])),
    response_metadata: cursor,
  }),
  'users.getPresence': ok({
    presence: z.enum(['active', 'away']),
    online: z.boolean().optional(),
    auto_away: z.literal(false).optional(),
    manual_away: z.boolean().optional(),
    connection_count: z.int().min(0).optional(),
    last_activity: seconds.optional(),
  }),
  'users.lookupByEmail': ok({ user }),
} as const;

export const answerShapes: Readonly<Record<string, z.ZodType | undefined>> = { ...answers, ...furtherAnswers };

const channelType = z.enum(['channel', 'group', 'im', 'mpim']);
const notice = {
  type: z.literal('message'),
  hidden: z.literal(true),
  channel: channelId,
  channel_type: channelType,
  ts,
  event_ts: ts,
};
/** Nobody in particular looks at a message in an event. */
const toldMessage = message.refine((told) => told.subscribed !== true, 'an event has no reader');
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
    // an app's answer for one user's sockets (docs/reference/realtime.md#chat)
    is_ephemeral: z.literal(true).optional(),
  })
  .superRefine(consistent)
  .refine(sameTs, 'event_ts is ts');
const changed = z
  .strictObject({
    ...notice,
    subtype: z.literal('message_changed'),
    message: toldMessage,
    previous_message: toldMessage,
  })
  .refine(sameTs)
  .refine((event) => event.message.ts === event.previous_message.ts && event.message.ts < event.ts);
const deleted = z
  .strictObject({ ...notice, subtype: z.literal('message_deleted'), deleted_ts: ts, previous_message: toldMessage })
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
  pinned_info: z.strictObject({ channel: channelId, pinned_by: userId, pinned_ts: seconds }),
};
const ofFile = { file_id: id('F'), user_id: userId, file: z.strictObject({ id: id('F') }) };

const ofPerson = { user: user.refine((told) => told.deleted || told.locale === 'en-US'), cache_ts: seconds };

/** Inner objects of the further kinds (docs/reference/events.md#more-kinds) that methods cause. */
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
  pin_added: event('pin_added', pinned),
  pin_removed: event('pin_removed', { ...pinned, has_pins: z.boolean() }),
  file_created: event('file_created', ofFile),
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
    user: user.refine((told) => told.deleted || told.locale === 'en-US'),
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
