import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { TenantQueues } from '../../src/kernel/realtime/tenant-queues.js';

/** Work that ends when the test ends it. */
function slowWork() {
  const begun: { tenant: number; items: readonly string[]; end: () => void }[] = [];
  const work = (tenant: number, items: readonly string[]): Promise<void> =>
    new Promise((end) => begun.push({ tenant, items, end }));
  return { begun, work };
}

describe('queues of tenants', () => {
  const bounds = { atOnce: 2, most: 5, batchOf: () => 2, onOverflow: () => undefined };

  it('keep the order within a tenant, in batches, without delaying others', async () => {
    const { begun, work } = slowWork();
    const queues = new TenantQueues<string>(work, bounds);
    queues.add(1, ['a', 'b', 'c']);
    queues.add(1, ['d']);
    queues.add(2, ['x']);
    queues.add(3, ['y']);
    expect(begun.map(({ tenant, items }) => [tenant, ...items])).toEqual([
      [1, 'a', 'b'],
      [2, 'x'],
    ]);
    begun[1]?.end();
    await setImmediate();
    expect(begun.slice(2).map(({ tenant, items }) => [tenant, ...items])).toEqual([[3, 'y']]);
    begun[0]?.end();
    await setImmediate();
    expect(begun.slice(3).map(({ tenant, items }) => [tenant, ...items])).toEqual([[1, 'c', 'd']]);
  });

  it('resolve flushed when everything added before is done, and not earlier', async () => {
    const { begun, work } = slowWork();
    const queues = new TenantQueues<string>(work, bounds);
    await queues.flushed(1);
    queues.add(1, ['a', 'b', 'c']);
    let isThrough = false;
    const through = queues.flushed(1).then(() => (isThrough = true));
    queues.add(1, ['d']);
    begun[0]?.end();
    await setImmediate();
    expect([isThrough, begun[1]?.items]).toEqual([false, ['c', 'd']]);
    begun[1]?.end();
    await through;
    await queues.flushed(1);
  });

  it('drop what exceeds their limit, and report the tenant', async () => {
    const { begun, work } = slowWork();
    const over: number[] = [];
    const queues = new TenantQueues<string>(work, { ...bounds, onOverflow: (tenant) => void over.push(tenant) });
    queues.add(1, ['a']);
    queues.add(2, ['x']);
    queues.add(1, ['b', 'c', 'd', 'e', 'f', 'g']);
    expect(over).toEqual([1]);
    const through = queues.flushed(1);
    for (const { end } of begun) end();
    await through;
    expect(begun.length).toBe(2);
    queues.add(1, ['h']);
    expect(begun[2]?.items).toEqual(['h']);
  });
});
