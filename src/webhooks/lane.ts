import type { Dialect } from './dialect.js';

/** First attempts to one target, started in order while this process holds the target's lease. */
export interface Lane {
  readonly id: string;
  /** The tenant whose share it counts towards. */
  readonly share: number;
  readonly dialect: Dialect;
  /** The lease is valid until then, by performance.now(). */
  until: number;
  /** The run that starts attempts now. */
  running: Promise<void> | undefined;
  /** Attempts without a response yet. */
  readonly unanswered: Set<Promise<unknown>>;
  /** Started attempts whose outcome is not written yet, by delivery. */
  readonly flying: Map<number, Promise<void>>;
  /** Those of an earlier lease of this process, which may still be in flight. */
  readonly after: Promise<unknown> | undefined;
  /** Something may have been queued since the queue was read. */
  woken: boolean;
  /** An attempt was begun but not made, as the target had no room any more: it is still in the queue, before the others. */
  isOutrun: boolean;
  /** The target was disabled, removed or cannot be reached from here: the lease is released when the run ends. */
  forgotten: boolean;
  idleSince: number;
  target: unknown;
  loadedAt: number;
}

/** A lane with a new lease. */
export const newLane = (of: Pick<Lane, 'id' | 'share' | 'dialect' | 'until' | 'idleSince' | 'after'>): Lane => ({
  ...of,
  running: undefined,
  unanswered: new Set(),
  flying: new Map(),
  woken: false,
  isOutrun: false,
  forgotten: false,
  target: undefined,
  loadedAt: -Infinity,
});

export const isBusy = (lane: Lane): boolean => lane.running !== undefined || lane.flying.size > 0;

/** Resolves when nothing of a lane is in flight any more. */
export const endOf = (lane: Lane): Promise<unknown> =>
  Promise.resolve(lane.running).then(() => Promise.all([lane.after, ...lane.flying.values()]));
