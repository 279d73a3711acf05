import { Injectable } from '@nestjs/common';
import { Db } from '../../kernel/database/db.js';
import { Upkeep } from '../../kernel/database/upkeep.js';
import { GROWN_SANDBOXES, NEXT_EPOCH, THIN_IMAGES } from './snapshots.queries.js';

const EVERY_MS = 3_600_000;
/** A sandbox with fewer images is left alone: a reset processes them within milliseconds. */
const MIN_IMAGES = 10_000;

/**
 * Deletes images of rows that no reset needs. Each row that is created and deleted again leaves one, so a sandbox that
 * is never reset would collect more and more.
 */
@Injectable()
export class ImageThinning {
  constructor(
    private readonly db: Db,
    upkeep: Upkeep,
  ) {
    upkeep.register('thinning images of rows', EVERY_MS, (stopped) => this.sweep(MIN_IMAGES, stopped));
  }

  /** Thins the sandboxes that were called since yesterday and keep at least this many images. */
  async sweep(least: number, stopped: () => boolean = () => false): Promise<void> {
    for (const { id } of await this.db.read<{ id: number }>(GROWN_SANDBOXES, [least])) {
      if (stopped()) return;
      // images of the newest epoch are kept, as their rows may be created again meanwhile: a new epoch is started
      await this.db.writeAlone(id, (tx) => tx.query(NEXT_EPOCH, [id]));
      await this.thin(id);
    }
  }

  /** A page at a time, as there are concurrent writes. */
  async thin(tenantId: number): Promise<void> {
    let from: { tbl: string; key: string } | undefined = { tbl: '', key: '' };
    while (from)
      [from] = await this.db.run<{ tbl: string; key: string }>(THIN_IMAGES, [tenantId, from.tbl, from.key], tenantId);
  }
}
