/** A change as listeners get it: plain data, made inside the transaction that changed the state. */
export interface DomainEvent {
  readonly tenantId: number;
  /** Which product's listeners care. */
  readonly product: 'chat' | 'tracker';
  /** The wire's own word: `message`, `issue.created`. */
  readonly kind: string;
  /** Who may hear it: `conversation:<id>`, `team:<id>`, `org:<id>`. */
  readonly room: string;
  /** The event's data, as JSON text: it is passed on to sockets and webhooks unparsed. */
  readonly data: string;
  /** Facts for the product's own planner (who receives it); they are not stored. */
  readonly facts?: unknown;
}

/** Numbers that an event got when it was written. */
export interface Recorded {
  /** Place in the log. */
  id: number;
  /** The organization's counter (docs/reference/tracker.md#lastsyncid); 0 for chat events. */
  syncId: number;
}

/** On whose behalf a batch records an event; elsewhere that is the call in whose context it is recorded. */
export interface Origin {
  /** The id of the request. */
  readonly cause: string | null;
  /** How far the caller's sandbox is from real time (`Clock.shiftMicros`). */
  readonly shift: number | null;
}

export interface EventDefinition<C> {
  readonly kind: string;
  (change: C): DomainEvent;
}

/**
 * Declares a kind of event beside the verbs that cause it: who hears it and what they get
 *.
 */
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
