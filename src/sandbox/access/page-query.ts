import { cleanText } from '../../kernel/text/clean.js';

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 200;

/**
 * A value of a query; null: absent or empty.
 * @param faults gets a sentence where it stands more than once
 */
export function textOf(query: Readonly<Record<string, unknown>>, key: string, faults: string[]): string | null {
  const value = query[key];
  if (Array.isArray(value)) faults.push(`${key} must stand once`);
  return typeof value === 'string' && value !== '' ? cleanText(value) : null;
}

/**
 * Which page of a list is asked for (docs/reference/control-plane.md#conventions).
 * @param ids what the ids of the list look like
 * @param faults gets a sentence for each fault
 */
export function readPage(
  query: Readonly<Record<string, unknown>>,
  ids: RegExp,
  faults: string[],
): { limit: number; cursor: string | null } {
  const sentLimit = textOf(query, 'limit', faults);
  const isNumber = sentLimit === null || /^[0-9]{1,9}$/.test(sentLimit);
  const limit = sentLimit !== null && isNumber ? Math.min(Number(sentLimit), MAX_LIMIT) : DEFAULT_LIMIT;
  if (!isNumber || limit === 0) faults.push(`limit must be an integer from 1 to ${MAX_LIMIT}`);
  const sentCursor = textOf(query, 'cursor', faults);
  const cursor = sentCursor === null ? null : Buffer.from(sentCursor, 'base64').toString('latin1');
  if (cursor !== null && !ids.test(cursor)) faults.push('cursor must be a next_cursor of this list');
  return { limit, cursor };
}

/** Of one row more than the page has. */
export const nextCursorOf = (next: { readonly id: string } | undefined): string =>
  next ? Buffer.from(next.id).toString('base64') : '';
