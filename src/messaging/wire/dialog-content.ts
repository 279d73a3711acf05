import { cleanJson, isBlank, isJsonObject, isLongerThan } from './text.js';

type Json = Record<string, unknown>;

const TYPES = ['text', 'textarea', 'select'] as const;
const SOURCES = ['static', 'users', 'channels', 'conversations', 'external'];
const MAX_OPTIONS = 100;

/** One field of a dialog. */
export interface DialogElement extends Json {
  readonly type: (typeof TYPES)[number];
  readonly label: string;
  readonly name: string;
  readonly optional?: boolean;
  readonly value?: string;
  readonly max_length?: number;
  readonly min_length?: number;
  readonly options?: readonly { readonly label: string; readonly value: string }[];
  readonly data_source?: string;
}

/** A dialog as an app gave it; further fields are kept. */
export interface DialogContent extends Json {
  readonly title: string;
  readonly callback_id: string;
  readonly elements: readonly DialogElement[];
  readonly submit_label?: string;
  readonly state?: string;
  readonly notify_on_cancel?: boolean;
}

/** Checks a dialog: a clean copy, or a line for each fault (docs/reference/chat.md#dialogs). */
export function checkDialog(value: Json): { dialog: DialogContent } | { messages: string[] } {
  const copy = cleanJson(value) as Json | undefined;
  if (!copy) return { messages: ['[ERROR] nests too deep [json-pointer:/]'] };
  const faults: string[] = [];
  const fault = (pointer: string, what: string): void => void faults.push(`[ERROR] ${what} [json-pointer:${pointer}]`);
  text(copy, 'title', '', 24, true, fault);
  text(copy, 'callback_id', '', 255, true, fault);
  text(copy, 'state', '', 3000, false, fault);
  text(copy, 'submit_label', '', 48, false, fault);
  const { elements } = copy;
  if (!Array.isArray(elements)) fault('/elements', 'missing required field: elements');
  else if (elements.length < 1 || elements.length > 10) fault('/elements', 'must have 1 to 10 elements');
  else elements.forEach((element: unknown, i) => checkElement(element, `/elements/${i}`, fault));
  return faults.length > 0 ? { messages: faults } : { dialog: copy as DialogContent };
}

type Report = (pointer: string, what: string) => void;

function checkElement(element: unknown, at: string, fault: Report): void {
  if (!isJsonObject(element)) return fault(at, 'must be an object');
  text(element, 'label', at, 48, true, fault);
  text(element, 'name', at, 300, true, fault);
  const { type, optional, max_length: longest } = element;
  if (!TYPES.includes(type as (typeof TYPES)[number])) {
    return fault(`${at}/type`, `must be one of ${TYPES.join(', ')}`);
  }
  if (optional !== undefined && optional !== null && typeof optional !== 'boolean') {
    fault(`${at}/optional`, 'must be true or false');
  }
  if (type === 'select') return checkSelect(element, at, fault);
  const most = type === 'text' ? 150 : 3000;
  if (longest !== undefined && longest !== null) {
    const isLength = Number.isInteger(longest) && Number(longest) >= 1 && Number(longest) <= most;
    if (!isLength) fault(`${at}/max_length`, `must be 1 to ${most}`);
  }
  text(element, 'value', at, most, false, fault);
}

function checkSelect(element: Json, at: string, fault: Report): void {
  const { options, option_groups: groups, data_source: source = 'static' } = element;
  if (!SOURCES.includes(String(source))) return fault(`${at}/data_source`, `must be one of ${SOURCES.join(', ')}`);
  if (source !== 'static' || groups !== undefined) return;
  if (!Array.isArray(options) || options.length < 1 || options.length > MAX_OPTIONS) {
    return fault(`${at}/options`, `must have 1 to ${MAX_OPTIONS} options`);
  }
  options.forEach((option: unknown, i) => {
    if (!isJsonObject(option)) return fault(`${at}/options/${i}`, 'must be an object');
    text(option, 'label', `${at}/options/${i}`, 75, true, fault);
    text(option, 'value', `${at}/options/${i}`, 75, true, fault);
  });
}

function text(parent: Json, name: string, at: string, max: number, isRequired: boolean, fault: Report): void {
  const value = parent[name];
  if (value === undefined || value === null) {
    if (isRequired) fault(`${at}/${name}`, `missing required field: ${name}`);
  } else if (typeof value !== 'string') fault(`${at}/${name}`, 'must be a string');
  else if (isRequired && isBlank(value)) fault(`${at}/${name}`, 'must not be empty');
  else if (isLongerThan(value, max)) fault(`${at}/${name}`, `must be at most ${max} characters`);
}

/** What is submitted, by the names of the elements. A name without an element, or a value that it cannot have: its error. */
export function submissionOf(
  { elements }: DialogContent,
  entered: Readonly<Json>,
): { submission: Record<string, string | null>; errors: Record<string, string> } {
  const submission: Record<string, string | null> = {};
  const errors: Record<string, string> = {};
  for (const name of Object.keys(entered)) if (!elements.some((one) => one.name === name)) errors[name] = 'unknown';
  for (const element of elements) {
    const value = Object.hasOwn(entered, element.name) ? entered[element.name] : (element.value ?? null);
    const error = faultOf(element, value);
    if (error === undefined) submission[element.name] = value === '' ? null : (value as string | null);
    else errors[element.name] = error;
  }
  return { submission, errors };
}

function faultOf(element: DialogElement, value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return element.optional ? undefined : 'required';
  if (typeof value !== 'string') return 'must be a string';
  if (element.type !== 'select') {
    return isLongerThan(value, element.max_length ?? (element.type === 'text' ? 150 : 3000)) ? 'too long' : undefined;
  }
  const isStatic = element.data_source === undefined || element.data_source === 'static';
  return !isStatic || !element.options || element.options.some((one) => one.value === value)
    ? undefined
    : 'no such option';
}
