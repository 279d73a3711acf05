import type { Tx } from '../kernel/database/db.js';
import type { FailureReason } from './guarded-http.js';

/** An event as it stands in the log. */
export interface LoggedEvent {
  readonly id: number;
  readonly tenantId: number;
  readonly product: string;
  readonly kind: string;
  readonly room: string;
  /** The organization's counter, null for chat events. */
  readonly syncId: number | null;
  /** JSON text. */
  readonly data: string;
  readonly recordedAt: Date;
}

/** One attempt that is about to go out. */
export interface Attempt<T> {
  /** Unique per event and target, the same for every attempt. */
  readonly deliveryId: number;
  /** What the planner put into `deliveries.identity`. */
  readonly identity: string | null;
  /** 0 for the first, n for the nth retry. */
  readonly retry: number;
  /** Why the attempt before failed; null for the first. */
  readonly reason: FailureReason | null;
  readonly target: T;
  readonly event: LoggedEvent;
  /** Time of this attempt, milliseconds since 1970. */
  readonly nowMs: number;
}

export interface Rendered {
  readonly url: string;
  readonly headers: Record<string, string>;
  /** The exact bytes that were signed. */
  readonly body: string | Buffer;
}

/** When a target gets nothing more. */
export type DisablePolicy =
  /** messaging.md D.7: so many attempts in the last 60 minutes, of which more than this share failed. */
  | { readonly kind: 'share'; readonly attempts: number; readonly failed: number }
  /** tracker.md i.2: so many events in a row that used up all their attempts. */
  | { readonly kind: 'exhausted'; readonly inARow: number };

/** How one kind of subscription speaks. The engine knows queue, order and retries; a dialect knows the envelope. */
export interface Dialect<T = unknown> {
  /** `delivery_targets.product` of its targets. */
  readonly product: string;
  /** Limit of one attempt, redirects included, in milliseconds. */
  readonly timeoutMs: number;
  /** One retry per entry, so many seconds after the end of the attempt before. */
  readonly retryDelaysSeconds: readonly number[];
  /** 3xx answers followed, each by the same POST. */
  readonly maxRedirects: number;
  /** A failed answer with this header at `1` is the last attempt of its event; lower case. */
  readonly noRetryHeader?: string;
  readonly disable: DisablePolicy;
  /** A first attempt at an event older than this, in milliseconds, is dropped: it could not be made in time. */
  readonly maxAgeMs: number;
  /**
   * How long a busy lane uses what `loadTargets` said, in milliseconds. 0: each attempt, by whichever replica, goes by
   * what is committed as it begins, for one more read an attempt.
   */
  readonly targetsFreshMs: number;
  /**
   * What `render` needs of these targets: URL, secret. A target that is missing in the answer is gone or disabled; its
   * deliveries are dropped. Asked before every retry, and before a first attempt when the last answer is older than
   * `targetsFreshMs`; for several targets at once where it can be.
   */
  loadTargets(ids: readonly string[]): Promise<ReadonlyMap<string, T>>;
  /** Makes the bytes of one attempt, stamped and signed anew. A throw counts as `unknown_error`. */
  render(attempt: Attempt<T>): Rendered | Promise<Rendered>;
  success(status: number): boolean;
  /** In the transaction that disables targets; `delivery_targets.enabled` is false and their queue is empty by then. */
  onDisabled?(tx: Tx, targetIds: readonly string[]): Promise<void>;
}

/** Times and bounds of the engine, in milliseconds and counts. Not settings: they differ only in tests. */
export interface DeliveryOptions {
  /** How long a lane is held without being renewed. */
  leaseMs: number;
  renewMs: number;
  /** A lane without work is given back after this long. */
  idleLaneMs: number;
  pollMs: number;
  /** Least time between two looks for waiting targets. */
  lookEveryMs: number;
  /** Results are written together, this long after the first of them. */
  resultsMs: number;
  countsMs: number;
  /** Lanes that send at once: bounds sockets and memory. */
  maxLanes: number;
  /** Deliveries held in memory over all lanes, roughly. */
  maxHeld: number;
  /** Retries in flight, over all targets and of one: a dead target must not take all places. */
  maxRetries: number;
  maxRetriesOfTarget: number;
  /** How long `stop` waits for attempts in flight. */
  drainMs: number;
}

export const DELIVERY_DEFAULTS: DeliveryOptions = {
  leaseMs: 5_000,
  renewMs: 2_000,
  idleLaneMs: 5_000,
  pollMs: 1_000,
  lookEveryMs: 10,
  resultsMs: 5,
  countsMs: 1_000,
  maxLanes: 1_000,
  maxHeld: 4_000,
  maxRetries: 512,
  maxRetriesOfTarget: 8,
  drainMs: 6_000,
};

/** For injection of other options, in tests. */
export const DELIVERY_OPTIONS = Symbol('DeliveryOptions');
