import type { Attempts } from './attempts.js';
import type { DeliveryRow } from './deliveries.queries.js';
import { DEFAULT_ORDER } from './dialect.js';
import type { EngineContext } from './engine-context.js';
import type { Lane } from './lane.js';
import type { Outcome, ResultBuffer } from './result-buffer.js';

/** In how many steps it is waited for an answer. */
const WAITING_STEPS = 10;

/** What a run needs from the holder of the leases. */
interface Lease {
  holds(lane: Lane): boolean;
  /** The head of a lane's queue. */
  read(id: string): Promise<DeliveryRow[]>;
}

/**
 * Starts the first attempts of a lane in the order of its queue, as many concurrently as the target's dialect allows.
 */
export class FirstAttempts {
  constructor(
    private readonly context: EngineContext,
    private readonly attempts: Attempts,
    private readonly results: ResultBuffer,
    private readonly lease: Lease,
  ) {}

  /** Starts the queued attempts of a lane until none is left or the lease ends. */
  async run(lane: Lane): Promise<void> {
    await lane.after;
    while (lane.woken && this.hasMore(lane)) {
      lane.woken = false;
      lane.isOutrun = false;
      const readAt = performance.now();
      // the queue may still contain attempts that were in flight when it was read
      const begun = new Set(lane.flying.keys());
      const rows = (await this.lease.read(lane.id)).filter((row) => !begun.has(row.id));
      for (const row of rows) {
        if (!(await this.mayBegin(lane)) || !this.hasMore(lane)) return;
        await this.refresh(lane);
        if (!this.lease.holds(lane)) return;
        if (lane.isOutrun) break;
        await this.begin(lane, row, readAt);
        lane.woken = true;
      }
      if (lane.isOutrun) lane.woken = true;
    }
  }

  /** Waits until the target accepts another attempt. False: it cannot be reached through this process. */
  private async mayBegin(lane: Lane): Promise<boolean> {
    const most = (): number =>
      this.attempts.isTriedAlone(lane.id) ? 1 : (lane.dialect.order ?? DEFAULT_ORDER).underWay;
    while (lane.unanswered.size >= most()) await Promise.race(lane.unanswered);
    if ((await lane.dialect.room?.(lane.id)) !== false) return true;
    lane.forgotten = true;
    return false;
  }

  /** Resolves when the attempt was answered, or has taken so long that it holds back no other. */
  private async begin(lane: Lane, row: DeliveryRow, readAt: number): Promise<void> {
    const outcome = this.first(lane, row, readAt);
    const answered = outcome.then(
      () => void lane.unanswered.delete(answered),
      () => void lane.unanswered.delete(answered),
    );
    lane.unanswered.add(answered);
    let isOutrun = false;
    const written = outcome
      .then((made) => {
        isOutrun = made === null && lane.dialect.room !== undefined;
        return made ? this.results.add(made) : undefined;
      })
      .catch((error: Error) => this.context.reportOutage(error))
      .finally(() => {
        lane.flying.delete(row.id);
        lane.isOutrun ||= isOutrun;
      });
    lane.flying.set(row.id, written);
    const { waitMs } = lane.dialect.order ?? DEFAULT_ORDER;
    if (waitMs === 0) return;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      // a process that stood still has not sent the request yet, or not read the answer: that is one step, however long
      let steps = 0;
      timer = setInterval(() => {
        if (++steps === WAITING_STEPS) resolve();
      }, waitMs / WAITING_STEPS);
    });
    await Promise.race([answered, late]);
    clearInterval(timer);
  }

  /** Loads the target's data again if it is outdated. */
  private async refresh(lane: Lane): Promise<void> {
    const started = performance.now();
    if (lane.loadedAt + lane.dialect.targetsFreshMs > started) return;
    lane.target = await this.context.dialects.load(lane.dialect, lane.id);
    // dated by the request: the data may have changed right after it was read
    lane.loadedAt = started;
  }

  private async first(lane: Lane, row: DeliveryRow, readAt: number): Promise<Outcome | null> {
    const started = performance.now();
    if (row.age_ms === null || row.age_ms + (started - readAt) > lane.dialect.maxAgeMs)
      return this.attempts.drop(lane.dialect, row);
    if (lane.target === undefined) return this.attempts.drop(lane.dialect, row);
    return this.attempts.make(lane.dialect, row, lane.target);
  }

  private hasMore(lane: Lane): boolean {
    return this.lease.holds(lane) && this.context.isRunning();
  }
}
