/** The entries used last, bounded by their number and by the length of their keys together. */
export class Lru<V> {
  private readonly entries = new Map<string, V>();
  private length = 0;

  constructor(
    private readonly maxEntries: number,
    private readonly maxCharacters: number,
  ) {}

  get(key: string): V | undefined {
    const value = this.entries.get(key);
    if (value === undefined) return undefined;
    this.entries.delete(key);
    this.entries.set(key, value);
    return value;
  }

  set(key: string, value: V): void {
    if (this.entries.delete(key)) this.length -= key.length;
    this.entries.set(key, value);
    this.length += key.length;
    for (const oldest of this.entries.keys()) {
      if (this.entries.size <= this.maxEntries && this.length <= this.maxCharacters) return;
      this.entries.delete(oldest);
      this.length -= oldest.length;
    }
  }
}
