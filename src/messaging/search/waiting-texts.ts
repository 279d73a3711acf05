import { Injectable } from '@nestjs/common';
import { Db } from '../../kernel/database/db.js';
import { Upkeep } from '../../kernel/database/upkeep.js';
import { FillingTurns } from '../../kernel/tenancy/filling-turns.js';
import { catchUp } from './catch-up.js';
import { WORKSPACE_WITH_BACKLOG, INDEX_WAITING } from './search.queries.js';

/** By then most test sandboxes are gone, and their texts need no index. */
const EVERY_MS = 60_000;
/** Rows of one statement. */
const AT_ONCE = 500;
/** The longest that a step waits for work on whole tenants, in milliseconds. */
const PAUSE_MS = 250;

/** Adds texts of bulk inserts to the text index, in small steps after the insert. */
@Injectable()
export class WaitingTexts {
  constructor(
    private readonly db: Db,
    private readonly turns: FillingTurns,
    upkeep: Upkeep,
  ) {
    upkeep.register('indexing texts', EVERY_MS, (stopped) => this.index(stopped));
  }

  /** All texts waiting now. */
  async index(stopped: () => boolean = () => false): Promise<void> {
    while (!stopped()) {
      await this.turns.quiet(PAUSE_MS);
      const [behind] = await this.db.read<{ workspaceId: string }>(WORKSPACE_WITH_BACKLOG);
      if (!behind) break;
      await catchUp(this.db, behind.workspaceId, 1);
    }
    while (!stopped()) if ((await this.db.run(INDEX_WAITING, [AT_ONCE])).length < AT_ONCE) return;
  }
}
