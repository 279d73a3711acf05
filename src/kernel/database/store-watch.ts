import { Injectable, Logger } from '@nestjs/common';
import type { Duplex } from 'node:stream';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { poolOf } from './pool.js';
import { StoreInfo } from './store-info.js';
import { Upkeep } from './upkeep.js';

const LOOK_EVERY_MS = 1_000;
/** Looks in a row that find statements under way and none answered, before the server is asked whether it is there. */
const PATIENCE = 2;
/** How long the server may take to answer that. */
const PROBE_MS = 1_500;
/** So many times in a row: once may have been this process, which stood still and heard no answer. */
const PROBES = 2;

/**
 * Notices a PostgreSQL that answers nothing any more: a host that is gone or a network that drops packets, where a
 * statement would wait until TCP gives up, a quarter of an hour later. A server that refuses connections needs none of
 * this, and neither does the embedded database, which ends the process when it dies.
 *
 * Silence is found within 6 s. Connections are cut then, so that calls under way fail as unavailable, and new calls are
 * refused at the door (`pressure.ts`) until the server answers again.
 */
@Injectable()
export class StoreWatch {
  private readonly log = new Logger('StoreWatch');
  /** Looks since a connection was last given back. */
  private idleLooks = 0;
  /** How long a call waits for a connection otherwise. */
  private readonly patience: number | undefined;
  private isSilent = false;

  constructor(
    private readonly dataSource: DataSource,
    private readonly store: StoreInfo,
    upkeep: Upkeep,
  ) {
    if (store.embedded) return;
    const pool = poolOf(dataSource);
    this.patience = pool.options.connectionTimeoutMillis;
    pool.on('release', () => (this.idleLooks = 0));
    upkeep.register('watching the database', LOOK_EVERY_MS, () => this.look());
  }

  /** True while the server answers nothing. */
  get silent(): boolean {
    return this.isSilent;
  }

  private async look(): Promise<void> {
    const { totalCount, idleCount, waitingCount } = poolOf(this.dataSource);
    const isBusy = totalCount > idleCount || waitingCount > 0;
    // counted in looks, not by the clock: a process that stood still itself has not waited for anybody
    this.idleLooks = isBusy ? this.idleLooks + 1 : 0;
    if (!this.isSilent && this.idleLooks < PATIENCE) return;
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
    poolOf(this.dataSource).options.connectionTimeoutMillis = this.patience;
  }

  /** Whether the server says anything at all, on a connection of its own; a refusal is an answer. */
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
      // SQLSTATE: it was the server that said no; EPIPE is none
      const { code } = error as { code?: unknown };
      return typeof code === 'string' && /^(?!E)[0-9A-Z]{5}$/.test(code);
    } finally {
      streamOf(client).destroy();
    }
  }

  /**
   * Ends whatever waits for the server. Idle connections as well: they are as dead as the others. Until it answers,
   * nobody waits for a new one either.
   */
  private cut(): void {
    const pool = poolOf(this.dataSource);
    pool.options.connectionTimeoutMillis = 1;
    const { _clients: clients, _pendingQueue: waiting } = pool as unknown as PoolInternals;
    for (const { callback } of waiting.splice(0)) callback(new Error('timeout exceeded when trying to connect'));
    for (const client of clients) streamOf(client).destroy();
  }
}

/** What the pool keeps to itself: all connections, also those that are being made, and who waits for one. */
interface PoolInternals {
  readonly _clients: readonly pg.PoolClient[];
  readonly _pendingQueue: { readonly callback: (error: Error) => void }[];
}

const streamOf = (client: pg.Client | pg.PoolClient): Duplex =>
  (client as unknown as { connection: { stream: Duplex } }).connection.stream;
