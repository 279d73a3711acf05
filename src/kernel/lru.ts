import { LRUCache } from 'lru-cache';

/**
 * The most recently used entries, this many at most. The library's own `max` reserves 24 bytes for each beforehand, which
 * was 5 MB of an idle server in all.
 */
export const lru = <K extends {}, V extends {}>(entries: number, options: { ttl?: number } = {}): LRUCache<K, V> =>
  new LRUCache<K, V>({ maxSize: entries, sizeCalculation: () => 1, ...options });
