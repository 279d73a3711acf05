import { LRUCache } from 'lru-cache';

/** A cache of the most recently used texts, limited by their number and by their total length. */
export const lruByText = <V extends object | string>(max: number, maxCharacters: number): LRUCache<string, V> =>
  new LRUCache({ max, maxSize: maxCharacters, sizeCalculation: (_known, text) => text.length || 1 });
