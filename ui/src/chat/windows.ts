import { onEvent, onHearing, type RealtimeEvent } from '../api/realtime.js';
import type { Message } from '../api/wire.js';
import { recentlyUsed } from './recently-used.js';
import { MessageWindow } from './message-window.js';
import { historyOf, repliesOf } from './sources.js';

/** The loaded conversations and threads, the most recently used at the end. */
const channels = new Map<string, MessageWindow>();
const threads = new Map<string, MessageWindow>();
let authors: ReadonlySet<string> = new Set();

export const channelWindow = (channel: string): MessageWindow =>
  recentlyUsed(channels, channel, () => new MessageWindow(historyOf(channel), authors, () => ephemeralsOf(channel)));

export const threadWindow = (channel: string, ts: string): MessageWindow =>
  recentlyUsed(
    threads,
    `${channel}:${ts}`,
    () => new MessageWindow(repliesOf(channel, ts), authors, () => ephemeralsOf(channel, ts)),
  );

/** The tab acts as another person: everything loaded is dropped. */
export function forgetWindows(me: string): void {
  channels.clear();
  threads.clear();
  ephemerals = [];
  authors = new Set([me]);
}

const all = (): MessageWindow[] => [...channels.values(), ...threads.values()];

const isReply = (message: Message): boolean => message.thread_ts !== undefined && message.thread_ts !== message.ts;

function onMessage(event: RealtimeEvent): void {
  const channel = String(event['channel']);
  const window = channels.get(channel);
  const subtype = event['subtype'];
  if (subtype === 'message_changed') {
    const message = event['message'] as Message;
    window?.changed(message);
    for (const thread of threadsOf(channel)) thread.changed(message);
    return;
  }
  if (subtype === 'message_deleted') {
    const ts = String(event['deleted_ts']);
    window?.deleted(ts);
    for (const thread of threadsOf(channel)) thread.deleted(ts);
    const before = event['previous_message'] as Message | undefined;
    if (before && isReply(before)) {
      const uncounted = (parent: Message): Message => ({
        ...parent,
        reply_count: Math.max(0, (parent.reply_count ?? 1) - 1),
      });
      window?.update(before.thread_ts as string, uncounted);
    }
    return;
  }
  if (subtype === 'message_replied') return;
  const message = event as unknown as Message;
  if (!isReply(message)) return window?.posted(message);
  if (subtype === 'thread_broadcast') window?.posted(message);
  const parent = message.thread_ts as string;
  if (!message.is_ephemeral) window?.replied(parent, message);
  const thread = threads.get(`${channel}:${parent}`);
  thread?.posted(message);
  if (!message.is_ephemeral) thread?.replied(parent, message);
}

function* threadsOf(channel: string): Iterable<MessageWindow> {
  for (const [key, window] of threads) if (key.startsWith(`${channel}:`)) yield window;
}

function onReaction(event: RealtimeEvent, added: boolean): void {
  const item = event['item'] as { channel?: string; ts?: string };
  const [channel, ts] = [String(item.channel), String(item.ts)];
  for (const window of [channels.get(channel), ...threadsOf(channel)]) {
    window?.reacted(ts, String(event['reaction']), String(event['user']), added);
  }
}

/** Keeps the loaded parts up to date. Returns a function that stops this. */
export function followMessages(): () => void {
  const stops = [
    onEvent((event) => {
      if (event.type === 'message') onMessage(event);
      else if (event.type === 'reaction_added') onReaction(event, true);
      else if (event.type === 'reaction_removed') onReaction(event, false);
      else if (event.type === 'sandbox_reset') for (const window of all()) void window.reload();
    }),
    // visible rows are fetched again; the rest is dropped, and loaded again on the next visit
    onHearing((channel) => {
      if (channel !== undefined) return void channels.get(channel)?.resync();
      for (const map of [channels, threads]) {
        for (const [key, window] of map) {
          if (window.isFollowed) void window.resync();
          else if (window.get().pending.length === 0) map.delete(key);
        }
      }
    }),
  ];
  return () => stops.forEach((stop) => stop());
}

const DISMISSED = 'dismissed';

const dismissed = (): string[] => (sessionStorage.getItem(DISMISSED) ?? '').split(',');

let ephemerals: readonly Message[] = [];

const ephemeralsOf = (channel: string, thread?: string): Message[] => {
  const gone = dismissed();
  return ephemerals.filter(
    (one) => one.channel === channel && !gone.includes(one.ts) && (isReply(one) ? one.thread_ts : undefined) === thread,
  );
};

/** Ephemeral messages are in no history: they are put back when their conversation is loaded. */
export function showEphemerals(now: readonly Message[]): void {
  ephemerals = now;
  for (const [channel, window] of channels) for (const one of ephemeralsOf(channel)) window.posted(one);
  for (const [key, window] of threads) {
    const [channel = '', thread] = key.split(':');
    for (const one of ephemeralsOf(channel, thread)) window.posted(one);
  }
}

/** Removes an ephemeral message. */
export function dismissEphemeral(channel: string, message: Message): void {
  sessionStorage.setItem(DISMISSED, [...dismissed().slice(-200), message.ts].join(','));
  channels.get(channel)?.deleted(message.ts);
  for (const thread of threadsOf(channel)) thread.deleted(message.ts);
}
