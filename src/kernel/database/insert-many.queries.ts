import { textArray } from './array-parameters.js';
import { type RowClass, storedColumns, tableOf } from './columns.js';
import type { Tx } from './db.js';
import { StatementShapes } from './statement.js';

/** One per table and set of columns that differ between the rows. */
const shapes = new StatementShapes('insert_many');

/* Hand-written: one parameter per column for thousands of rows, where the entity manager has one per value. */

/**
 * Inserts rows with the same properties in one statement, for seeds of thousands of rows: TypeORM uses a parameter per
 * value, of which PostgreSQL accepts 65,535 (some 2,000 issues); this uses one array per column, or one value if all
 * rows have the same. Returns how many were inserted; fewer if a unique key is taken.
 */
export async function insertMany<R extends object>(
  tx: Tx,
  row: RowClass<R>,
  rows: readonly Partial<R>[],
): Promise<number> {
  const [first] = rows;
  if (!first) return 0;
  const stored = storedColumns(row);
  const given = Object.keys(first).flatMap((property, i) => {
    const known = stored.get(property);
    if (!known) return [];
    const texts = rows.map((one) => asText(one[property as keyof R], known.cast));
    // the first column is a key, so it is always an array, which gives the number of rows
    return [{ ...known, texts, isShared: i > 0 && texts.every((text) => text === texts[0]) }];
  });
  const shape = [tableOf(row), ...given.map(({ column, isShared }) => `${column}${isShared ? '=' : ''}`)].join(' ');
  const insert = shapes.of(shape, () => {
    const lists = given.flatMap(({ isShared }, i) => (isShared ? [] : [i]));
    return `WITH added AS (
       INSERT INTO ${tableOf(row)} (${given.map(({ column }) => column).join(', ')})
       SELECT ${given.map(({ cast, isShared }, i) => (isShared ? `$${i + 1}::text::${cast}` : `r.c${i}::${cast}`)).join(', ')}
       FROM unnest(${lists.map((i) => `$${i + 1}::text[]`).join(', ')}) AS r (${lists.map((i) => `c${i}`).join(', ')})
       ON CONFLICT DO NOTHING RETURNING 1)
     SELECT count(*)::int AS count FROM added`;
  });
  const [inserted] = await tx.query<{ count: number }>(
    insert,
    given.map(({ texts, isShared }) => (isShared ? texts[0] : textArray(texts))),
  );
  return inserted?.count ?? 0;
}

/** A value in PostgreSQL's text representation. */
function asText(value: unknown, cast: string): string | null {
  if (value === null || value === undefined) return null;
  if (cast.startsWith('json')) return JSON.stringify(value);
  if (typeof value === 'string') return value;
  if (value instanceof Date) return value.toISOString();
  if (cast.endsWith('[]')) return `{${(value as unknown[]).map((item) => `"${escaped(String(item))}"`).join(',')}}`;
  return JSON.stringify(value);
}

const escaped = (item: string): string => item.replaceAll(/["\\]/g, String.raw`\$&`);
