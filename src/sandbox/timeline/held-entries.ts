import type { Draft } from './entry.js';
import type { Rendered } from './page.js';

/** An entry that is rendered when it is written. */
export interface HeldEntry {
  readonly tenantId: number;
  readonly draft: () => Draft;
  /** Approximate bytes of memory. */
  readonly size: number;
  /** How many dropped entries it stands for, if it says so. */
  readonly dropped?: number;
  rendered?: Rendered;
}

interface Lane {
  entries: HeldEntry[];
  bytes: number;
  /** Entries that were dropped since the last one was taken. */
  dropped: number;
}

/** Entries that wait to be written, by sandbox. Over the bound, the sandbox that has most loses its oldest. */
export class HeldEntries {
  private readonly lanes = new Map<number, Lane>();
  /** Approximate bytes of all. */
  bytes = 0;

  /** @param noteOf the entry that says how many were dropped */
  constructor(
    private readonly maxBytes: number,
    private readonly noteOf: (tenantId: number, dropped: number) => HeldEntry,
  ) {}

  get isEmpty(): boolean {
    return this.lanes.size === 0;
  }

  add(entry: HeldEntry): void {
    const lane = this.laneOf(entry.tenantId);
    lane.entries.push(entry);
    lane.bytes += entry.size;
    this.bytes += entry.size;
    if (this.bytes > this.maxBytes) this.dropOldest();
  }

  /** The oldest entries of those sandboxes that `isFree`, of about `maxBytes`. */
  take(maxBytes: number, isFree: (tenantId: number) => boolean): HeldEntry[] {
    const taken: HeldEntry[] = [];
    let bytes = 0;
    for (const [tenantId, lane] of this.lanes) {
      if (bytes >= maxBytes) break;
      if (!isFree(tenantId)) continue;
      let most = 0;
      for (const entry of lane.entries) {
        if (bytes >= maxBytes) break;
        bytes += entry.size;
        most++;
      }
      taken.push(...this.takeFrom(tenantId, lane, most));
      if (!this.lanes.delete(tenantId)) continue;
      // the others come first next time
      this.lanes.set(tenantId, lane);
      break;
    }
    return taken;
  }

  /** All entries of these sandboxes. */
  takeOf(tenants: readonly number[]): HeldEntry[] {
    return tenants.flatMap((tenantId) => {
      const lane = this.lanes.get(tenantId);
      return lane ? this.takeFrom(tenantId, lane, lane.entries.length) : [];
    });
  }

  /** Entries that could not be written, in front of those that came later. */
  putBack(entries: readonly HeldEntry[]): void {
    const back = new Map<number, HeldEntry[]>();
    for (const entry of entries) {
      const own = back.get(entry.tenantId);
      if (own) own.push(entry);
      else back.set(entry.tenantId, [entry]);
    }
    for (const [tenantId, own] of back) {
      const lane = this.laneOf(tenantId);
      lane.entries = [...own, ...lane.entries];
      const bytes = own.reduce((sum, { size }) => sum + size, 0);
      lane.bytes += bytes;
      this.bytes += bytes;
    }
    if (this.bytes > this.maxBytes) this.dropOldest();
  }

  private laneOf(tenantId: number): Lane {
    let lane = this.lanes.get(tenantId);
    if (!lane) this.lanes.set(tenantId, (lane = { entries: [], bytes: 0, dropped: 0 }));
    return lane;
  }

  private takeFrom(tenantId: number, lane: Lane, most: number): HeldEntry[] {
    const taken = lane.entries.splice(0, most);
    this.discount(lane, taken);
    if (lane.entries.length === 0) this.lanes.delete(tenantId);
    if (lane.dropped > 0) taken.unshift(this.noteOf(tenantId, lane.dropped));
    lane.dropped = 0;
    return taken;
  }

  /** Drops a quarter of what the sandbox has that has most, so that the next entries find room at once. */
  private dropOldest(): void {
    while (this.bytes > this.maxBytes) {
      let largest: Lane | undefined;
      for (const lane of this.lanes.values()) if (!largest || lane.bytes > largest.bytes) largest = lane;
      if (!largest) return;
      const dropped = largest.entries.splice(0, Math.max(1, Math.floor(largest.entries.length / 4)));
      for (const entry of dropped) largest.dropped += entry.dropped ?? 1;
      this.discount(largest, dropped);
    }
  }

  private discount(lane: Lane, entries: readonly HeldEntry[]): void {
    const bytes = entries.reduce((sum, { size }) => sum + size, 0);
    lane.bytes -= bytes;
    this.bytes -= bytes;
  }
}
