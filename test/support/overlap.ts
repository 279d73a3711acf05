import type { DataSource, EntityManager, EntityTarget, FindOptionsWhere, ObjectLiteral } from 'typeorm';
import { eventually } from './receiver.js';

/** The server's process ids of sessions that wait for a lock of this one; no entity stores them. */
async function waitingFor(dataSource: DataSource, pid: number): Promise<number[]> {
  const sql = 'SELECT pid FROM pg_stat_activity WHERE $1::int = ANY(pg_blocking_pids(pid))';
  return ((await dataSource.query(sql, [pid])) as { pid: number }[]).map((row) => row.pid);
}

/**
 * Runs calls concurrently with a transaction: makes `change`, and commits once the first of `acts` waits for a lock
 * of
 * it, the second for the first, and so on. Answers their results. It needs a server, as the embedded database has one
 * connection.
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

/** Locks the one matching row, as a change of it would. @throws when there is none */
export const lockRow = <R extends ObjectLiteral>(
  entities: EntityManager,
  entity: EntityTarget<R>,
  where: FindOptionsWhere<R>,
): Promise<R> => entities.findOneOrFail(entity, { where, lock: { mode: 'pessimistic_write' } });
