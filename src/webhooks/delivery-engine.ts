import {
  Inject,
  Injectable,
  Logger,
  Optional,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Clock } from '../kernel/clock/clock.js';
import { Db, type Tx } from '../kernel/database/db.js';
import { Wakeups } from '../kernel/events/wakeups.js';
import { newUuid } from '../kernel/ids/ids.js';
import { Attempts, type DeliveryListener, type FailedAttempt } from './attempts.js';
import { CLEAR_QUEUE, DEPTH, REMOVE_TARGETS, SET_ENABLED } from './deliveries.queries.js';
import {
  DELIVERY_DEFAULTS,
  DELIVERY_OPTIONS,
  type DeliveryObserver,
  type DeliveryOptions,
  type Dialect,
  type ObservedCall,
} from './dialect.js';
import type { DeliveryGate } from './delivery-gate.js';
import { DeliveryTimes } from './delivery-times.js';
import { Dialects, type EngineContext } from './engine-context.js';
import { FailingTargets } from './failing-targets.js';
import { GuardedHttp } from './guarded-http.js';
import { HeldDeliveries } from './held-deliveries.js';
import { Lanes } from './lanes.js';
import { ResultBuffer, type Outcome, type TargetState } from './result-buffer.js';
import { Retries } from './retries.js';

const HELD_EVERY_MS = 1_000;
/** A renewal that failed is tried again well before the lease lapses. */
const RENEW_AGAIN_MS = 250;

/**
 * Sends queued deliveries to URLs, for every product that registers a dialect (docs/reference/events.md#delivery,
 * docs/reference/tracker-webhooks.md#delivery). First attempts start per target in order, at the replica that leases
 * the target (lanes.ts); retries are claimed individually and overtake no other delivery (retries.ts). At least once: a
 * row leaves the queue only when the outcome of its last attempt is stored.
 */
@Injectable()
export class DeliveryEngine implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly log = new Logger('Deliveries');
  private readonly context: EngineContext;
  private readonly results: ResultBuffer;
  private readonly attempts: Attempts;
  private readonly lanes: Lanes;
  private readonly retries: Retries;
  private readonly failing: FailingTargets;
  /** Deliveries held outside the queue. */
  readonly held: HeldDeliveries;
  /** Deliveries by the clock of their sandbox. */
  readonly times: DeliveryTimes;
  private readonly timers = new Set<NodeJS.Timeout>();
  private unsubscribe: (() => void) | undefined;
  private state: 'new' | 'running' | 'draining' | 'stopped' = 'new';
  private outage = false;
  /** Until then other processes may have outcomes to write from before an outage. */
  private othersWriteUntil = -Infinity;

  constructor(
    private readonly db: Db,
    clock: Clock,
    private readonly wakeups: Wakeups,
    http: GuardedHttp,
    @Optional() @Inject(DELIVERY_OPTIONS) options: Partial<DeliveryOptions> = {},
  ) {
    this.context = {
      db,
      clock,
      options: { ...DELIVERY_DEFAULTS, ...options },
      owner: newUuid(),
      dialects: new Dialects(),
      isRunning: () => this.state === 'running',
      reportOutage: (error) => this.reportOutage(error),
      reportRecovery: () => this.reportRecovery(),
      mayTakeOver: () => !this.outage && performance.now() >= this.othersWriteUntil,
    };
    this.results = new ResultBuffer(
      db,
      clock,
      this.context.options.resultsMs,
      (outcomes, targets) => this.written(outcomes, targets),
      (error) => this.reportOutage(error),
    );
    this.failing = new FailingTargets(
      this.context,
      (tx, ids, enabled) => this.setEnabled(tx, ids, enabled),
      (id) => this.log.warn(`${this.attempts.nameOf(id)} fails too often and gets nothing more`),
    );
    this.attempts = new Attempts(
      this.context,
      http,
      (dialect, id, failed) => this.failing.tally(dialect, id, failed),
      (row, ruleId, dueMs) => this.held.hold(row.tenant_id, row.id, ruleId, dueMs),
    );
    this.retries = new Retries(this.context, this.attempts, this.results);
    this.held = new HeldDeliveries(this.context, this.attempts, (inMs) => this.retries.claimIn(inMs));
    this.times = new DeliveryTimes(this.context, () => {
      this.wakeRetries();
      this.held.wake();
    });
    this.lanes = new Lanes(this.context, this.attempts, this.results, (inMs) => this.retries.claimIn(inMs));
  }

  /** Registers a product, at start-up. */
  register<T>(dialect: Dialect<T>): void {
    this.context.dialects.add(dialect);
    this.wake();
  }

  /** Something was queued. `db.write` with an event, and `EventLog.wake`, report that themselves. */
  wake(): void {
    this.lanes.searchIn(0);
  }

  /** Retries may be due. */
  wakeRetries(): void {
    this.retries.claimIn(0);
  }

  /** Called after each attempt and each drop; must be quick and not throw. `seconds` is how long the attempt took. */
  onDelivery(listener: DeliveryListener): () => void {
    return this.attempts.onDelivery(listener);
  }

  /** At start-up: registers a listener for failed attempts. */
  setFailureListener(listener: (failed: FailedAttempt) => void): void {
    this.attempts.setFailureListener(listener);
  }

  /** Registers the gate for deliveries of tenants with rules. */
  guard(gate: DeliveryGate): void {
    this.attempts.guard(gate);
  }

  /** The gate, for what is sent outside the queue. */
  get gate(): DeliveryGate | undefined {
    return this.attempts.deciding;
  }

  /** Retries in flight in this process. */
  get retrying(): readonly number[] {
    return this.retries.ids;
  }

  /** A dialect's data of a target; undefined for a deleted one. */
  async targetOf(product: string, id: string): Promise<unknown> {
    const dialect = this.context.dialects.get(product);
    return dialect && this.context.dialects.load(dialect, id);
  }

  /** Registers an observer, which sees whole attempts of the tenants it asks for. */
  observe(observer: DeliveryObserver): () => void {
    return this.attempts.observe(observer);
  }

  /** Reports something that was sent outside the queue because its caller waits for the response. */
  observed(call: ObservedCall): void {
    this.attempts.observed(call).catch((error: Error) => this.reportOutage(error));
  }

  /** First attempts in flight in this process. */
  get beginning(): readonly number[] {
    return this.lanes.attemptsUnderWay;
  }

  /** The queue over all replicas; counts stop at 100,000. `oldestSeconds` is null when no first attempt waits. */
  async depth(): Promise<{ first: number; retries: number; oldestSeconds: number | null }> {
    const [row] = await this.db.read<{ first: number; retries: number; oldest_seconds: number | null }>(DEPTH);
    return { first: row?.first ?? 0, retries: row?.retries ?? 0, oldestSeconds: row?.oldest_seconds ?? null };
  }

  /** Enables targets with their counts reset, or disables them and drops their queues. Returns those that changed. */
  async setEnabled(tx: Tx, ids: readonly string[], enabled: boolean): Promise<string[]> {
    const changed = await tx.query<{ id: string }>(SET_ENABLED, [ids, enabled]);
    await tx.query(CLEAR_QUEUE, [changed.map(({ id }) => id)]);
    tx.afterCommit(() => this.lanes.forget(ids));
    return changed.map(({ id }) => id);
  }

  /** Deletes targets and their queues. */
  async remove(tx: Tx, ids: readonly string[]): Promise<void> {
    await tx.query(REMOVE_TARGETS, [ids]);
    await tx.query(CLEAR_QUEUE, [ids]);
    tx.afterCommit(() => this.lanes.forget(ids));
  }

  /** These targets can no longer be reached from this process; another replica may take them. */
  release(ids: readonly string[]): void {
    this.lanes.forget(ids);
  }

  onApplicationBootstrap(): void {
    this.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.stop();
  }

  start(): void {
    if (this.state !== 'new') return;
    this.state = 'running';
    this.unsubscribe = this.wakeups.onWake((queued) => this.lanes.queued(queued));
    const { renewMs, countsMs } = this.context.options;
    this.every(renewMs, () => this.lanes.renew(), RENEW_AGAIN_MS);
    this.every(countsMs, () => this.failing.count());
    this.every(HELD_EVERY_MS, () => this.held.sendDue());
    this.lanes.searchIn(0);
  }

  /** Finishes attempts in flight, writes their outcomes and releases the leases. */
  async stop(): Promise<void> {
    if (this.state !== 'running') return;
    this.state = 'draining';
    this.unsubscribe?.();
    this.lanes.stopSearching();
    this.retries.halt();
    // write waiting results now: attempts in flight wait for that
    const finish = Promise.all([this.lanes.settled(), this.retries.settled()])
      .then(() => this.results.flush())
      .then(() => this.failing.count())
      .then(() => this.lanes.releaseAll());
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise((resolve) => (timer = setTimeout(resolve, this.context.options.drainMs)));
    await Promise.race([finish, late]).catch((error: Error) => this.reportOutage(error));
    clearTimeout(timer);
    this.halt();
  }

  /** @internal Stops at once and writes nothing more, as if the process were killed. */
  halt(): void {
    this.state = 'stopped';
    this.unsubscribe?.();
    this.results.close();
    this.retries.halt();
    this.held.halt();
    for (const timer of this.timers) clearTimeout(timer);
    this.lanes.halt();
  }

  private written(outcomes: readonly Outcome[], targets: readonly TargetState[]): void {
    let soonest = Infinity;
    for (const { again } of outcomes) if (again && again.delayMs < soonest) soonest = again.delayMs;
    if (soonest < this.context.options.pollMs) this.retries.claimIn(soonest);
    this.failing.judge(targets);
  }

  private reportOutage(error: Error): void {
    if (!this.outage && this.state !== 'stopped') this.log.warn(`deliveries wait for the database: ${error.message}`);
    this.outage = true;
  }

  private reportRecovery(): void {
    if (!this.outage) return;
    this.log.log('deliveries go on');
    this.outage = false;
    this.othersWriteUntil = performance.now() + this.context.options.leaseMs;
  }

  /** Runs `work` repeatedly, with this delay after each end, and with the other one after a failure. */
  private every(ms: number, work: () => Promise<void>, afterFailureMs = ms): void {
    const next = (inMs: number): void => {
      if (this.state !== 'running' && this.state !== 'draining') return;
      const timer = setTimeout(() => {
        this.timers.delete(timer);
        work().then(
          () => next(ms),
          (error: Error) => {
            this.reportOutage(error);
            next(Math.min(ms, afterFailureMs));
          },
        );
      }, inMs);
      this.timers.add(timer.unref());
    };
    next(ms);
  }
}
