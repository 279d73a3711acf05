import {
  anArray,
  anObject,
  checkList,
  checkText,
  checkTextObject,
  giveIds,
  isPresent,
  line,
  refuse,
  faultOf,
  PLAIN_TEXT,
  required,
} from './blocks.js';
import { cleanJson, isJsonObject, isLongerThan, MAX_JSON_DEPTH } from './text.js';

type Json = Record<string, unknown>;

const MAX_VIEW_BLOCKS = 100;
const MAX_LABEL = 24;
const MAX_METADATA = 3000;
const MAX_ID = 255;
/** Longest view as sent, in bytes of JSON. */
export const MAX_VIEW_BYTES = 250_000;

export type ViewType = 'modal' | 'home';

/** A view as its app wants it: checked, with ids and defaults filled in. */
export interface ViewContent {
  readonly type: ViewType;
  readonly blocks: Json[];
  readonly private_metadata: string;
  readonly callback_id: string;
  readonly external_id: string;
  /** Modals only. */
  readonly title: Json | null;
  readonly submit: Json | null;
  readonly close: Json | null;
  readonly clear_on_close: boolean;
  readonly notify_on_close: boolean;
  readonly submit_disabled: boolean;
}

/** Over {@link MAX_VIEW_BYTES}: reported after every fault of its content. */
export const isTooLarge = (content: ViewContent): boolean =>
  Buffer.byteLength(JSON.stringify(content)) > MAX_VIEW_BYTES;

/** The view, or a line for its first fault: `[ERROR] <reason> [json-pointer:/view/…]`. */
export function checkView(value: unknown, type: ViewType): { view: ViewContent } | { fault: string } {
  const copy = cleanJson(value);
  if (!isJsonObject(copy)) return { fault: line(`must nest less than ${MAX_JSON_DEPTH} deep`, '/view') };
  const fault = faultOf(() => walk(copy, type));
  if (fault) return { fault: line(fault.reason, fault.pointer) };
  const blocks = copy['blocks'] as Json[];
  giveIds(blocks);
  return {
    view: {
      type,
      blocks,
      private_metadata: textOf(copy, 'private_metadata'),
      callback_id: textOf(copy, 'callback_id'),
      external_id: textOf(copy, 'external_id'),
      title: type === 'modal' ? labelOf(copy, 'title') : null,
      submit: type === 'modal' ? labelOf(copy, 'submit') : null,
      close: labelOf(copy, 'close'),
      clear_on_close: copy['clear_on_close'] === true,
      notify_on_close: copy['notify_on_close'] === true,
      submit_disabled: copy['submit_disabled'] === true,
    },
  };
}

function walk(view: Json, type: ViewType): void {
  const sent = isPresent(view['type']) ? view['type'] : refuse('missing required field: type', '/view/type');
  if (sent !== type) {
    refuse(typeof sent === 'string' ? `unsupported type: ${sent.slice(0, 50)}` : 'must be a string', '/view/type');
  }
  if (type === 'modal') checkTextObject(required(view, 'title', '/view'), PLAIN_TEXT, MAX_LABEL, '/view/title');
  const blocks = anArray(required(view, 'blocks', '/view'), '/view/blocks');
  checkList(blocks, '/view/blocks', 1, MAX_VIEW_BLOCKS);
  let hasInput = false;
  for (const [index, block] of (blocks as Json[]).entries()) {
    if (block['type'] !== 'input') continue;
    hasInput = true;
    const at = `/view/blocks/${index}/element`;
    const element = anObject(block['element'], at);
    const elementType = required(element, 'type', at);
    if (typeof elementType !== 'string') refuse('must be a string', `${at}/type`);
  }
  if (type === 'modal' && isPresent(view['submit'])) {
    checkTextObject(view['submit'], PLAIN_TEXT, MAX_LABEL, '/view/submit');
  } else if (type === 'modal' && hasInput) required(view, 'submit', '/view');
  if (isPresent(view['close'])) checkTextObject(view['close'], PLAIN_TEXT, MAX_LABEL, '/view/close');
  checkOptional(view, 'private_metadata', MAX_METADATA);
  checkOptional(view, 'callback_id', MAX_ID);
  checkOptional(view, 'external_id', MAX_ID);
  for (const flag of ['clear_on_close', 'notify_on_close', 'submit_disabled']) {
    if (isPresent(view[flag]) && typeof view[flag] !== 'boolean') refuse('must be a boolean', `/view/${flag}`);
  }
}

function checkOptional(view: Json, field: string, max: number): void {
  const value = view[field];
  if (!isPresent(value) || value === '') return;
  if (typeof value !== 'string' || isLongerThan(value, max)) checkText(value, max, `/view/${field}`);
}

const textOf = (view: Json, field: string): string => (view[field] as string | null | undefined) ?? '';

/** As clients show it: `emoji` is on unless it was switched off. */
function labelOf(view: Json, field: string): Json | null {
  const label = view[field] as Json | null | undefined;
  if (!label) return null;
  return { type: 'plain_text', text: label['text'], emoji: label['emoji'] !== false };
}
