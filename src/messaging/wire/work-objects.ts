import { isJsonObject } from './text.js';

/** Most entities of a message. */
export const MAX_ENTITIES = 10;

/** A work object (docs/reference/chat.md#work-objects): a thing of an app's own, shown as a card. The rest of it is kept as sent. */
export interface WorkObject {
  readonly entity_type: string;
  readonly entity_payload: { readonly attributes: { readonly title: { readonly text: string } } };
  readonly external_ref: { readonly id: string; readonly type?: string };
  readonly url: string;
  readonly app_unfurl_url?: string;
  /** The app that unfurled it, where that is not the message's own. */
  readonly app_id?: string;
}

/** A work object with all that it must have; null: it lacks some of it. */
export function readWorkObject(value: unknown): WorkObject | null {
  if (!isJsonObject(value)) return null;
  const { entity_type: type, entity_payload: payload, external_ref: ref, url, app_unfurl_url: unfurlUrl } = value;
  const attributes = isJsonObject(payload) ? payload['attributes'] : undefined;
  const title = isJsonObject(attributes) ? attributes['title'] : undefined;
  const isWhole =
    isText(type) &&
    isJsonObject(title) &&
    isText(title['text']) &&
    isJsonObject(ref) &&
    isText(ref['id']) &&
    (ref['type'] === undefined || typeof ref['type'] === 'string') &&
    isWebUrl(url) &&
    (unfurlUrl === undefined || isWebUrl(unfurlUrl));
  if (!isWhole) return null;
  // whose it is, is for the server to say
  const { app_id: _, ...sent } = value;
  return sent as unknown as WorkObject;
}

/** The work objects of a message; null: one of them, or their number, is wrong. */
export function readWorkObjects(value: unknown): WorkObject[] | null {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_ENTITIES) return null;
  const entities = value.map(readWorkObject);
  return entities.every((one) => one !== null) ? entities : null;
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

const isWebUrl = (value: unknown): value is string =>
  typeof value === 'string' && /^https?:\/\//i.test(value) && URL.canParse(value);
