/** What all bodies of a process may take, in bytes, and how many of the largest ones fit in at least. */
const MIN_TOTAL = 128 * 1024 * 1024;
const LARGEST_AT_ONCE = 4;

/**
 * The memory that bodies of requests under way may take, in a process and for one address: a client could otherwise
 * fill it with bodies whose last byte never arrives (docs/reference/limits.md#overload).
 */
export class BodyBudget {
  private readonly addresses = new Map<string, number>();
  private readonly total: number;
  private readonly share: number;
  private used = 0;

  /** @param largest the largest body of any route */
  constructor(largest: number) {
    this.total = Math.max(MIN_TOTAL, LARGEST_AT_ONCE * largest);
    this.share = this.total / 2;
  }

  get bytes(): number {
    return this.used;
  }

  /** A body begins to arrive: it is released when its request has been answered. */
  begin(address: string): BodyBytes {
    return new BodyBytes((bytes) => this.take(address, bytes));
  }

  private take(address: string, bytes: number): boolean {
    const held = (this.addresses.get(address) ?? 0) + bytes;
    if (bytes > 0 && (this.used + bytes > this.total || held > this.share)) return false;
    this.used += bytes;
    if (held > 0) this.addresses.set(address, held);
    else this.addresses.delete(address);
    return true;
  }
}

/** The bytes of one body. */
export class BodyBytes {
  private held = 0;
  private isOver = false;

  constructor(private readonly take: (bytes: number) => boolean) {}

  /** Whether there was room for that many more. */
  add(bytes: number): boolean {
    if (this.isOver || !this.take(bytes)) return false;
    this.held += bytes;
    return true;
  }

  /** The body is no longer held. */
  release(): void {
    this.isOver = true;
    if (this.held > 0) this.take(-this.held);
    this.held = 0;
  }
}
