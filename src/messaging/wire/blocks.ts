import { drawn } from '../../kernel/clock/request-sandbox.js';
import { randomBytes } from 'node:crypto';
import type { ErrorCode } from './codes.js';
import { actingElements, block, withChildren } from './block-kit/blocks.js';
import { list, type Rule, Walk } from './block-kit/rule.js';
import { cleanJson, codePointLength, isJsonObject, MAX_JSON_DEPTH } from './text.js';
import { readWorkObjects, type WorkObject } from './work-objects.js';

/**
 * Most blocks of a message, and most characters of them serialised (docs/METHODS.md chat.postMessage,
 * docs/reference/chat.md#blocks).
 */
export const MAX_BLOCKS = 50;
export const MAX_BLOCKS_LENGTH = 100_000;
export const MAX_ATTACHMENTS = 100;

type Json = Record<string, unknown>;
export type Block = Json;
export type Attachment = Json;
/** An event of the app's own, work objects, or both. */
export interface MessageMetadata {
  event_type?: string;
  event_payload?: Json;
  entities?: WorkObject[];
}

/** A code, and lines for `response_metadata.messages` where it has them. */
export interface ContentFault {
  error: ErrorCode;
  messages?: string[];
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
  const [fault] = new Walk('message').check(blockList(), copy, '/blocks');
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
    const [fault] = new Walk('message').check(blockList(), blocks, `/attachments/${index}/blocks`);
    if (fault) return { error: 'invalid_attachments', messages: [line(fault.reason, fault.pointer)] };
    giveIds(blocks as Json[]);
  }
  return { attachments: copy };
}

/** Message metadata, without what is neither `event_type` and `event_payload` nor `entities`. */
export function checkMetadata(value: unknown): { metadata: MessageMetadata } | ContentFault {
  const copy = cleanJson(value);
  if (!isJsonObject(copy)) return { error: 'invalid_metadata_format' };
  const { event_type: type, event_payload: payload, entities: sent } = copy;
  const hasEntities = sent !== undefined && sent !== null;
  const entities = hasEntities ? readWorkObjects(sent) : undefined;
  const hasEvent = !hasEntities || type !== undefined || payload !== undefined;
  const isEvent = isText(type) && isJsonObject(payload);
  if (entities === null || (hasEvent && !isEvent)) return { error: 'invalid_metadata_format' };
  return { metadata: { ...(isEvent && { event_type: type, event_payload: payload }), ...(entities && { entities }) } };
}

export function line(reason: string, pointer: string): string {
  return `[ERROR] ${reason} [json-pointer:${pointer}]`;
}

/** The blocks of a message or a view. */
export const blockList = (min = 0, max = MAX_BLOCKS): Rule => list(block(), min, max);

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** Fills in missing ids of blocks and interactive elements at any depth in place, each different from all others. */
export function giveIds(blocks: readonly Json[]): void {
  const used = new Set<unknown>();
  const all = blocks.flatMap(withChildren);
  const elements = all.flatMap(actingElements);
  for (const block of all) used.add(block['block_id']);
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
  for (const block of all) block['block_id'] ??= fresh();
  for (const element of elements) if (!isText(element['action_id'])) element['action_id'] = fresh();
}

const ID_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Random bytes are fetched in bulk: one call for every id would cost more than all the checks. */
let pool = Buffer.alloc(0);

/** An id for a block that the server makes itself. */
export const blockId = (): string => randomId();

function randomId(): string {
  const bytes = drawn();
  if (bytes) return [...bytes.subarray(0, 5)].map((byte) => ID_ALPHABET[byte % ID_ALPHABET.length]).join('');
  if (pool.length < 5) pool = randomBytes(2000);
  let id = '';
  for (const byte of pool.subarray(0, 5)) id += ID_ALPHABET[byte % ID_ALPHABET.length];
  pool = pool.subarray(5);
  return id;
}
