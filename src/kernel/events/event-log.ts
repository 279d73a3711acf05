import { Injectable } from '@nestjs/common';
import { Clock } from '../clock/clock.js';
import type { Tx } from '../database/tx.js';
import { currentCause } from '../http/call-context.js';
import type { DomainEvent, Recorded } from './event.js';
import { INSERT_EVENTS } from './event-log.queries.js';

/** Deliveries that a commit queued: for these targets; true: for some, unknown which; false: none. */
export type Queued = boolean | readonly string[];

/** More targets than this are looked for instead of named. */
export const MOST_NAMED = 100;

/** @param targetIds at most one more than are named */
export const queuedFor = (targetIds: readonly string[]): Queued =>
  targetIds.length === 0 ? false : targetIds.length > MOST_NAMED || targetIds;

/** What a product does with its own events inside the transaction that writes them. */
export interface EventProduct {
  readonly product: DomainEvent['product'];
  /** Gives each event its number before the insert (the organization's counter), in the order given. */
  number?(tx: Tx, events: readonly { event: DomainEvent; recorded: Recorded }[]): Promise<void>;
  /** Queues the deliveries of the events, which have their ids now; answers for whom, where that is known. */
  plan?(tx: Tx, events: readonly { event: DomainEvent; recorded: Recorded }[]): Promise<Queued | void>;
}

/** The append-only log of what happened. */
@Injectable()
export class EventLog {
  private readonly products = new Map<string, EventProduct>();

  constructor(private readonly clock: Clock) {}

  private readonly listeners: ((queued: Queued) => void)[] = [];

  /** A product joins at start-up. */
  register(product: EventProduct): void {
    this.products.set(product.product, product);
  }

  /** Calls `listener` after every commit that recorded something, in this process. It must be quick and not throw. */
  onWake(listener: (queued: Queued) => void): () => void {
    this.listeners.push(listener);
    return () => void this.listeners.splice(this.listeners.indexOf(listener), 1);
  }

  /**
   * Says that something was recorded: `db.write` does so itself, a coalesced statement after it resolved.
   * @param queued for whom deliveries were queued with it; the engine need not look for targets that it serves already
   */
  wake(queued: Queued = true): void {
    for (const listener of this.listeners) listener(queued);
  }

  /** @internal Writes a transaction's events, as its last statements; answers what was queued with them. */
  async write(tx: Tx): Promise<Queued> {
    const all = tx.events;
    for (const product of this.products.values()) {
      const own = all.filter(({ event }) => event.product === product.product);
      if (own.length > 0) await product.number?.(tx, own);
    }
    const rows = await tx.query<{ id: number }>(INSERT_EVENTS, [
      all.map(({ event }) => event.tenantId),
      all.map(({ event }) => event.product),
      all.map(({ event }) => event.kind),
      all.map(({ event }) => event.room),
      all.map(({ recorded }) => (recorded.syncId === 0 ? null : recorded.syncId)),
      all.map(({ event }) => event.data),
      all.map(({ origin }) => (origin ? origin.cause : currentCause())),
      all.map(({ origin }) => (origin ? origin.shift : this.clock.shiftMicros)),
    ]);
    rows.forEach((row, i) => ((all[i] as { recorded: Recorded }).recorded.id = row.id));
    const queued: Queued[] = [];
    for (const product of this.products.values()) {
      const own = all.filter(({ event }) => event.product === product.product);
      if (own.length > 0 && product.plan) queued.push((await product.plan(tx, own)) ?? true);
    }
    return queued.includes(true) || queuedFor(queued.flatMap((ids) => (typeof ids === 'boolean' ? [] : ids)));
  }
}
