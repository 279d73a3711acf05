import type { Tx } from '../../kernel/database/db.js';
import { columnsOf, type RowClass, storedColumns, tableOf } from '../../kernel/database/columns.js';

interface Assignment {
  column: string;
  cast: string;
  value: unknown;
}

function assignments<R extends object>(row: RowClass<R>, values: Partial<R>): Assignment[] {
  const known = storedColumns(row);
  return Object.entries(values).flatMap(([name, value]) => {
    const stored = known.get(name);
    return stored && value !== undefined ? [{ ...stored, value }] : [];
  });
}

/**
 * Inserts a row of these properties, the others having the columns' defaults; answers it whole. Undefined when a unique
 * key is taken: look which, if more than one could be.
 */
export async function insertRow<R extends object>(
  tx: Tx,
  row: RowClass<R>,
  values: Partial<R>,
): Promise<R | undefined> {
  const given = assignments(row, values);
  const [inserted] = await tx.queryText<R>(
    `INSERT INTO ${tableOf(row)} AS r (${given.map(({ column }) => column).join(', ')})
     VALUES (${given.map(({ cast }, i) => `$${i + 1}::${cast}`).join(', ')})
     ON CONFLICT DO NOTHING RETURNING ${columnsOf(row, 'r')}`,
    given.map(({ value }) => value),
  );
  return inserted;
}

/** Inserts rows of the same properties in one statement. Answers how many there are now; fewer where a unique key is taken. */
export async function insertRows<R extends object>(
  tx: Tx,
  row: RowClass<R>,
  rows: readonly Partial<R>[],
): Promise<number> {
  if (rows.length === 0) return 0;
  const given = assignments(
    row,
    Object.fromEntries(Object.keys(rows[0] as object).map((key) => [key, null])) as Partial<R>,
  );
  const columns = given.map(({ column }) => column).join(', ');
  const properties = new Map([...storedColumns(row)].map(([name, { column }]) => [name, column]));
  const values = rows.map((one) =>
    Object.fromEntries(Object.entries(one).map(([name, value]) => [properties.get(name) ?? name, value])),
  );
  const [inserted] = await tx.queryText<{ count: number }>(
    `WITH added AS (
       INSERT INTO ${tableOf(row)} (${columns})
       SELECT ${columns} FROM jsonb_to_recordset($1::jsonb) AS r (${given.map(({ column, cast }) => `${column} ${cast}`).join(', ')})
       ON CONFLICT DO NOTHING RETURNING 1)
     SELECT count(*)::int AS count FROM added`,
    [JSON.stringify(values)],
  );
  return inserted?.count ?? 0;
}

/** Sets these properties of the row; answers it whole, undefined when there is none. A key that is taken throws 23505. */
export async function updateRow<R extends { id: string }>(
  tx: Tx,
  row: RowClass<R>,
  id: string,
  change: Partial<R>,
): Promise<R | undefined> {
  const given = assignments(row, change);
  const [updated] = await tx.queryText<R>(
    `UPDATE ${tableOf(row)} AS r SET ${given.map(({ column, cast }, i) => `${column} = $${i + 2}::${cast}`).join(', ')}
     WHERE r.id = $1::uuid RETURNING ${columnsOf(row, 'r')}`,
    [id, ...given.map(({ value }) => value)],
  );
  return updated;
}

/**
 * The properties of `change` that differ from the row's; none when nothing changes
 * (docs/reference/tracker.md#entities, `updatedAt`).
 */
export function differences<R extends object>(row: R, change: Partial<R>): Partial<R> {
  const differs = ([name, value]: [string, unknown]): boolean =>
    value !== undefined && JSON.stringify(value) !== JSON.stringify((row as Record<string, unknown>)[name]);
  return Object.fromEntries(Object.entries(change).filter(differs)) as Partial<R>;
}
