import type {
  DataSource,
  DeepPartial,
  EntityTarget,
  FindOptionsWhere,
  ObjectLiteral,
  QueryDeepPartialEntity,
} from 'typeorm';

/*
 * Rows that no method creates, or not within a test's time: of the past, of long use, of another replica, of a
 * process
 * that died. No event is recorded for them, and no cache of the server is cleared.
 */

/** The store of a test server, or one without a server. */
interface Store {
  readonly dataSource: DataSource;
}

/** A statement takes at most 65,535 values. */
const ROWS_PER_STATEMENT = 1_000;

/** Inserts rows; omitted columns have the table's defaults. Answers the stored rows. */
export async function insertRows<R extends ObjectLiteral>(
  { dataSource: { manager } }: Store,
  entity: EntityTarget<R>,
  rows: readonly DeepPartial<R>[],
): Promise<R[]> {
  const stored: R[] = [];
  for (let from = 0; from < rows.length; from += ROWS_PER_STATEMENT) {
    const some = manager.create(entity, rows.slice(from, from + ROWS_PER_STATEMENT) as DeepPartial<R>[]);
    await manager.insert(entity, some as QueryDeepPartialEntity<R>[]);
    stored.push(...some);
  }
  return stored;
}

/** Sets columns of all matching rows. @throws when there is none */
export async function changeRows<R extends ObjectLiteral>(
  { dataSource: { manager } }: Store,
  entity: EntityTarget<R>,
  which: FindOptionsWhere<R>,
  values: QueryDeepPartialEntity<R>,
): Promise<void> {
  const { affected } = await manager.update(entity, which, values);
  if (affected === 0) throw new Error('no such row');
}

/** Deletes all matching rows, and by cascade the rows that refer to them. */
export async function deleteRows<R extends ObjectLiteral>(
  { dataSource: { manager } }: Store,
  entity: EntityTarget<R>,
  which: FindOptionsWhere<R>,
): Promise<void> {
  await manager.delete(entity, which);
}

/** The one matching row. @throws when there is none */
export const rowOf = <R extends ObjectLiteral>(
  { dataSource: { manager } }: Store,
  entity: EntityTarget<R>,
  which: FindOptionsWhere<R>,
): Promise<R> => manager.findOneByOrFail(entity, which);

export const rowsOf = <R extends ObjectLiteral>(
  { dataSource: { manager } }: Store,
  entity: EntityTarget<R>,
  which: FindOptionsWhere<R>,
): Promise<R[]> => manager.findBy(entity, which);

/** Inserts copies of a row, each with the values that `fresh` answers in place of the original's. */
export async function copyRow<R extends ObjectLiteral>(
  store: Store,
  entity: EntityTarget<R>,
  which: FindOptionsWhere<R>,
  count: number,
  fresh: (n: number) => NoInfer<DeepPartial<R>>,
): Promise<void> {
  const row = await rowOf(store, entity, which);
  const made = Array.from({ length: count }, (_, n) => ({ ...row, ...fresh(n) }) as DeepPartial<R>);
  await insertRows(store, entity, made);
}
