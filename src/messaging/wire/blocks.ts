import { randomBytes } from 'node:crypto';
import type { ErrorCode } from './codes.js';
import { cleanJson, codePointLength, isJsonObject, isLongerThan, MAX_JSON_DEPTH } from './text.js';

/**
 * Most blocks of a message, and most characters of them serialised (docs/METHODS.md chat.postMessage,
 * docs/reference/chat.md#blocks).
 */
export const MAX_BLOCKS = 50;
export const MAX_BLOCKS_LENGTH = 100_000;
export const MAX_ATTACHMENTS = 100;
const MAX_BLOCK_ID = 255;

type Json = Record<string, unknown>;
export type Block = Json;
export type Attachment = Json;
export interface MessageMetadata {
  event_type: string;
  event_payload: Json;
}

/** A code, and lines for `response_metadata.messages` where it has them. */
export interface ContentFault {
  error: ErrorCode;
  messages?: string[];
}

/** Thrown while content is walked, and caught by `offenceOf`: the first offence ends the walk. */
export class BlockFault {
  constructor(
    readonly reason: string,
    readonly pointer: string,
  ) {}
}

export function refuse(reason: string, pointer: string): never {
  // oxlint-disable-next-line no-throw-literal -- never leaves the checks, and needs no stack
  throw new BlockFault(reason, pointer);
}

/**
 * Validates Block Kit blocks (docs/reference/chat.md#blocks) and gives a copy in which every block has a `block_id`
 * and every interactive element an `action_id`. The copy is clean as stored JSON must be, and nests no deeper than
 * {@link MAX_JSON_DEPTH}.
 */
export function checkBlocks(value: unknown): { blocks: Block[] } | ContentFault {
  if (!Array.isArray(value)) return { error: 'invalid_blocks_format' };
  const copy = cleanJson(value) as unknown[] | undefined;
  if (!copy)
    return { error: 'invalid_blocks', messages: [line(`must nest less than ${MAX_JSON_DEPTH} deep`, '/blocks')] };
  const fault = faultOf(() => checkList(copy, '/blocks'));
  if (fault) return { error: 'invalid_blocks', messages: [line(fault.reason, fault.pointer)] };
  if (codePointLength(JSON.stringify(copy)) > MAX_BLOCKS_LENGTH) return { error: 'msg_blocks_too_long' };
  giveIds(copy as Json[]);
  return { blocks: copy as Json[] };
}

/** What an attachment with blocks may have beside them. */
const BESIDE_BLOCKS = new Set(['blocks', 'color', 'fallback', 'id', 'ts']);

/**
 * Validates legacy attachments and gives a copy with `id` 1 to n and a `fallback`. Blocks inside an attachment obey
 * the rules of blocks.
 */
export function checkAttachments(value: unknown): { attachments: Attachment[] } | ContentFault {
  const copy = Array.isArray(value) ? (cleanJson(value) as unknown[] | undefined) : undefined;
  if (!copy || !copy.every(isJsonObject)) return { error: 'invalid_attachments' };
  if (copy.length > MAX_ATTACHMENTS) return { error: 'too_many_attachments' };
  for (const [index, attachment] of copy.entries()) {
    attachment['id'] = index + 1;
    const { fallback, text, blocks } = attachment;
    if (!isText(fallback)) attachment['fallback'] = isText(text) ? text : '[no preview available]';
    if (blocks === undefined || blocks === null) continue;
    if (!Array.isArray(blocks)) return { error: 'invalid_attachments' };
    if (Object.keys(attachment).some((key) => !BESIDE_BLOCKS.has(key))) return { error: 'invalid_attachments' };
    const fault = faultOf(() => checkList(blocks, `/attachments/${index}/blocks`));
    if (fault) return { error: 'invalid_attachments', messages: [line(fault.reason, fault.pointer)] };
    giveIds(blocks as Json[]);
  }
  return { attachments: copy };
}

/** Message metadata, without what is neither `event_type` nor `event_payload`. */
export function checkMetadata(value: unknown): { metadata: MessageMetadata } | ContentFault {
  const copy = cleanJson(value);
  if (!isJsonObject(copy) || !isText(copy['event_type']) || !isJsonObject(copy['event_payload'])) {
    return { error: 'invalid_metadata_format' };
  }
  return { metadata: { event_type: copy['event_type'], event_payload: copy['event_payload'] } };
}

export function faultOf(check: () => void): BlockFault | undefined {
  try {
    check();
    return undefined;
  } catch (thrown) {
    if (thrown instanceof BlockFault) return thrown;
    throw thrown;
  }
}

export function line(reason: string, pointer: string): string {
  return `[ERROR] ${reason} [json-pointer:${pointer}]`;
}

export function checkList(blocks: readonly unknown[], at: string, min = 0, max = MAX_BLOCKS): void {
  checkCount(blocks, min, max, at);
  const ids = new Set<string>();
  for (const [index, block] of blocks.entries()) checkBlock(anObject(block, `${at}/${index}`), `${at}/${index}`, ids);
}

function checkBlock(block: Json, at: string, ids: Set<string>): void {
  const type = required(block, 'type', at);
  const check = typeof type === 'string' && Object.hasOwn(BLOCK_TYPES, type) ? BLOCK_TYPES[type] : undefined;
  if (!check) refuse(`unsupported type: ${printable(type)}`, `${at}/type`);
  const id = block['block_id'];
  if (id === null || id === '') {
    delete block['block_id'];
  } else if (id !== undefined) {
    checkText(id, MAX_BLOCK_ID, `${at}/block_id`);
    if (ids.has(id as string)) refuse('block_id must be unique', `${at}/block_id`);
    ids.add(id as string);
  }
  check(block, at);
}

const BLOCK_TYPES: Record<string, (block: Json, at: string) => void> = {
  section(block, at) {
    const { fields } = block;
    if (isPresent(block['text']) || !isPresent(fields)) {
      checkTextObject(required(block, 'text', at), ANY_TEXT, 3000, `${at}/text`);
    }
    if (isPresent(fields)) {
      const list = anArray(fields, `${at}/fields`);
      checkCount(list, 1, 10, `${at}/fields`);
      list.forEach((field, index) => checkTextObject(field, ANY_TEXT, 2000, `${at}/fields/${index}`));
    }
  },
  header(block, at) {
    checkTextObject(required(block, 'text', at), PLAIN_TEXT, 150, `${at}/text`);
  },
  divider() {},
  image: checkImage,
  context(block, at) {
    const elements = anArray(required(block, 'elements', at), `${at}/elements`);
    checkCount(elements, 1, 10, `${at}/elements`);
    for (const [index, item] of elements.entries()) {
      const where = `${at}/elements/${index}`;
      const element = anObject(item, where);
      if (element['type'] === 'image') checkImage(element, where);
      else checkTextObject(element, ANY_TEXT, 3000, where);
    }
  },
  actions(block, at) {
    const elements = anArray(required(block, 'elements', at), `${at}/elements`);
    checkCount(elements, 1, 25, `${at}/elements`);
    for (const [index, item] of elements.entries()) {
      const where = `${at}/elements/${index}`;
      const element = anObject(item, where);
      const type = required(element, 'type', where);
      if (typeof type !== 'string') refuse(`unsupported type: ${printable(type)}`, `${where}/type`);
      if (type === 'button') checkTextObject(required(element, 'text', where), PLAIN_TEXT, 75, `${where}/text`);
    }
  },
  input(block, at) {
    checkTextObject(required(block, 'label', at), PLAIN_TEXT, 2000, `${at}/label`);
    anObject(required(block, 'element', at), `${at}/element`);
  },
  rich_text(block, at) {
    anArray(required(block, 'elements', at), `${at}/elements`);
  },
  markdown(block, at) {
    checkText(required(block, 'text', at), 12_000, `${at}/text`);
  },
  table(block, at) {
    anArray(required(block, 'rows', at), `${at}/rows`);
  },
  video() {},
  file() {},
  context_actions() {},
};

const ANY_TEXT: readonly unknown[] = ['plain_text', 'mrkdwn'];
export const PLAIN_TEXT: readonly unknown[] = ['plain_text'];

function checkImage(image: Json, at: string): void {
  const alt = required(image, 'alt_text', at);
  if (typeof alt !== 'string') refuse('must be a string', `${at}/alt_text`);
  if (isPresent(image['image_url'])) checkText(image['image_url'], 3000, `${at}/image_url`);
  else if (isPresent(image['slack_file'])) anObject(image['slack_file'], `${at}/slack_file`);
  else refuse('missing required field: image_url', at);
}

export function checkTextObject(value: unknown, types: readonly unknown[], max: number, at: string): void {
  const object = anObject(value, at);
  const type = required(object, 'type', at);
  if (!types.includes(type)) refuse(`unsupported type: ${printable(type)}`, `${at}/type`);
  checkText(required(object, 'text', at), max, `${at}/text`);
}

export function checkText(value: unknown, max: number, at: string): void {
  if (typeof value !== 'string') refuse('must be a string', at);
  if (value === '') refuse('must be more than 0 characters', at);
  if (isLongerThan(value, max)) refuse(`must be less than ${max + 1} characters`, at);
}

function checkCount(items: readonly unknown[], min: number, max: number, at: string): void {
  if (items.length < min) refuse(`no less than ${min} items allowed`, at);
  if (items.length > max) refuse(`no more than ${max} items allowed`, at);
}

export function required(object: Json, field: string, at: string): unknown {
  const value = object[field];
  return isPresent(value) ? value : refuse(`missing required field: ${field}`, at);
}

export function anObject(value: unknown, at: string): Json {
  return isJsonObject(value) ? value : refuse('must be an object', at);
}

export function anArray(value: unknown, at: string): unknown[] {
  return Array.isArray(value) ? value : refuse('must be an array', at);
}

export function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** A caller's value inside an error line: short, and never a whole structure. */
function printable(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, 50) : typeof value;
}

/** Fills in missing ids in place, each different from all others of the list. */
export function giveIds(blocks: readonly Json[]): void {
  const used = new Set<unknown>();
  const elements = blocks.flatMap(interactiveElements);
  for (const block of blocks) used.add(block['block_id']);
  for (const element of elements) used.add(element['action_id']);
  const fresh = () => {
    for (;;) {
      const id = randomId();
      if (!used.has(id)) {
        used.add(id);
        return id;
      }
    }
  };
  for (const block of blocks) block['block_id'] ??= fresh();
  for (const element of elements) if (!isText(element['action_id'])) element['action_id'] = fresh();
}

/** Elements a user can act on: all of an actions block, an input's element, an accessory that is not just an image. */
function interactiveElements(block: Json): Json[] {
  switch (block['type']) {
    case 'actions':
    case 'context_actions':
      return Array.isArray(block['elements']) ? block['elements'].filter(isJsonObject) : [];
    case 'input':
      return [block['element']].filter(isJsonObject);
    case 'section':
      return [block['accessory']].filter(isJsonObject).filter((element) => element['type'] !== 'image');
    default:
      return [];
  }
}

const ID_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Random bytes are fetched in bulk: one call for every id would cost more than all the checks. */
let pool = Buffer.alloc(0);

/** An id for a block that the server makes itself. */
export const blockId = (): string => randomId();

function randomId(): string {
  if (pool.length < 5) pool = randomBytes(2000);
  let id = '';
  for (const byte of pool.subarray(0, 5)) id += ID_ALPHABET[byte % ID_ALPHABET.length];
  pool = pool.subarray(5);
  return id;
}
