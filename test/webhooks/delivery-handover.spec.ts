import { describe, expect, it, onTestFinished } from 'vitest';
import { Delivery } from '../../src/webhooks/delivery.entity.js';
import { onServer } from '../support/bare-store.js';
import { numbers, useFakeProducts } from '../support/fake-product.js';
import { closeReceivers, eventually, receiver } from '../support/receiver.js';
import { Relay } from '../support/relay.js';
import { insertRows } from '../support/rows.js';

const count = (n: number): number[] => Array.from({ length: n }, (_, i) => i);
describe('removed and reassigned targets', () => {
  const { store, product, queued, row } = useFakeProducts();
  closeReceivers();

  it('get nothing more after their removal, not even retries', async () => {
    const fake = product({ retryDelaysSeconds: [0.5] });
    const one = await fake.process();
    const tenant = await store.tenant();
    const hook = await receiver((_, reply) => void reply.writeHead(500).end());
    const other = await receiver();
    const target = await fake.target(tenant, hook.url);
    await one.post(tenant, 1);
    await eventually(async () => (await queued(target))[0]?.attempt === 1, 'a failed attempt');
    await one.kernel.db.write((tx) => one.engine.remove(tx, [target]));
    // deliveries without a target, as a concurrent transaction would leave them
    await insertRows(store, Delivery, [
      { targetId: target, eventId: 1, attempt: 0 },
      { targetId: target, eventId: 1, attempt: 1, nextAt: new Date() },
    ]);
    await fake.target(tenant, other.url);
    await one.post(tenant, 2);
    await other.until(({ length }) => length === 1);
    await eventually(async () => (await queued(target)).length === 0, 'orphans swept');
    expect(hook.received).toHaveLength(1);
  });

  it('finish requests in flight on a clean stop, release their leases, and get nothing twice', async () => {
    const fake = product({ timeoutMs: 3_000 });
    const one = await fake.process();
    const tenant = await store.tenant();
    const replies: (() => void)[] = [];
    const hook = await receiver((_, reply) => void replies.push(() => reply.end()));
    const target = await fake.target(tenant, hook.url);
    await one.post(tenant, 1, 2);
    await hook.until(({ length }) => length === 1);
    const stopped = one.engine.stop();
    replies[0]?.();
    await stopped;
    expect((await row(target)).laneOwner).toBeNull();
    expect(await queued(target)).toHaveLength(1);
    hook.answer = (_, reply) => void reply.end();
    await fake.process();
    await hook.until(({ length }) => length === 2);
    expect(numbers(hook.received)).toEqual([1, 2]);
  });

  it('pass from a process that died to another, which sends the unfinished deliveries in order', async () => {
    const leases = { leaseMs: 2_000, renewMs: 300, pollMs: 100 };
    // a long timeout, so that the first process makes only one attempt until it dies
    const fake = product({ timeoutMs: 30_000, order: { waitMs: 30_000, underWay: 12 } });
    const one = await fake.process(leases);
    const tenant = await store.tenant();
    const hook = await receiver(() => undefined);
    await fake.target(tenant, hook.url);
    await one.post(tenant, 1, 2, 3);
    await hook.until(({ length }) => length === 1);
    const two = await fake.process(leases);
    // the leases are held while the first process renews them
    await eventually(async () => (await two.engine.depth()).first >= 3, 'everything queued');
    one.engine.halt();
    hook.answer = (_, reply) => void reply.end();
    await hook.until(({ length }) => length === 4);
    expect(numbers(hook.received)).toEqual([1, 1, 2, 3]);
  });

  it('get each first attempt once when two processes share them', async () => {
    // a long timeout, so that no slow answer causes a second attempt
    const fake = product({ timeoutMs: 30_000 });
    const one = await fake.process({ idleLaneMs: 50, renewMs: 50, leaseMs: 5_000, pollMs: 100 });
    const two = await fake.process({ idleLaneMs: 50, renewMs: 50, leaseMs: 5_000, pollMs: 100 });
    const tenant = await store.tenant();
    const hooks = await Promise.all(count(3).map(() => receiver()));
    const targets: string[] = [];
    for (const { url } of hooks) targets.push(await fake.target(tenant, url));
    for (let i = 0; i < 300; i += 2) await Promise.all([one.post(tenant, i), two.post(tenant, i + 1)]);
    for (const hook of hooks) {
      await hook.until(({ length }) => length >= 300);
      expect(numbers(hook.received).sort((a, b) => a - b)).toEqual(count(300));
    }
    for (const target of targets) await eventually(async () => (await queued(target)).length === 0, 'an empty queue');
    for (const hook of hooks) expect(hook.received).toHaveLength(300);
  });

  it('get after a start what was committed before a crash', async () => {
    const fake = product();
    const one = await fake.process();
    one.engine.halt();
    const tenant = await store.tenant();
    const hook = await receiver();
    await fake.target(tenant, hook.url);
    await one.post(tenant, 1);
    await fake.process();
    await hook.until(({ length }) => length === 1);
    expect(numbers(hook.received)).toEqual([1]);
  });

  it.skipIf(!onServer)(
    'lose nothing, and get no answered delivery twice, when database connections are lost (needs a server)',
    async () => {
      const fake = product();
      const one = await fake.process({ pollMs: 100 });
      const tenant = await store.tenant();
      const hook = await receiver((_, reply) => void setTimeout(() => reply.end(), 3));
      const target = await fake.target(tenant, hook.url);
      await one.post(tenant, ...count(100));
      await hook.until(({ length }) => length >= 20);
      await store.dataSource
        .query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()`,
        )
        .catch(() => undefined);
      await eventually(async () => (await queued(target)).length === 0, 'an empty queue');
      expect(numbers(hook.received)).toEqual(count(100));
    },
  );

  it.skipIf(!onServer)(
    'get nothing twice that was answered while the store was away for longer than a lease (needs a server)',
    async () => {
      const url = store.info.databaseUrl as string;
      const relay = await Relay.to(url);
      onTestFinished(() => relay.close());
      const leases = { leaseMs: 2_000, renewMs: 100 };
      const fake = product({ timeoutMs: 20_000, order: { waitMs: 20_000, underWay: 1 } });
      // it looks for work too rarely to be the first to do so afterwards
      const one = await fake.process({ ...leases, pollMs: 10_000 }, relay.through(url));
      const tenant = await store.tenant();
      const replies: (() => void)[] = [];
      const hook = await receiver((_, reply) => void replies.push(() => reply.end()));
      const target = await fake.target(tenant, hook.url);
      await one.post(tenant, 1, 2, 3);
      await hook.until(({ length }) => length === 1);
      await fake.process({ ...leases, pollMs: 50 }, relay.through(url));

      relay.refuse();
      hook.answer = (_, reply) => void reply.end();
      replies[0]?.();
      await eventually(
        async () => ((await row(target)).laneUntil?.getTime() ?? 0) < Date.now() - 500,
        'a lapsed lease',
      );
      relay.release();
      await eventually(async () => (await queued(target)).length === 0, 'an empty queue');
      expect(numbers(hook.received)).toEqual([1, 2, 3]);
    },
  );

  it.skipIf(!onServer)(
    'get nothing twice that was answered while their holder alone was without the store (needs a server)',
    async () => {
      const url = store.info.databaseUrl as string;
      const relay = await Relay.to(url);
      onTestFinished(() => relay.close());
      const leases = { leaseMs: 1_000, renewMs: 100, graceMs: 10_000, pollMs: 50 };
      const fake = product({ timeoutMs: 20_000, order: { waitMs: 20_000, underWay: 1 } });
      const one = await fake.process(leases, relay.through(url));
      const tenant = await store.tenant();
      const replies: (() => void)[] = [];
      const hook = await receiver((_, reply) => void replies.push(() => reply.end()));
      const target = await fake.target(tenant, hook.url);
      await one.post(tenant, 1, 2, 3);
      await hook.until(({ length }) => length === 1);
      // this one notices nothing, and would take the lease over as soon as it may
      await fake.process(leases);

      relay.refuse();
      hook.answer = (_, reply) => void reply.end();
      replies[0]?.();
      await eventually(
        async () => ((await row(target)).laneUntil?.getTime() ?? 0) < Date.now() - 300,
        'a lapsed lease',
      );
      relay.release();
      await eventually(async () => (await queued(target)).length === 0, 'an empty queue');
      expect(numbers(hook.received)).toEqual([1, 2, 3]);
    },
  );

  it.skipIf(!onServer)(
    'are served at once when another process queues a delivery (needs a server: NOTIFY)',
    async () => {
      const fake = product();
      const writer = await fake.process();
      writer.engine.halt();
      await fake.process({ pollMs: 60_000 });
      const tenant = await store.tenant();
      const hook = await receiver();
      await fake.target(tenant, hook.url);
      await writer.post(tenant, 1);
      await hook.until(({ length }) => length === 1);
    },
  );
});
