import { BadRequestException } from '@nestjs/common';
import { parseJson } from '../../kernel/text/json.js';
import { TextFields } from '../rest/text-fields.js';
import { isJsonObject } from '../wire/text.js';
import { readAction, type Action } from './actions.js';
import type { MessageAddress } from './message-actions.service.js';
import { INTERACTION_TYPES } from '../wire/interaction-types.js';

type Json = Record<string, unknown>;

type InteractionType = (typeof INTERACTION_TYPES)[number];

/** The body of an interaction, read field by field. */
export class InteractionRequest extends TextFields {
  constructor(
    readonly type: InteractionType,
    sent: Json,
  ) {
    super(sent);
  }

  /** The message that it is about. @throws BadRequestException */
  message(): MessageAddress {
    const { at, faults } = readMessageAddress(this.sent);
    if (faults.length > 0) throw new BadRequestException(faults);
    return at;
  }
}

/** JSON, or form fields with the same JSON in `payload`. @throws BadRequestException */
export function readInteraction(body: Json): InteractionRequest {
  const sent = typeof body['payload'] === 'string' ? parsed(body['payload']) : body;
  const type = sent['type'] ?? 'block_actions';
  if (!INTERACTION_TYPES.includes(type as InteractionType)) {
    throw new BadRequestException([`type must be one of ${INTERACTION_TYPES.join(', ')}`]);
  }
  return new InteractionRequest(type as InteractionType, sent);
}

/** Somebody's action on an element. */
export interface Click {
  readonly at: MessageAddress;
  readonly action: Action;
  readonly state: Json;
}

/** @param isInMessage the address of a message is required @throws BadRequestException naming every fault */
export function readClick({ sent }: InteractionRequest, isInMessage: boolean): Click {
  const { at, faults } = isInMessage
    ? readMessageAddress(sent)
    : { at: { channel: '', messageTs: '' }, faults: [] as string[] };
  const { actions, state } = sent;
  const action: unknown = Array.isArray(actions) && actions.length === 1 ? actions[0] : undefined;
  if (!isJsonObject(action)) faults.push('actions must be an array of exactly one object');
  else faults.push(...actionFaults(action, 'actions.0.'));
  if (state !== undefined && state !== null && !isJsonObject(state)) faults.push('state must be an object');
  if (faults.length > 0) throw new BadRequestException(faults);
  return { at, action: readAction(action as Json), state: (state as Json | null | undefined) ?? { values: {} } };
}

/** What is wrong with the fields that say which element was acted on. */
export function actionFaults(action: Json, prefix: string): string[] {
  const faults: string[] = [];
  if (typeof action['action_id'] !== 'string') faults.push(`${prefix}action_id must be a string`);
  const { block_id: blockId } = action;
  if (blockId !== undefined && blockId !== null && typeof blockId !== 'string') {
    faults.push(`${prefix}block_id must be a string`);
  }
  return faults;
}

function readMessageAddress(sent: Json): { at: MessageAddress; faults: string[] } {
  const faults: string[] = [];
  const { channel: named } = sent;
  const channel = isJsonObject(named) ? named['id'] : named;
  if (typeof channel !== 'string' || channel === '') faults.push('channel must be an id, or an object with an id');
  const messageTs = tsOf(sent);
  if (messageTs === undefined) faults.push('message_ts must be the timestamp of a message');
  return { at: { channel: channel as string, messageTs: messageTs as string }, faults };
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
