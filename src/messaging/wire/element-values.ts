import { isJsonObject, isLongerThan } from './text.js';

type Json = Record<string, unknown>;

/** The value of a Block Kit element after input. */
interface ElementKind {
  /** The field of `state` entries and of actions. */
  readonly field: string;
  /** The element's field with its initial value. */
  readonly initial: string;
  readonly holds: 'text' | 'option' | 'options' | 'id' | 'ids' | 'number' | 'json' | 'list';
}

const TEXT: ElementKind = { field: 'value', initial: 'initial_value', holds: 'text' };
const OPTION: ElementKind = { field: 'selected_option', initial: 'initial_option', holds: 'option' };
const OPTIONS: ElementKind = { field: 'selected_options', initial: 'initial_options', holds: 'options' };

const KINDS = new Map<string, ElementKind>(
  Object.entries({
    plain_text_input: TEXT,
    email_text_input: TEXT,
    url_text_input: TEXT,
    number_input: TEXT,
    static_select: OPTION,
    external_select: OPTION,
    radio_buttons: OPTION,
    multi_static_select: OPTIONS,
    multi_external_select: OPTIONS,
    checkboxes: OPTIONS,
    users_select: { field: 'selected_user', initial: 'initial_user', holds: 'id' },
    multi_users_select: { field: 'selected_users', initial: 'initial_users', holds: 'ids' },
    channels_select: { field: 'selected_channel', initial: 'initial_channel', holds: 'id' },
    multi_channels_select: { field: 'selected_channels', initial: 'initial_channels', holds: 'ids' },
    conversations_select: { field: 'selected_conversation', initial: 'initial_conversation', holds: 'id' },
    multi_conversations_select: { field: 'selected_conversations', initial: 'initial_conversations', holds: 'ids' },
    datepicker: { field: 'selected_date', initial: 'initial_date', holds: 'id' },
    timepicker: { field: 'selected_time', initial: 'initial_time', holds: 'id' },
    datetimepicker: { field: 'selected_date_time', initial: 'initial_date_time', holds: 'number' },
    rich_text_input: { field: 'rich_text_value', initial: 'initial_value', holds: 'json' },
    file_input: { field: 'files', initial: '', holds: 'list' },
  } satisfies Record<string, ElementKind>),
);

/** Only in actions, never in `state`. */
const OVERFLOW: ElementKind = { ...OPTION, initial: '' };

const kindOf = (element: Json): ElementKind | undefined => KINDS.get(String(element['type']));

/** Every `selected_…` of the table above, and the rest that says what was chosen. */
export const CHOICE_FIELDS: readonly string[] = [
  ...new Set([...KINDS.values()].map((kind) => kind.field).filter((field) => field !== 'value')),
];

/** Whether the element has an entry in `state`. */
export const holdsValue = (element: Json): boolean => kindOf(element) !== undefined;

const isMany = (kind: ElementKind): boolean =>
  kind.holds === 'options' || kind.holds === 'ids' || kind.holds === 'list';

/** The entry of an element nobody touched: its initial value, else nothing. */
export function initialEntry(element: Json): Json {
  const kind = kindOf(element) as ElementKind;
  const initial = kind.initial === '' ? undefined : element[kind.initial];
  return { type: element['type'], [kind.field]: initial ?? (isMany(kind) ? [] : null) };
}

/** Whether an entry is empty, which a required input may not be. */
export function isEmptyEntry(entry: Json): boolean {
  const kind = KINDS.get(String(entry['type'])) as ElementKind;
  const value = entry[kind.field];
  if (value === null || value === undefined) return true;
  if (typeof value === 'string') return value.trim() === '';
  return Array.isArray(value) && value.length === 0;
}

/** A value that an element cannot hold. */
export const INVALID_CHOICE = Symbol('unfit');

/**
 * The `state` entry for what was sent: an entry, or a bare value (text, an option's `value`, an id, a date; a list for
 * what takes several; null for nothing). {@link INVALID_CHOICE} for an option that is not there and for text that is too long.
 */
export function readEntry(element: Json, sent: unknown): Json | typeof INVALID_CHOICE {
  const kind = kindOf(element);
  if (!kind) return INVALID_CHOICE;
  const isEntry = isJsonObject(sent) && kind.field in sent;
  const value = readValue(kind, element, isEntry ? sent[kind.field] : sent);
  return value === INVALID_CHOICE ? INVALID_CHOICE : { type: element['type'], [kind.field]: value };
}

/**
 * What was chosen on an element by an action: its `selected_…` field, or `value` as the option's value. An empty object
 * for a button, {@link INVALID_CHOICE} for an option that is not there and for nothing where something has to be selected.
 */
export function readChoice(element: Json, action: Json): Json | typeof INVALID_CHOICE {
  const kind = element['type'] === 'overflow' ? OVERFLOW : kindOf(element);
  if (!kind) return {};
  const sent = action[kind.field] ?? action['value'];
  const value = readValue(kind, element, sent);
  const isSelect = kind.holds === 'option' || /_select$/.test(String(element['type']));
  if (value === INVALID_CHOICE || (isSelect && value === null)) return INVALID_CHOICE;
  return { [kind.field]: value };
}

function readValue(kind: ElementKind, element: Json, sent: unknown): unknown {
  if (sent === undefined || sent === null || sent === '') return isMany(kind) ? [] : null;
  switch (kind.holds) {
    case 'text':
      return readText(element, sent);
    case 'option':
      return readOption(element, sent);
    case 'options':
      return readAll(sent, (one) => readOption(element, one));
    case 'ids':
      return readAll(sent, readId);
    case 'id':
      return readId(sent);
    case 'number': {
      const number = Number(sent);
      return Number.isInteger(number) ? number : INVALID_CHOICE;
    }
    case 'json':
      return isJsonObject(sent) ? sent : INVALID_CHOICE;
    case 'list':
      return Array.isArray(sent) ? sent : INVALID_CHOICE;
  }
}

function readText(element: Json, sent: unknown): unknown {
  if (typeof sent !== 'string' && typeof sent !== 'number') return INVALID_CHOICE;
  const text = String(sent);
  const { max_length: max } = element;
  return typeof max === 'number' && isLongerThan(text, max) ? INVALID_CHOICE : text;
}

const readId = (sent: unknown): unknown => (typeof sent === 'string' ? sent : INVALID_CHOICE);

function readAll(sent: unknown, read: (one: unknown) => unknown): unknown {
  const values = (Array.isArray(sent) ? sent : [sent]).map(read);
  return values.includes(INVALID_CHOICE) ? INVALID_CHOICE : values;
}

/** By its `value`, out of the element's own; where it has none (they come from elsewhere) as it was sent. */
function readOption(element: Json, sent: unknown): unknown {
  const value = isJsonObject(sent) ? sent['value'] : sent;
  if (typeof value !== 'string' && typeof value !== 'number') return INVALID_CHOICE;
  const isElsewhere = /external_select$/.test(String(element['type']));
  if (isElsewhere || (element['options'] === undefined && element['option_groups'] === undefined)) {
    if (isJsonObject(sent)) return sent;
    return { text: { type: 'plain_text', text: String(value), emoji: true }, value: String(value) };
  }
  return optionsOf(element).find((option) => option['value'] === String(value)) ?? INVALID_CHOICE;
}

const objects = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isJsonObject) : []);

const optionsOf = (element: Json): Json[] => [
  ...objects(element['options']),
  ...objects(element['option_groups']).flatMap((group) => objects(group['options'])),
];
