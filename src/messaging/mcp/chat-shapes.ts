import { z } from 'zod';

const id = (what: string): z.ZodString => z.string().describe(`id of the ${what}`);

export const Paging = z
  .object({ next_cursor: z.string().describe('pass as `cursor` for the next page; empty on the last one') })
  .describe('paging');

export const Channel = z.object({
  id: id('channel'),
  name: z.string().describe('without #'),
  is_private: z.boolean(),
  is_archived: z.boolean().describe('an archived channel can be read, not written to'),
  is_member: z.boolean().describe('whether this identity is a member'),
  num_members: z.number().optional(),
  topic: z.object({ value: z.string() }).optional(),
  purpose: z.object({ value: z.string() }).optional(),
});
export type Channel = z.output<typeof Channel>;

const Opaque = z.array(z.record(z.string(), z.unknown()));

export const Message = z.object({
  ts: z.string().describe('timestamp: the id of the message within its conversation'),
  user: z.string().optional().describe('id of the author'),
  username: z.string().optional().describe('shown name of a bot that chose one'),
  bot_id: z.string().optional(),
  is_bot: z.boolean().optional(),
  subtype: z.string().optional().describe('kind of a system message, thread_broadcast, tombstone or bot_message'),
  text: z.string(),
  thread_ts: z.string().optional().describe('ts of the first message of the thread it belongs to'),
  reply_count: z.number().optional().describe('replies in the thread that this message began'),
  edited: z.object({ user: z.string(), ts: z.string() }).optional(),
  reactions: z.array(z.object({ name: z.string(), count: z.number(), users: z.array(z.string()) })).optional(),
  blocks: Opaque.optional().describe('rich layout, where there is any'),
  attachments: Opaque.optional(),
});
export type Message = z.output<typeof Message>;

export const User = z.object({
  id: id('user'),
  name: z.string().describe('handle: @name'),
  real_name: z.string().optional(),
  deleted: z.boolean().describe('deactivated'),
  is_bot: z.boolean(),
  is_admin: z.boolean().optional(),
  profile: z.object({
    display_name: z.string().optional(),
    title: z.string().optional(),
    email: z.string().optional(),
  }),
});
export type User = z.output<typeof User>;

export const Profile = z.object({
  real_name: z.string(),
  display_name: z.string(),
  title: z.string(),
  phone: z.string(),
  email: z.string().optional().describe('only where the token has users:read.email'),
  first_name: z.string().optional(),
  last_name: z.string().optional(),
  status_text: z.string(),
  status_emoji: z.string(),
  status_expiration: z.number().describe('Unix seconds; 0 = none'),
});

export const Match = z.object({
  channel: z.object({ id: id('conversation'), name: z.string() }),
  ts: z.string(),
  user: z.string().optional(),
  username: z.string().optional(),
  is_bot: z.boolean().optional(),
  text: z.string(),
  permalink: z.string(),
});

export const lines = (...parts: (string | false | undefined)[]): string =>
  parts.filter((part) => typeof part === 'string' && part !== '').join('\n');

/** `[1767225600.000100] U0ANNUSER01: text`, and what hangs on it. */
export function messageLine(message: Message): string {
  const { ts, user, username, bot_id: bot, text, subtype, reply_count: replies, reactions = [] } = message;
  const empty = (message.blocks ?? message.attachments) ? '(no text; see blocks and attachments)' : '(no text)';
  const notes = [
    subtype,
    message.edited && 'edited',
    message.thread_ts !== undefined && message.thread_ts !== ts && `reply in thread ${message.thread_ts}`,
    replies !== undefined && `${replies} ${replies === 1 ? 'reply' : 'replies'}`,
    ...reactions.map(({ name, count }) => `:${name}: ${count}`),
  ].filter((note) => typeof note === 'string');
  const author = username ?? user ?? bot ?? 'unknown';
  return `[${ts}] ${author}: ${text === '' ? empty : text}${notes.length > 0 ? ` (${notes.join(', ')})` : ''}`;
}

export const moreLine = (nextCursor: string): string =>
  nextCursor === '' ? '' : `More: call again with cursor ${JSON.stringify(nextCursor)}.`;
