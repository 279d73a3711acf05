import { LRUCache } from 'lru-cache';

/** What is known of the texts used last, bounded by their number and by their characters together. */
export const lruByText = <V extends object | string>(max: number, maxCharacters: number): LRUCache<string, V> =>
  new LRUCache({ max, maxSize: maxCharacters, sizeCalculation: (_known, text) => text.length || 1 });
