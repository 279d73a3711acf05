/** Fields that objects on the wire share. Objects are strict: an undeclared field fails, whatever its value. */

import { z } from 'zod';

export const id = (prefix: string) => z.string().regex(new RegExp(`^(?:${prefix})0[0-9A-Z]{9}$`));
export const teamId = id('T');
export const userId = id('U');
export const channelId = id('[CDG]');
export const ts = z.string().regex(/^\d{10}\.\d{6}$/);
export const seconds = z.int().min(0);
export const cursor = z.strictObject({ next_cursor: z.string() });
export const warnings = {
  warning: z.string().optional(),
  response_metadata: z.strictObject({ warnings: z.array(z.string()) }).optional(),
};
/** Blocks as a user sent them, with ids added. */
export const userContent = z.array(z.record(z.string(), z.unknown())).min(1);
/** A user group (docs/reference/chat.md#user-groups). */
export const usergroup = z.strictObject({
  id: id('S'),
  team_id: teamId,
  is_usergroup: z.literal(true),
  is_subteam: z.literal(true),
  name: z.string().min(1),
  description: z.string(),
  handle: z.string().min(1),
  is_external: z.literal(false),
  date_create: seconds,
  date_update: seconds,
  date_delete: seconds,
  auto_type: z.null(),
  auto_provision: z.literal(false),
  enterprise_subteam_id: z.literal(''),
  created_by: userId,
  updated_by: userId,
  deleted_by: userId.nullable(),
  prefs: z.strictObject({ channels: z.array(channelId), groups: z.array(channelId) }),
  users: z.array(userId).optional(),
  user_count: z.int().min(0).optional(),
  channel_count: z.int().min(0).optional(),
});

/** A bookmark (docs/reference/chat.md#bookmarks). */
export const bookmark = z.strictObject({
  id: id('Bk'),
  channel_id: channelId,
  title: z.string().min(1),
  link: z.url(),
  emoji: z.string(),
  icon_url: z.literal(''),
  type: z.literal('link'),
  entity_id: z.null(),
  date_created: seconds,
  date_updated: seconds,
  rank: z.string().min(1),
  last_updated_by_user_id: userId,
  last_updated_by_team_id: teamId,
  shortcut_id: z.null(),
  app_id: id('A').nullable(),
});
