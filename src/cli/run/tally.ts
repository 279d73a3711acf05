/** How many connections or requests there were by host. Names are the program's: beyond this many they count as one. */
const MAX_NAMES = 1_000;
const OTHERS = '(others)';

export class Tally {
  private readonly counts = new Map<string, number>();

  add(name: string): void {
    const key = this.counts.has(name) || this.counts.size < MAX_NAMES ? name : OTHERS;
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
  }

  get size(): number {
    return this.counts.size;
  }

  /** Most frequent first. */
  get entries(): [string, number][] {
    return [...this.counts].sort(([, a], [, b]) => b - a);
  }

  toJSON(): Record<string, number> {
    return Object.fromEntries(this.entries);
  }
}

/** What a run's proxy has seen. */
export class Traffic {
  /** Requests to the vendors' hosts, which the server answered. */
  readonly led = new Tally();
  /** Connections to other hosts. */
  readonly passed = new Tally();
  /** The same, refused under `--offline`. */
  readonly refused = new Tally();
  /** Paths that the server does not serve under their host. */
  readonly notOnHost = new Tally();
}
