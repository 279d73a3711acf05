import { describe, expect, it } from 'vitest';
import { svcSignature } from '../../src/webhooks/signing.js';
import { numbers, useFakeProducts } from '../support/fake-product.js';
import { closeReceivers, eventually, receiver, type Receiver } from '../support/receiver.js';

const count = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

/** A receiver that answers after so many milliseconds, and how many requests it had at once at most. */
async function slowReceiver(afterMs: number): Promise<{ hook: Receiver; most: () => number }> {
  let open = 0;
  let most = 0;
  const hook = await receiver((_, reply) => {
    most = Math.max(most, ++open);
    setTimeout(() => {
      open--;
      reply.end();
    }, afterMs);
  });
  return { hook, most: () => most };
}

describe('the delivery engine', () => {
  const { store, product, queued, row } = useFakeProducts();
  closeReceivers();

  it('sends each event once, in order, one at a time, as the bytes that were signed', async () => {
    // with timeouts so long that a slow machine causes no retry
    const fake = product({ timeoutMs: 30_000, order: { waitMs: 30_000, underWay: 12 } });
    const one = await fake.process();
    const tenant = await store.tenant();
    const { hook, most } = await slowReceiver(2);
    const target = await fake.target(tenant, hook.url);
    await one.post(tenant, ...count(150));
    await hook.until(({ length }) => length === 150);
    expect(numbers(hook.received)).toEqual(count(150));
    expect(most()).toBe(1);
    for (const { headers, body } of hook.received) expect(headers['svc-signature']).toBe(svcSignature('secret', body));
    await eventually(async () => (await queued(target)).length === 0, 'an empty queue');
    expect((await row(target)).lastStatus).toBe('200');
  });

  it('continues with a target that it serves as soon as a commit names it, without polling', async () => {
    const fake = product({}, true);
    const writer = await fake.process();
    writer.engine.halt();
    const tenant = await store.tenant();
    const hook = await receiver();
    await fake.target(tenant, hook.url);
    await writer.post(tenant, 0);
    // it polls once at the start, and not again during this test
    const one = await fake.process({ searchEveryMs: 300_000, pollMs: 300_000, idleLaneMs: 300_000 });
    await hook.until(({ length }) => length === 1);
    for (const n of [1, 2, 3]) {
      await one.post(tenant, n);
      await hook.until(({ length }) => length === n + 1);
    }
    expect(numbers(hook.received)).toEqual([0, 1, 2, 3]);
  });

  it('finds the targets that a commit names and it does not serve yet', async () => {
    const fake = product({}, true);
    const one = await fake.process({ pollMs: 300_000 });
    const tenant = await store.tenant();
    const [first, second] = [await receiver(), await receiver()];
    await fake.target(tenant, first.url);
    await one.post(tenant, 0);
    await first.until(({ length }) => length === 1);
    await fake.target(tenant, second.url);
    await one.post(tenant, 1);
    await second.until(({ length }) => length === 1);
    await first.until(({ length }) => length === 2);
    expect([numbers(first.received), numbers(second.received)]).toEqual([[0, 1], [1]]);
  });

  it('sends to the current address if a product asks for it, even if the queue was read before', async () => {
    const fake = product({ targetsFreshMs: 0 });
    const writer = await fake.process();
    writer.engine.halt();
    const tenant = await store.tenant();
    const after = await receiver();
    const before = await receiver((_, reply) => {
      fake.urls.set(target, after.url);
      reply.end();
    });
    const target = await fake.target(tenant, before.url);
    await writer.post(tenant, 1, 2, 3);
    await fake.process();
    await after.until(({ length }) => length === 2);
    expect(numbers(before.received)).toEqual([1]);
    expect(numbers(after.received)).toEqual([2, 3]);
  });

  it('starts the next attempt after 250 ms without an answer, at most 12 at a time, in order', async () => {
    const fake = product({ timeoutMs: 10_000, retryDelaysSeconds: [] });
    const one = await fake.process();
    const tenant = await store.tenant();
    const held: (() => void)[] = [];
    const slow = await receiver((_, reply) => void held.push(() => void reply.end()));
    await fake.target(tenant, slow.url);
    await one.post(tenant, ...count(20));
    await slow.until(({ length }) => length === 12);
    expect(numbers(slow.received)).toEqual(count(12));
    for (let gone = 0; gone < 20; gone++) {
      await eventually(() => Promise.resolve(held.length > gone), 'another attempt');
      expect(slow.received.length).toBeLessThanOrEqual(12 + gone);
      held[gone]?.();
    }
    expect(numbers(slow.received)).toEqual(count(20));
  });

  it('keeps the order where the process itself stood still for longer than that', async () => {
    const standStill = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
    const fake = product({
      timeoutMs: 30_000,
      render: ({ target, event }) => {
        if (event.data === '0') standStill(600);
        return { url: String(target), headers: {}, body: JSON.stringify({ data: Number(event.data) }) };
      },
    });
    const one = await fake.process();
    const tenant = await store.tenant();
    const { hook, most } = await slowReceiver(20);
    await fake.target(tenant, hook.url);
    await one.post(tenant, ...count(5));
    await hook.until(({ length }) => length === 5);
    expect(numbers(hook.received)).toEqual(count(5));
    expect(most()).toBe(1);
  });

  it('leaves three quarters of the lanes and slots to other tenants, however many targets of one hang', async () => {
    const fake = product({ timeoutMs: 5_000, retryDelaysSeconds: [] });
    const one = await fake.process({ maxLanes: 8, maxUnderWay: 8 });
    const [loud, quiet] = [await store.tenant(), await store.tenant()];
    const hanging = await receiver(() => undefined);
    const quick = await receiver();
    await Promise.all(count(20).map(() => fake.target(loud, hanging.url)));
    await fake.target(quiet, quick.url);
    await one.post(loud, 1);
    await hanging.until(({ length }) => length === 2);
    await one.post(quiet, ...count(20));
    await quick.until(({ length }) => length === 20);
    expect(hanging.received.length).toBe(2);
    one.engine.halt();
  });

  it('delivers to a quick target while another hangs', async () => {
    const fake = product({ timeoutMs: 2_000, retryDelaysSeconds: [60] });
    const one = await fake.process();
    const tenant = await store.tenant();
    const hanging = await receiver(() => undefined);
    const quick = await receiver();
    const dead = await fake.target(tenant, hanging.url);
    await fake.target(tenant, quick.url);
    await one.post(tenant, ...count(50));
    await quick.until(({ length }) => length === 50);
    await eventually(async () => (await row(dead)).lastStatus === 'http_timeout', 'a reported timeout');
    expect(hanging.received.length).toBeLessThan(20);
  });
});
