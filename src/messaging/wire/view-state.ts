import { actingElements, withChildren } from './block-kit/blocks.js';
import { holdsValue, initialEntry, isEmptyEntry, readEntry, INVALID_CHOICE } from './element-values.js';
import { isJsonObject } from './text.js';

type Json = Record<string, unknown>;

/** What a person entered: `state` entries by block and action. */
export type EnteredValues = Readonly<Record<string, Readonly<Record<string, Json>>>>;

/** An element of a view that holds a value, and where it stands. */
interface StatefulElement {
  readonly blockId: string;
  readonly actionId: string;
  readonly element: Json;
  readonly block: Json;
}

type Entries = Record<string, Record<string, Json>>;

/** Ids are anybody's text, `__proto__` too: without prototype, and read as own members only. */
const noEntries = (): Entries => Object.create(null) as Entries;

function put(entries: Entries, { blockId, actionId }: { blockId: string; actionId: string }, entry: Json): void {
  (entries[blockId] ??= Object.create(null) as Record<string, Json>)[actionId] = entry;
}

function entryOf(
  entered: EnteredValues,
  { blockId, actionId }: { blockId: string; actionId: string },
): Json | undefined {
  const ofBlock = Object.hasOwn(entered, blockId) ? entered[blockId] : undefined;
  return ofBlock && Object.hasOwn(ofBlock, actionId) ? ofBlock[actionId] : undefined;
}

/** The elements of a block that hold values: an input's, those of an actions block, an accessory. */
const valuesOf = (block: Json): Json[] => actingElements(block).filter(holdsValue);

const statefulElementsOf = (blocks: readonly Json[]): StatefulElement[] =>
  blocks.flatMap(withChildren).flatMap((block) =>
    valuesOf(block).map((element) => ({
      blockId: String(block['block_id']),
      actionId: String(element['action_id']),
      element,
      block,
    })),
  );

/** `state.values` of a view: every element that holds a value, untouched ones with their initial value or nothing. */
export function stateOf(blocks: readonly Json[], entered: EnteredValues): EnteredValues {
  const values = noEntries();
  for (const stateful of statefulElementsOf(blocks))
    put(values, stateful, entryOf(entered, stateful) ?? initialEntry(stateful.element));
  return values;
}

/** Input that is kept when a view changes: that of elements with the same block, action and type. */
export function keptOf(blocks: readonly Json[], entered: EnteredValues): EnteredValues {
  const kept = noEntries();
  for (const stateful of statefulElementsOf(blocks)) {
    const entry = entryOf(entered, stateful);
    if (entry && entry['type'] === stateful.element['type']) put(kept, stateful, entry);
  }
  return kept;
}

/** One value that was entered, with its stateful. */
export interface EnteredValue {
  readonly blockId: string;
  readonly actionId: string;
  readonly element: Json;
  readonly entry: Json;
  /** An `input` block that wants to hear of each change. */
  readonly isDispatched: boolean;
}

/** The path of a value that does not fit. */
export class InvalidValues {
  constructor(readonly path: string) {}
}

/**
 * Parses `values` as tests write them: by block and action, or by action alone if its id is unique in the view; each a
 * bare value or a `state` entry.
 */
export function readValues(blocks: readonly Json[], values: Json): EnteredValue[] | InvalidValues {
  const elements = statefulElementsOf(blocks);
  const read: EnteredValue[] = [];
  for (const [key, sent] of Object.entries(values)) {
    const ofBlock = elements.filter((stateful) => stateful.blockId === key);
    if (isJsonObject(sent) && isByAction(ofBlock, sent)) {
      for (const [actionId, value] of Object.entries(sent)) {
        const stateful = ofBlock.find((one) => one.actionId === actionId);
        const entered = stateful && enter(stateful, value);
        if (!entered) return new InvalidValues(`values.${key}.${actionId}`);
        read.push(entered);
      }
      continue;
    }
    const ofAction = elements.filter((stateful) => stateful.actionId === key);
    const entered = ofAction.length === 1 && ofAction[0] ? enter(ofAction[0], sent) : undefined;
    if (!entered) {
      const isDeeper = ofAction.length === 0 && ofBlock.length > 0 && isJsonObject(sent);
      const strange = isDeeper
        ? Object.keys(sent).find((id) => !ofBlock.some((one) => one.actionId === id))
        : undefined;
      return new InvalidValues(strange === undefined ? `values.${key}` : `values.${key}.${strange}`);
    }
    read.push(entered);
  }
  return read;
}

const isByAction = (ofBlock: readonly StatefulElement[], sent: Json): boolean =>
  ofBlock.length > 0 && Object.keys(sent).every((id) => ofBlock.some((stateful) => stateful.actionId === id));

function enter(stateful: StatefulElement, sent: unknown): EnteredValue | undefined {
  const entry = readEntry(stateful.element, sent);
  if (entry === INVALID_CHOICE) return undefined;
  const { blockId, actionId, element, block } = stateful;
  return {
    blockId,
    actionId,
    element,
    entry,
    isDispatched: block['type'] === 'input' && block['dispatch_action'] === true,
  };
}

/** The earlier input merged with the new one. */
export function withEntered(entered: EnteredValues, values: readonly EnteredValue[]): EnteredValues {
  const next = noEntries();
  for (const [blockId, entries] of Object.entries(entered)) {
    for (const [actionId, entry] of Object.entries(entries)) put(next, { blockId, actionId }, entry);
  }
  for (const value of values) put(next, value, value.entry);
  return next;
}

/** Ids of required `input` blocks that are empty. */
export const emptyInputs = (blocks: readonly Json[], entered: EnteredValues): string[] =>
  statefulElementsOf(blocks)
    .filter(({ block }) => block['type'] === 'input' && block['optional'] !== true)
    .filter((stateful) => isEmptyEntry(entryOf(entered, stateful) ?? initialEntry(stateful.element)))
    .map(({ blockId }) => blockId);
