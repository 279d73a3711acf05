import { type RowClass, storedColumns, tableOf } from './columns.js';
import type { Tx } from './db.js';

/* By hand: one parameter for thousands of rows, where the entity manager has one for each value. */

/**
 * Inserts rows of the same properties in one statement, for seeds of thousands of them: TypeORM's has a parameter for each
 * value, of which PostgreSQL takes 65,535 (some 2,000 issues); this one has a single parameter. Answers how many there
 * are now; fewer where a unique key is taken.
 */
export async function insertMany<R extends object>(
  tx: Tx,
  row: RowClass<R>,
  rows: readonly Partial<R>[],
): Promise<number> {
  const [first] = rows;
  if (!first) return 0;
  const stored = storedColumns(row);
  const given = Object.keys(first).flatMap((property) => {
    const known = stored.get(property);
    return known ? [{ property, ...known }] : [];
  });
  const [inserted] = await tx.queryText<{ count: number }>(
    `WITH added AS (
       INSERT INTO ${tableOf(row)} (${given.map(({ column }) => column).join(', ')})
       SELECT ${given.map(({ property }) => `r."${property}"`).join(', ')}
       FROM jsonb_to_recordset($1::jsonb) AS r (${given.map(({ property, cast }) => `"${property}" ${cast}`).join(', ')})
       ON CONFLICT DO NOTHING RETURNING 1)
     SELECT count(*)::int AS count FROM added`,
    [JSON.stringify(rows)],
  );
  return inserted?.count ?? 0;
}
