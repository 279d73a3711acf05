import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';

/** Allowances whose last refusal is remembered. */
const REMEMBERED = 10_000;

/** Allowances that have nothing left, for as long as that lasts. */
@Injectable()
export class RecentRefusals {
  private readonly keys = new LRUCache<string, true>({ max: REMEMBERED });

  note(key: string, seconds: number): void {
    this.keys.set(key, true, { ttl: seconds * 1000 });
  }

  has(key: string): boolean {
    return this.keys.has(key);
  }
}
