/** Every answer of a method, as docs/METHODS.md and docs/reference/chat.md#messages declare them. */

import { z } from 'zod';
import { id, teamId, userId, channelId, ts, seconds, cursor, warnings, userContent } from './fields.js';
import { message } from './message.js';
import { profile, user } from './user.js';
import { listedIm, listedChannel, infoIm, infoChannel, createdChannel, anyInfo } from './conversation.js';

export const ok = <T extends z.ZodRawShape>(shape: T) => z.strictObject({ ok: z.literal(true), ...shape });

export const searchMatch = z
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

/** A page of what a search found. */
export const found = <T extends z.ZodType>(match: T) =>
  z.strictObject({
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
    matches: z.array(match),
  });

/** Declared successful answers by method. */
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
    expires_in: z.int().optional(),
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
    messages: found(searchMatch),
    response_metadata: cursor.optional(),
  }),
  'users.info': ok({ user }),
  'users.list': ok({ members: z.array(user), cache_ts: seconds, response_metadata: cursor }),
  'users.profile.get': ok({ profile }),
  'users.profile.set': ok({ username: z.string(), profile }),
  'users.setPresence': ok({}),
} as const;
