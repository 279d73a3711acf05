import { z } from 'zod';
import { id, teamId, userId, seconds } from './fields.js';

// docs/reference/chat.md#profiles
export const profile = z.strictObject({
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
