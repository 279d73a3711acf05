/** The work of one key. */
interface Lane<Key> {
  readonly key: Key;
  running: number;
  readonly waiting: Waiting[];
  /** How much of it waits, by caller. */
  readonly callers: Map<object, number>;
}

interface Waiting {
  readonly caller: object;
  readonly begin: () => void;
}

export interface FairQueueOptions<Key> {
  /** How much runs at once, of all lanes together. */
  readonly width?: number;
  /** How much of one lane runs at once; asked anew whenever something could begin. */
  readonly laneWidth: (key: Key) => number;
  /** The callers of a lane that may wait; the work of further ones is refused. */
  readonly maxWaiting?: number;
  /** How long work may wait, in milliseconds. */
  readonly maxWaitMs?: number;
  /** Defers serving the lanes after something has ended, so that what ends together is replaced together. */
  readonly later?: (serve: () => void) => void;
}

/** Work was refused: too many callers of its lane wait, or it has waited for too long. */
export class QueueRefusal extends Error {
  constructor(readonly reason: 'full' | 'late') {
    super(reason === 'full' ? 'too many wait' : 'it waited for too long');
  }
}

/**
 * The one queue of everything that tenants share. Each has a lane of its own; lanes are served in turn, one of each, so
 * that whoever asks for much waits for himself. What begins is bounded for all together and for each lane.
 */
export class FairQueue<Key = number> {
  private readonly lanes = new Map<Key, Lane<Key>>();
  /** The lanes in which something waits, in the order of their turns. */
  private readonly line = new Set<Lane<Key>>();
  private running = 0;
  private isServing = false;

  constructor(private readonly options: FairQueueOptions<Key>) {}

  /** How much waits in all lanes. */
  get waiting(): number {
    let sum = 0;
    for (const { waiting } of this.line) sum += waiting.length;
    return sum;
  }

  waitingIn(key: Key): number {
    return this.lanes.get(key)?.waiting.length ?? 0;
  }

  /** How many callers wait in a lane. */
  callersIn(key: Key): number {
    return this.lanes.get(key)?.callers.size ?? 0;
  }

  runningIn(key: Key): number {
    return this.lanes.get(key)?.running ?? 0;
  }

  /**
   * Runs work in its turn.
   * @param caller whom the work is for: several pieces of one caller count once among those that wait
   * @throws QueueRefusal
   */
  async run<T>(key: Key, work: () => Promise<T>, caller?: object): Promise<T> {
    const turn = this.take(key, caller);
    if (turn) await turn;
    try {
      return await work();
    } finally {
      this.leave(key);
    }
  }

  /**
   * Undefined when it has begun; otherwise resolves when it begins. Whoever takes must `leave`.
   * @throws QueueRefusal
   */
  take(key: Key, caller: object = {}): Promise<void> | undefined {
    if (this.begins(key)) return undefined;
    const { maxWaiting = Infinity, maxWaitMs } = this.options;
    const { callers } = this.laneOf(key);
    if (callers.size >= maxWaiting && !callers.has(caller)) return Promise.reject(new QueueRefusal('full'));
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const withdraw = this.wait(key, begin, caller);
      const tooLate = (): void => {
        withdraw();
        reject(new QueueRefusal('late'));
      };
      const timer = maxWaitMs === undefined ? undefined : setTimeout(tooLate, maxWaitMs);
    });
  }

  /** Begins at once if that is possible. */
  begins(key: Key): boolean {
    const lane = this.laneOf(key);
    const isPossible = lane.waiting.length === 0 && this.fits(lane);
    if (isPossible) this.start(lane);
    return isPossible;
  }

  /** Begins whatever the bounds say: for what cannot wait, such as work that goes on. */
  force(key: Key): void {
    this.start(this.laneOf(key));
  }

  /**
   * Waits without a bound; `begin` is called when it has begun.
   * @returns takes it out of its lane again
   */
  wait(key: Key, begin: () => void, caller: object = {}): () => void {
    const lane = this.laneOf(key);
    const waiting: Waiting = { caller, begin };
    lane.waiting.push(waiting);
    lane.callers.set(caller, (lane.callers.get(caller) ?? 0) + 1);
    this.line.add(lane);
    return () => {
      const at = lane.waiting.indexOf(waiting);
      if (at >= 0) this.takeOut(lane, at);
    };
  }

  /** What had begun has ended. */
  leave(key: Key): void {
    const lane = this.laneOf(key);
    lane.running--;
    this.running--;
    this.tidy(lane);
    this.serve();
  }

  /** To be called when a lane may have become wider. */
  serve(): void {
    const { later } = this.options;
    if (this.line.size === 0) return;
    if (!later) return this.serveNow();
    if (this.isServing) return;
    this.isServing = true;
    later(() => {
      this.isServing = false;
      this.serveNow();
    });
  }

  /** One of each lane in turn: a lane that was served goes to the end of the line, where this comes by again. */
  private serveNow(): void {
    for (const lane of this.line) {
      if (this.running >= this.width) return;
      if (!this.fits(lane)) continue;
      const next = lane.waiting[0] as Waiting;
      this.line.delete(lane);
      this.start(lane);
      this.takeOut(lane, 0);
      if (lane.waiting.length > 0) this.line.add(lane);
      next.begin();
    }
  }

  private takeOut(lane: Lane<Key>, at: number): void {
    const [{ caller }] = lane.waiting.splice(at, 1) as [Waiting];
    const left = (lane.callers.get(caller) ?? 1) - 1;
    if (left > 0) lane.callers.set(caller, left);
    else lane.callers.delete(caller);
    if (lane.waiting.length === 0) this.line.delete(lane);
    this.tidy(lane);
  }

  private get width(): number {
    return this.options.width ?? Infinity;
  }

  private fits(lane: Lane<Key>): boolean {
    return this.running < this.width && lane.running < this.options.laneWidth(lane.key);
  }

  private start(lane: Lane<Key>): void {
    lane.running++;
    this.running++;
  }

  private laneOf(key: Key): Lane<Key> {
    let lane = this.lanes.get(key);
    if (!lane) this.lanes.set(key, (lane = { key, running: 0, waiting: [], callers: new Map() }));
    return lane;
  }

  private tidy({ key, running, waiting }: Lane<Key>): void {
    if (running === 0 && waiting.length === 0) this.lanes.delete(key);
  }
}
