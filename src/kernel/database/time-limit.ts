import { hasHungUp, type CallContext } from '../http/call-context.js';
import { queryTexts } from './query-texts.js';
import pg, { type Pool, type PoolClient, type QueryConfig, type QueryResult, type QueryResultRow } from 'pg';

/** What `pg` keeps to itself of a client and its connection. */
interface ClientInternals {
  ssl: unknown;
  processID: number | null;
  secretKey: number | null;
  connection: NodeJS.EventEmitter & { cancel(processID: number | null, secretKey: number | null): void };
}

/**
 * One statement that is cancelled when it takes longer than `ms`, whatever the session's own limit is, or when whoever
 * asked hangs up. It fails as one that ran into `statement_timeout`.
 */
export async function queryWithin<R extends QueryResultRow>(
  pool: Pool,
  query: QueryConfig & { readonly answersTexts?: boolean | undefined },
  ms: number,
  call?: CallContext,
): Promise<QueryResult<R>> {
  const client = await pool.connect();
  // a lost connection fails its query as well; without a listener the error event would end the process
  const ignoreError = (): void => undefined;
  client.on('error', ignoreError);
  const giveBack = (isBroken: boolean): void => {
    client.release(isBroken);
    // a connection that is thrown away may still emit an error, which nothing else listens for
    if (!isBroken) client.off('error', ignoreError);
  };
  let isLate = false;
  const stop = (): void => {
    if (isLate) return;
    isLate = true;
    cancel(pool, client);
  };
  const timer = setTimeout(stop, ms);
  call?.onHangUp.add(stop);
  if (call && hasHungUp(call)) stop();
  try {
    const result = await (query.answersTexts ? queryTexts<R>(client, query) : client.query<R>(query));
    // a cancellation on its way would hit whoever has the connection next
    giveBack(isLate);
    return result;
  } catch (error) {
    const { code } = error as { code?: unknown };
    giveBack(isLate || typeof code !== 'string' || !/^[0-9A-Z]{5}$/.test(code) || code.startsWith('57P'));
    throw error;
  } finally {
    clearTimeout(timer);
    call?.onHangUp.delete(stop);
  }
}

/** As the protocol has it: on a connection of its own, which the server closes. */
function cancel(pool: Pool, client: PoolClient): void {
  const { processID, secretKey } = client as unknown as ClientInternals;
  const canceller = new pg.Client(pool.options);
  canceller.on('error', () => undefined);
  canceller.connect().catch(() => undefined);
  const { connection, ssl } = canceller as unknown as ClientInternals;
  // instead of introducing itself
  const event = ssl ? 'sslconnect' : 'connect';
  connection.removeAllListeners(event).once(event, () => connection.cancel(processID, secretKey));
}
