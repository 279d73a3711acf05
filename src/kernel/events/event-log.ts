import { Injectable } from '@nestjs/common';
import { Clock } from '../clock/clock.js';
import { drawnForEvent } from '../clock/request-sandbox.js';
import type { Tx } from '../database/tx.js';
import { currentCause } from '../http/call-context.js';
import type { DomainEvent, Origin, Recorded } from './event.js';
import { INSERT_EVENTS } from './event-log.queries.js';

/** Deliveries that a commit queued: the targets' ids; true: unknown which; false: none. */
export type Queued = boolean | readonly string[];

/** With more targets than this the ids are not named. */
export const MAX_NAMED_TARGETS = 100;

/** @param targetIds at most one more than are named */
export const queuedFor = (targetIds: readonly string[]): Queued =>
  targetIds.length === 0 ? false : targetIds.length > MAX_NAMED_TARGETS || targetIds;

/** An event that is about to be written, and its origin. */
export interface EventEntry extends Origin {
  readonly event: DomainEvent;
  readonly recorded: Recorded;
}

/** A product's part in writing its events, inside their transaction. */
export interface EventProduct {
  readonly product: DomainEvent['product'];
  /** Queues the deliveries of the events, which have their ids now; returns the targets, if known. */
  plan?(tx: Tx, events: readonly EventEntry[]): Promise<Queued>;
  /** Writes the events itself, in the given order, and queues their deliveries. */
  record?(tx: Tx, events: readonly EventEntry[]): Promise<Queued>;
}

/** The append-only log of events. */
@Injectable()
export class EventLog {
  private readonly products = new Map<string, EventProduct>();

  constructor(private readonly clock: Clock) {}

  private readonly listeners: ((queued: Queued) => void)[] = [];

  /** Registers a product, at start-up. */
  register(product: EventProduct): void {
    this.products.set(product.product, product);
  }

  /** Calls `listener` after every commit that recorded something, in this process. It must be quick and not throw. */
  onWake(listener: (queued: Queued) => void): () => void {
    this.listeners.push(listener);
    return () => void this.listeners.splice(this.listeners.indexOf(listener), 1);
  }

  /**
   * Announces recorded events: `db.write` does so itself, a coalesced statement after it resolved.
   * @param queued the targets of their deliveries; the engine skips looking for targets that it serves already
   */
  wake(queued: Queued = true): void {
    for (const listener of this.listeners) listener(queued);
  }

  /** @internal Writes a transaction's events, as its last statements; returns what was queued with them. */
  async write(tx: Tx): Promise<Queued> {
    const byProduct = new Map<DomainEvent['product'], EventEntry[]>();
    for (const { event, recorded, origin } of tx.events) {
      const made = origin ?? { cause: currentCause(), shift: this.clock.shiftMicros, draw: drawnForEvent() };
      const entry = { event, recorded, ...made };
      const own = byProduct.get(event.product);
      if (own) own.push(entry);
      else byProduct.set(event.product, [entry]);
    }
    const queued: Queued[] = [];
    for (const [name, entries] of byProduct) {
      const product = this.products.get(name);
      if (product?.record) queued.push(await product.record(tx, entries));
      else {
        await insert(tx, entries);
        if (product?.plan) queued.push(await product.plan(tx, entries));
      }
    }
    return queued.includes(true) || queuedFor(queued.flatMap((ids) => (typeof ids === 'boolean' ? [] : ids)));
  }
}

async function insert(tx: Tx, entries: readonly EventEntry[]): Promise<void> {
  const rows = await tx.query<{ id: number }>(INSERT_EVENTS, [
    entries.map(({ event }) => event.tenantId),
    entries.map(({ event }) => event.product),
    entries.map(({ event }) => event.kind),
    entries.map(({ event }) => event.room),
    entries.map(({ event }) => event.data),
    entries.map(({ cause }) => cause),
    entries.map(({ shift }) => shift),
    entries.map(({ draw }) => draw),
  ]);
  rows.forEach((row, i) => ((entries[i] as EventEntry).recorded.id = row.id));
}
