import { AsyncResource } from 'node:async_hooks';

export interface CoalesceOptions {
  /** What the batches do, for the figures: `noun.verb`, one for all replicas. */
  name: string;
  /** Largest batch. */
  max?: number;
  /** Batches under way at once. */
  inFlight?: number;
}

interface Waiting<K, A> {
  key: K;
  resolve: (answer: A) => void;
  reject: (error: unknown) => void;
}

let observe: ((name: string, size: number) => void) | undefined;

/** Tells somebody the size of every batch. */
export function observeBatches(observer: (name: string, size: number) => void): void {
  observe = observer;
}

/**
 * The server refused the statement, so nothing of it happened and its members may be tried again. After a lost
 * connection nobody knows: trying again could post twice.
 */
function wasRolledBack(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  return typeof code === 'string' && /^(?!08|57P)[0-9A-Z]{5}$/.test(code);
}

/**
 * Concurrent calls of one kind become one statement: at most `inFlight` batches run, what arrives meanwhile forms the
 * next one. A lone call waits for nothing and batches grow with load (architecture.md, Coalescing).
 *
 * `run` answers in the order of its keys. What fails for one caller is a value there, not a throw: a throw fails the
 * batch, whose members are then tried one by one, so that only the guilty one sees the error.
 *
 * Batches run in the async context in which `coalesce` was called, never in a caller's: a caller's transaction mark
 * must not leak into a statement that serves others.
 */
export function coalesce<K, A>(
  run: (keys: K[]) => Promise<A[]>,
  { name, max = 256, inFlight = 2 }: CoalesceOptions,
): (key: K) => Promise<A> {
  let waiting: Waiting<K, A>[] = [];
  let flying = 0;
  let armed = false;

  const fly = async (batch: Waiting<K, A>[]): Promise<void> => {
    observe?.(name, batch.length);
    try {
      const answers = await run(batch.map((member) => member.key));
      batch.forEach((member, i) => member.resolve(answers[i] as A));
    } catch (error) {
      if (batch.length > 1 && wasRolledBack(error)) for (const member of batch) await fly([member]);
      else batch.forEach((member) => member.reject(error));
    }
  };

  const pump = AsyncResource.bind((): void => {
    while (waiting.length > 0 && flying < inFlight) {
      const batch = waiting.length <= max ? waiting : waiting.slice(0, max);
      waiting = waiting.length <= max ? [] : waiting.slice(max);
      flying++;
      void fly(batch).finally(() => {
        flying--;
        pump();
      });
    }
  });

  return (key) =>
    new Promise<A>((resolve, reject) => {
      waiting.push({ key, resolve, reject });
      if (armed) return;
      armed = true;
      setImmediate(() => {
        armed = false;
        pump();
      });
    });
}
