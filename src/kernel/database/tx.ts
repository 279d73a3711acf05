import type { PoolClient, QueryResultRow } from 'pg';
import type { EntityManager } from 'typeorm';
import type { DomainEvent, Origin, Recorded } from '../events/event.js';
import type { Statement } from './statement.js';
import type { StoredSecrets } from './stored-secrets.js';

/** A query as the driver accepts it: a statement without a name is not prepared. */
export const queryOf = ({ name, text, secrets, answersTexts }: Statement, given: unknown[], stored: StoredSecrets) => {
  const values = secrets?.seals ? stored.sealed(given, secrets.seals) : given;
  return name === '' ? { text, values } : { name, text, values, answersTexts };
};

export const rowsOf = <R extends object>({ secrets }: Statement, rows: R[], stored: StoredSecrets): R[] =>
  secrets?.opens ? stored.opened(rows, secrets.opens) : rows;

/** A promise to await before the next statement; undefined: none. */
export type Pause = () => Promise<void> | undefined;

/** A transaction of `db.write`: its statements, and the events that commit with it. */
export class Tx {
  /** Events in the order in which they were recorded; written just before the commit. */
  readonly events: { event: DomainEvent; recorded: Recorded; origin: Origin | undefined }[] = [];
  private readonly callbacks: (() => void)[] = [];
  private origin: Origin | undefined;

  constructor(
    /** TypeORM on this transaction's connection. */
    readonly sql: EntityManager,
    private readonly client: PoolClient,
    readonly secrets: StoredSecrets,
    private readonly pause?: Pause,
  ) {}

  async query<R extends QueryResultRow>(s: Statement, values: unknown[] = []): Promise<R[]> {
    const wait = this.pause?.();
    if (wait) await wait;
    return rowsOf(s, (await this.client.query<R>(queryOf(s, values, this.secrets))).rows, this.secrets);
  }

  /** Like `query`, for text built at run time (a filter, a list of columns): not prepared. */
  async queryText<R extends QueryResultRow>(text: string, values: unknown[] = []): Promise<R[]> {
    await this.pause?.();
    return (await this.client.query<R>({ text, values })).rows;
  }

  /**
   * Records an event that commits with this transaction. The returned ids are set once `db.write` has resolved: events
   * are written by the transaction's last statement, so that counters are locked only briefly.
   * @param origin the call that caused the event, for a transaction that serves several calls
   */
  record(event: DomainEvent, origin: Origin | undefined = this.origin): Recorded {
    const recorded: Recorded = { id: 0, syncId: 0 };
    this.events.push({ event, recorded, origin });
    return recorded;
  }

  /** What `work` records was caused by that call, in a transaction that serves several calls one after the other. */
  async causedBy<T>(origin: Origin, work: () => Promise<T>): Promise<T> {
    const before = this.origin;
    this.origin = origin;
    try {
      return await work();
    } finally {
      this.origin = before;
    }
  }

  /** Runs after the commit, never after a rollback. Must not throw. */
  afterCommit(callback: () => void): void {
    this.callbacks.push(callback);
  }

  /** @internal */
  committed(): void {
    for (const callback of this.callbacks) callback();
  }
}
