import { In } from 'typeorm';
import { afterEach, describe, expect, it } from 'vitest';
import { Tenant } from '../../src/kernel/tenancy/tenant.entity.js';
import { useBareStore } from '../support/bare-store.js';
import { FakeProduct, numbers } from '../support/fake-product.js';
import { closeReceivers, receiver } from '../support/receiver.js';
import { changeRows } from '../support/rows.js';

const count = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

/** docs/reference/limits.md#lanes */
describe('deliveries of a tenant whose targets time out', () => {
  const store = useBareStore();
  closeReceivers();
  const products: FakeProduct[] = [];
  const product = (dialect: ConstructorParameters<typeof FakeProduct>[1]): FakeProduct => {
    const one = new FakeProduct(store, dialect);
    products.push(one);
    return one;
  };
  afterEach(async () => {
    for (const { processes } of products) for (const { engine } of processes) engine.halt();
    await Promise.all(products.splice(0).map((one) => one.stop()));
  });

  it('use a quarter of the slots, so a neighbour’s arrive at once', async () => {
    const fake = product({ timeoutMs: 60_000, retryDelaysSeconds: [] });
    const one = await fake.process();
    const [loud, quiet] = [await store.tenant(), await store.tenant()];
    const hanging = await receiver(() => undefined);
    const quick = await receiver();
    await fake.targets(loud, hanging.url, 1_100);
    await fake.target(quiet, quick.url);
    await one.post(loud, 1);
    await hanging.until(({ length }) => length === 250);
    const took: number[] = [];
    for (const n of count(10)) {
      const posted = performance.now();
      await one.post(quiet, n);
      await quick.until(({ length }) => length === n + 1);
      took.push(performance.now() - posted);
    }
    // a slot that waits for such a target is free again after 60 s
    expect(Math.max(...took), took.join(' ')).toBeLessThan(20_000);
    expect(numbers(quick.received)).toEqual(count(10));
    expect(hanging.received.length).toBeLessThanOrEqual(256);
  });

  it('share the slots of all tenants that the same account created', async () => {
    const fake = product({ timeoutMs: 60_000, retryDelaysSeconds: [] });
    const one = await fake.process({ maxLanes: 8, maxUnderWay: 8 });
    const [loud, quiet] = [await store.tenant(), await store.tenant()];
    const further = await Promise.all(count(5).map(() => store.tenant()));
    await changeRows(store, Tenant, { id: In(further) }, { shareId: loud });
    for (const id of further) one.kernel.db.shares.note(id, loud);
    const hanging = await receiver(() => undefined);
    const quick = await receiver();
    for (const id of [loud, ...further]) await Promise.all(count(3).map(() => fake.target(id, hanging.url)));
    await fake.target(quiet, quick.url);
    for (const id of [loud, ...further]) await one.post(id, 1);
    await hanging.until(({ length }) => length === 2);
    await one.post(quiet, ...count(10));
    await quick.until(({ length }) => length === 10);
    expect(hanging.received.length).toBe(2);
  });

  it('are sent one at a time to a target that timed out five times in a row, until it answers', async () => {
    const fake = product({ timeoutMs: 300, retryDelaysSeconds: [], order: { waitMs: 10, underWay: 12 } });
    const one = await fake.process();
    const tenant = await store.tenant();
    let isUp = false;
    /** For each request, how many were in progress when it arrived, itself included. */
    const underWay: number[] = [];
    let open = 0;
    const hook = await receiver((_, reply) => {
      underWay.push(++open);
      reply.once('close', () => open--);
      if (isUp) setTimeout(() => reply.end(), 150);
    });
    await fake.target(tenant, hook.url);
    await one.post(tenant, ...count(22));
    await hook.until(({ length }) => length === 22);
    expect(Math.max(...underWay)).toBeGreaterThan(2);
    // at most twelve are sent before the first timeout, and one after each of the first four timeouts
    const pauses = hook.received.map(({ at }, i) => at - (hook.received[i - 1]?.at ?? at));
    // each of the last four follows the timeout of the one before, 300 ms; the sum, as a single timeout may fire late
    expect(
      pauses.slice(18).reduce((sum, ms) => sum + ms),
      pauses.join(' '),
    ).toBeGreaterThan(900);
    isUp = true;
    await one.post(tenant, ...count(20));
    await hook.until(({ length }) => length === 42);
    expect(Math.max(...underWay.slice(22))).toBeGreaterThan(2);
  });
});
