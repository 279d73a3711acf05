import { fields, flag, isPresent, required, type Rule, str, Walk } from './block-kit/rule.js';
import { plain } from './block-kit/objects.js';
import { blockList, giveIds, line } from './blocks.js';
import { cleanJson, isJsonObject, MAX_JSON_DEPTH } from './text.js';

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
  if (!isJsonObject(copy)) {
    const reason = isJsonObject(value) ? `must nest less than ${MAX_JSON_DEPTH} deep` : 'must be an object';
    return { fault: line(reason, '/view') };
  }
  const [fault] = new Walk(type).check(viewRule(type), copy, '/view');
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

const ofType =
  (type: ViewType): Rule =>
  (value, at, walk) => {
    if (value === type) return;
    const got = typeof value === 'string' ? value.slice(0, 50) : typeof value;
    const reason = typeof value === 'string' ? `unsupported type: ${got}` : 'must be a string';
    walk.fault(reason, at, { type: 'enum', expected: [type], got });
  };

/** A modal with an input has a button to submit it. */
const submits = fields({}, (view, at, walk) => {
  const blocks = Array.isArray(view['blocks']) ? (view['blocks'] as unknown[]) : [];
  const hasInput = blocks.some((block) => isJsonObject(block) && block['type'] === 'input');
  if (hasInput && !isPresent(view['submit'])) walk.missing('submit', at);
});

const label = plain(MAX_LABEL);
const id = str(MAX_ID, 0);
const last = {
  close: label,
  private_metadata: str(MAX_METADATA, 0),
  callback_id: id,
  external_id: id,
  clear_on_close: flag,
  notify_on_close: flag,
  submit_disabled: flag,
};
const blocks = required(blockList(1, MAX_VIEW_BLOCKS));
const RULES: Readonly<Record<ViewType, readonly Rule[]>> = {
  modal: [
    fields({ type: required(ofType('modal')), title: required(label), blocks, submit: label }),
    submits,
    fields(last),
  ],
  home: [fields({ type: required(ofType('home')), blocks }), fields(last)],
};

/** What a view of this type is made of. */
export const viewRule =
  (type: ViewType): Rule =>
  (value, at, walk) => {
    for (const rule of RULES[type]) rule(value, at, walk);
  };

const textOf = (view: Json, field: string): string => (view[field] as string | null | undefined) ?? '';

/** As clients show it: `emoji` is on unless it was switched off. */
function labelOf(view: Json, field: string): Json | null {
  const label = view[field] as Json | null | undefined;
  if (!label) return null;
  return { type: 'plain_text', text: label['text'], emoji: label['emoji'] !== false };
}
