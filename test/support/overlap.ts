import type { DataSource, EntityManager, EntityTarget, FindOptionsWhere, ObjectLiteral } from 'typeorm';
import { eventually } from './receiver.js';

/** Sessions that wait for a lock of this one's: what the server itself knows, and no entity. */
async function waitingFor(dataSource: DataSource, pid: number): Promise<number[]> {
  const sql = 'SELECT pid FROM pg_stat_activity WHERE $1::int = ANY(pg_blocking_pids(pid))';
  return ((await dataSource.query(sql, [pid])) as { pid: number }[]).map((row) => row.pid);
}

/**
 * Lets what happens run into a transaction: makes `change` and does not commit before the first of `acts` waits for what
 * it holds, the second for the first, and so on. Answers what they give. For a server only: the embedded database has
 * one connection.
 * @throws when one of them does not wait within 15 s
 */
export async function overlap<T extends unknown[]>(
  dataSource: DataSource,
  change: (entities: EntityManager) => Promise<unknown>,
  ...acts: { [I in keyof T]: () => Promise<T[I]> }
): Promise<T> {
  const holder = dataSource.createQueryRunner();
  try {
    await holder.startTransaction();
    const [{ pid }] = (await holder.query('SELECT pg_backend_pid() AS pid')) as [{ pid: number }];
    await change(holder.manager);
    const acting: Promise<unknown>[] = [];
    let last: number | undefined = pid;
    for (const act of acts) {
      const done = act();
      done.catch(() => undefined);
      acting.push(done);
      const ahead: number = last;
      await eventually(async () => {
        [last] = await waitingFor(dataSource, ahead);
        return last !== undefined;
      }, `act ${acting.length} waits for the one before`);
    }
    await holder.commitTransaction();
    return (await Promise.all(acting)) as T;
  } finally {
    if (holder.isTransactionActive) await holder.rollbackTransaction();
    await holder.release();
  }
}

/** Locks the one row that fits, as a change of it would. @throws when there is none */
export const lockRow = <R extends ObjectLiteral>(
  entities: EntityManager,
  entity: EntityTarget<R>,
  where: FindOptionsWhere<R>,
): Promise<R> => entities.findOneOrFail(entity, { where, lock: { mode: 'pessimistic_write' } });
