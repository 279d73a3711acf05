import { coalesce } from '../database/coalesce.js';
import { samePolicy, type Policy, type TakeResult } from './policy.js';

/** The most takes of one key in one statement; further ones wait for the next. */
const MAX_TAKES = 256;

/** A take that waits for its statement. `W` is what the statement needs besides it, `A` its result. */
export interface QueuedTake<P extends Policy, A, W> {
  policy: P;
  cost: number;
  /** The clock's offset at the caller. */
  offset: number;
  beside: W;
  resolve: (answer: A) => void;
  reject: (error: unknown) => void;
}

/**
 * The takes of one key. At most one statement at a time includes some of them, so they are judged in the order of
 * arrival.
 */
export interface KeyQueue<P extends Policy, A = TakeResult, W = undefined> {
  readonly key: string;
  pendingTakes: QueuedTake<P, A, W>[];
  /** Those of the running statement. All have the same policy. */
  currentTakes: QueuedTake<P, A, W>[];
}

/** Batches takes of many keys into one statement. */
export class Counter<P extends Policy, A = TakeResult, W = undefined> {
  private readonly lines = new Map<string, KeyQueue<P, A, W>>();
  private readonly send: (line: KeyQueue<P, A, W>) => Promise<A[]>;

  /** `run` judges lines in the order of their keys and returns one answer per take for each. */
  constructor(name: string, run: (lines: KeyQueue<P, A, W>[]) => Promise<A[][]>) {
    const send = async (lines: KeyQueue<P, A, W>[]): Promise<A[][]> => {
      for (const line of lines) startBatch(line);
      // the same order everywhere, otherwise two batches could deadlock on each other's rows
      const places = lines
        .map((_, i) => i)
        .sort((a, b) => ((lines[a] as KeyQueue<P, A, W>).key < (lines[b] as KeyQueue<P, A, W>).key ? -1 : 1));
      const judged = await run(places.map((i) => lines[i] as KeyQueue<P, A, W>));
      const answers: A[][] = Array.from(lines, () => []);
      places.forEach((i, place) => (answers[i] = judged[place] as A[]));
      return answers;
    };
    this.send = coalesce(send, { name });
  }

  take(key: string, policy: P, cost: number, offset: number, beside: W): Promise<A> {
    return new Promise((resolve, reject) => {
      const ask: QueuedTake<P, A, W> = { policy, cost, offset, beside, resolve, reject };
      const line = this.lines.get(key);
      if (line) return void line.pendingTakes.push(ask);
      const opened: KeyQueue<P, A, W> = { key, pendingTakes: [ask], currentTakes: [] };
      this.lines.set(key, opened);
      void this.serve(opened);
    });
  }

  private async serve(line: KeyQueue<P, A, W>): Promise<void> {
    while (line.pendingTakes.length > 0) {
      try {
        const answers = await this.send(line);
        line.currentTakes.forEach((ask, i) => ask.resolve(answers[i] as A));
      } catch (error) {
        // a statement that was never sent no longer holds takes of this key; they must not wait forever
        for (const ask of line.currentTakes.length > 0 ? line.currentTakes : line.pendingTakes.splice(0))
          ask.reject(error);
      }
      line.currentTakes = [];
    }
    this.lines.delete(line.key);
  }
}

/** Moves the first takes with the same policy into the statement; a retried batch keeps its takes. */
function startBatch<P extends Policy, A, W>(line: KeyQueue<P, A, W>): void {
  if (line.currentTakes.length > 0) return;
  const first = (line.pendingTakes[0] as QueuedTake<P, A, W>).policy;
  const end = line.pendingTakes.findIndex((ask, i) => i === MAX_TAKES || !samePolicy(ask.policy, first));
  line.currentTakes = line.pendingTakes.splice(0, end === -1 ? line.pendingTakes.length : end);
}
