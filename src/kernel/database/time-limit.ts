import { hasHungUp, type CallContext } from '../http/call-context.js';
import { StoreClient } from './store-client.js';
import { queryTexts } from './query-texts.js';
import pg, { type Pool, type PoolClient, type QueryConfig, type QueryResult, type QueryResultRow } from 'pg';

/** Private parts of a `pg` client and its connection. */
interface ClientInternals {
  ssl: unknown;
  processID: number | null;
  secretKey: number | null;
  connection: NodeJS.EventEmitter & { cancel(processID: number | null, secretKey: number | null): void };
}

/**
 * Runs one statement and cancels it when it takes longer than `ms`, whatever the session's own limit is, or when the
 * caller hangs up. It fails like one that ran into `statement_timeout`.
 */
export async function queryWithin<R extends QueryResultRow>(
  pool: Pool,
  query: QueryConfig & { readonly answersTexts?: boolean | undefined },
  ms: number,
  call?: CallContext,
): Promise<QueryResult<R>> {
  const client = await pool.connect();
  let isLate = false;
  const stop = (): void => {
    if (isLate) return;
    isLate = true;
    cancel(pool, client);
    if (client instanceof StoreClient) client.expectEnd();
  };
  const timer = setTimeout(stop, ms);
  call?.onHangUp.add(stop);
  if (call && hasHungUp(call)) stop();
  try {
    const result = await (query.answersTexts ? queryTexts<R>(client, query) : client.query<R>(query));
    // a pending cancellation would hit the connection's next user
    client.release(isLate);
    return result;
  } catch (error) {
    const { code } = error as { code?: unknown };
    client.release(isLate || typeof code !== 'string' || !/^[0-9A-Z]{5}$/.test(code) || code.startsWith('57P'));
    throw error;
  } finally {
    clearTimeout(timer);
    call?.onHangUp.delete(stop);
  }
}

/** A cancel request, on a connection of its own that the server closes. */
function cancel(pool: Pool, client: PoolClient): void {
  const { processID, secretKey } = client as unknown as ClientInternals;
  const canceller = new pg.Client(pool.options);
  canceller.on('error', () => undefined);
  canceller.connect().catch(() => undefined);
  const { connection, ssl } = canceller as unknown as ClientInternals;
  // sent instead of a start-up message
  const event = ssl ? 'sslconnect' : 'connect';
  connection.removeAllListeners(event).once(event, () => connection.cancel(processID, secretKey));
}
