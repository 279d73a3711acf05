import type { QueryDeepPartialEntity } from 'typeorm';
import { columnsOf, type RowClass, tableOf } from './columns.js';
import type { Tx } from './db.js';

/**
 * Inserts a row, with column defaults for what `values` leaves out, and returns all of it. Undefined when a unique key
 * is taken; the caller finds out which, if there are several.
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
    // with the same select list as other statements: derived properties included, and days as text
    .returning(columnsOf(row, tableOf(row)))
    .updateEntity(false)
    .execute();
  return (raw as R[])[0];
}
