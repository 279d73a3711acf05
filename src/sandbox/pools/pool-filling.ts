import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { SETTINGS_TOKEN, type Settings } from '../../kernel/config/settings.js';
import { Db } from '../../kernel/database/db.js';
import { Upkeep } from '../../kernel/database/upkeep.js';
import { CallsUnderWay } from '../../kernel/http/calls-under-way.js';
import { RestError } from '../../kernel/http/http-error.js';
import { Log } from '../../kernel/log/log.js';
import { FillingTurns } from '../../kernel/tenancy/filling-turns.js';
import { PoolCopies } from '../../tenants/copies/pool-copies.js';
import { LACKING, SET_POOL_ERROR } from './pools.queries.js';

/** How soon a replica goes on with what another one that died was filling. */
const EVERY_MS = 1_000;
/** How many are made for a pool before the others get their turn. */
const AT_ONCE = 5;
/** After each the running calls end first, for up to this many times as long as it took. */
const PAUSE = 4;
const MAX_PAUSE_MS = 500;
/** How long a pool rests that nothing can be made for. */
const REST_MS = 2_000;

interface Lacking extends Record<string, unknown> {
  readonly id: string;
  readonly idSpace: 'server' | 'own';
  readonly missing: number;
}

/** Makes the sandboxes of pools in the background, by one replica at a time, and lets everybody's calls go first. */
@Injectable()
export class PoolFilling implements BeforeApplicationShutdown {
  private running: Promise<void> | undefined;
  private isAskedAgain = false;
  private isStopped = false;
  /** Until when pools rest. */
  private readonly resting = new Map<string, number>();

  constructor(
    private readonly db: Db,
    private readonly copies: PoolCopies,
    private readonly turns: FillingTurns,
    private readonly calls: CallsUnderWay,
    private readonly log: Log,
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
    upkeep: Upkeep,
  ) {
    upkeep.register('filling pools', EVERY_MS, () => this.run());
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isStopped = true;
    await this.running;
  }

  /** Something was claimed, or is to be made. Nobody waits for it. */
  soon(poolId: string): void {
    this.resting.delete(poolId);
    this.isAskedAgain = true;
    this.run().catch((error: Error) => this.log.warn('pools are not filled at the moment', { error }));
  }

  private run(): Promise<void> {
    this.running ??= this.fill().finally(() => (this.running = undefined));
    return this.running;
  }

  /** Until no pool lacks anything, or another replica is at it. */
  private async fill(): Promise<void> {
    for (let isMade = true; isMade || this.isAskedAgain;) {
      this.isAskedAgain = false;
      isMade = false;
      for (const { id, idSpace, missing } of await this.db.read<Lacking>(LACKING)) {
        if ((this.resting.get(id) ?? 0) > performance.now()) continue;
        for (let n = Math.min(missing, AT_ONCE); n > 0 && !this.isStopped; n--) {
          if (!(await this.one(id, idSpace))) break;
          isMade = true;
        }
      }
      if (this.isStopped) return;
    }
  }

  private async one(id: string, idSpace: Lacking['idSpace']): Promise<boolean> {
    const began = performance.now();
    const isMade = await this.copies.add({ id, idSpace }, this.settings.sandboxLimit).catch(async (error: Error) => {
      const isExpected = error instanceof RestError;
      if (!isExpected) this.log.warn('a pool cannot be filled', { pool: id, error });
      this.resting.set(id, performance.now() + REST_MS);
      await this.db.run(SET_POOL_ERROR, [id, isExpected ? error.code : 'internal_error']);
      return false;
    });
    if (!isMade) return false;
    const mostMs = Math.min(PAUSE * (performance.now() - began), MAX_PAUSE_MS);
    await this.turns.quiet(mostMs);
    await this.calls.none(mostMs);
    return true;
  }
}
