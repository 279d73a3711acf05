import { Logger } from '@nestjs/common';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { StoreMaintenance } from '../../src/kernel/database/maintenance.js';
import { StoreInfo } from '../../src/kernel/database/store-info.js';
import { Upkeep } from '../../src/kernel/database/upkeep.js';
import { Clock } from '../../src/kernel/clock/clock.js';
import type { Db } from '../../src/kernel/database/db.js';
import { Retention } from '../../src/webhooks/retention.js';
import { eventually } from '../support/receiver.js';

/** Records the names of the tasks that a class registers. */
class RecordedUpkeep extends Upkeep {
  readonly names: string[] = [];
  override register(...args: Parameters<Upkeep['register']>): void {
    this.names.push(args[0]);
  }
}

describe('upkeep', () => {
  afterEach(() => void vi.restoreAllMocks());

  it('repeats its tasks, each independently, even after a failure', async () => {
    const warned = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    const upkeep = new Upkeep();
    const runs = { one: 0, two: 0 };
    let open = 0;
    let most = 0;
    upkeep.register('one', 1, async () => {
      if (++runs.one === 1) throw new Error('task failed');
    });
    expect(runs.one).toBe(0);
    upkeep.onApplicationBootstrap();
    upkeep.register('two', 1, async () => {
      runs.two++;
      most = Math.max(most, ++open);
      // longer than the interval
      await new Promise((end) => setTimeout(end, 5));
      open--;
    });
    await eventually(() => runs.one >= 3 && runs.two >= 3, 'three runs of each');
    expect(most).toBe(1);
    expect(warned).toHaveBeenCalledWith('one did not work out: task failed');
    await upkeep.beforeApplicationShutdown();
    expect(open).toBe(0);
  });

  it('begins tasks that are due at the same moment one after the other, and waits for a long one only briefly', async () => {
    const upkeep = new Upkeep();
    const begun: string[] = [];
    const ends: (() => void)[] = [];
    for (const name of ['one', 'two', 'three']) {
      upkeep.register(name, 5, () => {
        begun.push(name);
        return new Promise<void>((end) => ends.push(end));
      });
    }
    // within one turn of the event loop, in which no time passes
    const settled = async () => {
      for (let i = 0; i < 50; i++) await Promise.resolve();
      return begun;
    };
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      upkeep.onApplicationBootstrap();
      vi.advanceTimersByTime(5);
      expect(await settled()).toEqual(['one']);
      ends[0]?.();
      expect(await settled()).toEqual(['one', 'two']);
    } finally {
      vi.useRealTimers();
    }
    await eventually(() => begun.length === 3, 'the third has not waited for the second');
    const stopped = upkeep.beforeApplicationShutdown();
    for (const end of ends) end();
    await stopped;
    expect(begun).toEqual(['one', 'two', 'three']);
  });

  it('signals a stop to a task, waits for it, and starts none afterwards', async () => {
    const upkeep = new Upkeep();
    const heard: boolean[] = [];
    let finish!: () => void;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    upkeep.register('long', 1, async (stopped) => {
      heard.push(stopped());
      await finished;
      heard.push(stopped());
    });
    upkeep.onApplicationBootstrap();
    await eventually(() => heard.length === 1, 'the task has begun');
    let isOver = false;
    const end = upkeep.beforeApplicationShutdown().then(() => (isOver = true));
    await new Promise((turn) => setImmediate(turn));
    expect([heard, isOver]).toEqual([[false], false]);
    finish();
    await end;
    // no further run is scheduled: a timer of 1 ms would fire within this time
    await new Promise((later) => setTimeout(later, 20));
    expect(heard).toEqual([false, true]);
  });

  it('deletes old events on every store, and vacuums a store without autovacuum', () => {
    const db = {} as Db;
    const upkeep = new RecordedUpkeep();
    new Retention(db, new Clock(), { eventRetentionHours: 24 }, upkeep);
    new StoreMaintenance(db, new StoreInfo(false, 'postgres://nowhere'), upkeep);
    expect(upkeep.names).toEqual(['deleting old events']);
    new StoreMaintenance(db, new StoreInfo(true), upkeep);
    expect(upkeep.names).toEqual(['deleting old events', 'tidying the store']);
  });
});
