import { Injectable } from '@nestjs/common';
import { Db } from '../../kernel/database/db.js';
import { Upkeep } from '../../kernel/database/upkeep.js';
import { INDEX_WAITING } from './search.queries.js';

/** By then most sandboxes of tests are gone, with texts that nobody had to index. */
const EVERY_MS = 60_000;
/** Rows of one statement. */
const AT_ONCE = 500;

/** Puts texts that came by the thousand into the text index, in small steps behind whoever brought them. */
@Injectable()
export class WaitingTexts {
  constructor(
    private readonly db: Db,
    upkeep: Upkeep,
  ) {
    upkeep.register('indexing texts', EVERY_MS, (stopped) => this.index(stopped));
  }

  /** All that wait by now. */
  async index(stopped: () => boolean = () => false): Promise<void> {
    while (!stopped()) if ((await this.db.run(INDEX_WAITING, [AT_ONCE])).length < AT_ONCE) return;
  }
}
