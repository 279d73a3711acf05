import { z } from 'zod';

/**
 * Every answer and event as messaging.md sections B, C and D.2 declare them. Objects are strict: a field that is not
 * declared fails, whatever its value.
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

// C.5
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
const icons = z
  .strictObject({ emoji: z.string().optional(), image_48: z.string().optional() })
  .refine((icon) => (icon.emoji === undefined) !== (icon.image_48 === undefined), 'one icon');
const reactions = z
  .array(
    z
      .strictObject({ name: z.string(), users: z.array(userId).min(1), count: z.int() })
      .refine((reaction) => reaction.users.length === reaction.count),
  )
  .min(1);

/** C.1, all fields of all subtypes; what goes with what is checked below. */
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

/** C.1 */
export const message = z.strictObject(allMessageFields).superRefine(consistent);

// C.4
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
  status_emoji_display_info: z.array(z.never()),
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

/** C.3 */
export const user = z.union([personOrBot, deactivated]);

// C.2
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
const everyFlavour = { is_open: z.literal(true).optional(), is_frozen: z.literal(false).optional() };

const listedChannel = z.strictObject({
  ...channelFields,
  ...everyFlavour,
  is_member: z.boolean(),
  num_members: z.int().min(0),
});

const infoFields = {
  ...channelFields,
  is_frozen: z.literal(false),
  is_open: z.literal(true).optional(),
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
  is_open: z.literal(true),
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
    pin_count: z.literal(0),
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

export const answerShapes: Readonly<Record<string, z.ZodType | undefined>> = answers;

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
    // an app's answer for one user's sockets (messaging.md F)
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

/** Declared inner objects of events by kind (D.2, D.3). */
export const eventShapes: Readonly<Record<string, z.ZodType | undefined>> = {
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
};
