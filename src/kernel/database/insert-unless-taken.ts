import type { QueryDeepPartialEntity } from 'typeorm';
import { columnsOf, type RowClass, tableOf } from './columns.js';
import type { Tx } from './db.js';

/**
 * Inserts a row, with its columns' defaults for what `values` leaves out, and answers it whole. Undefined when a unique
 * key is taken: look which, if more than one could be.
 */
export async function insertUnlessTaken<R extends object>(
  tx: Tx,
  row: RowClass<R>,
  values: Partial<R>,
): Promise<R | undefined> {
  const { raw } = await tx.sql
    .createQueryBuilder()
    .insert()
    .into(row as new () => R)
    .values(values as QueryDeepPartialEntity<R>)
    .orIgnore()
    // by its own select list, as every other statement: with derived properties, and days as text
    .returning(columnsOf(row, tableOf(row)))
    .updateEntity(false)
    .execute();
  return (raw as R[])[0];
}
