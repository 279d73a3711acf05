import { z } from 'zod';
import { ENSURES, READS, toolFor } from '../../kernel/mcp/tool-set.js';
import type { ChatApi } from './chat-api.js';
import { Channel, lines, moreLine, Paging, Profile, User } from './chat-shapes.js';
import { userId, userIds } from './names.js';
import { cursor, LARGEST_PAGE, pageSize } from './tool-inputs.js';

const tool = toolFor<ChatApi>();

export const listChannels = tool({
  name: 'svc_list_channels',
  title: 'List public channels',
  description:
    'Lists the public channels of the workspace, archived ones included, oldest first: id, name, topic, purpose, number of members.',
  input: z.strictObject({ limit: pageSize, cursor }),
  output: z.object({ channels: z.array(Channel), response_metadata: Paging }),
  annotations: READS,
  call: (api, args) =>
    api.call('conversations.list', {
      types: 'public_channel',
      limit: Math.min(args.limit ?? 100, LARGEST_PAGE),
      cursor: args.cursor,
    }),
  text: ({ channels, response_metadata: paging }) =>
    lines(
      channels.length === 0 && 'No channels.',
      ...channels.map((channel) => channelLine(channel)),
      moreLine(paging.next_cursor),
    ),
});

const channelLine = ({ id, name, topic, purpose, ...channel }: Channel): string => {
  const notes = [
    channel.num_members !== undefined && `${channel.num_members} ${channel.num_members === 1 ? 'member' : 'members'}`,
    channel.is_member && 'joined',
    channel.is_archived && 'archived',
  ].filter((note) => note !== false);
  const about = [topic?.value, purpose?.value].filter((part) => part !== undefined && part !== '').join(' · ');
  return `#${name} ${id} (${notes.join(', ')})${about === '' ? '' : `: ${about}`}`;
};

export const getUsers = tool({
  name: 'svc_get_users',
  title: 'List users',
  description:
    'Lists the people and bots of the workspace, deactivated ones included: id, handle, real name, whether it is a bot.',
  input: z.strictObject({ limit: pageSize, cursor }),
  output: z.object({ members: z.array(User), response_metadata: Paging }),
  annotations: READS,
  call: (api, args) =>
    api.call('users.list', { limit: Math.min(args.limit ?? 100, LARGEST_PAGE), cursor: args.cursor }),
  text: ({ members, response_metadata: paging }) =>
    lines(...members.map((user) => userLine(user)), moreLine(paging.next_cursor)),
});

const userLine = ({ id, name, profile, ...user }: User): string => {
  const notes = [user.is_bot && 'bot', user.is_admin === true && 'admin', user.deleted && 'deactivated'].filter(
    (note) => note !== false,
  );
  const known = [user.real_name, profile.title, profile.email].filter((part) => part !== undefined && part !== '');
  return `@${name} ${id}${known.length > 0 ? ` ${known.join(', ')}` : ''}${notes.length > 0 ? ` (${notes.join(', ')})` : ''}`;
};

export const userProfile = tool({
  name: 'svc_get_user_profile',
  title: 'Read a profile',
  description:
    'Reads the profile of a person or bot: names, title, phone, status, and e-mail where the token may see it.',
  input: z.strictObject({ user_id: z.string().min(1).describe('the user: id (U…) or @handle') }),
  output: z.object({ user: z.string().describe('id of the user'), profile: Profile }),
  annotations: READS,
  call: async (api, args) => {
    const user = await userId(api, args.user_id);
    return { user, ...(await api.call('users.profile.get', { user })) };
  },
  text: ({ user, profile }) =>
    lines(
      `${user}: ${profile.real_name}`,
      profile.display_name !== '' && `Display name: ${profile.display_name}`,
      profile.title !== '' && `Title: ${profile.title}`,
      profile.email !== undefined && `E-mail: ${profile.email}`,
      profile.phone !== '' && `Phone: ${profile.phone}`,
      profile.status_text + profile.status_emoji !== '' && `Status: ${profile.status_emoji} ${profile.status_text}`,
    ),
});

export const authTest = tool({
  name: 'svc_auth_test',
  title: 'Who am I',
  description: 'Tells which identity these tools act as: user, workspace, app and the scopes of the token.',
  input: z.strictObject({}),
  output: z.object({
    url: z.string(),
    team: z.string().describe('name of the workspace'),
    team_id: z.string(),
    user: z.string().describe('handle of this identity'),
    user_id: z.string(),
    bot_id: z.string().optional().describe('only for a bot token'),
    app_id: z.string().optional(),
    app_name: z.string().optional(),
    scopes: z.array(z.string()).optional().describe('what the token may do; absent where no scopes apply'),
  }),
  annotations: READS,
  call: async (api) => {
    const { body, header } = await api.answer('auth.test');
    const scopes = header('x-oauth-scopes');
    return scopes === undefined ? body : { ...body, scopes: scopes.split(',').filter((scope) => scope !== '') };
  },
  text: (me) =>
    lines(
      `@${me.user} ${me.user_id}${me.bot_id === undefined ? '' : ` (bot ${me.bot_id})`} in ${me.team} ${me.team_id}`,
      me.app_name !== undefined && `App: ${me.app_name} ${me.app_id ?? ''}`,
      me.scopes && `Scopes: ${me.scopes.join(', ') || 'none'}`,
      me.url,
    ),
});

export const openDm = tool({
  name: 'svc_open_dm',
  title: 'Open direct messages',
  description:
    'Finds or creates the direct conversation with one person, or the group conversation with two to eight, and answers its id for the other tools. It posts nothing.',
  input: z.strictObject({
    users: z
      .string()
      .min(1)
      .describe('the others, one or several joined by commas: ids (U…) or @handles, e.g. @ann,@bob'),
  }),
  output: z.object({
    channel: z.object({ id: z.string().describe('D… for one person, G… for several') }),
    already_open: z.boolean().optional().describe('true when it existed before'),
  }),
  annotations: ENSURES,
  call: async (api, args) => {
    const users = args.users.split(',').filter((user) => user.trim() !== '');
    return api.call('conversations.open', { users: (await userIds(api, users)).join(',') });
  },
  text: ({ channel, already_open: isOld }) => `${isOld === true ? 'Already open' : 'Opened'}: ${channel.id}`,
});
