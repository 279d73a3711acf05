import { BadRequestException } from '@nestjs/common';
import { isJsonObject } from '../model/text.js';
import { parseJson } from '../rpc/args/coerce.js';

type Json = Record<string, unknown>;

/** What of an action says what was chosen; the rest is looked up in the message. */
const CHOSEN = [
  'selected_option',
  'selected_options',
  'selected_user',
  'selected_users',
  'selected_channel',
  'selected_conversation',
  'selected_date',
  'selected_time',
  'selected_date_time',
] as const;

/** A user's click on a message of an app (messaging.md E.8). */
export interface Click {
  readonly channel: string;
  readonly messageTs: string;
  readonly actionId: string;
  readonly blockId: string | undefined;
  readonly value: unknown;
  /** `selected_…`, as sent. */
  readonly chosen: Json;
  readonly state: Json;
}

/** Reads the body of a click: JSON, or form fields with the same JSON in `payload`. @throws BadRequestException */
export function readClick(body: Json): Click {
  const sent = typeof body['payload'] === 'string' ? parsed(body['payload']) : body;
  const faults: string[] = [];
  const type = sent['type'];
  if (type !== undefined && type !== null && type !== 'block_actions') faults.push('type must be block_actions');

  const { channel: named } = sent;
  const channel = isJsonObject(named) ? named['id'] : named;
  if (typeof channel !== 'string' || channel === '') faults.push('channel must be an id, or an object with an id');

  const messageTs = tsOf(sent);
  if (messageTs === undefined) faults.push('message_ts must be the timestamp of a message');

  const { actions, state } = sent;
  const action: unknown = Array.isArray(actions) && actions.length === 1 ? actions[0] : undefined;
  if (!isJsonObject(action)) faults.push('actions must be an array of exactly one object');
  else {
    if (typeof action['action_id'] !== 'string') faults.push('actions.0.action_id must be a string');
    const { block_id: blockId } = action;
    if (blockId !== undefined && blockId !== null && typeof blockId !== 'string')
      faults.push('actions.0.block_id must be a string');
  }
  if (state !== undefined && state !== null && !isJsonObject(state)) faults.push('state must be an object');
  if (faults.length > 0) throw new BadRequestException(faults);

  const chosenBy = action as Json;
  return {
    channel: channel as string,
    messageTs: messageTs as string,
    actionId: chosenBy['action_id'] as string,
    blockId: (chosenBy['block_id'] as string | null | undefined) ?? undefined,
    value: chosenBy['value'],
    chosen: Object.fromEntries(CHOSEN.filter((key) => chosenBy[key] !== undefined).map((key) => [key, chosenBy[key]])),
    state: (state as Json | null | undefined) ?? { values: {} },
  };
}

function parsed(payload: string): Json {
  let value: unknown;
  try {
    value = parseJson(payload);
  } catch {
    value = undefined;
  }
  if (!isJsonObject(value)) throw new BadRequestException(['payload must be a JSON object']);
  return value;
}

function tsOf(sent: Json): string | undefined {
  const message = isJsonObject(sent['message']) ? sent['message']['ts'] : undefined;
  const container = isJsonObject(sent['container']) ? sent['container']['message_ts'] : undefined;
  const ts = sent['message_ts'] ?? message ?? container;
  return typeof ts === 'string' || typeof ts === 'number' ? String(ts) : undefined;
}

/** The element that was clicked, and the block it is in. */
export interface Clicked {
  readonly element: Json;
  readonly blockId: string;
}

/** Looks an element up in a message's blocks, those of its attachments included; undefined when it has none such. */
export function findElement(message: Json, actionId: string, blockId: string | undefined): Clicked | undefined {
  const attachments = objects(message['attachments']).flatMap((attachment) => objects(attachment['blocks']));
  for (const block of [...objects(message['blocks']), ...attachments]) {
    if (blockId !== undefined && block['block_id'] !== blockId) continue;
    const elements = [...objects(block['elements']), ...objects([block['accessory'], block['element']])];
    const element = elements.find((one) => one['action_id'] === actionId);
    if (element) return { element, blockId: String(block['block_id'] ?? '') };
  }
  return undefined;
}

const objects = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isJsonObject) : []);
