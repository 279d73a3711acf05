import type { ErrorCode } from '../../wire/codes.js';
import { parseJson } from '../../../kernel/text/json.js';
import { parseTs } from '../../store/message-ts.js';
import { cleanJson, cleanText, isJsonObject } from '../../wire/text.js';

/** Why a value is not acceptable. Without a code of its own it is the argument's code, else `invalid_arguments`. */
export class Fault {
  constructor(
    readonly reason: string,
    readonly code?: ErrorCode,
    /** What `response_metadata.messages` shows, where the code has messages of its own (`invalid_blocks`). */
    readonly messages?: readonly string[],
  ) {}
}

const arrayGiven = new Fault('must be a single value', 'invalid_array_arg');
const notText = new Fault('must be a string');
const notInteger = new Fault('must be an integer');
const notBoolean = new Fault('must be a boolean');
const notTs = new Fault('must be a timestamp');
const notArray = new Fault('must be an array');
const notObject = new Fault('must be an object');
const notList = new Fault('must be a comma-separated list');

/** `null`, absent and the empty string are the same for most types (docs/reference/chat.md#arguments). */
function isAbsent(value: unknown): value is undefined | null | '' {
  return value === undefined || value === null || value === '';
}

/** Undefined when absent; with `keepEmpty` the empty string is a value. Characters that can't be stored are replaced. */
export function toText(value: unknown, keepEmpty = false): string | undefined | Fault {
  if (typeof value === 'string') return value === '' && !keepEmpty ? undefined : cleanText(value);
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return Array.isArray(value) ? arrayGiven : notText;
}

/** A JSON integer or a string of digits. Too many digits become Infinity, which a maximum then clamps. */
export function toInteger(value: unknown): number | undefined | Fault {
  if (isAbsent(value)) return undefined;
  if (typeof value === 'number') return Number.isInteger(value) ? value : notInteger;
  if (typeof value === 'string') return /^-?\d+$/.test(value) ? Number(value) : notInteger;
  return Array.isArray(value) ? arrayGiven : notInteger;
}

export function toBoolean(value: unknown): boolean | undefined | Fault {
  if (typeof value === 'boolean') return value;
  if (isAbsent(value)) return undefined;
  if (value === 1 || value === '1') return true;
  if (value === 0 || value === '0') return false;
  if (typeof value === 'string') {
    const word = value.toLowerCase();
    if (word === 'true') return true;
    if (word === 'false') return false;
    return notBoolean;
  }
  return Array.isArray(value) ? arrayGiven : notBoolean;
}

/** Microseconds (docs/reference/chat.md#timestamps). */
export function toTs(value: unknown): number | undefined | Fault {
  if (isAbsent(value)) return undefined;
  if (Array.isArray(value)) return arrayGiven;
  return parseTs(value) ?? notTs;
}

/** A JSON value, or a string holding it; a cleaned copy, or undefined when it is unreadable or nests too deep. */
function readJson(value: unknown): unknown {
  if (typeof value !== 'string') return cleanJson(value);
  try {
    return cleanJson(parseJson(value));
  } catch {
    return undefined;
  }
}

/** An array, or a string holding one. */
export function toArray(value: unknown): unknown[] | undefined | Fault {
  if (isAbsent(value)) return undefined;
  const json = readJson(value);
  return Array.isArray(json) ? json : notArray;
}

/** An object (without prototype), or a string holding one. */
export function toObject(value: unknown): Record<string, unknown> | undefined | Fault {
  if (isAbsent(value)) return undefined;
  const json = readJson(value);
  return isJsonObject(json) ? json : notObject;
}

/** `"a, b"`, a JSON array of strings, or a string holding one. No item at all counts as absent; repeats are dropped. */
export function toList(value: unknown): string[] | undefined | Fault {
  if (isAbsent(value)) return undefined;
  let items: unknown[];
  if (Array.isArray(value)) {
    items = value;
  } else if (typeof value === 'string') {
    const parsed = value.trimStart().startsWith('[') ? readJson(value) : undefined;
    items = Array.isArray(parsed) ? parsed : value.split(',');
  } else if (typeof value === 'number' || typeof value === 'boolean') {
    items = [value];
  } else {
    return notList;
  }
  const words = new Set<string>();
  for (const item of items) {
    const text = toText(item);
    if (text instanceof Fault) return notList;
    const word = text?.trim();
    if (word) words.add(word);
  }
  return words.size === 0 ? undefined : [...words];
}
