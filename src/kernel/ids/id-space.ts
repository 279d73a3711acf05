import { lru } from '../lru.js';

/*
 * Sandboxes with ids of their own (docs/decisions/equal-forks.md): what is stored has ids that no other tenant has, and
 * what their callers see has ids that mean something in that sandbox alone. The two differ by a number of the sandbox,
 * which is added to the digits of every id, so that both have the same form, length and order.
 */

/**
 * A chat id, the place of a file in its URL (two ids), a UUID, or a trigger id. Ids of the sandboxes' own routes are everybody's, and
 * parts of tokens between hyphens are none; what a picture is called by is one.
 */
const IDS =
  /T0[0-9A-Z]{9}-F0[0-9A-Z]{9}(?![A-Za-z0-9_])|(?:[ABCDFGQSTUV]|Bk|E[sv]|Fx|Ow|Sc|Wx|Xf)0[0-9A-Z]{9}(?![A-Za-z0-9_]|-(?!\d{2,3}\.png))|[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}(?![A-Za-z0-9])|\d{13}\.\d{12}\.[0-9a-f]{24}(?![A-Za-z0-9])/g;
/** Characters that an id cannot follow directly, unless they end an escape: the same ids are found in JSON of a text. */
const IN_WORD = /[A-Za-z0-9_-]/;
const ESCAPE = /\\(?:[bfnrt]|u[0-9a-fA-F]{4})$/;

const UUID_LENGTH = 36;
const TRIGGER_LENGTH = 51;
/** Longest chat id: a prefix of two letters. */
const CHAT_LENGTH = 12;
const CHAT_DIGITS = 9;
const CHAT_IDS = 36 ** CHAT_DIGITS;
const UUID_NODE = 24;
const NODE_DIGITS = 12;
const UUID_NODES = 2 ** 48;
/** Chat ids are moved by less than this: of 46,656 one at most leaves its place in the order. */
const CHAT_SHIFTS = 36n ** 6n;
/** Near the golden section of what they multiply, so that the shifts of many keys are far from each other. */
const CHAT_SPREAD = 1_345_383_707n;
const UUID_SHIFTS = 2n ** 47n;
const UUID_SPREAD = 86_979_671_340_797n;

/** The ids of one sandbox, in both directions and in any text. */
export interface IdSpace {
  /** The number that makes it. */
  readonly key: number;
  /** What is added to the last part of callers' UUIDs. */
  readonly uuidShift: number;
  /** Stored ids become those that callers see. */
  outside(text: string): string;
  /** Ids that callers sent become those that are stored. */
  inside(text: string): string;
}

class ShiftedIds implements IdSpace {
  private readonly chat: number;
  readonly uuidShift: number;

  constructor(readonly key: number) {
    this.chat = Number((BigInt(key) * CHAT_SPREAD) % CHAT_SHIFTS);
    this.uuidShift = Number((BigInt(key) * UUID_SPREAD) % UUID_SHIFTS);
  }

  inside(text: string): string {
    return replaced(text, this.chat, this.uuidShift);
  }

  outside(text: string): string {
    return replaced(text, CHAT_IDS - this.chat, UUID_NODES - this.uuidShift);
  }
}

const replaced = (text: string, chat: number, uuid: number): string =>
  text.replace(IDS, (id: string, at: number) => (beginsAt(text, at, id) ? shifted(id, chat, uuid) : id));

function beginsAt(text: string, at: number, id: string): boolean {
  if (at === 0) return true;
  const before = text.charAt(at - 1);
  if (!IN_WORD.test(before)) return true;
  if (id.length === UUID_LENGTH && (before === '-' || before === '_')) return true;
  return ESCAPE.test(text.slice(Math.max(0, at - 6), at));
}

function shifted(id: string, chat: number, uuid: number): string {
  if (id.length === UUID_LENGTH) return id.slice(0, UUID_NODE) + shiftedNode(id.slice(UUID_NODE), uuid);
  if (id.length === TRIGGER_LENGTH) return id.slice(0, -NODE_DIGITS) + shiftedNode(id.slice(-NODE_DIGITS), uuid);
  if (id.length > CHAT_LENGTH)
    return id
      .split('-')
      .map((one) => shifted(one, chat, uuid))
      .join('-');
  const digits = (parseInt(id.slice(-CHAT_DIGITS), 36) + chat) % CHAT_IDS;
  return id.slice(0, -CHAT_DIGITS) + digits.toString(36).toUpperCase().padStart(CHAT_DIGITS, '0');
}

/** The last part of a UUID or a trigger id; capital letters stay what they are. */
function shiftedNode(node: string, by: number): string {
  const digits = ((parseInt(node, 16) + by) % UUID_NODES).toString(16).padStart(node.length, '0');
  return /[A-F]/.test(node) ? digits.toUpperCase() : digits;
}

const known = lru<number, IdSpace>(20_000);

/** @param key of the sandbox, a positive whole number; null: its ids are the server's */
export function idSpaceOf(key: number | null): IdSpace | null {
  if (key === null) return null;
  let space = known.get(key);
  if (!space) known.set(key, (space = new ShiftedIds(key)));
  return space;
}

/** The same value with every text in it replaced, also the names of fields. What is no plain value stays as it is. */
export function eachText<T>(value: T, replace: (text: string) => string): T {
  if (typeof value === 'string') return replace(value) as T;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one: unknown) => eachText(one, replace)) as T;
  const prototype: unknown = Object.getPrototypeOf(value);
  // those of queries and paths have an empty prototype of their own
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return value;
  const copy = Object.create(prototype as object | null) as Record<string, unknown>;
  for (const [name, field] of Object.entries(value)) {
    // a field may be named like something of the prototype
    Object.defineProperty(copy, replace(name), {
      value: eachText(field as unknown, replace),
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return copy as T;
}
