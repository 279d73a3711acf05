import type { Message } from '../api/wire.js';

/** The most messages that a conversation keeps loaded; beyond it those at the far end are dropped. */
export const MAX_LOADED = 2_000;

/** A message that is being sent, or failed to send. */
export interface Pending {
  readonly localId: string;
  readonly message: Message;
  readonly state: 'sending' | 'waiting' | 'failed';
  readonly error?: unknown;
}

/** The loaded part of a conversation: without gaps, ascending by `ts`. */
export interface WindowState {
  readonly messages: readonly Message[];
  readonly pending: readonly Pending[];
  readonly hasOlder: boolean;
  readonly hasNewer: boolean;
  readonly loading: 'first' | 'older' | 'newer' | null;
  readonly isLoaded: boolean;
  readonly error: unknown;
}

export const EMPTY_WINDOW: WindowState = {
  messages: [],
  pending: [],
  hasOlder: false,
  hasNewer: false,
  loading: null,
  isLoaded: false,
  error: null,
};

/** The index of a `ts`, or where it would be inserted. */
export function indexOfTs(messages: readonly Message[], ts: string): { index: number; found: boolean } {
  let [low, high] = [0, messages.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((messages[middle] as Message).ts < ts) low = middle + 1;
    else high = middle;
  }
  return { index: low, found: messages[low]?.ts === ts };
}

/** Inserts a message in its place, or replaces the one that is there. */
export function insert(messages: readonly Message[], message: Message): readonly Message[] {
  const { index, found } = indexOfTs(messages, message.ts);
  return [...messages.slice(0, index), message, ...messages.slice(index + (found ? 1 : 0))];
}

export function without(messages: readonly Message[], ts: string): readonly Message[] {
  const { index, found } = indexOfTs(messages, ts);
  return found ? [...messages.slice(0, index), ...messages.slice(index + 1)] : messages;
}

/** Changes the message of that `ts`, if it is loaded. */
export function change(
  messages: readonly Message[],
  ts: string,
  changed: (message: Message) => Message,
): readonly Message[] {
  const { index, found } = indexOfTs(messages, ts);
  if (!found) return messages;
  return [...messages.slice(0, index), changed(messages[index] as Message), ...messages.slice(index + 1)];
}

const ascending = (page: readonly Message[]): Message[] =>
  [...page].sort((a, b) => (a.ts < b.ts ? -1 : a.ts > b.ts ? 1 : 0));

/** Replaces what was loaded by the newest page, or by one around a message. */
export function replaced(
  state: WindowState,
  page: readonly Message[],
  ends: { hasOlder: boolean; hasNewer: boolean },
): WindowState {
  return { ...state, ...ends, messages: ascending(page), loading: null, isLoaded: true, error: null };
}

/** Adds older messages before the loaded ones. If there are too many, the newest are dropped. */
export function withOlder(state: WindowState, page: readonly Message[], hasOlder: boolean): WindowState {
  const first = state.messages[0]?.ts;
  const older = ascending(page).filter((message) => first === undefined || message.ts < first);
  const all = [...older, ...state.messages];
  const kept = all.slice(0, MAX_LOADED);
  const hasNewer = state.hasNewer || kept.length < all.length;
  return { ...state, messages: kept, hasOlder, hasNewer, loading: null, error: null };
}

/** Adds newer messages after the loaded ones. If there are too many, the oldest are dropped. */
export function withNewer(state: WindowState, page: readonly Message[], hasNewer: boolean): WindowState {
  const last = state.messages.at(-1)?.ts;
  const newer = ascending(page).filter((message) => last === undefined || message.ts > last);
  const all = [...state.messages, ...newer];
  const kept = all.slice(Math.max(0, all.length - MAX_LOADED));
  const hasOlder = state.hasOlder || kept.length < all.length;
  return { ...state, messages: kept, hasNewer, hasOlder, loading: null, error: null };
}

/**
 * Adds a message that was just posted. If messages between are not loaded it would leave a gap, so it is left to be
 * loaded with them.
 */
export function withPosted(state: WindowState, message: Message): WindowState {
  if (!state.isLoaded) return state;
  const last = state.messages.at(-1)?.ts;
  const isBeyond = last === undefined || message.ts > last;
  if (isBeyond && state.hasNewer) return state;
  const first = state.messages[0]?.ts;
  if (first !== undefined && message.ts < first && state.hasOlder) return state;
  const messages = insert(state.messages, message);
  if (messages.length <= MAX_LOADED) return { ...state, messages };
  return { ...state, messages: messages.slice(messages.length - MAX_LOADED), hasOlder: true };
}

/** A changed message: properties kept beside its text stay when the change does not mention them. */
export function withChanged(message: Message, changed: Message): Message {
  const kept: Partial<Message> = {};
  if (changed.subtype !== 'tombstone' && message.reactions && !changed.reactions) kept.reactions = message.reactions;
  for (const key of ['reply_count', 'reply_users', 'latest_reply', 'thread_ts'] as const) {
    if (changed[key] === undefined && message[key] !== undefined) Object.assign(kept, { [key]: message[key] });
  }
  return { ...changed, ...kept };
}

/** The parent of a reply that was just posted. The answer and the socket both report the reply; it counts once. */
export function withReply(parent: Message, reply: Message): Message {
  if (parent.latest_reply !== undefined && parent.latest_reply >= reply.ts) return parent;
  const author = reply.user ?? reply.bot_id;
  const users = parent.reply_users ?? [];
  return {
    ...parent,
    thread_ts: parent.ts,
    reply_count: (parent.reply_count ?? 0) + 1,
    latest_reply: reply.ts,
    reply_users: author === undefined || users.includes(author) ? users : [...users, author].slice(0, 5),
  };
}

export function withReaction(message: Message, name: string, user: string, added: boolean): Message {
  const reactions = message.reactions ?? [];
  const there = reactions.find((reaction) => reaction.name === name);
  if (added) {
    if (there?.users.includes(user)) return message;
    if (!there) return { ...message, reactions: [...reactions, { name, users: [user], count: 1 }] };
    const grown = { ...there, users: [...there.users, user], count: there.count + 1 };
    return { ...message, reactions: reactions.map((reaction) => (reaction === there ? grown : reaction)) };
  }
  if (!there?.users.includes(user)) return message;
  const shrunk = { ...there, users: there.users.filter((id) => id !== user), count: there.count - 1 };
  const left = reactions.map((reaction) => (reaction === there ? shrunk : reaction)).filter(({ count }) => count > 0);
  const { reactions: _gone, ...rest } = message;
  return left.length === 0 ? rest : { ...rest, reactions: left };
}
