/** How many conversations stay loaded, and how many threads. */
export const MOST_KEPT = 10;

/** What is kept under a key, or is made and kept from now on; the one that was not asked for longest goes for it. */
export function kept<T>(map: Map<string, T>, key: string, make: () => T): T {
  const there = map.get(key) ?? make();
  map.delete(key);
  map.set(key, there);
  for (const oldest of map.keys()) {
    if (map.size <= MOST_KEPT) break;
    map.delete(oldest);
  }
  return there;
}
