import type { DataSource } from 'typeorm';
import { eventually } from './receiver.js';

/**
 * Lets `act` run into a transaction: makes `change` and does not commit before something waits for what it holds.
 * Answers what `act` gives. For a server only: the embedded database has one connection.
 * @throws when nothing waits for the change within 15 s
 */
export async function overlap<T>(
  dataSource: DataSource,
  change: (query: (sql: string, values?: unknown[]) => Promise<unknown>) => Promise<unknown>,
  act: () => Promise<T>,
): Promise<T> {
  const holder = dataSource.createQueryRunner();
  try {
    await holder.startTransaction();
    const [{ pid }] = (await holder.query('SELECT pg_backend_pid() AS pid')) as [{ pid: number }];
    await change((sql, values) => holder.query(sql, values));
    const acting = act();
    acting.catch(() => undefined);
    await eventually(async () => {
      const waiting = 'SELECT 1 FROM pg_stat_activity WHERE $1::int = ANY(pg_blocking_pids(pid))';
      return ((await dataSource.query(waiting, [pid])) as unknown[]).length > 0;
    }, 'something that waits for the change');
    await holder.commitTransaction();
    return await acting;
  } finally {
    if (holder.isTransactionActive) await holder.rollbackTransaction();
    await holder.release();
  }
}
