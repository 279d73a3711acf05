import { Injectable } from '@nestjs/common';
import { enterDraw } from '../clock/request-sandbox.js';
import { Db } from '../database/db.js';
import { NEXT_DRAW } from './draws.queries.js';
import type { SandboxFlags } from './sandbox-flags.js';

/**
 * Numbers the calls of sandboxes with ids of their own that may make some, in the order in which they come: what they
 * make up is derived from it, so that equal calls make equal ids (docs/decisions/equal-forks.md).
 */
@Injectable()
export class Draws {
  constructor(private readonly db: Db) {}

  /** The sandbox of the current request was entered, and the call may change something. */
  async begin(sandbox: SandboxFlags | null | undefined): Promise<void> {
    if (!sandbox?.ids) return;
    const [row] = await this.db.run<{ call: number }>(NEXT_DRAW, [sandbox.tenantId]);
    if (row) enterDraw(sandbox.randomSeed, row.call);
  }
}
