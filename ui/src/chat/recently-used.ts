/** How many conversations and how many threads stay loaded. */
export const MAX_LOADED_CONVERSATIONS = 10;

/** Returns the value of a key, making it if needed; the least recently used one is dropped for it. */
export function recentlyUsed<T>(map: Map<string, T>, key: string, make: () => T): T {
  const there = map.get(key) ?? make();
  map.delete(key);
  map.set(key, there);
  for (const oldest of map.keys()) {
    if (map.size <= MAX_LOADED_CONVERSATIONS) break;
    map.delete(oldest);
  }
  return there;
}
