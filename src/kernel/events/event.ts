import type { Product } from '../product.js';

/** An event as listeners get it: plain data, made inside the transaction that changed the state. */
export interface DomainEvent {
  readonly tenantId: number;
  /** The product whose listeners receive it. */
  readonly product: Product;
  /** The wire name: `message`, `issue.created`. */
  readonly kind: string;
  /** Who may receive it: `conversation:<id>`, `team:<id>`, `org:<id>`. */
  readonly room: string;
  /** The event's data as JSON text: it is passed on to sockets and webhooks unparsed. */
  readonly data: string;
  /** Data for the product's own delivery planner; not stored. */
  readonly facts?: unknown;
}

/** Numbers assigned to an event when it was written. */
export interface Recorded {
  /** Position in the log. */
  id: number;
  /** The organization's counter (docs/reference/tracker.md#lastsyncid); 0 for chat events. */
  syncId: number;
}

/** The call for which a batch records an event; otherwise it is the call in whose context the event is recorded. */
export interface Origin {
  /** The id of the request. */
  readonly cause: string | null;
  /** The difference between the caller's sandbox time and real time (`Clock.shiftMicros`). */
  readonly shift: number | null;
  /** What its deliveries' ids are derived from; null: they are random. */
  readonly draw: string | null;
}

export interface EventDefinition<C> {
  readonly kind: string;
  (change: C): DomainEvent;
}

/** Declares a kind of event beside the operations that cause it: who receives it and its payload. */
export function defineEvent<C>(definition: {
  product: DomainEvent['product'];
  kind: string;
  tenantId: (change: C) => number;
  room: (change: C) => string;
  wire: (change: C) => object | string;
  facts?: (change: C) => unknown;
}): EventDefinition<C> {
  const make = (change: C): DomainEvent => {
    const wire = definition.wire(change);
    return {
      tenantId: definition.tenantId(change),
      product: definition.product,
      kind: definition.kind,
      room: definition.room(change),
      data: typeof wire === 'string' ? wire : JSON.stringify(wire),
      facts: definition.facts?.(change),
    };
  };
  return Object.assign(make, { kind: definition.kind });
}
