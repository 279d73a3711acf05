import type { Dialect } from './dialect.js';

/** First attempts to one target, begun in order, for as long as this process holds the target's lease. */
export interface Lane {
  readonly id: string;
  /** With which tenant's it is counted. */
  readonly share: number;
  readonly dialect: Dialect;
  /** performance.now() until which the lease surely holds. */
  until: number;
  /** The run that begins attempts now. */
  running: Promise<void> | undefined;
  /** Attempts that have no answer yet. */
  readonly unanswered: Set<Promise<unknown>>;
  /** Attempts begun whose outcome is not written yet, by delivery. */
  readonly flying: Map<number, Promise<void>>;
  /** All of the lane's last life under an earlier lease of ours, which may still have attempts in flight. */
  readonly after: Promise<unknown> | undefined;
  /** Something may have been queued since the queue was read. */
  woken: boolean;
  /** The target was disabled, removed or cannot be reached from here: the lease is given back when the run ends. */
  forgotten: boolean;
  idleSince: number;
  target: unknown;
  loadedAt: number;
}

/** A lane whose lease has just begun. */
export const newLane = (of: Pick<Lane, 'id' | 'share' | 'dialect' | 'until' | 'idleSince' | 'after'>): Lane => ({
  ...of,
  running: undefined,
  unanswered: new Set(),
  flying: new Map(),
  woken: false,
  forgotten: false,
  target: undefined,
  loadedAt: -Infinity,
});

export const isBusy = (lane: Lane): boolean => lane.running !== undefined || lane.flying.size > 0;

/** When nothing of a lane is under way any more. */
export const endOf = (lane: Lane): Promise<unknown> =>
  Promise.resolve(lane.running).then(() => Promise.all([lane.after, ...lane.flying.values()]));
