import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { describe, expect, it } from 'vitest';
import { coalesce } from '../../src/kernel/database/coalesce.js';
import { TenantLanes } from '../../src/kernel/database/tenant-lanes.js';
import { useApp } from '../support/app.js';

/** Locks a row until the answer is called. */
async function holding(dataSource: DataSource, sql: string, values: unknown[]): Promise<() => Promise<void>> {
  const holder = dataSource.createQueryRunner();
  await holder.startTransaction();
  await holder.query(sql, values);
  return async () => {
    await holder.rollbackTransaction();
    await holder.release();
  };
}

describe('a tenant whose rows are locked', () => {
  const app = useApp();

  it('gets request_timeout for its own posts within the limit, and nobody else waits', async (context) => {
    if (!app.store.isConcurrent) return context.skip('PGlite has one session');
    const [stuck, neighbour] = [await app.workspace(), await app.workspace()];
    const [a, b] = [await stuck.bot({ scopes: ['chat:write'] }), await neighbour.bot({ scopes: ['chat:write'] })];
    const [there, here] = [await stuck.channel({ members: [a] }), await neighbour.channel({ members: [b] })];
    const release = await holding(app.store.dataSource, 'SELECT FROM conversations WHERE id = $1 FOR UPDATE', [
      there.id,
    ]);
    try {
      const held = Array.from({ length: 5 }, () => a.call('chat.postMessage', { channel: there.id, text: 'held' }));
      const began = performance.now();
      await sleep(50);
      expect(await b.call('chat.postMessage', { channel: here.id, text: 'free' })).toMatchObject({ ok: true });
      expect(performance.now() - began).toBeLessThan(1_500);
      expect(await Promise.all(held)).toEqual(Array(5).fill({ ok: false, error: 'request_timeout' }));
      expect(performance.now() - began).toBeLessThan(8_000);
    } finally {
      await release();
    }
    expect(await a.call('chat.postMessage', { channel: there.id, text: 'again' })).toMatchObject({ ok: true });
  });
});

describe('the lanes of tenants', () => {
  it('give each its places, let 200 more wait, and refuse the next with Retry-After 1', async () => {
    const lanes = new TenantLanes(() => 2);
    let open!: () => void;
    const gate = new Promise<void>((resolve) => (open = resolve));
    let running = 0;
    const work = async (): Promise<void> => {
      running++;
      await gate;
    };
    const calls = Array.from({ length: 202 }, () => lanes.run(1, work));
    await expect(lanes.run(1, work)).rejects.toMatchObject({ code: 'service_unavailable', retryAfterSeconds: 1 });
    const others = lanes.run(2, work);
    await sleep(0);
    expect(running).toBe(3);
    open();
    await Promise.all([...calls, others]);
    expect(running).toBe(203);
  });
});

describe('a batch that takes too long', () => {
  it('is tried again in parts side by side, and only what is late itself is told so', async () => {
    const late = Object.assign(new Error('late'), { code: '57014' });
    const batches: string[][] = [];
    const run = coalesce(
      async (keys: string[]) => {
        batches.push(keys);
        if (keys.some((key) => key.startsWith('slow'))) throw late;
        return keys;
      },
      { name: 'test.parts', together: (key) => key.slice(0, 4) },
    );
    const answers = await Promise.allSettled(['slow 1', 'fine 1', 'slow 2', 'fine 2'].map(run));
    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected', 'fulfilled']);
    expect(batches).toHaveLength(3);
  });

  it('holds up no other lane', async () => {
    let open!: () => void;
    const gate = new Promise<void>((resolve) => (open = resolve));
    const run = coalesce(
      async (keys: string[]) => {
        if (keys[0] === 'slow') await gate;
        return keys;
      },
      { name: 'test.lanes', inFlight: 1, lane: (key) => key },
    );
    const slow = run('slow');
    expect(await run('quick')).toBe('quick');
    open();
    expect(await slow).toBe('slow');
  });
});
