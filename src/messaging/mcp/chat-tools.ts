import { z } from 'zod';
import { ADDS, ENSURES, READS, toolFor, type ToolSet } from '../../kernel/mcp/tool-set.js';
import { ChatApi } from './chat-api.js';
import { Channel, lines, Match, Message, messageLine, moreLine, Paging, Profile, User } from './chat-shapes.js';
import { conversationId, postingTarget, userId, userIds } from './names.js';

const tool = toolFor<ChatApi>();

/** Above it a page is cut, as the API cuts its own. */
const LARGEST_PAGE = 200;

const channelId = z
  .string()
  .min(1)
  .describe(
    'the conversation: its id (C…, D…, G…), a channel name (#general or general), or @handle for the direct messages with that person',
  );
const ts = (what: string): z.ZodString =>
  z
    .string()
    .regex(/^\d{1,10}(\.\d{1,6})?$/, 'must be the ts of a message, such as 1767225600.000100')
    .describe(`${what}: its \`ts\`, such as 1767225600.000100, exactly as another tool showed it`);
const text = z
  .string()
  .min(1)
  .describe('the message, at most 40,000 characters; mention people as <@U…> and channels as <#C…>, by id');
const pageSize = z.int().min(1).optional().describe('how many at most; 100 by default, more than 200 counts as 200');
const cursor = z
  .string()
  .optional()
  .describe('`response_metadata.next_cursor` of the previous answer, for the page after it');

const listChannels = tool({
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

const posted = {
  channel: z.string().describe('id of the conversation'),
  ts: z.string().describe('timestamp of the new message: its id'),
  message: Message,
  warning: z.string().optional().describe('message_truncated: the text was too long and was cut'),
};

const postMessage = tool({
  name: 'svc_post_message',
  title: 'Post a message',
  description:
    'Posts a new message to a channel, or to a person with channel_id @handle (the direct conversation is opened if need be). To answer in a thread use svc_reply_to_thread. Each call posts once more.',
  input: z.strictObject({ channel_id: channelId, text }),
  output: z.object(posted),
  annotations: ADDS,
  call: async (api, args) =>
    api.call('chat.postMessage', { channel: await postingTarget(api, args.channel_id), text: args.text }),
  text: ({ channel, message, warning }) =>
    lines(`Posted to ${channel}:`, messageLine(message), warning && `Warning: ${warning}`),
});

const replyToThread = tool({
  name: 'svc_reply_to_thread',
  title: 'Reply in a thread',
  description:
    'Posts a reply to a message, in its thread; the first reply begins the thread. Each call posts once more. Where there is no message thread_ts, the API posts to the conversation itself, and the answer says so.',
  input: z.strictObject({
    channel_id: channelId,
    thread_ts: ts('the message to reply to, or any message of the thread'),
    text,
  }),
  output: z.object(posted),
  annotations: ADDS,
  call: async (api, args) =>
    api.call('chat.postMessage', {
      channel: await postingTarget(api, args.channel_id),
      thread_ts: args.thread_ts,
      text: args.text,
    }),
  text: ({ channel, message, warning }) =>
    lines(
      message.thread_ts === undefined
        ? `There is no such thread in ${channel}, so this was posted to the conversation itself:`
        : `Replied in ${channel}, thread ${message.thread_ts}:`,
      messageLine(message),
      warning && `Warning: ${warning}`,
    ),
});

const addReaction = tool({
  name: 'svc_add_reaction',
  title: 'Add a reaction',
  description: 'Adds an emoji reaction of this identity to a message. A second time it answers already_reacted.',
  input: z.strictObject({
    channel_id: channelId,
    timestamp: ts('the message'),
    reaction: z
      .string()
      .min(1)
      .describe('short name of the emoji without colons: thumbsup, eyes, white_check_mark, wave::skin-tone-2'),
  }),
  output: z.object({
    channel: z.string().describe('id of the conversation'),
    timestamp: z.string(),
    reaction: z.string(),
  }),
  annotations: ENSURES,
  call: async (api, { channel_id: given, timestamp, reaction }) => {
    const channel = await conversationId(api, given);
    await api.call('reactions.add', { channel, timestamp, name: reaction });
    return { channel, timestamp, reaction };
  },
  text: ({ channel, timestamp, reaction }) => `Added :${reaction}: to [${timestamp}] in ${channel}.`,
});

const channelHistory = tool({
  name: 'svc_get_channel_history',
  title: 'Read the latest messages',
  description:
    'Reads the latest messages of a conversation, newest first, without the replies inside threads (svc_get_thread_replies has those). For older ones ask for a larger limit, or search.',
  input: z.strictObject({
    channel_id: channelId,
    limit: z.int().min(1).optional().describe('how many at most; 10 by default, more than 999 counts as 999'),
  }),
  output: z.object({ channel: z.string(), messages: z.array(Message), has_more: z.boolean() }),
  annotations: READS,
  call: async (api, { channel_id: given, limit = 10 }) => {
    const channel = await conversationId(api, given);
    return { channel, ...(await api.call('conversations.history', { channel, limit })) };
  },
  text: ({ channel, messages, has_more: hasMore }) =>
    lines(
      messages.length === 0 ? `No messages in ${channel}.` : `${channel}, newest first:`,
      ...messages.map(messageLine),
      hasMore && 'There are older messages: a larger limit shows them.',
    ),
});

const threadReplies = tool({
  name: 'svc_get_thread_replies',
  title: 'Read a thread',
  description: 'Reads a thread: the message that began it, then its replies, oldest first, at most 1,000 messages.',
  input: z.strictObject({ channel_id: channelId, thread_ts: ts('the message that began the thread') }),
  output: z.object({ channel: z.string(), messages: z.array(Message), has_more: z.boolean() }),
  annotations: READS,
  call: async (api, { channel_id: given, thread_ts: threadTs }) => {
    const channel = await conversationId(api, given);
    return { channel, ...(await api.call('conversations.replies', { channel, ts: threadTs })) };
  },
  text: ({ channel, messages, has_more: hasMore }) =>
    lines(
      `${channel}, oldest first:`,
      ...messages.map(messageLine),
      hasMore && 'There are more replies than can be shown.',
    ),
});

const getUsers = tool({
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

const userProfile = tool({
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

const authTest = tool({
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

const searchMessages = tool({
  name: 'svc_search_messages',
  title: 'Search messages',
  description:
    'Searches all messages this identity can see, threads and direct messages included. Words and "phrases" must all occur; -word excludes. Modifiers: in:#channel, in:@person, from:@person, from:me, before:, after: and on: with YYYY-MM-DD, during:2026-01, has:link, has:reaction, has::emoji:, is:thread.',
  input: z.strictObject({
    query: z
      .string()
      .min(1)
      .describe('what to search for, at most 500 characters, e.g. deploy failed in:#ops from:@ann'),
    limit: z.int().min(1).optional().describe('how many at most; 20 by default, more than 100 counts as 100'),
  }),
  output: z.object({
    query: z.string(),
    messages: z.object({ total: z.number().describe('all that were found'), matches: z.array(Match) }),
  }),
  annotations: READS,
  call: (api, { query, limit = 20 }) => api.call('search.messages', { query, count: limit }),
  text: ({ query, messages: { total, matches } }) =>
    lines(
      total === 0 ? `Nothing found for ${query}` : `${total} found for ${query}, ${matches.length} shown:`,
      ...matches.map((match) => `${match.channel.id} ${match.channel.name} ${messageLine(match)}`),
    ),
});

const openDm = tool({
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

/** The tools of docs/reference/mcp.md#chat-tools. */
export const chatTools: ToolSet<ChatApi> = {
  name: 'understudy-chat',
  title: 'Understudy chat',
  instructions:
    'Tools for one chat workspace; they act as the token they were given. Wherever an id is wanted, #channel and @handle do as well. A message is named by its conversation and its ts. svc_auth_test tells who you are. Where a tool is refused, the text begins with the code of the refusal and says what can be done.',
  tools: [
    listChannels,
    postMessage,
    replyToThread,
    addReaction,
    channelHistory,
    threadReplies,
    getUsers,
    userProfile,
    authTest,
    searchMessages,
    openDm,
  ],
  connect: (client, credential) => new ChatApi(client, credential),
  check: async (api) => {
    await api.call('auth.test');
  },
};
