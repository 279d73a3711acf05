import { hash, randomBytes, randomInt, randomUUID } from 'node:crypto';
import { drawn, ownIds } from '../clock/request-sandbox.js';

const BASE36 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const BASE62 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Derived ids stay where they are in the order of ids (id-space.ts). */
const DRAWN_IDS = 36n ** 9n - 36n ** 6n;

/** `length` characters of `alphabet`, uniform and unpredictable. */
function randomText(alphabet: string, length: number): string {
  const limit = 256 - (256 % alphabet.length);
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length * 2)) {
      if (byte < limit && text.length < length) text += alphabet[byte % alphabet.length];
    }
  }
  return text;
}

export type IdPrefix =
  | 'Bk'
  | 'T'
  | 'U'
  | 'C'
  | 'D'
  | 'G'
  | 'A'
  | 'B'
  | 'Ev'
  | 'Es'
  | 'Ow'
  | 'Fx'
  | 'Wx'
  | 'Sc'
  | 'Xf'
  | 'V'
  | 'F'
  | 'Q'
  | 'S';

/** A chat id: prefix, `0`, nine of `0-9A-Z` (docs/reference/chat.md#ids). Never a UUID. */
export function newId(prefix: IdPrefix): string {
  const bytes = drawn();
  if (!bytes) return `${prefix}0${randomText(BASE36, 9)}`;
  const id = idOf(prefix, bytes);
  return ownIds()?.inside(id) ?? id;
}

const idOf = (prefix: IdPrefix, bytes: Buffer): string =>
  `${prefix}0${(bytes.readBigUInt64BE() % DRAWN_IDS).toString(36).toUpperCase().padStart(9, '0')}`;

/** A chat id of what a text says, as callers know it. */
export const derivedId = (prefix: IdPrefix, from: string): string => idOf(prefix, hash('sha256', from, 'buffer'));

/** A UUID of what a text says, as callers know it. */
export const derivedUuid = (from: string): string => uuidOf(hash('sha256', from, 'buffer'));

/** A tracker id: UUID v4 in lower case (docs/reference/tracker.md#entities). */
export function newUuid(): string {
  const bytes = drawn();
  if (!bytes) return randomUUID();
  const id = uuidOf(bytes);
  return ownIds()?.inside(id) ?? id;
}

function uuidOf(bytes: Buffer): string {
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** `length` lower-case hex characters, at most 64, of something that is no secret: it is derived as ids are. */
export const newMark = (length: number): string => drawn()?.toString('hex').slice(0, length) ?? newHex(length);

/** A whole number below `limit`, derived as ids are. */
export const newChoice = (limit: number): number => {
  const bytes = drawn();
  return bytes ? bytes.readUInt32BE() % limit : randomInt(limit);
};

/** `length` decimal digits of something that is no secret, at most 15: derived as ids are. */
export const newNumber = (length: number): string => {
  const bytes = drawn();
  if (!bytes) return newDigits(length);
  return (bytes.readBigUInt64BE() % 10n ** BigInt(length)).toString().padStart(length, '0');
};

/** A trigger id: the time in milliseconds, and what tells it from others of that moment. */
export function newTriggerId(nowMs: number): string {
  const id = `${String(nowMs).padStart(13, '0')}.${newNumber(12)}.${newMark(24)}`;
  return ownIds()?.inside(id) ?? id;
}

/** `length` of `[A-Za-z0-9]`. */
export const newAlphanumeric = (length: number): string => randomText(BASE62, length);

/** `length` lower-case hex characters. */
export const newHex = (length: number): string =>
  randomBytes(Math.ceil(length / 2))
    .toString('hex')
    .slice(0, length);

/** `length` decimal digits. */
export const newDigits = (length: number): string => Array.from({ length }, () => randomInt(10)).join('');

/** The stored form of credentials: SHA-256 as lower-case hex. They are random and long, so a fast hash is enough. */
export const sha256Hex = (text: string): string => hash('sha256', text, 'hex');

/** Distinguishes this process's request ids from those of all others. */
const requestPrefix = newHex(12);
let requests = randomInt(2 ** 40);

/** Ids of requests: 24 hex characters, unique and cheap, but not secret (docs/reference/chat.md#envelope). */
export const newRequestId = (): string => requestPrefix + (requests++).toString(16).padStart(12, '0');
