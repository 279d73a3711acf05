import type { IncomingHttpHeaders } from 'node:http';
import type { Tx } from '../kernel/database/db.js';
import type { RecordedEvent } from '../kernel/events/recorded-event.js';
import type { FailureReason, PostAnswer } from './guarded-http.js';

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
  readonly event: RecordedEvent;
  /** Time of this attempt, milliseconds since 1970. */
  readonly nowMs: number;
}

export interface Rendered {
  readonly url: string;
  readonly headers: Record<string, string>;
  /** The exact bytes that were signed. */
  readonly body: string | Buffer;
  /** Under which the receiver knows the event; the same at every attempt. */
  readonly eventId?: string;
}

/** What `send` takes beside the bytes. */
export interface SentAttempt<T> {
  readonly targetId: string;
  readonly deliveryId: number;
  readonly retry: number;
  readonly target: T;
}

/** An attempt's outcome, for metrics; `dropped`: none was made, as the event or the target is gone. */
export type DeliveryOutcome = 'delivered' | 'failed' | 'given_up' | 'dropped';

/** One attempt, with what was sent and what came back. */
export interface ObservedAttempt {
  /** The request that caused the event, where one did. */
  readonly cause: string | null;
  readonly tenantId: number;
  readonly deliveryId: number;
  /** `loaded`: what the dialect's `loadTargets` said of it. */
  readonly target: { readonly id: string; readonly product: string; readonly loaded: unknown };
  /** Place of the event in the log; null: no event caused it. */
  readonly eventId: number | null;
  /** Under which the receiver knows the event. */
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
  /** The rule that decided about it. */
  readonly rule?: string;
  /** One of several that a rule makes of an attempt; its answer has no effect. */
  readonly isCopy?: boolean;
  readonly identity: string | null;
  readonly triggerId?: string;
  /** How far from real time the sandbox's clock was; null: not at all. */
  readonly shift: number | null;
  readonly ms: number;
  readonly outcome: { readonly state: 'done' | 'failed' } | { readonly state: 'retrying'; readonly delayMs: number };
}

/** What is sent beside the queue, as somebody waits for its answer, and how that went. */
export interface ObservedCall extends Pick<
  ObservedAttempt,
  'tenantId' | 'kind' | 'request' | 'response' | 'error' | 'rule' | 'cause' | 'ms' | 'triggerId'
> {
  /** As a dialect would be called. */
  readonly product: string;
  readonly target: { readonly id: string; readonly url: string; readonly apiAppId: string };
}

/** Sees the attempts of the tenants that it wants; both must be quick and not throw. */
export interface DeliveryObserver {
  observes(tenantId: number): boolean;
  attempted(attempt: ObservedAttempt): void;
}

/** When a target gets nothing more. */
export type DisablePolicy =
  /**
   * docs/reference/events.md#delivery: so many attempts in the last 60 minutes, of which more than this share failed.
   */
  | { readonly kind: 'share'; readonly attempts: number; readonly failed: number }
  /** docs/reference/tracker-webhooks.md#delivery: so many events in a row that used up all their attempts. */
  | { readonly kind: 'exhausted'; readonly inARow: number }
  | { readonly kind: 'never' };

/** What one kind of subscription sends. The engine knows queue, order and retries; a dialect knows the envelope. */
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
  /** How the bytes go out, where that is not a POST to the URL; must not throw. Null: they did not, no attempt was made. */
  send?(rendered: Rendered, attempt: SentAttempt<T>): Promise<PostAnswer | null>;
  /** The targets that this process can send to, where that is not all. */
  reachable?(): readonly string[];
  /** Resolves when the target takes another first attempt; false: not through this process. Absent: at any time. */
  room?(targetId: string): Promise<boolean>;
  /** Order of first attempts. Default: one without an answer after 250 ms no longer holds back the next, 12 under way. */
  readonly order?: { readonly waitMs: number; readonly underWay: number };
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
  /** Attempts under way over all targets; one tenant has at most a quarter of them, and of the lanes and retries. */
  maxUnderWay: number;
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
  maxUnderWay: 1_024,
  maxHeld: 4_000,
  maxRetries: 512,
  maxRetriesOfTarget: 8,
  drainMs: 6_000,
};

/** The order of first attempts, unless a dialect has its own. */
export const DEFAULT_ORDER = { waitMs: 250, underWay: 12 };

/** For injection of other options, in tests. */
export const DELIVERY_OPTIONS = Symbol('DeliveryOptions');
