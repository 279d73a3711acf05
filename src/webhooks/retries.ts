import { AsyncResource } from 'node:async_hooks';
import type { Attempts } from './attempts.js';
import { CLAIM_RETRIES, type RetryRow } from './deliveries.queries.js';
import type { Dialect } from './dialect.js';
import { groupBy } from '../kernel/group-by.js';
import type { EngineContext } from './engine-context.js';
import type { ResultBuffer } from './result-buffer.js';

interface RetryUnderWay {
  readonly targetId: string;
  /** The tenant whose share it counts towards. */
  readonly share: number;
  readonly attempt: number;
  /** How many of its target may be in flight. */
  readonly most: number;
  readonly done: Promise<void>;
}

/** Claims due retries individually and makes them; they neither overtake nor delay other deliveries. */
export class Retries {
  private readonly underWay = new Map<number, RetryUnderWay>();
  /** Outside any request's context, whichever request reported that retries are due. */
  private readonly claimApart = AsyncResource.bind(() => void this.claim());
  private timer: NodeJS.Timeout | undefined;
  private due = Infinity;
  private claiming = false;
  private claimAgain = false;

  constructor(
    private readonly context: EngineContext,
    private readonly attempts: Attempts,
    private readonly results: ResultBuffer,
  ) {}

  get ids(): readonly number[] {
    return [...this.underWay.keys()];
  }

  settled(): Promise<unknown> {
    return Promise.all([...this.underWay.values()].map(({ done }) => done));
  }

  halt(): void {
    clearTimeout(this.timer);
  }

  /** Claims what is due after this delay; of several calls the earliest applies. */
  claimIn(inMs: number): void {
    if (!this.context.isRunning()) return;
    const at = performance.now() + Math.max(0, inMs);
    if (at >= this.due) return;
    clearTimeout(this.timer);
    this.due = at;
    this.timer = setTimeout(this.claimApart, at - performance.now()).unref();
  }

  private async claim(): Promise<void> {
    this.due = Infinity;
    if (this.claiming) {
      this.claimAgain = true;
      return;
    }
    this.claiming = true;
    this.claimAgain = false;
    try {
      for (;;) {
        const free = this.context.options.maxRetries - this.underWay.size;
        if (free <= 0 || !this.context.isRunning()) break;
        const rows = await this.claimed(free);
        if (rows.length === 0) break;
        const byProduct = groupBy(rows, (row) => row.target_product ?? '');
        for (const [product, group] of byProduct) this.start(this.context.dialects.get(product), group);
      }
    } catch (error) {
      this.context.reportOutage(error as Error);
    } finally {
      this.claiming = false;
      if (this.claimAgain) this.claimIn(0);
    }
  }

  private claimed(most: number): Promise<RetryRow[]> {
    const { db, clock, options, dialects } = this.context;
    const ofTenant = groupBy([...this.underWay.values()], ({ share }) => share);
    const reachable = dialects.reachable();
    return db.run<RetryRow>(CLAIM_RETRIES, [
      clock.wallOffsetMicros,
      most,
      options.maxRetriesOfTarget,
      this.saturated(),
      dialects.longestTimeoutMs + 10_000,
      dialects.names,
      [...ofTenant.keys()],
      [...ofTenant.values()].map(({ length }) => length),
      this.shareOfTenant,
      reachable.products,
      reachable.targetIds,
      this.context.mayTakeOver(),
      ...dialects.retriesUnderWay(),
    ]);
  }

  private get shareOfTenant(): number {
    return Math.ceil(this.context.options.maxRetries / 4);
  }

  /** Targets with the maximum of retries in flight. */
  private saturated(): string[] {
    const ofTarget = groupBy([...this.underWay.values()], ({ targetId }) => targetId);
    return [...ofTarget]
      .filter(([id, retries]) => retries.length >= (this.attempts.isTriedAlone(id) ? 1 : (retries[0]?.most ?? 1)))
      .map(([id]) => id);
  }

  private start(dialect: Dialect | undefined, rows: RetryRow[]): void {
    const { context } = this;
    for (const row of rows) {
      const before = this.underWay.get(row.id);
      // the claim is renewed, because the attempt takes long
      if (before && before.attempt >= row.attempt) continue;
      // the previous attempt's outcome was written on another connection, and its answer has not arrived here yet
      const loaded = Promise.resolve(before?.done).then(() =>
        dialect ? context.dialects.load(dialect, row.target_id) : undefined,
      );
      const done = loaded
        .then((target) => {
          if (!dialect || target === undefined || row.age_ms === null) return this.attempts.drop(dialect, row);
          return this.attempts.make(dialect, row, target);
        })
        .then((outcome) => outcome && this.results.add(outcome))
        .catch((error: Error) => context.reportOutage(error))
        .then(() => {
          // frees the place for others
          const full = this.isFull(row);
          if (this.underWay.get(row.id)?.done === done) this.underWay.delete(row.id);
          if (full) this.claimIn(context.options.searchEveryMs);
        });
      const most = dialect?.retriesUnderWay ?? context.options.maxRetriesOfTarget;
      this.underWay.set(row.id, {
        targetId: row.target_id,
        share: this.shareOf(row),
        attempt: row.attempt,
        most,
        done,
      });
    }
  }

  private isFull(row: RetryRow): boolean {
    if (this.underWay.size >= this.context.options.maxRetries || this.saturated().includes(row.target_id)) return true;
    const whose = this.shareOf(row);
    let ofTenant = 0;
    for (const { share } of this.underWay.values()) if (share === whose) ofTenant++;
    return ofTenant >= this.shareOfTenant;
  }

  /** The tenant whose share it uses. */
  private shareOf(row: RetryRow): number {
    return this.context.db.shares.of(row.tenant_id);
  }
}
