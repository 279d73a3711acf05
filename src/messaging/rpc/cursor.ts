import { seenId, storedId } from '../../kernel/clock/request-sandbox.js';
import { MessagingError } from '../wire/codes.js';

/**
 * What a cursor names, by kind. The kind belongs to one method, so that another method's cursor is refused
 * (docs/reference/chat.md#pagination). Text is an id, or ids and numbers joined by `:`; numbers are whole and not
 * negative.
 */
const KINDS = {
  /** conversations.list: the next conversation. */
  team: 'text',
  /** conversations.members: the next member. */
  user_id: 'text',
  /** users.list: the next user. */
  user: 'text',
  /** auth.teams.list: the next workspace. */
  auth_team: 'text',
  /** apps.event.authorizations.list: the next identity. */
  event_authorization: 'text',
  /** users.conversations: the next conversation. */
  user_team: 'text',
  /** reactions.list: the next message. */
  reaction: 'text',
  /** chat.scheduledMessages.list: the next message. */
  scheduled: 'text',
  /** conversations.history: timestamp of the next message, in microseconds. */
  next_ts: 'number',
  /** conversations.replies: timestamp of the next reply, in microseconds. */
  reply_ts: 'number',
  /** search.messages: the next page, from 1. */
  page: 'number',
} as const;

export type CursorKind = keyof typeof KINDS;
export type CursorValue<K extends CursorKind> = (typeof KINDS)[K] extends 'number' ? number : string;

const BASE64 =
  /^(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$|^[A-Za-z0-9+/]{2}==$|^[A-Za-z0-9+/]{3}=$/;
const LONGEST = 400;

/** An opaque cursor for the answer's `next_cursor`. */
export function encodeCursor<K extends CursorKind>(kind: K, value: CursorValue<K>): string {
  return Buffer.from(seenId(`${kind}:${value}`)).toString('base64');
}

/** What every page ends with: the cursor of the next one, '' on the last (docs/reference/chat.md#pagination). */
export const pageEnd = (cursor = ''): { response_metadata: { next_cursor: string } } => ({
  response_metadata: { next_cursor: cursor },
});

/** The value in a cursor of this kind. Throws `invalid_cursor` for any other text. */
export function decodeCursor<K extends CursorKind>(kind: K, cursor: string): CursorValue<K> {
  const value = read(kind, cursor);
  if (value === undefined) throw new MessagingError('invalid_cursor');
  return value as CursorValue<K>;
}

/** As {@link decodeCursor}, but undefined for what is no cursor of this kind. */
export function readCursor<K extends CursorKind>(kind: K, cursor: string): CursorValue<K> | undefined {
  return read(kind, cursor) as CursorValue<K> | undefined;
}

function read(kind: CursorKind, cursor: string): string | number | undefined {
  if (cursor.length > LONGEST || !BASE64.test(cursor)) return undefined;
  const plain = Buffer.from(cursor, 'base64').toString('latin1');
  // Bits left over by padding would make several texts of one cursor.
  if (Buffer.from(plain, 'latin1').toString('base64') !== cursor) return undefined;
  if (!plain.startsWith(`${kind}:`)) return undefined;
  const value = storedId(plain.slice(kind.length + 1));
  if (KINDS[kind] === 'text') return /^[A-Za-z0-9_.:-]+$/.test(value) ? value : undefined;
  if (!/^(?:0|[1-9]\d{0,15})$/.test(value)) return undefined;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : undefined;
}

/** Before every key: times are positive and ids are not empty. */
const START: readonly [number, string] = [0, ''];

/**
 * The key in the value of a cursor of pages in order of time, then id. It is the whole key of the next item, so that a
 * page starts at the right place even when that item is gone meanwhile.
 * @throws MessagingError invalid_cursor
 */
export function keyOfCursor(value: string | undefined): readonly [number, string] {
  if (value === undefined) return START;
  const match = /^(\d{1,16}):([A-Z0-9]{11})$/.exec(value);
  const time = Number(match?.[1]);
  if (!match || !Number.isSafeInteger(time)) throw new MessagingError('invalid_cursor');
  return [time, match[2] as string];
}
