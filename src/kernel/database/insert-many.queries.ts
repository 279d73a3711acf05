import { textArray } from './array-parameters.js';
import { type RowClass, storedColumns, tableOf } from './columns.js';
import type { Tx } from './db.js';
import { StatementShapes } from './statement.js';

/** One for a table and which of its columns differ between the rows. */
const shapes = new StatementShapes('insert_many');

/* By hand: one parameter for thousands of rows, where the entity manager has one for each value. */

/**
 * Inserts rows of the same properties in one statement, for seeds of thousands of them: TypeORM's has a parameter for each
 * value, of which PostgreSQL takes 65,535 (some 2,000 issues); this one has a list for each column, or one value where all rows
 * have the same. Answers how many there are now; fewer where a unique key is taken.
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
    // the first is a key: there is a list for it at least, which says how many rows there are
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

/** A value as the store reads it from a text. */
function asText(value: unknown, cast: string): string | null {
  if (value === null || value === undefined) return null;
  if (cast.startsWith('json')) return JSON.stringify(value);
  if (typeof value === 'string') return value;
  if (value instanceof Date) return value.toISOString();
  if (cast.endsWith('[]')) return `{${(value as unknown[]).map((item) => `"${escaped(String(item))}"`).join(',')}}`;
  return JSON.stringify(value);
}

const escaped = (item: string): string => item.replaceAll(/["\\]/g, String.raw`\$&`);
