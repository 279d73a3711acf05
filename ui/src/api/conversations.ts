import { call, rest } from './client.js';
import { writeLocal, readLocal } from '../kit/local-storage.js';
import { me, trackPersona } from './persona.js';
import { onEvent, onReconnect, type RealtimeEvent } from './realtime.js';
import { Store } from '../kit/store.js';
import type { Conversation, Message, SidebarConversation } from './wire.js';

/** The conversations of the sidebar; null until they are loaded. */
export const conversations = new Store<readonly SidebarConversation[] | null>(null);

/** Conversations that are open without being in the sidebar. */
export const visited = new Store<ReadonlyMap<string, Conversation>>(new Map());

const marksKey = (): string => `marks:${me().teamId}:${me().id}`;

export const markOf = (channel: string): string | undefined =>
  readLocal<Record<string, string>>(marksKey(), {})[channel];

/** The newest `ts` that was seen at the bottom of the conversation while the tab was visible. */
export function markRead(channel: string, ts: string): void {
  const marks = readLocal<Record<string, string>>(marksKey(), {});
  if ((marks[channel] ?? '') >= ts) return;
  writeLocal(marksKey(), { ...marks, [channel]: ts });
  patch(channel, { unread: 0, mentions: 0 });
}

function patch(channel: string, changed: Partial<SidebarConversation>): void {
  const list = conversations.get();
  const there = list?.find((one) => one.id === channel);
  if (!list || !there) return;
  const differs = Object.entries(changed).some(([key, value]) => there[key as keyof SidebarConversation] !== value);
  if (differs) conversations.set(list.map((one) => (one === there ? { ...one, ...changed } : one)));
}

let loading: Promise<void> | undefined;
let again = false;

/** Loads the sidebar. Calls during a load are merged into one more load afterwards. */
export function loadConversations(): Promise<void> {
  if (loading) {
    again = true;
    return loading;
  }
  loading = ask().finally(() => {
    loading = undefined;
    if (again) {
      again = false;
      void loadConversations().catch(() => undefined);
    }
  });
  return loading;
}

async function ask(): Promise<void> {
  const key = marksKey();
  const isSame = trackPersona();
  const marks = readLocal<Record<string, string>>(key, {});
  const answer = await rest<{ conversations: SidebarConversation[] }>('POST /ui/sidebar', {
    as: 'persona',
    body: { marks },
  });
  if (!isSame()) return;
  // what was there before this browser first saw the conversation counts as read
  const fresh = answer.conversations.filter((one) => one.latest_ts !== null && marks[one.id] === undefined);
  if (fresh.length > 0) {
    writeLocal(key, { ...marks, ...Object.fromEntries(fresh.map((one) => [one.id, one.latest_ts])) });
  }
  conversations.set(answer.conversations);
}

export function forgetConversations(): void {
  conversations.set(null);
  visited.set(new Map());
}

export const findConversation = (id: string): Conversation | undefined =>
  conversations.get()?.find((one) => one.id === id) ?? visited.get().get(id);

/**
 * Loads a conversation and its members, whether or not it is in the sidebar.
 * @throws ApiError
 */
export async function visit(id: string): Promise<Conversation> {
  const isSame = trackPersona();
  const { channel } = await call<{ channel: Conversation }>('conversations.info', {
    channel: id,
    include_num_members: true,
  });
  if (isSame()) visited.set(new Map(visited.get()).set(id, channel));
  return channel;
}

function onMessage(event: RealtimeEvent): void {
  const message = event as unknown as Message;
  if (
    message.hidden ||
    message.is_ephemeral ||
    message.subtype === 'message_changed' ||
    message.subtype === 'message_deleted'
  )
    return;
  const channel = String(message.channel);
  const there = conversations.get()?.find((one) => one.id === channel);
  if (/^channel_(name|topic|purpose|archive|unarchive)$/.test(message.subtype ?? '')) {
    void loadConversations().catch(() => undefined);
    if (visited.get().has(channel)) void visit(channel).catch(() => undefined);
  }
  if (!there) {
    if (!visited.get().has(channel)) void loadConversations().catch(() => undefined);
    return;
  }
  if (message.thread_ts !== undefined && message.thread_ts !== message.ts && message.subtype !== 'thread_broadcast')
    return;
  if ((there.latest_ts ?? '') >= message.ts) return;
  const mine = message.user === me().id && !message.is_bot;
  const mentionsMe = new RegExp(`<(@${me().id}|!here|!channel|!everyone)[|>]`).test(message.text);
  patch(channel, {
    latest_ts: message.ts,
    unread: mine ? there.unread : Math.min(100, there.unread + 1),
    mentions: !mine && mentionsMe ? Math.min(100, there.mentions + 1) : there.mentions,
  });
}

const ABOUT_LISTS = new Set([
  'channel_created',
  'channel_archive',
  'channel_unarchive',
  'channel_rename',
  'channel_deleted',
  'channel_left',
  'group_left',
  'im_created',
  'sandbox_reset',
]);

export function followConversations(): () => void {
  const reload = (): void => void loadConversations().catch(() => undefined);
  const stops = [
    onEvent((event) => {
      if (event.type === 'message') onMessage(event);
      else if (event.type.startsWith('member_')) {
        if (event['user'] === me().id) reload();
        const channel = String(event['channel']);
        if (visited.get().has(channel)) void visit(channel).catch(() => undefined);
      } else if (ABOUT_LISTS.has(event.type)) {
        if (event.type === 'sandbox_reset') visited.set(new Map());
        reload();
      }
    }),
    onReconnect(reload),
  ];
  return () => stops.forEach((stop) => stop());
}
