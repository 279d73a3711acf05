import pg from 'pg';
import { deadline, type Deadline } from './deadline.js';
import { streamOf } from './pool.js';

/** How long an answer may take beyond the time limit that the server keeps itself, in milliseconds. */
const GRACE_MS = 500;
/** How long a cancelled statement may take to end: the request to cancel it needs a connection of its own. */
const CANCELLED_MS = 1_000;

/** Private parts of a `pg` client. */
interface ClientInternals {
  readonly readyForQuery: boolean | null;
  readonly _queryQueue: readonly unknown[];
  readonly connection: NodeJS.EventEmitter;
}
const internalsOf = (client: pg.Client): ClientInternals => client as unknown as ClientInternals;

/** The options of the pool, which it passes on to its connections. */
export interface StoreClientOptions extends pg.ClientConfig {
  /** How long connecting may take, with the preparation of the session, in milliseconds. */
  readonly preparesWithinMs?: number;
  /** Called when a connection has been closed because it did not answer. */
  readonly onSilence?: () => void;
}

/**
 * A connection of the pool that does not wait for ever: one that does not answer in time is closed, whatever the reason
 * (a network that drops packets, a pooler without a free session), and its statement fails as unavailable.
 */
export class StoreClient extends pg.Client {
  private preparation: Deadline | undefined;
  private answer: Deadline | undefined;
  private limitMs = Infinity;

  constructor(private readonly settings: StoreClientOptions) {
    super(settings);
    const { connection } = internalsOf(this);
    const { preparesWithinMs } = settings;
    if (preparesWithinMs !== undefined) this.preparation = deadline(preparesWithinMs, () => this.close());
    connection.on('readyForQuery', () => {
      this.answer?.end();
      this.answer = undefined;
      // the next one is sent now
      if (internalsOf(this)._queryQueue.length > 0) this.awaitAnswer();
    });
    connection.on('end', () => {
      this.preparation?.end();
      this.answer?.end();
    });
  }

  /** The session is ready to use; from now on each statement may take as long as the server lets it. */
  ready(limitMs: number): void {
    this.preparation?.end();
    this.limitStatements(limitMs);
  }

  /** @param limitMs the session's `statement_timeout` in milliseconds */
  limitStatements(limitMs: number): void {
    this.limitMs = limitMs;
  }

  /** Closes the connection unless the running statement, which has been cancelled, ends soon. */
  expectEnd(): void {
    if (!this.answer) return;
    this.answer.end();
    this.answer = deadline(CANCELLED_MS, () => this.close());
  }

  override query(...args: unknown[]): never {
    if (!this.answer || internalsOf(this).readyForQuery === true) this.awaitAnswer();
    return (super.query as (...all: unknown[]) => unknown).apply(this, args) as never;
  }

  private awaitAnswer(): void {
    this.answer?.end();
    this.answer = this.limitMs === Infinity ? undefined : deadline(this.limitMs + GRACE_MS, () => this.close());
  }

  private close(): void {
    streamOf(this).destroy(new Error('the database did not answer in time'));
    this.settings.onSilence?.();
  }
}
