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
 * Silence is found within 7 s. Connections are cut then, so that calls under way fail as unavailable, and new calls are
 * refused at the door (`pressure.ts`) until the server answers again.
 */
@Injectable()
export class StoreWatch {
  private readonly log = new Logger('StoreWatch');
  private readonly clients = new Set<pg.PoolClient>();
  /** Looks since a connection was last given back. */
  private idleLooks = 0;
  /** Questions in a row that nobody answered. */
  private unanswered = 0;
  private isSilent = false;

  constructor(
    private readonly dataSource: DataSource,
    private readonly store: StoreInfo,
    upkeep: Upkeep,
  ) {
    if (store.embedded) return;
    const pool = poolOf(dataSource);
    pool.on('acquire', (client) => void this.clients.add(client));
    pool.on('remove', (client) => void this.clients.delete(client));
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
    if (!this.isSilent && this.idleLooks < PATIENCE) {
      this.unanswered = 0;
      return;
    }
    if (await this.answers()) {
      if (this.isSilent) this.log.log('the database answers again');
      this.isSilent = false;
      this.idleLooks = this.unanswered = 0;
      return;
    }
    if (++this.unanswered < PROBES) return;
    if (!this.isSilent) this.log.warn('the database does not answer: calls are refused until it does');
    this.isSilent = true;
    this.cut();
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

  /** Idle connections as well: they are as dead as the others. */
  private cut(): void {
    for (const client of this.clients) streamOf(client).destroy();
  }
}

const streamOf = (client: pg.Client | pg.PoolClient): Duplex =>
  (client as unknown as { connection: { stream: Duplex } }).connection.stream;
