import type {
  DataSource,
  DeepPartial,
  EntityTarget,
  FindOptionsWhere,
  ObjectLiteral,
  QueryDeepPartialEntity,
} from 'typeorm';

/*
 * Rows that no method makes, or not within a test's time: of times gone by, of long use, of another replica, of a process
 * that died. Nothing tells of them: no event is recorded and no memory of the server is cleared.
 */

/** A test server's store, or one without a server. */
interface Store {
  readonly dataSource: DataSource;
}

/** A statement takes 65,535 values. */
const ROWS_PER_STATEMENT = 1_000;

/** Inserts rows as given; what is left out has the table's default. Answers them as they were stored. */
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

/** Sets columns of all rows that fit. @throws when none does */
export async function changeRows<R extends ObjectLiteral>(
  { dataSource: { manager } }: Store,
  entity: EntityTarget<R>,
  which: FindOptionsWhere<R>,
  values: QueryDeepPartialEntity<R>,
): Promise<void> {
  const { affected } = await manager.update(entity, which, values);
  if (affected === 0) throw new Error('no such row');
}

/** Deletes all rows that fit, and what refers to them as the tables say. */
export async function deleteRows<R extends ObjectLiteral>(
  { dataSource: { manager } }: Store,
  entity: EntityTarget<R>,
  which: FindOptionsWhere<R>,
): Promise<void> {
  await manager.delete(entity, which);
}

/** The one row that fits. @throws when there is none */
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

/** As if a thing had been made so often: copies of its row, each with what `fresh` gives in place of its own. */
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
