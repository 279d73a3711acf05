import type { Pool, PoolClient } from 'pg';
import { StoreError } from './store-error.js';

/** The settings of every session of the pool, made once it is connected: a pooler between us and the server passes no start-up options on. */
const SETTINGS = {
  jit: 'off',
  // pages are in memory or on an SSD; at the default of 4 the planner sorts what an index has in order
  random_page_cost: '1.1',
  statement_timeout: '5s',
  lock_timeout: '2s',
  idle_in_transaction_session_timeout: '10s',
} as const;

const statements = (values: Partial<Record<keyof typeof SETTINGS, string>>): string =>
  Object.entries(values)
    .map(([name, value]) => `SET ${name} = '${value}'`)
    .join('; ');

/** For a session of the pool; also after `withoutLimits`. */
export const LIMITS = statements(SETTINGS);

/** For a session that waits for its turn with a tenant (docs/reference/sandboxes.md#reset). */
export const PATIENT = statements({ statement_timeout: '40s', lock_timeout: '30s' });

/** For a session that migrates. */
export const NO_LIMITS = statements({
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
});

export async function prepareSession(client: Pick<PoolClient, 'query'>): Promise<void> {
  await client.query(LIMITS);
}

/**
 * Looks whether a connection is a session of its own with the settings above. Two connections that are at the same session
 * are a pooler's that gives sessions out by the transaction: prepared statements, settings and locks would go astray.
 * @throws StoreError
 */
export async function checkPooler(pool: Pool): Promise<void> {
  const clients: PoolClient[] = [];
  try {
    // one after the other, and noted: a pool whose connection nobody gives back never ends, and no more does the start
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
