import { Injectable, Logger } from '@nestjs/common';
import pg, { type PoolOptions } from 'pg';
import { DataSource } from 'typeorm';
import { internalsOf, poolOf, streamOf } from './pool.js';
import { StoreInfo } from './store-info.js';
import { Upkeep } from './upkeep.js';

const LOOK_EVERY_MS = 1_000;
/** Consecutive checks with running statements and no answer before the server is probed. */
const MAX_IDLE_LOOKS = 2;
/** How long the server may take to answer the probe. */
const PROBE_MS = 1_500;
/** Consecutive failed probes: a single one may be due to this process, which was stopped and read no answer. */
const PROBES = 2;

/**
 * Detects a PostgreSQL that no longer answers: a host that is gone or a network that drops packets, where a statement
 * would wait a quarter of an hour for TCP to give up. A server that refuses connections does not need this, and neither
 * does the embedded database, which ends the process when it dies.
 *
 * Silence is detected within 6 s. Connections are then cut, so that running calls fail as unavailable, and new calls
 * are refused on arrival (`pressure.ts`) until the server answers again.
 */
@Injectable()
export class StoreWatch {
  private readonly log = new Logger('StoreWatch');
  /** Checks since a connection was last released. */
  private idleLooks = 0;
  /** How many connections there may be otherwise, and how long a call waits for one. */
  private readonly limits: Partial<Pick<PoolOptions, 'max' | 'connectionTimeoutMillis'>> = {};
  private isSilent = false;

  constructor(
    private readonly dataSource: DataSource,
    private readonly store: StoreInfo,
    upkeep: Upkeep,
  ) {
    if (store.embedded) return;
    const pool = poolOf(dataSource);
    const { max, connectionTimeoutMillis } = pool.options;
    this.limits = { max, connectionTimeoutMillis };
    pool.on('release', () => (this.idleLooks = 0));
    upkeep.register('watching the database', LOOK_EVERY_MS, () => this.look());
  }

  /** True while the server does not answer. */
  get silent(): boolean {
    return this.isSilent;
  }

  private async look(): Promise<void> {
    const { totalCount, idleCount, waitingCount } = poolOf(this.dataSource);
    const isBusy = totalCount > idleCount || waitingCount > 0;
    // counted in checks, not by the clock: a process that was stopped itself has not waited
    this.idleLooks = isBusy ? this.idleLooks + 1 : 0;
    if (!this.isSilent && this.idleLooks < MAX_IDLE_LOOKS) return;
    for (let asked = 0; asked < (this.isSilent ? 1 : PROBES); asked++) {
      if (await this.answers()) return this.onAnswer();
    }
    if (!this.isSilent) this.log.warn('the database does not answer: calls are refused until it does');
    this.isSilent = true;
    this.cut();
  }

  private onAnswer(): void {
    if (this.isSilent) this.log.log('the database answers again');
    this.isSilent = false;
    this.idleLooks = 0;
    Object.assign(poolOf(this.dataSource).options, this.limits);
  }

  /** Whether the server answers at all, on a new connection; a refusal is an answer. */
  private async answers(): Promise<boolean> {
    const client = new pg.Client({
      connectionString: this.store.databaseUrl,
      application_name: 'understudy watch',
      connectionTimeoutMillis: PROBE_MS,
      query_timeout: PROBE_MS,
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query('SELECT 1');
      return true;
    } catch (error) {
      // SQLSTATE: the server itself refused; EPIPE is not one
      const { code } = error as { code?: unknown };
      return typeof code === 'string' && /^(?!E)[0-9A-Z]{5}$/.test(code);
    } finally {
      streamOf(client).destroy();
    }
  }

  /**
   * Ends everything that waits for the server. Idle connections as well: they are as dead as the others. Until it
   * answers, no call waits for a new one, and none is made: those of background tasks, dozens a second, would keep a
   * server from recovering that is only slow.
   */
  private cut(): void {
    const pool = poolOf(this.dataSource);
    Object.assign(pool.options, { max: 0, connectionTimeoutMillis: 1 } satisfies typeof this.limits);
    const { _clients: clients, _pendingQueue: waiting } = internalsOf(pool);
    for (const { callback } of waiting.splice(0)) callback(new Error('timeout exceeded when trying to connect'));
    for (const client of clients) streamOf(client).destroy();
  }
}
