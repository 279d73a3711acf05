import { Injectable } from '@nestjs/common';
import { Db } from '../../kernel/database/db.js';
import { Upkeep } from '../../kernel/database/upkeep.js';
import { FORGET_OLD_USES, NOTE_USES } from './token-uses.queries.js';

const NOTE_EVERY_MS = 15_000;
const FORGET_EVERY_MS = 10 * 60_000;

/** When tokens were last used: kept in memory by each call, stored periodically in one statement. */
@Injectable()
export class TokenUses {
  private used = new Set<string>();

  constructor(
    private readonly db: Db,
    upkeep: Upkeep,
  ) {
    upkeep.register('noting when tokens were used', NOTE_EVERY_MS, () => this.store());
    upkeep.register('forgetting old uses of tokens', FORGET_EVERY_MS, () => this.db.run(FORGET_OLD_USES));
  }

  note(hash: string): void {
    this.used.add(hash);
  }

  /** Stores the uses since the last time. */
  async store(): Promise<void> {
    if (this.used.size === 0) return;
    const hashes = [...this.used];
    this.used = new Set();
    await this.db.run(NOTE_USES, [hashes]);
  }
}
