import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import type { Pool, PoolClient, QueryResult, QueryResultRow } from 'pg';
import { DataSource, EntityManager, type QueryRunner } from 'typeorm';
import { currentDraw } from '../clock/request-sandbox.js';
import { EventLog, type Queued } from '../events/event-log.js';
import { currentCall, hasHungUp } from '../http/call-context.js';
import { RestError } from '../http/http-error.js';
import { ConcurrentTenants } from '../tenancy/concurrent-tenants.js';
import { TenantChanges } from '../tenancy/tenant-changes.js';
import { TenantShares } from '../tenancy/tenant-shares.js';
import { patiently } from './patience.js';
import { poolOf } from './pool.js';
import { LIMITS, limitSession, LONG_LIMITS } from './session.js';
import { isRetryable, SERIALIZATION_FAILURE } from './sql-states.js';
import type { Keeps, Statement } from './statement.js';
import { StoredSecrets } from './stored-secrets.js';
import { TenantLanes } from './tenant-lanes.js';
import { SANDBOX_LOCK } from './sandbox-lock.js';
import { queryWithin } from './time-limit.js';
import { queryOf, rowsOf, Tx, type Pause } from './tx.js';

export { Tx };

/** How often a transaction is begun that conflicts with others, or meets a reset. */
const MAX_TRIES = 4;

/**
 * The time limit of a read (a page, a search, a field of a document), in milliseconds; writes have the session's limit.
 */
const READ_LIMIT_MS = 2_000;

/** SQLSTATE of a lock wait that timed out. */
const LOCK_NOT_AVAILABLE = '55P03';

interface ExclusiveWrite {
  readonly tenantId: number;
  readonly isReset: boolean;
}

/** Options of a transaction. */
interface WriteOptions {
  /** Exclude all other writes of this tenant. */
  readonly alone?: ExclusiveWrite;
  /** Awaited before each statement. The promise must not depend on this transaction. */
  readonly pause?: Pause;
  /** As of a statement. */
  readonly keeps?: Keeps;
  /**
   * Its statements are run by plans for any values, which each connection makes once, instead of being planned five
   * times first: for rare transactions of large statements (docs/decisions/measured.md#sandboxes).
   */
  readonly keepsPlans?: boolean;
}

const KEEP_PLANS = 'SET LOCAL plan_cache_mode = force_generic_plan';

/** The tenant whose reset interrupted a statement. */
function beingReset(error: unknown): number | undefined {
  const { code, detail } = error as { code?: string; detail?: string };
  const tenant = code === SERIALIZATION_FAILURE ? /^sandbox (\d+)$/.exec(detail ?? '')?.[1] : undefined;
  return tenant === undefined ? undefined : Number(tenant);
}

const inTransaction = new AsyncLocalStorage<true>();

/** The store. Reads are single statements; writes are short transactions. */
@Injectable()
export class Db {
  constructor(
    private readonly dataSource: DataSource,
    private readonly eventLog: EventLog,
    readonly secrets: StoredSecrets = new StoredSecrets(),
    readonly shares: TenantShares = new TenantShares(),
    private readonly changes: TenantChanges = new TenantChanges(),
  ) {}

  private readonly concurrentTenants = new ConcurrentTenants();
  private levelOf: (share: number) => number = () => Infinity;
  private readonly lanes = new TenantLanes(
    () => this.shareOfPool(2),
    (share) => Math.min(this.shareOfPool(2), Math.max(2, this.shareOfPool(4)), this.levelOf(share)),
    this.concurrentTenants,
  );
  /** Their cost is unknown beforehand: two of them can keep two cores busy for two seconds. */
  private readonly madeAtRunTime = new TenantLanes(
    () => this.shareOfPool(2),
    () => 1,
    this.concurrentTenants,
  );

  private get pool(): Pool {
    return poolOf(this.dataSource);
  }

  private shareOfPool(divisor: number): number {
    return Math.max(1, Math.floor((this.pool.options.max ?? 1) / divisor));
  }

  /** How many calls of this tenant's share wait for a connection. */
  waitingOf(share: number): number {
    return this.lanes.waitingOf(share) + this.madeAtRunTime.waitingOf(share);
  }

  /** @param levelOf how many calls of a share may run concurrently: the same number may use the store */
  pacedBy(levelOf: (share: number) => number): void {
    this.levelOf = levelOf;
  }

  /** Plain loads of entities, outside a transaction; only by key, as just the session's time limit applies to them. */
  async load<T>(work: (entities: EntityManager) => Promise<T>): Promise<T> {
    this.refuseInTransaction();
    return this.inLane(() => work(this.dataSource.manager));
  }

  /** One select. @throws inside `db.write`: use the transaction's own `query` there */
  async read<R extends QueryResultRow>(s: Statement, values: unknown[] = []): Promise<R[]> {
    return rowsOf(s, (await this.send<R>(queryOf(s, values, this.secrets), READ_LIMIT_MS)).rows, this.secrets);
  }

  /** One select whose text is built at run time; while several tenants are active, each runs one of them at a time. */
  async readText<R extends QueryResultRow>(text: string, values: unknown[] = []): Promise<R[]> {
    const call = currentCall();
    const read = (): Promise<QueryResult<R>> => this.send<R>({ text, values }, READ_LIMIT_MS);
    return (await this.madeAtRunTime.run(this.shareOf(call?.tenantId), read, call)).rows;
  }

  /**
   * One statement that changes rows and is a transaction by itself: for coalesced batches and bookkeeping. An operation
   * that changes state and records events uses `write`.
   * @param tenantId the tenant of the batch
   */
  async run<R extends QueryResultRow>(s: Statement, values: unknown[] = [], tenantId?: number): Promise<R[]> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.runOnce<R>(s, values, [tenantId ?? currentCall()?.ownTenantId], tenantId);
      } catch (error) {
        if (attempt >= MAX_TRIES || !isRetryable(error)) throw error;
        const reset = beingReset(error);
        if (reset !== undefined) await this.afterReset(reset);
      }
    }
  }

  /**
   * The same for rows of several tenants, of which none is to wait for another: it is not begun again.
   * @param tenantIds those of the rows
   */
  runShared<R extends QueryResultRow>(s: Statement, values: unknown[], tenantIds: readonly number[]): Promise<R[]> {
    return this.runOnce(s, values, tenantIds);
  }

  private async runOnce<R extends QueryResultRow>(
    s: Statement,
    values: unknown[],
    tenantIds: readonly (number | undefined)[],
    lane?: number,
  ): Promise<R[]> {
    this.refuseInTransaction();
    // a caller that gives up meanwhile does not end the statement
    const sent = async (): Promise<QueryResult<R>> => {
      const ended = this.changes.begin(tenantIds, s.keeps);
      try {
        return await this.pool.query<R>(queryOf(s, values, this.secrets));
      } finally {
        ended(tenantIds);
      }
    };
    return rowsOf(s, (await this.inLane(sent, lane)).rows, this.secrets);
  }

  /** Waits until a sandbox's reset has finished; interrupted work then starts again on the restored rows. */
  private async afterReset(tenantId: number): Promise<void> {
    await this.send({ text: 'SELECT pg_advisory_xact_lock_shared($1, $2)', values: [SANDBOX_LOCK, tenantId] });
  }

  /**
   * Runs `work` with all other writes of this tenant excluded: running ones end first, new ones wait and start again.
   * @param options.isReset work that began earlier must not continue: it may have read rows that no longer exist; its
   * plans are kept in any case
   */
  async writeAlone<T>(
    tenantId: number,
    work: (tx: Tx) => Promise<T>,
    { isReset = false, keepsPlans = false }: { isReset?: boolean; keepsPlans?: boolean } = {},
  ): Promise<T> {
    return this.write(work, { alone: { tenantId, isReset }, keepsPlans });
  }

  /**
   * Runs `work` in a transaction, writes its recorded events, commits, then wakes the listeners. `work` may run again
   * after a serialization failure or a deadlock, so it must not touch anything but the transaction.
   * @throws inside another `write`: transactions are not nested
   */
  async write<T>(work: (tx: Tx) => Promise<T>, options: WriteOptions = {}): Promise<T> {
    this.refuseInTransaction();
    const draw = currentDraw();
    const made = draw?.made;
    for (let attempt = 1; ; attempt++) {
      // another attempt makes up the same
      if (draw && made !== undefined) draw.made = made;
      try {
        return await this.inLane(() => inTransaction.run(true, () => this.attempt(work, options)));
      } catch (error) {
        const tenantId = beingReset(error);
        if (tenantId !== undefined && attempt < MAX_TRIES) {
          await this.afterReset(tenantId);
          continue;
        }
        if (attempt >= MAX_TRIES || !isRetryable(error)) throw error;
      }
    }
  }

  private async attempt<T>(
    work: (tx: Tx) => Promise<T>,
    { alone, pause, keeps, keepsPlans }: WriteOptions,
  ): Promise<T> {
    const runner = this.dataSource.createQueryRunner();
    let locked: PoolClient | undefined;
    try {
      const client = (await runner.connect()) as PoolClient;
      if (alone?.isReset) return await this.attemptReset(work, runner, alone.tenantId);
      if (alone) {
        await lockAlone(client, alone.tenantId);
        locked = client;
      }
      const tx = new Tx(runner.manager, client, this.secrets, pause);
      await runner.startTransaction();
      if (keepsPlans) await client.query(KEEP_PLANS);
      const ended = this.changes.begin([currentCall()?.ownTenantId], keeps);
      let result: T;
      let queued: Queued = false;
      try {
        result = await work(tx);
        if (tx.events.length > 0) queued = await this.eventLog.write(tx);
        await runner.commitTransaction();
      } catch (error) {
        // report the first error; a rollback only fails when its connection does
        await runner.rollbackTransaction().catch(() => undefined);
        throw error;
      } finally {
        ended([currentCall()?.ownTenantId]);
      }
      // outside the transaction, as what listens may read and write by itself
      inTransaction.exit(() => tx.committed());
      if (tx.events.length > 0) this.eventLog.wake(queued);
      return result;
    } finally {
      // a lost connection has released the lock already
      if (locked && alone) {
        await locked.query('SELECT pg_advisory_unlock($1, $2)', [SANDBOX_LOCK, alone.tenantId]).catch(() => undefined);
      }
      await runner.release();
    }
  }

  /**
   * A reset's transaction, with its tenant's other writes excluded. A test waits for it, so everything possible is sent
   * in one message. Work that began before its commit must not continue: `reset_at` tells it so before the lock is
   * released.
   */
  private async attemptReset<T>(work: (tx: Tx) => Promise<T>, runner: QueryRunner, tenantId: number): Promise<T> {
    const client = (await runner.connect()) as PoolClient;
    const unlock = `SELECT pg_advisory_unlock(${SANDBOX_LOCK}, ${tenantId})`;
    // without parameters the driver accepts several statements and answers each
    const begun = (await client.query(
      `SELECT pg_try_advisory_lock(${SANDBOX_LOCK}, ${tenantId}) AS mine; BEGIN; ${KEEP_PLANS}`,
    )) as unknown as QueryResult<{ mine: boolean }>[];
    if (!begun[0]?.rows[0]?.mine) {
      await client.query('ROLLBACK');
      await waitAlone(client, tenantId);
      await client.query(`BEGIN; ${KEEP_PLANS}`);
    }
    const ended = this.changes.begin([tenantId], undefined);
    try {
      const tx = new Tx(runner.manager, client, this.secrets);
      const result = await work(tx);
      const queued = tx.events.length > 0 && (await this.eventLog.write(tx));
      // a crash ends the work that `reset_at` warns, so nobody waits until that is on disk
      await client.query(
        `COMMIT; BEGIN; SET LOCAL synchronous_commit TO off; UPDATE sandboxes SET reset_at = clock_timestamp() WHERE tenant_id = ${tenantId}; COMMIT; ${unlock}`,
      );
      ended([tenantId]);
      // outside the transaction, as what listens may read and write by itself
      inTransaction.exit(() => tx.committed());
      if (tx.events.length > 0) this.eventLog.wake(queued);
      return result;
    } catch (error) {
      ended([tenantId]);
      // a lost connection ends both; report the first error
      await client.query('ROLLBACK').catch(() => undefined);
      await client.query(unlock).catch(() => undefined);
      throw error;
    }
  }

  private async send<R extends QueryResultRow>(
    query: { name?: string; text: string; values: unknown[]; answersTexts?: boolean | undefined },
    limitMs?: number,
  ): Promise<QueryResult<R>> {
    this.refuseInTransaction();
    const { pool } = this;
    // PGlite does not react to anything before a statement has ended
    const isLimited = limitMs !== undefined && !('stream' in pool.options);
    return this.inLane(() => (isLimited ? queryWithin<R>(pool, query, limitMs, currentCall()) : pool.query<R>(query)));
  }

  /** Waits for a turn of the tenant's share, unless the caller has gone or run out of patience meanwhile. */
  private inLane<T>(work: () => Promise<T>, tenantId?: number): Promise<T> {
    const call = currentCall();
    const inTurn = (): Promise<T> => {
      if (call && hasHungUp(call)) throw new Error('the caller has hung up');
      return work();
    };
    return patiently(call, this.lanes.run(this.shareOf(tenantId ?? call?.tenantId), inTurn, call));
  }

  private shareOf(tenantId: number | undefined): number | undefined {
    return tenantId === undefined ? undefined : this.shares.of(tenantId);
  }

  /**
   * On the embedded database with one session a second connection would never be served, so it is refused everywhere.
   */
  private refuseInTransaction(): void {
    if (inTransaction.getStore()) throw new Error('inside db.write, use the transaction that it hands out');
  }
}

/**
 * Takes the tenant's exclusive lock, after other holders and running writes.
 * @throws RestError 409 busy
 */
async function lockAlone(client: PoolClient, tenantId: number): Promise<void> {
  const values = [SANDBOX_LOCK, tenantId];
  const { rows } = await client.query<{ mine: boolean }>('SELECT pg_try_advisory_lock($1, $2) AS mine', values);
  if (!rows[0]?.mine) await waitAlone(client, tenantId);
}

async function waitAlone(client: PoolClient, tenantId: number): Promise<void> {
  await limitSession(client, LONG_LIMITS);
  try {
    await client.query('SELECT pg_advisory_lock($1, $2)', [SANDBOX_LOCK, tenantId]);
  } catch (error) {
    if ((error as { code?: string }).code === LOCK_NOT_AVAILABLE) throw new RestError(409, 'busy');
    throw error;
  } finally {
    await limitSession(client, LIMITS);
  }
}
