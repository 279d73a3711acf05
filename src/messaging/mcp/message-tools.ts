import { z } from 'zod';
import { ADDS, ENSURES, READS, toolFor } from '../../kernel/mcp/tool-set.js';
import type { ChatApi } from './chat-api.js';
import { lines, Match, Message, messageLine } from './chat-shapes.js';
import { conversationId, postingTarget } from './names.js';
import { channelId, text, ts } from './tool-inputs.js';

const tool = toolFor<ChatApi>();

const posted = {
  channel: z.string().describe('id of the conversation'),
  ts: z.string().describe('timestamp of the new message: its id'),
  message: Message,
  warning: z.string().optional().describe('message_truncated: the text was too long and was cut'),
};

export const postMessage = tool({
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

export const replyToThread = tool({
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

export const addReaction = tool({
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

export const channelHistory = tool({
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

export const threadReplies = tool({
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

export const searchMessages = tool({
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
