import { RestError } from '../../kernel/http/http-error.js';
import { actingElements, withChildren } from '../wire/block-kit/blocks.js';
import { CHOICE_FIELDS, holdsValue, readChoice, INVALID_CHOICE } from '../wire/element-values.js';
import { isJsonObject } from '../wire/text.js';

type Json = Record<string, unknown>;

/** What somebody did to an element. */
export interface Action {
  readonly actionId: string;
  readonly blockId: string | undefined;
  readonly value: unknown;
  /** `selected_…`, as sent. */
  readonly chosen: Json;
}

/** The fields of an action as sent; the caller checked what is required. */
export const readAction = (sent: Json): Action => ({
  actionId: sent['action_id'] as string,
  blockId: (sent['block_id'] as string | null | undefined) ?? undefined,
  value: sent['value'] ?? undefined,
  chosen: Object.fromEntries(CHOICE_FIELDS.filter((key) => sent[key] !== undefined).map((key) => [key, sent[key]])),
});

/** The element that was acted on, and the block it is in. */
export interface ActedElement {
  readonly element: Json;
  readonly block: Json;
  readonly blockId: string;
}

/** Looks an element up in blocks, of those that the person may see. @throws RestError 404 action_not_found */
export function findElement(blocks: readonly Json[], { actionId, blockId }: Action, userId: string): ActedElement {
  for (const block of blocks.flatMap(withChildren)) {
    if (blockId !== undefined && block['block_id'] !== blockId) continue;
    const elements = actingElements(block).filter((one) => isVisible(one, userId));
    const element = elements.find((one) => one['action_id'] === actionId);
    if (element) return { element, block, blockId: String(block['block_id'] ?? '') };
  }
  throw new RestError(404, 'action_not_found');
}

const isVisible = ({ visible_to_user_ids: ids }: Json, userId: string): boolean =>
  !Array.isArray(ids) || ids.includes(userId);

/** A message's blocks, those of its attachments included. */
export const blocksOf = (message: Json): Json[] => [
  ...objects(message['blocks']),
  ...objects(message['attachments']).flatMap((attachment) => objects(attachment['blocks'])),
];

/** The entry of `actions`, and what was chosen. @throws RestError 400 invalid_option */
export function toAction(
  action: Action,
  { element, blockId }: ActedElement,
  actionTs: string,
): { wire: object; choice: Json } {
  if (element['type'] === 'feedback_buttons') return { wire: pressed(action, element, blockId, actionTs), choice: {} };
  const choice = readChoice(element, { ...action.chosen, value: action.value });
  if (choice === INVALID_CHOICE) throw new RestError(400, 'invalid_option');
  const isChosen = holdsValue(element) || Object.keys(choice).length > 0;
  const wire = {
    type: element['type'],
    action_id: action.actionId,
    block_id: blockId,
    icon: element['icon'],
    text: element['text'],
    ...(isChosen ? choice : { value: element['value'] ?? action.value, ...action.chosen }),
    action_ts: actionTs,
  };
  return { wire, choice };
}

/** One of the two buttons that ask how an answer was. @throws RestError 400 invalid_option */
function pressed(action: Action, element: Json, blockId: string, actionTs: string): object {
  const button = [element['positive_button'], element['negative_button']]
    .filter(isJsonObject)
    .find(({ value }) => value === action.value);
  if (!button) throw new RestError(400, 'invalid_option');
  const { text, value } = button;
  return { type: element['type'], action_id: action.actionId, block_id: blockId, text, value, action_ts: actionTs };
}

export const objects = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isJsonObject) : []);
