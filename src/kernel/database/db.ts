import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import type { Pool, PoolClient, QueryResult, QueryResultRow } from 'pg';
import { DataSource, EntityManager } from 'typeorm';
import type { DomainEvent, Recorded } from '../events/event.js';
import { EventLog } from '../events/event-log.js';
import { poolOf } from './pool.js';
import type { Statement } from './statement.js';

/** SQLSTATEs after which the same transaction may succeed: serialization failure, deadlock. */
const RETRYABLE = new Set(['40001', '40P01']);
const MAX_TRIES = 4;

const inTransaction = new AsyncLocalStorage<true>();

/** What happens inside `db.write`: statements of one transaction, and the events that commit with it. */
export class Tx {
  /** Events in the order in which they were recorded; written just before the commit. */
  readonly events: { event: DomainEvent; recorded: Recorded }[] = [];
  private readonly callbacks: (() => void)[] = [];

  constructor(
    /** TypeORM on this transaction's connection. */
    readonly sql: EntityManager,
    private readonly client: PoolClient,
  ) {}

  async query<R extends QueryResultRow>(s: Statement, values: unknown[] = []): Promise<R[]> {
    return (await this.client.query<R>({ name: s.name, text: s.text, values })).rows;
  }

  /** Like `query`, for text made at run time (a filter, a list of columns): not prepared. */
  async queryText<R extends QueryResultRow>(text: string, values: unknown[] = []): Promise<R[]> {
    return (await this.client.query<R>({ text, values })).rows;
  }

  /**
   * Commits an event with this transaction. The ids of the answer are there once `db.write` has resolved: events are
   * written as the transaction's last statement, so that counters are locked only for a moment.
   */
  record(event: DomainEvent): Recorded {
    const recorded: Recorded = { id: 0, syncId: 0 };
    this.events.push({ event, recorded });
    return recorded;
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

/** The store. Reads are single statements; writes are short transactions (style.md, SQL and transactions). */
@Injectable()
export class Db {
  constructor(
    private readonly dataSource: DataSource,
    private readonly eventLog: EventLog,
  ) {}

  private get pool(): Pool {
    return poolOf(this.dataSource);
  }

  /** TypeORM for plain loads outside a transaction. */
  get entities(): EntityManager {
    this.refuseInTransaction();
    return this.dataSource.manager;
  }

  /** One select. @throws inside `db.write`: use the transaction's own `query` there */
  async read<R extends QueryResultRow>(s: Statement, values: unknown[] = []): Promise<R[]> {
    return (await this.send<R>({ name: s.name, text: s.text, values })).rows;
  }

  /** One select whose text is made at run time. */
  async readText<R extends QueryResultRow>(text: string, values: unknown[] = []): Promise<R[]> {
    return (await this.send<R>({ text, values })).rows;
  }

  /**
   * One statement that changes rows and is a transaction by itself: for coalesced batches and book-keeping. A verb
   * that changes state and tells of it uses `write`.
   */
  async run<R extends QueryResultRow>(s: Statement, values: unknown[] = []): Promise<R[]> {
    return (await this.send<R>({ name: s.name, text: s.text, values })).rows;
  }

  /**
   * Runs `work` in a transaction, writes its recorded events, commits, then wakes the listeners. `work` may run again
   * after a serialization failure or a deadlock, so it must not touch anything but the transaction.
   * @throws inside another `write`: a transaction is never nested
   */
  async write<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    this.refuseInTransaction();
    for (let attempt = 1; ; attempt++) {
      try {
        return await inTransaction.run(true, () => this.attempt(work));
      } catch (error) {
        if (attempt >= MAX_TRIES || !RETRYABLE.has((error as { code?: string }).code ?? '')) throw error;
      }
    }
  }

  private async attempt<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const runner = this.dataSource.createQueryRunner();
    try {
      const client = (await runner.connect()) as PoolClient;
      const tx = new Tx(runner.manager, client);
      await runner.startTransaction();
      let result: T;
      try {
        result = await work(tx);
        if (tx.events.length > 0) await this.eventLog.write(tx);
        await runner.commitTransaction();
      } catch (error) {
        // the first error is the one to tell; a rollback fails only with its connection
        await runner.rollbackTransaction().catch(() => undefined);
        throw error;
      }
      tx.committed();
      if (tx.events.length > 0) this.eventLog.wake();
      return result;
    } finally {
      await runner.release();
    }
  }

  private send<R extends QueryResultRow>(query: {
    name?: string;
    text: string;
    values: unknown[];
  }): Promise<QueryResult<R>> {
    this.refuseInTransaction();
    return this.pool.query<R>(query);
  }

  /** On the embedded database, which has one session, a second connection would wait for ever; so it is refused in every mode. */
  private refuseInTransaction(): void {
    if (inTransaction.getStore()) throw new Error('inside db.write, use the transaction that it hands out');
  }
}
