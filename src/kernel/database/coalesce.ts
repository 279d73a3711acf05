import { AsyncResource } from 'node:async_hooks';
import { currentCall } from '../http/call-context.js';
import { patiently } from './patience.js';
import { tooManyWait } from './tenant-lanes.js';
import { isStoreTimeout } from './unavailable.js';

export interface CoalesceOptions<K = unknown> {
  /** What the batches do, for the metrics: `noun.verb`, one for all replicas. */
  name: string;
  /** Largest batch. */
  max?: number;
  /** Batches running at once, in each lane. */
  inFlight?: number;
  /**
   * A batch has members of one lane only, and lanes do not wait for each other: a statement that takes locks has a lane
   * per tenant. Without it there is one lane.
   */
  lane?: (key: K) => number | string;
  /** The most members of a lane that wait while all its batches run; more are refused with `service_unavailable`. */
  maxWaiting?: number;
  /**
   * Groups members that can only be late together: a batch that took too long is retried in these parts. Without it
   * each member is a part.
   */
  together?: (key: K) => string;
}

interface Waiting<K, A> {
  key: K;
  resolve: (answer: A) => void;
  reject: (error: unknown) => void;
}

interface Lane<K, A> {
  waiting: Waiting<K, A>[];
  flying: number;
  armed: boolean;
}

let observe: ((name: string, size: number) => void) | undefined;

/** Registers an observer of the size of every batch. */
export function observeBatches(observer: (name: string, size: number) => void): void {
  observe = observer;
}

/**
 * Whether the server rejected the statement, so that nothing happened and its members may be retried. After a lost
 * connection this is unknown: retrying could post twice.
 */
export function wasRolledBack(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  return typeof code === 'string' && /^(?!08|57P)[0-9A-Z]{5}$/.test(code);
}

/** Splits the batch into parts that do not delay each other. */
function parts<K, A>(batch: Waiting<K, A>[], together?: (key: K) => string): Waiting<K, A>[][] {
  if (!together) return batch.map((member) => [member]);
  const groups = new Map<string, Waiting<K, A>[]>();
  for (const member of batch) {
    const group = groups.get(together(member.key));
    if (group) group.push(member);
    else groups.set(together(member.key), [member]);
  }
  return [...groups.values()];
}

/**
 * Concurrent calls of one kind become one statement: at most `inFlight` batches run, and calls that arrive meanwhile
 * form the next one. A single call does not wait, and batches grow with load. `run` answers in the order of its keys.
 *
 * A failure of one caller is a value there, not a throw: a throw fails the batch. If its statement was rolled back, its
 * members are retried one by one, so that only the faulty one gets the error. If the batch took too long, its parts are
 * retried concurrently, as each may take as long again.
 *
 * Batches run in the async context in which `coalesce` was called, never in a caller's: a caller's transaction mark
 * must not leak into a statement that serves others.
 */
export function coalesce<K, A>(
  run: (keys: K[]) => Promise<A[]>,
  { name, max = 256, inFlight = 2, lane: laneOf, maxWaiting = Infinity, together }: CoalesceOptions<K>,
): (key: K) => Promise<A> {
  const lanes = new Map<number | string, Lane<K, A>>();

  const fly = async (batch: Waiting<K, A>[]): Promise<void> => {
    observe?.(name, batch.length);
    try {
      const answers = await run(batch.map((member) => member.key));
      batch.forEach((member, i) => member.resolve(answers[i] as A));
    } catch (error) {
      const groups = isStoreTimeout(error) ? parts(batch, together) : [];
      if (groups.length > 1) await Promise.all(groups.map(fly));
      else if (groups.length === 0 && batch.length > 1 && wasRolledBack(error)) {
        for (const member of batch) await fly([member]);
      } else batch.forEach((member) => member.reject(error));
    }
  };

  const pump = AsyncResource.bind((lane: Lane<K, A>, id: number | string): void => {
    while (lane.waiting.length > 0 && lane.flying < inFlight) {
      const { waiting } = lane;
      const batch = waiting.length <= max ? waiting : waiting.slice(0, max);
      lane.waiting = waiting.length <= max ? [] : waiting.slice(max);
      lane.flying++;
      void fly(batch).finally(() => {
        lane.flying--;
        pump(lane, id);
      });
    }
    if (lane.flying === 0 && lane.waiting.length === 0) lanes.delete(id);
  });

  /** Puts a member into its lane. Returns what takes it out again, unless its batch has begun. */
  const enter = (member: Waiting<K, A>): (() => void) => {
    const id = laneOf?.(member.key) ?? '';
    let lane = lanes.get(id);
    if (!lane) lanes.set(id, (lane = { waiting: [], flying: 0, armed: false }));
    const entered = lane;
    if (lane.flying >= inFlight && lane.waiting.length >= maxWaiting) void tooManyWait().catch(member.reject);
    else lane.waiting.push(member);
    if (!lane.armed) {
      lane.armed = true;
      setImmediate((armed) => {
        armed.armed = false;
        pump(armed, id);
      }, lane);
    }
    return () => void (entered.waiting = entered.waiting.filter((other) => other !== member));
  };

  return (key) => {
    let leave: (() => void) | undefined;
    const answer = new Promise<A>((resolve, reject) => (leave = enter({ key, resolve, reject })));
    return patiently(currentCall(), answer, leave);
  };
}

/**
 * Reorders rows to match their keys.
 * @param rows each with the number of its key, from 1 up; a key may have none
 */
export function byNumber<R extends { readonly n: number }>(rows: readonly R[], keys: number): (R | undefined)[] {
  const answers = new Array<R | undefined>(keys).fill(undefined);
  for (const row of rows) answers[row.n - 1] = row;
  return answers;
}
