import type { Pool, PoolClient } from 'pg';
import { StoreClient } from './store-client.js';
import { StoreError } from './store-error.js';

/**
 * The settings of every session of the pool, made once it is connected: a pooler between us and the server drops
 * start-up options.
 */
const SETTINGS = {
  jit: 'off',
  // pages are in memory or on an SSD; with the default of 4 the planner sorts rows that an index has in order
  random_page_cost: '1.1',
  statement_timeout: '5s',
  lock_timeout: '2s',
  idle_in_transaction_session_timeout: '10s',
} as const;

/** What a session may take, as the server keeps it and as its connection does. */
export interface SessionLimits {
  readonly sql: string;
  readonly statementMs: number;
}

const limits = (statementMs: number, values: Partial<Record<keyof typeof SETTINGS, string>>): SessionLimits => ({
  statementMs,
  sql: Object.entries(values)
    .map(([name, value]) => `SET ${name} = '${value}'`)
    .join('; '),
});

/** For a session of the pool; also after the others. */
export const LIMITS = limits(5_000, SETTINGS);

/** For a session that waits for its turn with a tenant (docs/reference/sandboxes.md#reset). */
export const LONG_LIMITS = limits(40_000, { statement_timeout: '40s', lock_timeout: '30s' });

/** For a session that migrates. */
export const NO_LIMITS = limits(Infinity, {
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
});

type Client = Pick<PoolClient, 'query'>;

export async function limitSession(client: Client, { sql, statementMs }: SessionLimits): Promise<void> {
  if (client instanceof StoreClient) client.limitStatements(statementMs);
  await client.query(sql);
}

/** Prepares a new connection of the pool. */
export async function prepareSession(client: Client & NodeJS.EventEmitter): Promise<void> {
  // It may be lost at any time, also while it is taken and no statement runs, and an error event that nobody listens to
  // would end the process. The next statement fails instead, and the pool replaces the connection.
  client.on('error', () => undefined);
  await client.query(LIMITS.sql);
  if (client instanceof StoreClient) client.ready(LIMITS.statementMs);
}

/**
 * Checks that a connection is a session of its own with the settings above. If two connections share a session, a
 * pooler in transaction mode is in between: prepared statements, settings and locks would be lost.
 * @throws StoreError
 */
export async function checkPooler(pool: Pool): Promise<void> {
  const clients: PoolClient[] = [];
  try {
    // one after the other, and tracked: a pool with a connection that is never released cannot be closed, so the start
    // would hang
    for (let n = 0; n < 2; n++) clients.push(await pool.connect());
    const [one, two] = clients as [PoolClient, PoolClient];
    const look = async (client: PoolClient): Promise<{ pid: number; limit: string }> => {
      const { rows } = await client.query<{ pid: number; limit: string }>(
        `SELECT pg_backend_pid() AS pid, current_setting('statement_timeout') AS limit`,
      );
      return rows[0] as { pid: number; limit: string };
    };
    const [first, second] = [await look(one), await look(two)];
    if (first.pid === second.pid) {
      throw new StoreError(
        'DATABASE_URL leads to a pooler in transaction mode, which cannot be used: prepared statements and session settings ' +
          'are relied on; set pool_mode = session for this database, or name the server itself',
      );
    }
    if (first.limit !== SETTINGS.statement_timeout) {
      throw new StoreError(
        `a session of DATABASE_URL does not keep its settings (statement_timeout is ${first.limit}); ` +
          'if a pooler is in between, set pool_mode = session for this database',
      );
    }
  } finally {
    for (const client of clients) client.release();
  }
}
