import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { StoreInfo } from '../database/store-info.js';
import { TenantChanges, type Changes } from './tenant-changes.js';

/** An answer's part of a memory's size, beyond which those that were longest unused are forgotten. */
type SizeOf<T> = (value: T) => number;

interface Found<T> {
  readonly value: T;
  /** When its look-up began. */
  readonly since: number;
}

/** What was found out about tenants, by key: true until the tenant changes. */
export class TenantMemory<T> {
  private readonly found: LRUCache<string, Found<T>>;

  constructor(
    private readonly changes: Changes,
    private readonly isKept: boolean,
    maxSize: number,
    sizeOf: SizeOf<T>,
  ) {
    this.found = new LRUCache({ maxSize, sizeCalculation: ({ value }) => sizeOf(value) });
  }

  /**
   * What is remembered, else what `find` answers.
   * @param lasts whether an answer may be remembered at all: one that depends on the moment may not
   */
  async of(
    tenantId: number,
    key: string,
    find: () => Promise<T>,
    lasts: (value: T) => boolean = () => true,
  ): Promise<T> {
    if (!this.isKept) return find();
    const at = `${tenantId} ${key}`;
    const known = this.found.get(at);
    if (known && this.changes.isUnchanged(tenantId, known.since)) return known.value;
    const since = this.changes.now;
    const value = await find();
    if (lasts(value)) this.found.set(at, { value, since });
    return value;
  }
}

/**
 * Makes memories. The one process of an embedded database sees every write, so it may remember; where several processes
 * share a store, nothing is remembered (docs/decisions/remembered-callers.md).
 */
@Injectable()
export class TenantMemories {
  constructor(
    private readonly changes: TenantChanges,
    private readonly store: StoreInfo,
  ) {}

  /** Of users alone: true until something is written that does not say that it keeps them. */
  ofUsers<T>(maxSize: number, sizeOf: SizeOf<T>): TenantMemory<T> {
    return new TenantMemory(this.changes.ofCallers, this.store.embedded, maxSize, sizeOf);
  }

  /** Of anything: true until anything is written, but for what no answer shows. */
  ofContent<T>(maxSize: number, sizeOf: SizeOf<T>): TenantMemory<T> {
    return new TenantMemory(this.changes.ofContent, this.store.embedded, maxSize, sizeOf);
  }
}
