import type { Message } from '../api/wire.js';
import { dateOfTs, dayKey, dayName } from '../text/time.js';
import { authorOf } from './chat-context.js';
import { isSystem } from './message-row.js';
import type { Pending } from './window.js';

export type Item =
  | {
      readonly kind: 'message';
      readonly key: string;
      readonly message: Message;
      /** The day that begins with this message, if no message is loaded before it. */
      readonly day: string | null;
      /** The day that begins after this message: kept here so that loading older messages changes no visible row. */
      readonly dayAfter: string | null;
      readonly isNew: boolean;
      readonly isFollowUp: boolean;
    }
  | { readonly kind: 'pending'; readonly key: string; readonly pending: Pending; readonly isFollowUp: boolean };

/** Reuses the earlier row objects that are unchanged: a list renders only rows that are new objects. */
export function withSame(before: readonly Item[], items: readonly Item[]): readonly Item[] {
  const known = new Map(before.map((item) => [item.key, item]));
  return items.map((item) => {
    const old = known.get(item.key);
    return old !== undefined && isSame(old, item) ? old : item;
  });
}

function isSame(a: Item, b: Item): boolean {
  if (a.isFollowUp !== b.isFollowUp) return false;
  if (a.kind === 'pending') return b.kind === 'pending' && a.pending === b.pending;
  return (
    b.kind === 'message' &&
    a.message === b.message &&
    a.day === b.day &&
    a.dayAfter === b.dayAfter &&
    a.isNew === b.isNew
  );
}

const FOLLOW_UP_MS = 5 * 60_000;

/** The rows of a window, with the separators between them. */
export function itemsOf(props: {
  messages: readonly Message[];
  pending: readonly Pending[];
  readTo: string | undefined;
  meId: string;
  keyOf: (ts: string) => string;
  inThread: boolean;
  hasOlder: boolean;
  /** The first messages of pages. */
  seams: ReadonlySet<string>;
}): Item[] {
  const items: Item[] = [];
  let before: Message | undefined;
  let dayBefore: string | undefined;
  let newShown = false;
  for (const [index, message] of props.messages.entries()) {
    const next = props.messages[index + 1];
    const isNew: boolean =
      !newShown && props.readTo !== undefined && message.ts > props.readTo && message.user !== props.meId;
    newShown ||= isNew;
    const date = dateOfTs(message.ts);
    const [today, later] = [dayKey(date), next && dateOfTs(next.ts)];
    const dayAfter = later && !props.inThread && dayKey(later) !== today ? dayName(later) : null;
    const day = before === undefined && !props.hasOlder && !props.inThread ? dayName(date) : null;
    const isFollowUp = dayBefore === today && !isNew && !props.seams.has(message.ts) && isFollowing(before, message);
    items.push({ kind: 'message', key: props.keyOf(message.ts), message, day, dayAfter, isNew, isFollowUp });
    [before, dayBefore] = [message, today];
  }
  for (const pending of props.pending) {
    const isFollowUp = before !== undefined && before.user === props.meId && !isSystem(before) && !before.is_bot;
    items.push({ kind: 'pending', key: pending.localId, pending, isFollowUp });
    before = pending.message;
  }
  return items;
}

function isFollowing(before: Message | undefined, message: Message): boolean {
  if (!before || isSystem(before) || isSystem(message)) return false;
  // what an app lays out in blocks stands by itself
  if (hasBlocks(before) || hasBlocks(message)) return false;
  const [a, b] = [authorOf(before, NOBODY), authorOf(message, NOBODY)];
  const isSame = before.user === message.user && before.bot_id === message.bot_id && a.name === b.name;
  return (
    isSame &&
    message.subtype !== 'thread_broadcast' &&
    dateOfTs(message.ts).getTime() - dateOfTs(before.ts).getTime() < FOLLOW_UP_MS
  );
}

const hasBlocks = (message: Message): boolean =>
  // a stream gets its blocks later: its row must not change its head then
  message.streaming_state !== undefined || (message.is_bot === true && (message.blocks?.length ?? 0) > 0);

const NOBODY = new Map();
