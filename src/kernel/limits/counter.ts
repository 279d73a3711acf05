import { coalesce } from '../database/coalesce.js';
import { samePolicy, type Policy, type Taken } from './policy.js';

/** Takes of one key that one statement judges; more wait for the next. */
const MAX_TAKES = 256;

/** One take. `W` is what its statement takes beside it, `A` how it is answered. */
export interface Ask<P extends Policy, A, W> {
  policy: P;
  cost: number;
  /** The clock's, as the caller has it. */
  offset: number;
  beside: W;
  resolve: (answer: A) => void;
  reject: (error: unknown) => void;
}

/** The takes of one key: at most one statement at a time asks for them, so they are judged as they arrived. */
export interface Line<P extends Policy, A = Taken, W = undefined> {
  readonly key: string;
  waiting: Ask<P, A, W>[];
  /** What the statement under way asks for. All have the same policy. */
  asking: Ask<P, A, W>[];
}

/** One statement for many lines at once. */
export class Counter<P extends Policy, A = Taken, W = undefined> {
  private readonly lines = new Map<string, Line<P, A, W>>();
  private readonly send: (line: Line<P, A, W>) => Promise<A[]>;

  /** `run` judges lines in the order of their keys and answers each with one answer per take. */
  constructor(name: string, run: (lines: Line<P, A, W>[]) => Promise<A[][]>) {
    const send = async (lines: Line<P, A, W>[]): Promise<A[][]> => {
      for (const line of lines) enlist(line);
      // in one order everywhere, or two batches could wait for each other's rows
      const places = lines
        .map((_, i) => i)
        .sort((a, b) => ((lines[a] as Line<P, A, W>).key < (lines[b] as Line<P, A, W>).key ? -1 : 1));
      const judged = await run(places.map((i) => lines[i] as Line<P, A, W>));
      const answers: A[][] = Array.from(lines, () => []);
      places.forEach((i, place) => (answers[i] = judged[place] as A[]));
      return answers;
    };
    this.send = coalesce(send, { name });
  }

  take(key: string, policy: P, cost: number, offset: number, beside: W): Promise<A> {
    return new Promise((resolve, reject) => {
      const ask: Ask<P, A, W> = { policy, cost, offset, beside, resolve, reject };
      const line = this.lines.get(key);
      if (line) return void line.waiting.push(ask);
      const opened: Line<P, A, W> = { key, waiting: [ask], asking: [] };
      this.lines.set(key, opened);
      void this.serve(opened);
    });
  }

  private async serve(line: Line<P, A, W>): Promise<void> {
    while (line.waiting.length > 0) {
      try {
        const answers = await this.send(line);
        line.asking.forEach((ask, i) => ask.resolve(answers[i] as A));
      } catch (error) {
        // a statement that never left has enlisted nobody, and nobody may wait for ever
        for (const ask of line.asking.length > 0 ? line.asking : line.waiting.splice(0)) ask.reject(error);
      }
      line.asking = [];
    }
    this.lines.delete(line.key);
  }
}

/** Moves the first takes that share a policy into the statement; a batch that is tried again keeps what it has. */
function enlist<P extends Policy, A, W>(line: Line<P, A, W>): void {
  if (line.asking.length > 0) return;
  const first = (line.waiting[0] as Ask<P, A, W>).policy;
  const end = line.waiting.findIndex((ask, i) => i === MAX_TAKES || !samePolicy(ask.policy, first));
  line.asking = line.waiting.splice(0, end === -1 ? line.waiting.length : end);
}
