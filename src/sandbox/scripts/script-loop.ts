import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Db } from '../../kernel/database/db.js';
import { Upkeep } from '../../kernel/database/upkeep.js';
import { Log } from '../../kernel/log/log.js';
import { SandboxDues } from '../../kernel/sandbox/sandbox-dues.js';
import { SandboxResets } from '../../kernel/sandbox/sandbox-resets.js';
import { RESTART_SCRIPT } from '../../tenants/scripts/script-store.queries.js';
import { Feeds } from '../timeline/feeds.js';
import { Timeline } from '../timeline/timeline.service.js';
import { ScriptMatching } from './script-matching.js';
import { ScriptRuns } from './script-runs.js';
import { DUE_SANDBOXES, WATCHED, WORK, type WorkRow } from './scripts.queries.js';

/** How late something is done, at most, where time runs. */
const LOOK_EVERY_MS = 100;
/** How soon a replica follows a sandbox that was made at another one. */
const FOLLOW_EVERY_MS = 1_000;
const RETRY_MS = 500;
/** How often somebody who moves a clock looks whether another replica is done. */
const AGAIN_MS = 20;

/** Keeps scripts going: by what happens, by running time, and where a clock is moved. */
@Injectable()
export class ScriptLoop implements BeforeApplicationShutdown {
  /** Followed sandboxes, and how following ends. */
  private readonly followed = new Map<number, Promise<() => void>>();
  /** Sandboxes in which this process is at work. */
  private readonly busy = new Map<number, Promise<void>>();
  private isStopped = false;

  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly feeds: Feeds,
    private readonly timeline: Timeline,
    private readonly matching: ScriptMatching,
    private readonly runs: ScriptRuns,
    private readonly log: Log,
    upkeep: Upkeep,
    dues: SandboxDues,
    resets: SandboxResets,
  ) {
    dues.register({
      next: (tenantId) => this.next(tenantId),
      run: (tenantId, end) => this.runMoved(tenantId, end),
      isAtOnce: true,
    });
    upkeep.register('acts of scripts', LOOK_EVERY_MS, () => this.look());
    upkeep.register('following the scripts of sandboxes', FOLLOW_EVERY_MS, () => this.followAll());
    resets.onReset(async (tx, tenantId) => {
      const { wallOffsetMicros } = this.clock;
      await tx.query(RESTART_SCRIPT, [tenantId, null, wallOffsetMicros, null, this.clock.wallMs()]);
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isStopped = true;
    await Promise.all(this.busy.values());
  }

  /** From now on what happens in a sandbox is compared with its script. */
  follow(tenantId: number): void {
    if (this.followed.has(tenantId)) return;
    const wake = (): void => this.wake(tenantId);
    const leave = this.timeline
      .state(tenantId)
      .then(({ last }) => this.feeds.follow(tenantId, last, { entries: wake }))
      // of what happened before it was followed, too
      .then((end) => {
        wake();
        return end;
      });
    this.followed.set(tenantId, leave);
    leave.catch((error: Error) => {
      this.followed.delete(tenantId);
      this.log.warn('a sandbox cannot be followed for its script', { tenant: tenantId, error });
    });
  }

  private async followAll(): Promise<void> {
    const rows = await this.db.read<{ tenantId: number }>(WATCHED);
    const watched = new Set(rows.map(({ tenantId }) => tenantId));
    for (const tenantId of watched) this.follow(tenantId);
    for (const [tenantId, leave] of this.followed) {
      if (watched.has(tenantId)) continue;
      this.followed.delete(tenantId);
      await leave.then((end) => end());
    }
  }

  private wake(tenantId: number): void {
    this.matching.match(tenantId).then(
      (isDue) => void (isDue && this.work(tenantId)),
      (error: Error) => this.trouble(tenantId, error),
    );
  }

  private async look(): Promise<void> {
    const due = await this.db.read<{ tenantId: number }>(DUE_SANDBOXES, [this.clock.wallOffsetMicros]);
    for (const { tenantId } of due) this.work(tenantId);
  }

  /** Not waited for: an app that is slow to answer delays no other sandbox. */
  private work(tenantId: number): void {
    if (this.isStopped || this.busy.has(tenantId)) return;
    const work = this.runs
      .run(tenantId, false, () => this.isStopped)
      .then(
        () => undefined,
        (error: Error) => this.log.warn('a script waits', { tenant: tenantId, error }),
      )
      .finally(() => this.busy.delete(tenantId));
    this.busy.set(tenantId, work);
  }

  private trouble(tenantId: number, error: Error): void {
    this.log.warn('a timeline cannot be compared with its script', { tenant: tenantId, error });
    setTimeout(() => {
      if (!this.isStopped && this.followed.has(tenantId)) this.wake(tenantId);
    }, RETRY_MS).unref();
  }

  private async next(tenantId: number): Promise<number | null> {
    const work = await this.workOf(tenantId);
    if (!work?.watches) return work?.nextAt ?? null;
    // what has just happened may set something off
    await this.timeline.complete(tenantId);
    await this.matching.match(tenantId);
    return (await this.workOf(tenantId))?.nextAt ?? null;
  }

  /** Does what is due, and what that sets off, until nothing is. */
  private async runMoved(tenantId: number, end: number): Promise<void> {
    let compared = -1;
    while (performance.now() < end) {
      const work = await this.workOf(tenantId);
      if (!work) return;
      if (work.isDue) {
        if ((await this.runs.run(tenantId, true)) === 0) await new Promise((go) => setTimeout(go, AGAIN_MS));
        continue;
      }
      // nothing was being done when the timeline was compared last, and nothing came of it
      if (!work.watches || work.seen === compared) return;
      compared = work.seen;
      await this.timeline.complete(tenantId);
      await this.matching.match(tenantId);
    }
  }

  private async workOf(tenantId: number): Promise<WorkRow | undefined> {
    const [work] = await this.db.read<WorkRow>(WORK, [tenantId, this.clock.wallOffsetMicros]);
    return work;
  }
}
