import { Injectable } from '@nestjs/common';
import { Db } from './db.js';
import { StoreInfo } from './store-info.js';
import { statement } from './statement.js';
import { Upkeep } from './upkeep.js';

const EVERY_MS = 5 * 60_000;

/** Tables with many changes since their last vacuum. */
const CHANGED = statement(
  'maintenance_changed',
  `SELECT quote_ident(relname) AS name FROM pg_stat_user_tables
    WHERE schemaname = 'public'
      AND (n_dead_tup > 1000 + n_live_tup / 10 OR n_mod_since_analyze > 1000 + n_live_tup / 10)
    ORDER BY n_dead_tup LIMIT 20`,
);

/** VACUUM ANALYZE on PGlite, which has no autovacuum; a server does. */
@Injectable()
export class StoreMaintenance {
  constructor(
    private readonly db: Db,
    store: StoreInfo,
    upkeep: Upkeep,
  ) {
    if (!store.isConcurrent) upkeep.register('tidying the store', EVERY_MS, (stopped) => this.vacuum(stopped));
  }

  /** One table at a time, so that calls run in between. Returns the vacuumed tables. */
  async vacuum(stopped = (): boolean => false): Promise<string[]> {
    const tables = await this.db.read<{ name: string }>(CHANGED);
    const done: string[] = [];
    for (const { name } of tables) {
      if (stopped()) break;
      await this.db.readText(`VACUUM (ANALYZE) ${name}`);
      done.push(name);
    }
    return done;
  }
}
