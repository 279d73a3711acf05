import { AsyncResource } from 'node:async_hooks';
import type { Attempts } from './attempts.js';
import { LOOK, READ_LANES, RELEASE, RENEW, SWEEP, type DeliveryRow, type WaitingRow } from './deliveries.queries.js';
import { coalesce } from '../kernel/database/coalesce.js';
import type { Queued } from '../kernel/events/event-log.js';
import type { Dialect } from './dialect.js';
import { groupBy } from '../kernel/group-by.js';
import type { EngineContext } from './engine-context.js';
import { endOf, isBusy, newLane, type Lane } from './lane.js';
import { FirstAttempts } from './first-attempts.js';
import type { ResultBuffer } from './result-buffer.js';

/** Targets per search. */
const MAX_LOOKED_UP = 500;
/** Maximum time between two searches, whatever the last one cost, in milliseconds. */
const LONGEST_PAUSE_MS = 400;
/** The most deliveries that a lane reads at once. */
const MAX_READ = 100;

/** Finds targets with first attempts waiting, leases them, and begins their attempts in the order of the queue. */
export class Lanes {
  private readonly lanes = new Map<string, Lane>();
  /**
   * Outside any request's context: otherwise the search would share the deadline and the hang-up of the request that
   * woke it.
   */
  private readonly searchApart = AsyncResource.bind(() => void this.search());
  private readonly firsts: FirstAttempts;
  private timer: NodeJS.Timeout | undefined;
  private due = Infinity;
  private searchedAt = -Infinity;
  private searching = false;
  private searchAgain = false;
  private searchFrom = '';
  /** Something may have been queued since the first page of this round was read. */
  private wokenInRound = false;

  constructor(
    private readonly context: EngineContext,
    attempts: Attempts,
    results: ResultBuffer,
    private readonly onRetryDue: (inMs: number) => void,
  ) {
    this.firsts = new FirstAttempts(context, attempts, results, {
      holds: (lane) => this.holds(lane),
      read: coalesce((ids: string[]) => this.readLanes(ids), { name: 'deliveries.lane', max: 100 }),
    });
  }

  /** Lanes leased here continue at once; a search costs more, and finds the others. */
  queued(queued: Queued): void {
    if (queued === false) return;
    let mustSearch = queued === true;
    for (const id of queued === true ? [] : queued) {
      const lane = this.lanes.get(id);
      if (lane && this.holds(lane)) this.kick(lane);
      else mustSearch = true;
    }
    if (mustSearch) this.searchIn(0);
  }

  /** Searches for work after this delay; of several calls the earliest applies. */
  searchIn(inMs: number): void {
    if (inMs === 0) this.wokenInRound = true;
    this.schedule(inMs);
  }

  private schedule(inMs: number): void {
    const { options, dialects } = this.context;
    if (!this.context.isRunning() || dialects.size === 0) return;
    if (this.searching) {
      if (inMs === 0) this.searchAgain = true;
      return;
    }
    const now = performance.now();
    const at = Math.max(now + inMs, this.searchedAt + options.searchEveryMs);
    if (at >= this.due) return;
    clearTimeout(this.timer);
    this.due = at;
    this.timer = setTimeout(this.searchApart, at - now).unref();
  }

  /** Resolves when nothing is in flight any more. */
  settled(): Promise<unknown> {
    return Promise.all([...this.lanes.values()].map((lane) => endOf(lane)));
  }

  /** Attempts in flight. */
  get attemptsUnderWay(): number[] {
    return [...this.lanes.values()].flatMap(({ flying }) => [...flying.keys()]);
  }

  /** Begins no further search. */
  stopSearching(): void {
    clearTimeout(this.timer);
  }

  halt(): void {
    clearTimeout(this.timer);
    this.lanes.clear();
  }

  /** These targets were disabled or removed, or cannot be reached from here any more: their leases are released. */
  forget(ids: readonly string[]): void {
    for (const id of ids) {
      const lane = this.lanes.get(id);
      if (!lane) continue;
      lane.forgotten = true;
      lane.idleSince = -Infinity;
    }
  }

  releaseAll(): Promise<void> {
    return this.release([...this.lanes.keys()]);
  }

  async renew(): Promise<void> {
    const { db, options, owner } = this.context;
    const startedAt = performance.now();
    const idle: string[] = [];
    const held: string[] = [];
    for (const lane of this.lanes.values()) {
      if (isBusy(lane) || lane.idleSince > startedAt - options.idleLaneMs) held.push(lane.id);
      else idle.push(lane.id);
    }
    if (idle.length > 0) void this.release(idle);
    if (held.length === 0) return;
    const rows = await db.run<{ id: string }>(RENEW, [held, owner, options.leaseMs]);
    const renewed = new Set(rows.map(({ id }) => id));
    for (const id of held) {
      const lane = this.lanes.get(id);
      if (!lane) continue;
      if (renewed.has(id)) lane.until = startedAt + options.leaseMs;
      else if (isBusy(lane)) lane.until = -Infinity;
      else this.lanes.delete(id);
    }
  }

  // ---- searching for work

  private async search(): Promise<void> {
    const { options } = this.context;
    this.due = Infinity;
    this.searching = true;
    this.searchAgain = false;
    const startedAt = performance.now();
    let costMs = 0;
    if (this.searchFrom === '') this.wokenInRound = false;
    try {
      const rows = await this.waiting();
      costMs = performance.now() - startedAt;
      this.context.reportRecovery();
      this.found(rows, startedAt);
      const retryIn = rows[0]?.retry_in_ms;
      if (typeof retryIn === 'number' && retryIn < options.pollMs) this.onRetryDue(retryIn);
    } catch (error) {
      this.context.reportOutage(error as Error);
      this.searchAgain = false;
    }
    this.searching = false;
    // expensive rounds take at most a fifth of the time; a failed search cost nothing, as it waited for a store that
    // was away
    const pause = Math.min((this.searchFrom === '' ? 4 : 1) * costMs, LONGEST_PAUSE_MS);
    this.searchedAt = Math.max(startedAt, performance.now() + pause - options.searchEveryMs);
    this.schedule(this.searchAgain ? 0 : options.pollMs);
  }

  private waiting(): Promise<WaitingRow[]> {
    const { db, clock, options, owner, dialects } = this.context;
    const busy = [...this.lanes.values()].filter(isBusy);
    const ofTenant = groupBy(busy, (lane) => lane.share);
    const reachable = dialects.reachable();
    return db.run<WaitingRow>(LOOK, [
      this.searchFrom,
      MAX_LOOKED_UP,
      dialects.names,
      Math.max(0, options.maxLanes - busy.length),
      owner,
      options.leaseMs,
      clock.wallOffsetMicros,
      [...ofTenant.keys()],
      [...ofTenant.values()].map(({ length }) => length),
      Math.ceil(options.maxLanes / 4),
      reachable.products,
      reachable.targetIds,
      this.context.mayTakeOver(),
      options.graceMs,
    ]);
  }

  private found(rows: WaitingRow[], startedAt: number): void {
    const waiting = rows.filter((row) => row.target_id !== null) as (WaitingRow & { target_id: string })[];
    const from = this.searchFrom;
    this.searchFrom = waiting.length === MAX_LOOKED_UP ? (waiting.at(-1)?.target_id ?? '') : '';
    // to the end of the round; continuing at once would be a hot loop when all waiting targets have to wait
    if (this.searchFrom !== '' || (from !== '' && this.wokenInRound)) this.searchAgain = true;
    const dead: string[] = [];
    for (const row of waiting) {
      const { target_id: id, product, live, claimed, mine } = row;
      if (!live) dead.push(id);
      const dialect = this.context.dialects.get(product ?? '');
      if (claimed && dialect) this.open(id, row.share as number, dialect, startedAt);
      const lane = claimed || mine ? this.lanes.get(id) : undefined;
      if (lane) this.kick(lane);
    }
    if (dead.length > 0) {
      this.context.db.run(SWEEP, [dead]).catch((error: Error) => this.context.reportOutage(error));
    }
  }

  private open(id: string, share: number, dialect: Dialect, leasedAt: number): void {
    const after = this.lanes.get(id);
    const until = leasedAt + this.context.options.leaseMs;
    this.lanes.set(id, newLane({ id, share, dialect, until, idleSince: leasedAt, after: after && endOf(after) }));
  }

  // ---- one lane

  private kick(lane: Lane): void {
    lane.woken = true;
    if (lane.running || !this.context.isRunning()) return;
    lane.running = this.firsts
      .run(lane)
      .catch((error: Error) => {
        // the next search finds it again, without a hot loop
        lane.woken = false;
        this.context.reportOutage(error);
      })
      .then(() => {
        lane.running = undefined;
        lane.idleSince = performance.now();
        if (this.holds(lane)) {
          if (lane.woken) this.kick(lane);
          return;
        }
        if (lane.forgotten) void this.release([lane.id]);
        else if (this.lanes.get(lane.id) === lane && lane.flying.size === 0) this.lanes.delete(lane.id);
      });
  }

  private holds(lane: Lane): boolean {
    return !lane.forgotten && this.lanes.get(lane.id) === lane && performance.now() < lane.until;
  }

  private async readLanes(ids: string[]): Promise<DeliveryRow[][]> {
    const { db, clock, options } = this.context;
    const lanes = [...this.lanes.values()];
    const running = lanes.filter((lane) => lane.running).length;
    const each = Math.max(4, Math.min(MAX_READ, Math.floor(options.maxHeld / Math.max(1, running))));
    // those in flight are still at the head of the queue
    const flying = Math.max(0, ...ids.map((id) => this.lanes.get(id)?.flying.size ?? 0));
    const rows = await db.read<DeliveryRow>(READ_LANES, [[...new Set(ids)], each + flying, clock.wallOffsetMicros]);
    const byTarget = groupBy(rows, (row) => row.target_id);
    return ids.map((id) => byTarget.get(id) ?? []);
  }

  /** Releases lanes; another search finds what was queued for them meanwhile. */
  private async release(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    // the next owner would repeat an attempt that is still in flight
    const flying = ids.flatMap((id) => [...(this.lanes.get(id)?.flying.values() ?? [])]);
    if (flying.length > 0) await Promise.all(flying);
    for (const id of ids) this.lanes.delete(id);
    try {
      await this.context.db.run(RELEASE, [ids, this.context.owner]);
      this.searchIn(0);
    } catch (error) {
      this.context.reportOutage(error as Error);
    }
  }
}
