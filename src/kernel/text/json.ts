import { RestError } from '../http/http-error.js';
import { cleanJson, MAX_JSON_DEPTH } from './clean.js';

/** Shorter texts are parsed as they are: even if all brackets, they take the parser a few milliseconds at most. */
const LONG_JSON = 50_000;

/**
 * `JSON.parse`, but a long text that nests deeper than any stored value may is refused by a cheap scan first: the parser
 * needs half a second for two megabytes of brackets. Throws SyntaxError.
 */
export function parseJson(text: string): unknown {
  if (text.length > LONG_JSON && nestsDeeperThan(text, 10 * MAX_JSON_DEPTH)) throw new SyntaxError('nests too deep');
  return JSON.parse(text);
}

function nestsDeeperThan(text: string, limit: number): boolean {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (inString) {
      if (char === 0x5c /* \ */) i++;
      else if (char === 0x22 /* " */) inString = false;
    } else if (char === 0x22) {
      inString = true;
    } else if (char === 0x5b /* [ */ || char === 0x7b /* { */) {
      if (++depth > limit) return true;
    } else if (char === 0x5d /* ] */ || char === 0x7d /* } */) {
      depth--;
    }
  }
  return false;
}

/**
 * A JSON object without characters that cannot be stored, and without prototypes: `__proto__` is a key like others.
 * @throws RestError 400 invalid_json
 */
export function readJsonObject(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = cleanJson(parseJson(text));
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
