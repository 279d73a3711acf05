import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Db } from './db.js';
import { StoreInfo } from './store-info.js';
import { statement } from './statement.js';

const EVERY_MS = 5 * 60_000;

/** Tables that changed much since they were vacuumed last. */
const CHANGED = statement(
  'maintenance_changed',
  `SELECT quote_ident(relname) AS name FROM pg_stat_user_tables
    WHERE schemaname = 'public'
      AND (n_dead_tup > 1000 + n_live_tup / 10 OR n_mod_since_analyze > 1000 + n_live_tup / 10)
    ORDER BY n_dead_tup LIMIT 20`,
);

/** VACUUM ANALYZE on the embedded database, which does none by itself; a server has its autovacuum. */
@Injectable()
export class StoreMaintenance implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly log = new Logger('Store');
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;
  private running: Promise<unknown> | undefined;

  constructor(
    private readonly db: Db,
    private readonly store: StoreInfo,
  ) {}

  onApplicationBootstrap(): void {
    if (this.store.embedded) this.plan();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  private plan(): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => {
      this.running = this.vacuum()
        .catch((error: Error) => this.log.warn(`the store could not be tidied: ${error.message}`))
        .finally(() => this.plan());
    }, EVERY_MS).unref();
  }

  /** One table after the other, so that calls get their turn in between. Answers the tables that were vacuumed. */
  async vacuum(): Promise<string[]> {
    const tables = await this.db.read<{ name: string }>(CHANGED);
    const done: string[] = [];
    for (const { name } of tables) {
      if (this.stopped) break;
      await this.db.readText(`VACUUM (ANALYZE) ${name}`);
      done.push(name);
    }
    return done;
  }
}
