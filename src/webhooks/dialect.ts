import type { IncomingHttpHeaders } from 'node:http';
import type { Tx } from '../kernel/database/db.js';
import type { IdSpace } from '../kernel/ids/id-space.js';
import type { RecordedEvent } from '../kernel/events/recorded-event.js';
import type { FailureReason, PostAnswer } from './guarded-http.js';

/** One attempt about to be made. */
export interface Attempt<T> {
  /** Unique per event and target, the same for every attempt. */
  readonly deliveryId: number;
  /** The planner's value of `deliveries.identity`. */
  readonly identity: string | null;
  /** 0 for the first, n for the nth retry. */
  readonly retry: number;
  /** Why the previous attempt failed; null for the first. */
  readonly reason: FailureReason | null;
  readonly target: T;
  readonly event: RecordedEvent;
  /** Time of this attempt, milliseconds since 1970. */
  readonly nowMs: number;
  /** What is sent names things as the receiver knows them; null: as they are stored. */
  readonly ids: IdSpace | null;
}

export interface Rendered {
  readonly url: string;
  readonly headers: Record<string, string>;
  /** The exact bytes that were signed. */
  readonly body: string | Buffer;
  /** The event's id at the receiver; the same at every attempt. */
  readonly eventId?: string;
}

/** Options of `send` besides the bytes. */
export interface SentAttempt<T> {
  readonly targetId: string;
  readonly deliveryId: number;
  readonly retry: number;
  readonly target: T;
}

/** An attempt's outcome, for metrics; `dropped`: none was made, as the event or the target was deleted. */
export type DeliveryOutcome = 'delivered' | 'failed' | 'given_up' | 'dropped';

/** One attempt, with its request and response. */
export interface ObservedAttempt {
  /** The request that caused the event, if one did. */
  readonly cause: string | null;
  readonly tenantId: number;
  readonly deliveryId: number;
  /** `loaded`: the target's data from the dialect's `loadTargets`. */
  readonly target: { readonly id: string; readonly product: string; readonly loaded: unknown };
  /** Position of the event in the log; null: no event caused it. */
  readonly eventId: number | null;
  /** The event's id at the receiver. */
  readonly publicEventId: string | undefined;
  readonly kind: string;
  /** 0 for the first, n for the nth retry. */
  readonly attempt: number;
  readonly request:
    | { readonly url: string; readonly headers: Readonly<Record<string, string>>; readonly body: string | Buffer }
    | undefined;
  /** The body is cut at 16 KiB. */
  readonly response?: { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: Buffer };
  readonly error?: FailureReason;
  /** The rule that was applied. */
  readonly rule?: string;
  /** One of several that a rule makes of an attempt; its response has no effect. */
  readonly isCopy?: boolean;
  readonly identity: string | null;
  readonly triggerId?: string;
  /** The difference between the sandbox's time and real time; null: none. */
  readonly shift: number | null;
  readonly ms: number;
  readonly outcome: { readonly state: 'done' | 'failed' } | { readonly state: 'retrying'; readonly delayMs: number };
}

/** Something sent outside the queue because its caller waits for the response, and its result. */
export interface ObservedCall extends Pick<
  ObservedAttempt,
  'tenantId' | 'kind' | 'request' | 'response' | 'error' | 'rule' | 'cause' | 'ms' | 'triggerId'
> {
  /** The name of a dialect. */
  readonly product: string;
  readonly target: { readonly id: string; readonly url: string; readonly apiAppId: string; readonly secret: string };
}

/** Observes the attempts of the tenants it asks for; both methods must be quick and not throw. */
export interface DeliveryObserver {
  observes(tenantId: number): boolean;
  attempted(attempt: ObservedAttempt): void;
}

/** When a target is disabled. */
export type DisablePolicy =
  /**
   * docs/reference/events.md#delivery: at least this many attempts in the last 60 minutes, of which more than this
   * share failed.
   */
  | { readonly kind: 'share'; readonly attempts: number; readonly failed: number }
  /** docs/reference/tracker-webhooks.md#delivery: this many consecutive events that used up all their attempts. */
  | { readonly kind: 'exhausted'; readonly inARow: number }
  | { readonly kind: 'never' };

/** One kind of subscription. The engine handles queue, order and retries; a dialect knows the envelope. */
export interface Dialect<T = unknown> {
  /** `delivery_targets.product` of its targets. */
  readonly product: string;
  /** Time limit of one attempt, redirects included, in milliseconds. */
  readonly timeoutMs: number;
  /** One retry per entry, this many seconds after the end of the previous attempt. */
  readonly retryDelaysSeconds: readonly number[];
  /** How many 3xx responses are followed, each by the same POST. */
  readonly maxRedirects: number;
  /** A failed response with this header set to `1` ends the retries of its event; lower case. */
  readonly noRetryHeader?: string;
  readonly disable: DisablePolicy;
  /** A first attempt at an event older than this, in milliseconds, is dropped: it is too late. */
  readonly maxAgeMs: number;
  /**
   * How long a busy lane reuses the data of `loadTargets`, in milliseconds. 0: each attempt, by whichever replica, uses
   * what is committed when it begins, for one more read per attempt.
   */
  readonly targetsFreshMs: number;
  /**
   * Loads what `render` needs of these targets: URL, secret. A target missing from the answer was deleted or disabled;
   * its deliveries are dropped. Called before every retry, and before a first attempt when the last data is older than
   * `targetsFreshMs`; for several targets at once where possible.
   */
  loadTargets(ids: readonly string[]): Promise<ReadonlyMap<string, T>>;
  /** Makes the bytes of one attempt, newly stamped and signed. A throw counts as `unknown_error`. */
  render(attempt: Attempt<T>): Rendered | Promise<Rendered>;
  success(status: number): boolean;
  /** Sends the bytes, if not by a POST to the URL; must not throw. Null: not sent, no attempt was made. */
  send?(rendered: Rendered, attempt: SentAttempt<T>): Promise<PostAnswer | null>;
  /** The targets that this process can send to, if not all. */
  reachable?(): readonly string[];
  /** Resolves when the target accepts another first attempt; false: not through this process. Absent: at any time. */
  room?(targetId: string): Promise<boolean>;
  /**
   * Order of first attempts. Default: one without a response after 250 ms, in which this process did not stand still, no
   * longer holds back the next; 12 in flight.
   */
  readonly order?: { readonly waitMs: number; readonly underWay: number };
  /** The most retries of one target in flight; default: `maxRetriesOfTarget`. */
  readonly retriesUnderWay?: number;
  /** In the transaction that disables targets; `delivery_targets.enabled` is false and their queue is empty already. */
  onDisabled?(tx: Tx, targetIds: readonly string[]): Promise<void>;
}

/** Times and limits of the engine, in milliseconds and counts. Not settings: they differ only in tests. */
export interface DeliveryOptions {
  /** How long a lane is leased without renewal. */
  leaseMs: number;
  renewMs: number;
  /**
   * How long after another's lease has lapsed it is left alone: its holder sends nothing any more, but may have answers
   * that it could not write yet.
   */
  graceMs: number;
  /** A lane without work is released after this long. */
  idleLaneMs: number;
  pollMs: number;
  /** Minimum time between two searches for waiting targets. */
  searchEveryMs: number;
  /** Results are written together, this long after the first of them. */
  resultsMs: number;
  countsMs: number;
  /** Lanes that send concurrently: limits sockets and memory. */
  maxLanes: number;
  /** Attempts in flight over all targets; one tenant has at most a quarter of them, and of the lanes and retries. */
  maxUnderWay: number;
  /** Deliveries held in memory over all lanes, roughly. */
  maxHeld: number;
  /** Retries in flight, over all targets and per target: a dead target must not take all places. */
  maxRetries: number;
  maxRetriesOfTarget: number;
  /** How long `stop` waits for attempts in flight. */
  drainMs: number;
}

export const DELIVERY_DEFAULTS: DeliveryOptions = {
  leaseMs: 5_000,
  renewMs: 2_000,
  graceMs: 2_000,
  idleLaneMs: 5_000,
  pollMs: 1_000,
  searchEveryMs: 10,
  resultsMs: 5,
  countsMs: 1_000,
  maxLanes: 1_000,
  maxUnderWay: 1_024,
  maxHeld: 4_000,
  maxRetries: 512,
  maxRetriesOfTarget: 8,
  drainMs: 6_000,
};

/** The order of first attempts, unless a dialect has its own. */
export const DEFAULT_ORDER = { waitMs: 250, underWay: 12 };

/** Injection token of other options, in tests. */
export const DELIVERY_OPTIONS = Symbol('DeliveryOptions');
