/** Random numbers that a seed decides: the same seed asks for the same things. */
export class Random {
  constructor(private state: number) {}

  /** At least 0 and less than 1 (mulberry32). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  /** One of them; undefined when there is none. */
  of<T>(all: readonly T[]): T | undefined {
    return all[this.below(all.length)];
  }

  /** One of them, more often one with a large weight. */
  weighted<K extends string>(weights: Readonly<Partial<Record<K, number>>>): K {
    const all = Object.entries(weights) as [K, number][];
    let left = this.next() * all.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [key, weight] of all) if ((left -= weight) < 0) return key;
    return (all.at(-1) as [K, number])[0];
  }

  /** A generator of its own for a part, so that parts do not depend on each other's order. */
  part(): Random {
    return new Random(Math.floor(this.next() * 2 ** 32));
  }
}
