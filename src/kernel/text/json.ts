import { RestError } from '../http/http-error.js';
import { cleanJson } from './clean.js';

/** `__proto__` would change the object when copied; it is dropped like any unknown key. */
const withoutPrototypes = (key: string, value: unknown): unknown => (key === '__proto__' ? undefined : value);

/**
 * A JSON object without characters that cannot be stored.
 * @throws RestError 400 invalid_json
 */
export function readJsonObject(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = cleanJson(JSON.parse(text, /__proto__|\\u005f/i.test(text) ? withoutPrototypes : undefined));
  } catch {
    throw new RestError(400, 'invalid_json');
  }
  return requireObject(value);
}

/** @throws RestError 400 invalid_json */
export function requireObject(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new RestError(400, 'invalid_json');
  return value as Record<string, unknown>;
}
