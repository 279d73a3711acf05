import type { DataSource } from 'typeorm';

/** Runs a statement that locks something until the returned function is called. */
export async function holding(dataSource: DataSource, sql: string, values: unknown[]): Promise<() => Promise<void>> {
  const holder = dataSource.createQueryRunner();
  await holder.startTransaction();
  await holder.query(sql, values);
  return async () => {
    await holder.rollbackTransaction();
    await holder.release();
  };
}

/** The number of sessions that wait for a lock of another session. */
export async function waitingForLocks(dataSource: DataSource): Promise<number> {
  const [{ count }] = (await dataSource.query(
    `SELECT count(*)::int AS count FROM pg_stat_activity
      WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0`,
  )) as [{ count: number }];
  return count;
}
