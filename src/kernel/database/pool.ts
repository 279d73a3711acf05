import type { Duplex } from 'node:stream';
import type { Client, Pool, PoolClient } from 'pg';
import type { DataSource } from 'typeorm';

/** TypeORM's connection pool, which it does not expose. Exists once the data source is initialized. */
export const poolOf = (dataSource: DataSource): Pool => (dataSource.driver as unknown as { master: Pool }).master;

/** Private parts of the pool. */
export interface PoolInternals {
  /** All connections, including those being made. */
  readonly _clients: readonly PoolClient[];
  readonly _idle: readonly { readonly client: PoolClient }[];
  /** The calls waiting for a connection. */
  readonly _pendingQueue: { readonly callback: (error: Error) => void }[];
}

export const internalsOf = (pool: Pool): PoolInternals => pool as unknown as PoolInternals;

export const streamOf = (client: Client | PoolClient): Duplex =>
  (client as unknown as { connection: { stream: Duplex } }).connection.stream;

/** Closes the connections that nobody uses; new ones take their place. */
export function closeIdle(pool: Pool): void {
  for (const { client } of internalsOf(pool)._idle) streamOf(client).destroy();
}
