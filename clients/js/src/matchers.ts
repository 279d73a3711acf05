import { types } from 'node:util';
import type { Where } from './types.js';

/**
 * Converts a value for the server's matchers: a regular expression becomes `$matches` in RE2's syntax, which the server
 * evaluates in linear time; everything else is kept. Works at any depth.
 * @throws TypeError for a regular expression that has no equivalent in RE2
 */
export function toMatcher(value: unknown): unknown {
  // checked by tag, not instanceof: Jest runs tests in a realm with its own RegExp and Date
  if (types.isRegExp(value)) return { $matches: toRe2(value) };
  if (Array.isArray(value)) return value.map(toMatcher);
  if (typeof value !== 'object' || value === null || types.isDate(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, toMatcher(each)]));
}

/** The same for an optional object of fields. */
export const toWhere = (where: Where | undefined): Where | undefined => where && (toMatcher(where) as Where);

const KEPT = 'ims';
const DROPPED = 'u';

function toRe2({ source, flags }: RegExp): string {
  for (const flag of flags) {
    if (!KEPT.includes(flag) && !DROPPED.includes(flag)) {
      throw new TypeError(`/${source}/${flags}: the flag ${flag} has no meaning in a matcher; take it away`);
    }
  }
  if (/\(\?<?[=!]/.test(source)) {
    throw new TypeError(`/${source}/: look-ahead and look-behind are not supported: the server matches in linear time`);
  }
  if (/(?<!\\)(?:\\\\)*\\(?:[1-9]|k<)/.test(source)) {
    throw new TypeError(`/${source}/: a reference to a group is not supported: the server matches in linear time`);
  }
  // JavaScript's escaped slash, named groups and code points in RE2's syntax
  const written = source
    .replaceAll('\\/', '/')
    .replaceAll('(?<', '(?P<')
    .replace(/\\u\{([0-9a-fA-F]+)\}|\\u([0-9a-fA-F]{4})/g, (_, long: string, short: string) => `\\x{${long ?? short}}`);
  const kept = [...flags].filter((flag) => KEPT.includes(flag)).join('');
  return kept === '' ? written : `(?${kept})${written}`;
}
