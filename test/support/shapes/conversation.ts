import { z } from 'zod';
import { id, teamId, userId, channelId, seconds } from './fields.js';
import { message } from './message.js';

// docs/reference/chat.md#conversations
const note = z.strictObject({ value: z.string(), creator: z.union([userId, z.literal('')]), last_set: seconds });
export const channelFields = {
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
export const everyFlavour = { is_open: z.boolean().optional(), is_frozen: z.literal(false).optional() };

export const listedChannel = z.strictObject({
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
export const infoChannel = z
  .strictObject({ ...infoFields, num_members: z.int().min(0).optional(), locale: z.literal('en-US').optional() })
  .refine((channel) => channel.is_member === (channel.last_read !== undefined), 'last_read is for members');
export const createdChannel = z.strictObject({
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
export const listedIm = z.strictObject(imFields);
export const openIm = z.strictObject({
  ...imFields,
  is_open: z.boolean(),
  last_read: z.literal('0000000000.000000'),
});
export const infoIm = z.strictObject({
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
export const anyInfo = z.union([infoChannel, infoIm]);
