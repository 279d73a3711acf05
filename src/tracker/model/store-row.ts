import { getMetadataArgsStorage } from 'typeorm';
import type { Tx } from '../../kernel/database/db.js';
import { columnsOf, storedColumns } from './rows.js';

type RowClass<R> = abstract new () => R;

const tableOf = (row: RowClass<object>): string => {
  const table = getMetadataArgsStorage().tables.find(({ target }) => target === row)?.name;
  if (table === undefined) throw new Error(`${row.name} is no row class`);
  return table;
};

interface Assignment {
  column: string;
  cast: string;
  value: unknown;
}

function assignments<R extends object>(row: RowClass<R>, values: Partial<R>): Assignment[] {
  const known = storedColumns(row as RowClass<object>);
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
     ON CONFLICT DO NOTHING RETURNING ${columnsOf(row as RowClass<object>, 'r')}`,
    given.map(({ value }) => value),
  );
  return inserted;
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
     WHERE r.id = $1::uuid RETURNING ${columnsOf(row as RowClass<object>, 'r')}`,
    [id, ...given.map(({ value }) => value)],
  );
  return updated;
}

/** The properties of `change` that differ from the row's; none when nothing changes (tracker.md b, `updatedAt`). */
export function differences<R extends object>(row: R, change: Partial<R>): Partial<R> {
  const differs = ([name, value]: [string, unknown]): boolean =>
    value !== undefined && JSON.stringify(value) !== JSON.stringify((row as Record<string, unknown>)[name]);
  return Object.fromEntries(Object.entries(change).filter(differs)) as Partial<R>;
}
