import { createHash } from 'node:crypto';
import { seenId, storedId } from '../../kernel/clock/request-sandbox.js';
import type { Ordering } from './order.js';
import type { OrderKey } from '../store/sort-keys.js';
import type { QueryScope } from '../store/query-scope.js';
import { isUuid } from '../values/uuid.js';

/** A position in an ordering: its values for a row, in order and without the id, and the row's id. */
export interface Position {
  values: (string | number | null)[];
  id: string;
}

/** What a cursor says: the position, or only an id when it was made under another ordering. */
export type ReadCursor = Position | { id: string; values?: undefined };

const CASTS: Record<OrderKey['kind'], string> = {
  moment: 'timestamptz',
  day: 'date',
  number: 'float8',
  text: 'text',
  id: 'uuid',
};

/**
 * Names an ordering in a cursor; the default one needs no name, which leaves cursors in the form of
 * docs/reference/tracker.md#connections.
 */
function mark(ordering: Ordering): string | undefined {
  return ordering.name === '' ? undefined : createHash('sha1').update(ordering.name).digest('base64url').slice(0, 8);
}

/** Writes the cursors of one page. */
export function cursorWriter(ordering: Ordering): (row: object) => string {
  // most pages are read without their cursors
  let o: string | undefined;
  let isMarked = false;
  return (row) => {
    if (!isMarked) o = mark(ordering);
    isMarked = true;
    const { values, id } = positionOf(ordering, row as Record<string, unknown>);
    const text = JSON.stringify({ k: values, id, ...(o === undefined ? {} : { o }) });
    return Buffer.from(seenId(text)).toString('base64url');
  };
}

/** The position of a row; its ordering values were selected with it (`selectedValues`). */
export function positionOf(ordering: Ordering, row: Record<string, unknown>): Position {
  const values = ordering.keys.slice(0, -1).map((key, i) => {
    const value = row[key.property ?? `~${i}`] as Date | string | number | null;
    return value instanceof Date ? value.toISOString() : value;
  });
  return { values, id: row.id as string };
}

/** The ordering values that the row itself does not hold, as columns `~0`, `~1`, … */
export function selectedValues(ordering: Ordering): string {
  return ordering.keys
    .map((key, i) => (key.property ? '' : `, ${key.kind === 'day' ? `${key.sql}::text` : key.sql} AS "~${i}"`))
    .join('');
}

/** Undefined for what is no cursor of ours. The text is the caller's: each value is checked before it is used. */
export function readCursor(text: string, ordering: Ordering): ReadCursor | undefined {
  let cursor: { k?: unknown; id?: unknown; o?: unknown } | null;
  try {
    cursor = JSON.parse(storedId(Buffer.from(text, 'base64url').toString('utf8'))) as typeof cursor;
  } catch {
    return undefined;
  }
  if (!Array.isArray(cursor?.k) || !isUuid(cursor.id)) return undefined;
  if (cursor.o !== mark(ordering)) return { id: cursor.id };
  const values: Position['values'] = [];
  for (const [i, key] of ordering.keys.slice(0, -1).entries()) {
    const value: unknown = cursor.k[i];
    if (!fits(value, key)) return undefined;
    values.push(value);
  }
  return cursor.k.length === values.length ? { values, id: cursor.id } : undefined;
}

function fits(value: unknown, key: OrderKey): value is string | number | null {
  if (value === null) return key.nulls !== undefined;
  switch (key.kind) {
    case 'number':
      return typeof value === 'number' && Number.isFinite(value);
    case 'moment':
      return (
        typeof value === 'string' && /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/.test(value) && !Number.isNaN(Date.parse(value))
      );
    case 'day':
      return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value));
    default:
      return typeof value === 'string' && !value.includes('\0');
  }
}

/** `ORDER BY` of an ordering, or of its reverse. */
export function orderBy(ordering: Ordering, reversed: boolean): string {
  return ordering.keys
    .map((key) => {
      const nulls = key.nulls && ` NULLS ${(key.nulls === 'first') === reversed ? 'LAST' : 'FIRST'}`;
      return `${key.sql}${key.descending === reversed ? '' : ' DESC'}${nulls ?? ''}`;
    })
    .join(', ');
}

/** The condition "after (before) this position", `orThere` including the position itself. */
export function beyond(
  ordering: Ordering,
  position: Position,
  side: 'after' | 'before',
  scope: QueryScope,
  orThere = false,
): string {
  const { keys } = ordering;
  const at = [...position.values, position.id].map((value, i) =>
    value === null ? null : scope.param(value, CASTS[(keys[i] as OrderKey).kind]),
  );
  const isUp = (key: OrderKey): boolean => key.descending === (side === 'before');
  const last = keys.at(-1) as OrderKey;
  const operator = (key: OrderKey): string => (isUp(key) ? '>' : '<');
  // one comparison of rows, which an index can answer
  if (keys.every((key) => key.nulls === undefined && key.descending === last.descending)) {
    return `(${keys.map((key) => key.sql).join(', ')}) ${operator(last)}${orThere ? '=' : ''} (${at.join(', ')})`;
  }
  let condition = `${last.sql} ${operator(last)}${orThere ? '=' : ''} ${at.at(-1)}`;
  for (let i = keys.length - 2; i >= 0; i--) {
    const key = keys[i] as OrderKey;
    const nullsBeyond = key.nulls !== undefined && (key.nulls === 'last') === (side === 'after');
    if (at[i] === null) {
      condition = nullsBeyond ? `(${key.sql} IS NULL AND ${condition})` : `(${key.sql} IS NOT NULL OR ${condition})`;
    } else {
      const far = `${key.sql} ${operator(key)} ${at[i]}${nullsBeyond ? ` OR ${key.sql} IS NULL` : ''}`;
      condition = `(${far} OR (${key.sql} = ${at[i]} AND ${condition}))`;
    }
  }
  return condition;
}
