import {
  Inject,
  Injectable,
  Logger,
  Optional,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Clock } from '../kernel/clock/clock.js';
import { coalesce } from '../kernel/database/coalesce.js';
import { Db, type Tx } from '../kernel/database/db.js';
import { Wakeups } from '../kernel/events/wakeups.js';
import { newUuid } from '../kernel/ids/ids.js';
import {
  CLAIM_RETRIES,
  CLEAR_QUEUE,
  COUNT,
  DEPTH,
  FAILING,
  LOOK,
  READ_LANES,
  RELEASE,
  REMOVE_TARGETS,
  RENEW,
  SET_ENABLED,
  SWEEP,
  type DeliveryRow,
  type RetryRow,
  type WaitingRow,
} from './deliveries.queries.js';
import { DELIVERY_DEFAULTS, DELIVERY_OPTIONS, type DeliveryOptions, type Dialect } from './dialect.js';
import { GuardedHttp, type FailureReason } from './guarded-http.js';
import { ResultBuffer, type Outcome, type ToldTarget } from './result-buffer.js';

/** First attempts to one target, one at a time, for as long as this process holds the target's lease. */
interface Lane {
  readonly id: string;
  readonly dialect: Dialect;
  /** performance.now() until which the lease surely holds. */
  until: number;
  /** The run that sends now. */
  running: Promise<void> | undefined;
  /** The last run under an earlier lease of ours, which may still have an attempt in flight. */
  readonly after: Promise<void> | undefined;
  /** Something may have been queued since the queue was read. */
  woken: boolean;
  /** The target was disabled or removed here: the lease is given back when the run ends. */
  forgotten: boolean;
  idleSince: number;
  target: unknown;
  loadedAt: number;
}

/** What happened to a delivery, for whoever counts. */
export type DeliveryHappening = 'delivered' | 'failed' | 'given_up' | 'dropped';
export type DeliveryListener = (product: string, happening: DeliveryHappening, seconds: number) => void;

/** Targets of one look. */
const LOOK_MOST = 500;
/** Deliveries that a lane reads at once, at most. */
const READ_MOST = 100;

/**
 * Sends queued deliveries to URLs, for every product that registers a dialect (architecture.md, Events out;
 * messaging.md D.7, tracker.md i.2). First attempts go out per target one by one in order, by the replica that leases
 * the target; retries are claimed singly and overtake nobody. At least once: a row leaves the queue only after its
 * answer.
 */
@Injectable()
export class DeliveryEngine implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly log = new Logger('Deliveries');
  private readonly options: DeliveryOptions;
  /** Names this process in leases. */
  private readonly owner = newUuid();
  private readonly dialects = new Map<string, Dialect>();
  /** `loadTargets` of each dialect, asked for all lanes at once. */
  private readonly loaders = new Map<string, (id: string) => Promise<unknown>>();
  private readonly lanes = new Map<string, Lane>();
  private readonly results: ResultBuffer;
  private readonly listeners = new Set<DeliveryListener>();
  private readonly retries = new Map<number, { targetId: string; attempt: number; done: Promise<void> }>();
  private counts = new Map<string, { product: string; attempts: number; failures: number }>();
  private readonly readLane: (id: string) => Promise<DeliveryRow[]>;
  private readonly timers = new Set<NodeJS.Timeout>();
  private unsubscribe: (() => void) | undefined;
  private state: 'new' | 'running' | 'draining' | 'stopped' = 'new';

  private lookTimer: NodeJS.Timeout | undefined;
  private lookDue = Infinity;
  private lookedAt = -Infinity;
  private looking = false;
  private lookAgain = false;
  private lookFrom = '';
  private retryTimer: NodeJS.Timeout | undefined;
  private retryDue = Infinity;
  private claiming = false;
  private claimAgain = false;
  private outage = false;

  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly wakeups: Wakeups,
    private readonly http: GuardedHttp,
    @Optional() @Inject(DELIVERY_OPTIONS) options: Partial<DeliveryOptions> = {},
  ) {
    this.options = { ...DELIVERY_DEFAULTS, ...options };
    this.results = new ResultBuffer(
      db,
      clock,
      this.options.resultsMs,
      (outcomes, told) => this.written(outcomes, told),
      (error) => this.trouble(error),
    );
    this.readLane = coalesce((ids: string[]) => this.readLanes(ids), { name: 'deliveries.lane', max: 100 });
  }

  /** A product joins at start-up. */
  register<T>(dialect: Dialect<T>): void {
    if (this.dialects.has(dialect.product)) throw new Error(`two dialects are named ${dialect.product}`);
    this.dialects.set(dialect.product, dialect as Dialect);
    const load = async (ids: string[]): Promise<unknown[]> => {
      const loaded = await dialect.loadTargets([...new Set(ids)]);
      return ids.map((id) => loaded.get(id));
    };
    this.loaders.set(dialect.product, coalesce(load, { name: 'deliveries.targets' }));
    this.wake();
  }

  /** Something was queued. `db.write` with an event, and `EventLog.wake`, say so by themselves. */
  wake(): void {
    this.lookIn(0);
  }

  /** Called after each attempt and each drop; must be quick and not throw. `seconds` is how long the attempt took. */
  onDelivery(listener: DeliveryListener): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** The queue over all replicas; counts stop at 100,000. `oldestSeconds` is null when no first attempt waits. */
  async depth(): Promise<{ first: number; retries: number; oldestSeconds: number | null }> {
    const [row] = await this.db.read<{ first: number; retries: number; oldest_seconds: number | null }>(DEPTH);
    return { first: row?.first ?? 0, retries: row?.retries ?? 0, oldestSeconds: row?.oldest_seconds ?? null };
  }

  /** Enables targets, afresh, or disables them and drops what is queued for them. Answers those that changed. */
  async setEnabled(tx: Tx, ids: readonly string[], enabled: boolean): Promise<string[]> {
    const changed = await tx.query<{ id: string }>(SET_ENABLED, [ids, enabled]);
    await tx.query(CLEAR_QUEUE, [changed.map(({ id }) => id)]);
    tx.afterCommit(() => this.forget(ids));
    return changed.map(({ id }) => id);
  }

  /** Deletes targets and what is queued for them. */
  async remove(tx: Tx, ids: readonly string[]): Promise<void> {
    await tx.query(REMOVE_TARGETS, [ids]);
    await tx.query(CLEAR_QUEUE, [ids]);
    tx.afterCommit(() => this.forget(ids));
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
    this.unsubscribe = this.wakeups.onWake((queued) => {
      if (queued) this.lookIn(0);
    });
    this.every(this.options.renewMs, () => this.renew());
    this.every(this.options.countsMs, () => this.count());
    this.lookIn(0);
  }

  /** Finishes attempts in flight, writes what became of them and gives the leases back. */
  async stop(): Promise<void> {
    if (this.state !== 'running') return;
    this.state = 'draining';
    this.unsubscribe?.();
    clearTimeout(this.lookTimer);
    clearTimeout(this.retryTimer);
    const flying = [
      ...[...this.lanes.values()].map((lane) => lane.running),
      ...[...this.retries.values()].map((r) => r.done),
    ];
    const finish = Promise.all(flying)
      .then(() => this.results.flush())
      .then(() => this.count())
      .then(() => this.release([...this.lanes.keys()]));
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([finish, new Promise((late) => (timer = setTimeout(late, this.options.drainMs)))]).catch(
      (error: Error) => this.trouble(error),
    );
    clearTimeout(timer);
    this.halt();
  }

  /** @internal Stops at once and writes nothing more, as if the process were killed. */
  halt(): void {
    this.state = 'stopped';
    this.unsubscribe?.();
    this.results.close();
    clearTimeout(this.lookTimer);
    clearTimeout(this.retryTimer);
    for (const timer of this.timers) clearTimeout(timer);
    this.lanes.clear();
  }

  // ---- looking for work

  /** The earliest of several wishes counts. */
  private lookIn(inMs: number): void {
    if (this.state !== 'running' || this.dialects.size === 0) return;
    if (this.looking) {
      if (inMs === 0) this.lookAgain = true;
      return;
    }
    const now = performance.now();
    const at = Math.max(now + inMs, this.lookedAt + this.options.lookEveryMs);
    if (at >= this.lookDue) return;
    clearTimeout(this.lookTimer);
    this.lookDue = at;
    this.lookTimer = setTimeout(() => void this.look(), at - now).unref();
  }

  private async look(): Promise<void> {
    this.lookDue = Infinity;
    this.looking = true;
    this.lookAgain = false;
    const startedAt = performance.now();
    try {
      const running = [...this.lanes.values()].filter((lane) => lane.running).length;
      const rows = await this.db.run<WaitingRow>(LOOK, [
        this.lookFrom,
        LOOK_MOST,
        [...this.dialects.keys()],
        Math.max(0, this.options.maxLanes - running),
        this.owner,
        this.options.leaseMs,
        this.clock.offsetMicros,
      ]);
      if (this.outage) this.log.log('deliveries go on');
      this.outage = false;
      this.found(rows, startedAt);
      const retryIn = rows[0]?.retry_in_ms;
      if (typeof retryIn === 'number' && retryIn < this.options.pollMs) this.retryIn(retryIn);
    } catch (error) {
      this.trouble(error as Error);
      this.lookAgain = false;
    }
    this.looking = false;
    // a look that costs much is not repeated all the time: it takes a fifth of it at most
    const endedAt = performance.now();
    this.lookedAt = Math.max(startedAt, endedAt + 4 * (endedAt - startedAt) - this.options.lookEveryMs);
    this.lookIn(this.lookAgain ? 0 : this.options.pollMs);
  }

  private found(rows: WaitingRow[], startedAt: number): void {
    const waiting = rows.filter((row) => row.target_id !== null) as (WaitingRow & { target_id: string })[];
    const from = this.lookFrom;
    this.lookFrom = waiting.length === LOOK_MOST ? (waiting.at(-1)?.target_id ?? '') : '';
    if (from !== '' || this.lookFrom !== '') this.lookAgain = true;
    const dead: string[] = [];
    for (const { target_id: id, product, live, claimed, mine } of waiting) {
      if (!live) dead.push(id);
      const dialect = this.dialects.get(product ?? '');
      if (claimed && dialect) {
        const after = this.lanes.get(id)?.running;
        this.lanes.set(id, {
          id,
          dialect,
          until: startedAt + this.options.leaseMs,
          running: undefined,
          after,
          woken: false,
          forgotten: false,
          idleSince: startedAt,
          target: undefined,
          loadedAt: -Infinity,
        });
      }
      const lane = claimed || mine ? this.lanes.get(id) : undefined;
      if (lane) this.kick(lane);
    }
    if (dead.length > 0) this.db.run(SWEEP, [dead]).catch((error: Error) => this.trouble(error));
  }

  private trouble(error: Error): void {
    if (!this.outage && this.state !== 'stopped') this.log.warn(`deliveries wait for the database: ${error.message}`);
    this.outage = true;
  }

  // ---- lanes

  private kick(lane: Lane): void {
    lane.woken = true;
    if (lane.running || this.state !== 'running') return;
    lane.running = this.run(lane)
      .catch((error: Error) => {
        // the next look finds it again: no hot loop
        lane.woken = false;
        this.trouble(error);
      })
      .then(() => {
        lane.running = undefined;
        lane.idleSince = performance.now();
        if (this.holds(lane)) {
          if (lane.woken) this.kick(lane);
          return;
        }
        if (this.lanes.get(lane.id) === lane) this.lanes.delete(lane.id);
        if (lane.forgotten) void this.release([lane.id]);
      });
  }

  private holds(lane: Lane): boolean {
    return !lane.forgotten && this.lanes.get(lane.id) === lane && performance.now() < lane.until;
  }

  private async run(lane: Lane): Promise<void> {
    await lane.after;
    while (lane.woken && this.holds(lane) && this.state === 'running') {
      lane.woken = false;
      const readAt = performance.now();
      const rows = await this.readLane(lane.id);
      // all of what was read is written before the queue is read again, so nothing is read twice
      const writes: Promise<void>[] = [];
      try {
        for (const row of rows) {
          if (!this.holds(lane) || this.state !== 'running') break;
          writes.push(this.results.add(await this.first(lane, row, readAt)));
          lane.woken = true;
        }
      } finally {
        await Promise.all(writes);
      }
    }
  }

  private async readLanes(ids: string[]): Promise<DeliveryRow[][]> {
    const running = [...this.lanes.values()].filter((lane) => lane.running).length;
    const each = Math.max(4, Math.min(READ_MOST, Math.floor(this.options.maxHeld / Math.max(1, running))));
    const rows = await this.db.read<DeliveryRow>(READ_LANES, [[...new Set(ids)], each, this.clock.offsetMicros]);
    const byTarget = groupBy(rows, (row) => row.target_id);
    return ids.map((id) => byTarget.get(id) ?? []);
  }

  private async first(lane: Lane, row: DeliveryRow, readAt: number): Promise<Outcome> {
    const started = performance.now();
    if (row.age_ms === null || row.age_ms + (started - readAt) > lane.dialect.maxAgeMs)
      return this.drop(lane.dialect, row);
    if (lane.loadedAt + lane.dialect.targetsFreshMs <= started) {
      lane.target = await this.load(lane.dialect, lane.id);
      // as old as the question: it may have changed right after the answer was read
      lane.loadedAt = started;
      if (!this.holds(lane)) throw new Error('the lease lapsed while the target was loaded');
    }
    if (lane.target === undefined) return this.drop(lane.dialect, row);
    return this.attempt(lane.dialect, row, lane.target);
  }

  private load(dialect: Dialect, id: string): Promise<unknown> {
    return (this.loaders.get(dialect.product) as (id: string) => Promise<unknown>)(id);
  }

  private async renew(): Promise<void> {
    const startedAt = performance.now();
    const idle: string[] = [];
    const held: string[] = [];
    for (const lane of this.lanes.values()) {
      if (lane.running || lane.idleSince > startedAt - this.options.idleLaneMs) held.push(lane.id);
      else idle.push(lane.id);
    }
    if (idle.length > 0) void this.release(idle);
    if (held.length === 0) return;
    const rows = await this.db.run<{ id: string }>(RENEW, [held, this.owner, this.options.leaseMs]);
    const renewed = new Set(rows.map(({ id }) => id));
    for (const id of held) {
      const lane = this.lanes.get(id);
      if (!lane) continue;
      if (renewed.has(id)) lane.until = startedAt + this.options.leaseMs;
      else if (lane.running) lane.until = -Infinity;
      else this.lanes.delete(id);
    }
  }

  /** Gives lanes back; what was queued for them meanwhile is found by another look. */
  private async release(ids: readonly string[]): Promise<void> {
    for (const id of ids) this.lanes.delete(id);
    if (ids.length === 0) return;
    try {
      await this.db.run(RELEASE, [ids, this.owner]);
      this.lookIn(0);
    } catch (error) {
      this.trouble(error as Error);
    }
  }

  private forget(ids: readonly string[]): void {
    for (const id of ids) {
      const lane = this.lanes.get(id);
      if (lane) lane.forgotten = true;
    }
  }

  // ---- retries

  private retryIn(inMs: number): void {
    if (this.state !== 'running') return;
    const at = performance.now() + Math.max(0, inMs);
    if (at >= this.retryDue) return;
    clearTimeout(this.retryTimer);
    this.retryDue = at;
    this.retryTimer = setTimeout(() => void this.claimRetries(), at - performance.now()).unref();
  }

  private async claimRetries(): Promise<void> {
    this.retryDue = Infinity;
    if (this.claiming) {
      this.claimAgain = true;
      return;
    }
    this.claiming = true;
    this.claimAgain = false;
    try {
      for (;;) {
        const free = this.options.maxRetries - this.retries.size;
        if (free <= 0 || this.state !== 'running') break;
        const rows = await this.db.run<RetryRow>(CLAIM_RETRIES, [
          this.clock.offsetMicros,
          free,
          this.options.maxRetriesOfTarget,
          this.saturated(),
          Math.max(...[...this.dialects.values()].map(({ timeoutMs }) => timeoutMs)) + 10_000,
          [...this.dialects.keys()],
        ]);
        if (rows.length === 0) break;
        const byProduct = groupBy(rows, (row) => row.target_product ?? '');
        for (const [product, group] of byProduct) this.startRetries(this.dialects.get(product), group);
      }
    } catch (error) {
      this.trouble(error as Error);
    } finally {
      this.claiming = false;
      if (this.claimAgain) this.retryIn(0);
    }
  }

  /** Targets with as many retries in flight as one target may have. */
  private saturated(): string[] {
    const flying = new Map<string, number>();
    for (const { targetId } of this.retries.values()) flying.set(targetId, (flying.get(targetId) ?? 0) + 1);
    return [...flying].filter(([, n]) => n >= this.options.maxRetriesOfTarget).map(([id]) => id);
  }

  private startRetries(dialect: Dialect | undefined, rows: RetryRow[]): void {
    for (const row of rows) {
      const before = this.retries.get(row.id);
      // claimed anew, because it takes long
      if (before && before.attempt >= row.attempt) continue;
      // the attempt before has been written, which is yet to be heard of here: its answer came on another connection
      const loaded = Promise.resolve(before?.done).then(() =>
        dialect ? this.load(dialect, row.target_id) : undefined,
      );
      const done = loaded
        .then((target) => {
          if (!dialect || target === undefined || row.age_ms === null) return this.drop(dialect, row);
          return this.attempt(dialect, row, target);
        })
        .then((outcome) => this.results.add(outcome))
        .catch((error: Error) => this.trouble(error))
        .then(() => {
          // whoever waited for this place can have it
          const full = this.retries.size >= this.options.maxRetries || this.saturated().includes(row.target_id);
          if (this.retries.get(row.id)?.done === done) this.retries.delete(row.id);
          if (full) this.retryIn(this.options.lookEveryMs);
        });
      this.retries.set(row.id, { targetId: row.target_id, attempt: row.attempt, done });
    }
  }

  // ---- one attempt

  private async attempt(dialect: Dialect, row: DeliveryRow, target: unknown): Promise<Outcome> {
    const startedAt = performance.now();
    let failed: FailureReason | undefined;
    let status: string;
    let last = false;
    try {
      const rendered = await dialect.render({
        deliveryId: row.id,
        identity: row.identity,
        retry: row.attempt,
        reason: row.reason as FailureReason | null,
        target,
        event: {
          id: row.event_id,
          tenantId: row.tenant_id,
          product: row.product,
          kind: row.kind,
          room: row.room,
          syncId: row.sync_id,
          data: row.data,
          recordedAt: row.recorded_at,
        },
        nowMs: this.clock.nowMs(),
      });
      const { timeoutMs, maxRedirects } = dialect;
      const answer = await this.http.post({ ...rendered, timeoutMs, maxRedirects });
      if (!answer.answered) failed = status = answer.reason;
      else {
        status = String(answer.status);
        if (!dialect.success(answer.status)) failed = 'http_error';
        last = dialect.noRetryHeader !== undefined && answer.headers[dialect.noRetryHeader] === '1';
      }
    } catch (error) {
      failed = status = 'unknown_error';
      this.log.error(
        `a delivery to ${row.target_id} cannot be made: ${(error as Error).message}`,
        (error as Error).stack,
      );
    }
    const seconds = (performance.now() - startedAt) / 1000;
    this.tally(dialect, row.target_id, failed !== undefined);
    const counted = dialect.disable.kind === 'exhausted';
    const base = { id: row.id, targetId: row.target_id, status };
    if (failed === undefined) {
      this.happened(dialect.product, 'delivered', seconds);
      return { ...base, ...(counted && { row: 'delivered' as const }) };
    }
    const delay = dialect.retryDelaysSeconds[row.attempt];
    if (last || delay === undefined) {
      this.happened(dialect.product, 'given_up', seconds);
      return { ...base, ...(counted && { row: 'exhausted' as const }) };
    }
    this.happened(dialect.product, 'failed', seconds);
    return { ...base, again: { attempt: row.attempt + 1, delayMs: delay * 1000, reason: failed } };
  }

  private drop(dialect: Dialect | undefined, row: DeliveryRow): Outcome {
    this.happened(dialect?.product ?? '', 'dropped', 0);
    return { id: row.id, targetId: row.target_id };
  }

  private happened(product: string, happening: DeliveryHappening, seconds: number): void {
    for (const listener of this.listeners) listener(product, happening, seconds);
  }

  private written(outcomes: readonly Outcome[], told: readonly ToldTarget[]): void {
    let soonest = Infinity;
    for (const { again } of outcomes) if (again && again.delayMs < soonest) soonest = again.delayMs;
    if (soonest < this.options.pollMs) this.retryIn(soonest);
    const spent = told.filter(({ enabled, product, exhausted_in_row: n }) => {
      const policy = this.dialects.get(product)?.disable;
      return enabled && policy?.kind === 'exhausted' && n >= policy.inARow;
    });
    for (const [product, group] of groupBy(spent, (target) => target.product)) {
      void this.disable(
        product,
        group.map(({ id }) => id),
      );
    }
  }

  // ---- disabling

  private tally(dialect: Dialect, targetId: string, failed: boolean): void {
    if (dialect.disable.kind !== 'share') return;
    const entry = this.counts.get(targetId) ?? { product: dialect.product, attempts: 0, failures: 0 };
    entry.attempts++;
    if (failed) entry.failures++;
    this.counts.set(targetId, entry);
  }

  /** Writes what was tallied and disables whoever fails too much. */
  private async count(): Promise<void> {
    if (this.counts.size === 0) return;
    const counts = [...this.counts];
    this.counts = new Map();
    const offset = this.clock.offsetMicros;
    await this.db.run(COUNT, [
      counts.map(([id]) => id),
      counts.map(([, { attempts }]) => attempts),
      counts.map(([, { failures }]) => failures),
      offset,
    ]);
    const suspects = groupBy(
      counts.filter(([, { failures }]) => failures > 0),
      ([, { product }]) => product,
    );
    for (const [product, group] of suspects) {
      const policy = this.dialects.get(product)?.disable;
      if (policy?.kind !== 'share') continue;
      const ids = group.map(([id]) => id);
      const failing = await this.db.read<{ id: string }>(FAILING, [ids, policy.attempts, policy.failed, offset]);
      if (failing.length > 0) {
        await this.disable(
          product,
          failing.map(({ id }) => id),
        );
      }
    }
  }

  private async disable(product: string, ids: readonly string[]): Promise<void> {
    try {
      const changed = await this.db.write(async (tx) => {
        const disabled = await this.setEnabled(tx, ids, false);
        if (disabled.length > 0) await this.dialects.get(product)?.onDisabled?.(tx, disabled);
        return disabled;
      });
      for (const id of changed) this.log.warn(`${id} fails too often and gets nothing more`);
    } catch (error) {
      this.trouble(error as Error);
    }
  }

  /** Runs `work` again and again, so long after its last end. */
  private every(ms: number, work: () => Promise<void>): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      work()
        .catch((error: Error) => this.trouble(error))
        .finally(() => {
          if (this.state === 'running' || this.state === 'draining') this.every(ms, work);
        });
    }, ms);
    this.timers.add(timer.unref());
  }
}

function groupBy<V>(values: readonly V[], key: (value: V) => string): Map<string, V[]> {
  const groups = new Map<string, V[]>();
  for (const value of values) {
    const group = groups.get(key(value));
    if (group) group.push(value);
    else groups.set(key(value), [value]);
  }
  return groups;
}
