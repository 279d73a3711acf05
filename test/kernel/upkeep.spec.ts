import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { StoreMaintenance } from '../../src/kernel/database/maintenance.js';
import { StoreInfo } from '../../src/kernel/database/store-info.js';
import { Upkeep } from '../../src/kernel/database/upkeep.js';
import { Clock } from '../../src/kernel/clock/clock.js';
import type { Db } from '../../src/kernel/database/db.js';
import { Retention } from '../../src/webhooks/retention.js';

/** Names of what a class has done now and then. */
class Noted extends Upkeep {
  readonly names: string[] = [];
  override register(...args: Parameters<Upkeep['register']>): void {
    this.names.push(args[0]);
  }
}

describe('upkeep', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  it('does its tasks again and again, so long after the last end, whatever becomes of one', async () => {
    const warned = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    const upkeep = new Upkeep();
    const done: string[] = [];
    upkeep.register('one', 100, async () => {
      done.push('one');
      if (done.length === 1) throw new Error('no luck');
    });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(done).toEqual([]);
    upkeep.onApplicationBootstrap();
    upkeep.register('two', 150, () => {
      done.push('two');
      return new Promise((end) => setTimeout(end, 100));
    });
    await vi.advanceTimersByTimeAsync(401);
    expect(done).toEqual(['one', 'two', 'one', 'one', 'two', 'one']);
    expect(warned).toHaveBeenCalledWith('one did not work out: no luck');
    await vi.advanceTimersByTimeAsync(100);
    await upkeep.beforeApplicationShutdown();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('tells a task that it is to stop, waits for it, and begins none any more', async () => {
    const upkeep = new Upkeep();
    const heard: boolean[] = [];
    upkeep.register('long', 100, async (stopped) => {
      heard.push(stopped());
      await new Promise((end) => setTimeout(end, 50));
      heard.push(stopped());
    });
    upkeep.onApplicationBootstrap();
    await vi.advanceTimersByTimeAsync(100);
    let over = false;
    const end = upkeep.beforeApplicationShutdown().then(() => (over = true));
    await vi.advanceTimersByTimeAsync(49);
    expect([heard, over]).toEqual([[false], false]);
    await vi.advanceTimersByTimeAsync(1);
    await end;
    expect(heard).toEqual([false, true]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('deletes old events everywhere, and tidies the store where nobody else does', () => {
    const db = {} as Db;
    const upkeep = new Noted();
    new Retention(db, new Clock(), { eventRetentionHours: 24 }, upkeep);
    new StoreMaintenance(db, new StoreInfo(false, 'postgres://nowhere'), upkeep);
    expect(upkeep.names).toEqual(['deleting old events']);
    new StoreMaintenance(db, new StoreInfo(true), upkeep);
    expect(upkeep.names).toEqual(['deleting old events', 'tidying the store']);
  });
});
