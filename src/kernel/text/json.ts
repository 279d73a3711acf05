import { RestError } from '../http/http-error.js';
import { cleanJson, MAX_JSON_DEPTH } from './clean.js';

/** Shorter texts are parsed as they are: even if all brackets, they take the parser a few milliseconds at most. */
const LONG_JSON = 50_000;

/** The most names that the objects of a long text may have together. */
const MAX_NAMES = 20_000;
/** So many in documents, whose own checks name the field that has too many. */
const MAX_NAMES_OF_DOCUMENT = 5 * MAX_NAMES;

/** The text is JSON, of more names than that. */
export class TooManyNames extends SyntaxError {}

/**
 * `JSON.parse`, but a long text that nests deeper than any stored value may, or has too many names, is refused by a cheap
 * scan first: the parser needs half a second for two megabytes of brackets, and a fifth for as many of names.
 * @throws SyntaxError
 */
export function parseJson(text: string, maxNames = MAX_NAMES): unknown {
  if (text.length > LONG_JSON) scan(text, maxNames);
  return JSON.parse(text);
}

/** @throws SyntaxError */
function scan(text: string, maxNames: number): void {
  let [depth, names, inString] = [0, 0, false];
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (inString) {
      if (char === 0x5c /* \ */) i++;
      else if (char === 0x22 /* " */) inString = false;
    } else if (char === 0x22) {
      inString = true;
    } else if (char === 0x5b /* [ */ || char === 0x7b /* { */) {
      if (++depth > 10 * MAX_JSON_DEPTH) throw new SyntaxError('nests too deep');
    } else if (char === 0x5d /* ] */ || char === 0x7d /* } */) {
      depth--;
    } else if (char === 0x3a /* : */) {
      if (++names > maxNames) throw new TooManyNames('has too many names');
    }
  }
}

/**
 * A JSON object without characters that cannot be stored, and without prototypes: `__proto__` is a key like others.
 * @throws RestError 400 invalid_json
 */
export function readJsonObject(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = cleanJson(parseJson(text, MAX_NAMES_OF_DOCUMENT));
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
