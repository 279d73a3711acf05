import { afterEach, describe, expect, it } from 'vitest';
import { svcSignature } from '../../src/webhooks/signing.js';
import { onServer, useBareStore } from '../support/bare-store.js';
import { FakeProduct, numbers } from '../support/fake-product.js';
import { closeReceivers, eventually, receiver } from '../support/receiver.js';

const count = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

describe('the delivery engine', () => {
  const store = useBareStore();
  closeReceivers();
  const products: FakeProduct[] = [];
  const product = (dialect?: ConstructorParameters<typeof FakeProduct>[1], namesTargets = false): FakeProduct => {
    const one = new FakeProduct(store, dialect, namesTargets);
    products.push(one);
    return one;
  };
  const queued = async (target: string): Promise<{ attempt: number; reason: string | null }[]> =>
    store.dataSource.query('SELECT attempt, reason FROM deliveries WHERE target_id = $1 ORDER BY id', [target]);
  const row = async (
    target: string,
  ): Promise<{ enabled: boolean; last_status: string | null; lane_owner: string | null }> =>
    (await store.dataSource.query('SELECT * FROM delivery_targets WHERE id = $1', [target]))[0];
  afterEach(async () => {
    await Promise.all(products.splice(0).map((one) => one.stop()));
  });

  it('sends each event once, in order, one at a time, as the bytes that were signed', async () => {
    const fake = product();
    const one = await fake.process();
    const tenant = await store.tenant();
    let open = 0;
    let most = 0;
    const hook = await receiver((_, reply) => {
      most = Math.max(most, ++open);
      setTimeout(() => {
        open--;
        reply.end();
      }, 2);
    });
    const target = await fake.target(tenant, hook.url);
    await one.post(tenant, ...count(150));
    await hook.until(({ length }) => length === 150);
    expect(numbers(hook.received)).toEqual(count(150));
    expect(most).toBe(1);
    for (const { headers, body } of hook.received) expect(headers['svc-signature']).toBe(svcSignature('secret', body));
    await eventually(async () => (await queued(target)).length === 0, 'an empty queue');
    expect((await row(target)).last_status).toBe('200');
  });

  it('goes on with a target that it serves as soon as a commit names it, without looking for work', async () => {
    const fake = product({}, true);
    const writer = await fake.process();
    writer.engine.halt();
    const tenant = await store.tenant();
    const hook = await receiver();
    await fake.target(tenant, hook.url);
    await writer.post(tenant, 0);
    // its first look, and none after it in the time of this test
    const one = await fake.process({ lookEveryMs: 300_000, pollMs: 300_000, idleLaneMs: 300_000 });
    await hook.until(({ length }) => length === 1);
    for (const n of [1, 2, 3]) {
      await one.post(tenant, n);
      await hook.until(({ length }) => length === n + 1);
    }
    expect(numbers(hook.received)).toEqual([0, 1, 2, 3]);
  });

  it('looks for the targets that a commit names and it does not serve yet', async () => {
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

  it('sends to the address of now, where a product says so, though the queue was read before', async () => {
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

  it('begins the next attempt after 250 ms without an answer, at most 12 under way, in order', async () => {
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

  it('leaves three quarters of the lanes and slots to other tenants, whatever hangs at one', async () => {
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
    const fake = product({ retryDelaysSeconds: [60] });
    const one = await fake.process();
    const tenant = await store.tenant();
    const hanging = await receiver(() => undefined);
    const quick = await receiver();
    const dead = await fake.target(tenant, hanging.url);
    await fake.target(tenant, quick.url);
    await one.post(tenant, ...count(50));
    await quick.until(({ length }) => length === 50);
    await eventually(async () => (await row(dead)).last_status === 'http_timeout', 'a timeout told');
    expect(hanging.received.length).toBeLessThan(20);
  });

  it('tries again with the reason, stamped and signed anew, and lets later events pass', async () => {
    const fake = product();
    // the poll is not what makes retries punctual
    const one = await fake.process({ pollMs: 60_000 });
    const tenant = await store.tenant();
    const hook = await receiver((request, reply) => {
      reply.statusCode =
        JSON.parse(request.body).data === 0 && Number(request.headers['x-retry-num'] ?? 0) < 3 ? 503 : 204;
      reply.end();
    });
    const target = await fake.target(tenant, hook.url);
    await one.post(tenant, 0, 1);
    await hook.until(({ length }) => length === 5);
    const zero = hook.received.filter(({ body }) => JSON.parse(body).data === 0);
    expect(zero.map(({ headers }) => [headers['x-retry-num'], headers['x-retry-reason']])).toEqual([
      [undefined, undefined],
      ['1', 'http_error'],
      ['2', 'http_error'],
      ['3', 'http_error'],
    ]);
    const at = zero.map(({ at }) => at) as [number, number, number, number];
    expect(at[2] - at[1]).toBeGreaterThan(190);
    const bodies = zero.map(({ body }) => JSON.parse(body) as { delivery: number; nowMs: number });
    expect(new Set(bodies.map(({ delivery }) => delivery)).size).toBe(1);
    expect(new Set(bodies.map(({ nowMs }) => nowMs)).size).toBeGreaterThan(1);
    for (const { headers, body } of zero) expect(headers['svc-signature']).toBe(svcSignature('secret', body));
    expect(numbers(hook.received).indexOf(1)).toBeLessThan(4);
    await eventually(async () => (await queued(target)).length === 0, 'an empty queue');
    expect((await row(target)).last_status).toBe('204');
  });

  it('makes the next attempt though it is due before the store’s answer to the last one has arrived', async () => {
    // a claim that came to nothing would count as lost after this and 10 s
    const fake = product({ retryDelaysSeconds: [0, 0, 0], timeoutMs: 30_000 });
    const one = await fake.process({ pollMs: 20 });
    const { db } = one.kernel;
    const run = db.run.bind(db);
    db.run = async (statement, values) => {
      const rows = await run(statement, values);
      if (statement.name === 'deliveries_results') await new Promise((later) => setTimeout(later, 100));
      return rows as never;
    };
    const tenant = await store.tenant();
    const hook = await receiver((_, reply) => void reply.writeHead(500).end());
    await fake.target(tenant, hook.url);
    await one.post(tenant, 1);
    await hook.until(({ length }) => length === 4);
    expect(hook.received.map(({ headers }) => headers['x-retry-num'])).toEqual([undefined, '1', '2', '3']);
  });

  it('lets no target take all places of the retries, and uses its own to the full', async () => {
    const fake = product({ timeoutMs: 1_000, retryDelaysSeconds: [0] });
    const one = await fake.process({ maxRetries: 20, maxRetriesOfTarget: 4, pollMs: 100 });
    const tenant = await store.tenant();
    const hanging = await receiver(() => undefined);
    const quick = await receiver();
    const dead = await fake.target(tenant, hanging.url);
    const alive = await fake.target(tenant, quick.url);
    one.engine.halt();
    await one.post(tenant, 1);
    const due = (target: string, n: number, seconds: number): Promise<unknown> =>
      store.dataSource.query(
        `INSERT INTO deliveries (target_id, event_id, attempt, next_at)
         SELECT $1, (SELECT max(id) FROM events), 1, clock_timestamp() - $3::int * interval '1 second'
           FROM generate_series(1, $2::int)`,
        [target, n, seconds],
      );
    await store.dataSource.query('DELETE FROM deliveries WHERE target_id = ANY($1)', [[dead, alive]]);
    // a deep queue that is due longer than the other's
    await due(dead, 2_000, 60);
    await due(alive, 100, 1);
    await fake.process({ maxRetries: 20, maxRetriesOfTarget: 4, pollMs: 100 });
    await quick.until(({ length }) => length === 100);
    expect(hanging.received.length).toBeLessThan(40);
  });

  it('gives up after the last retry, and at once when the answer forbids retries', async () => {
    const fake = product({ retryDelaysSeconds: [0] });
    const one = await fake.process();
    const tenant = await store.tenant();
    const hook = await receiver((request, reply) => {
      if (JSON.parse(request.body).data === 1) reply.setHeader('X-Slack-No-Retry', '1');
      reply.statusCode = 500;
      reply.end();
    });
    const target = await fake.target(tenant, hook.url);
    const happened: string[] = [];
    one.engine.onDelivery((_, outcome) => happened.push(outcome));
    const told: object[] = [];
    one.engine.tellFailures((failed) => told.push(failed));
    await one.post(tenant, 0, 1);
    await eventually(() => happened.length === 3, 'three attempts');
    const failed = { target, reason: 'http_error', status: 500 };
    expect(told).toHaveLength(3);
    expect(told).toEqual(expect.arrayContaining([1, 2].map((attempt) => ({ ...failed, attempt }))));
    await eventually(async () => (await queued(target)).length === 0, 'an empty queue');
    expect(numbers(hook.received).sort()).toEqual([0, 0, 1]);
    expect(happened.sort()).toEqual(['failed', 'given_up', 'given_up']);
    expect((await row(target)).last_status).toBe('500');
  });

  it.each([
    ['http_timeout', () => receiver(() => undefined).then(({ url }) => url)],
    ['connection_failed', async () => 'http://127.0.0.1:1/'],
    ['connection_failed', async () => 'http://169.254.169.254/latest/meta-data'],
    [
      'too_many_redirects',
      () => receiver((_, reply) => void reply.writeHead(307, { location: '/x' }).end()).then(({ url }) => url),
    ],
    ['ssl_error', () => receiver().then(({ url }) => url.replace('http:', 'https:'))],
    ['http_error', () => receiver((_, reply) => void reply.writeHead(404).end()).then(({ url }) => url)],
  ])('tells %s', async (reason, url) => {
    const fake = product({ retryDelaysSeconds: [600] });
    const one = await fake.process();
    const tenant = await store.tenant();
    const target = await fake.target(tenant, await url());
    await one.post(tenant, 7);
    await eventually(async () => (await queued(target))[0]?.attempt === 1, 'a failed attempt');
    expect(await queued(target)).toEqual([{ attempt: 1, reason }]);
    expect((await row(target)).last_status).toBe(reason === 'http_error' ? '404' : reason);
  });

  it('drops a first attempt older than its product allows, and sends a younger one', async () => {
    const fake = product({ maxAgeMs: 3_600_000 });
    const one = await fake.process();
    const tenant = await store.tenant();
    const hook = await receiver();
    const target = await fake.target(tenant, hook.url);
    const happened: string[] = [];
    one.engine.onDelivery((_, outcome) => happened.push(outcome));
    one.kernel.clock.advance(3_601_000);
    await one.post(tenant, 1);
    await eventually(() => happened.includes('dropped'), 'a drop');
    one.kernel.clock.reset();
    await one.post(tenant, 2);
    await hook.until(({ length }) => length === 1);
    expect(numbers(hook.received)).toEqual([2]);
    await eventually(async () => (await queued(target)).length === 0, 'an empty queue');
  });

  it('sends a first attempt older than another product would allow', async () => {
    const patient = product({ maxAgeMs: 86_400_000 });
    const one = await patient.process();
    const tenant = await store.tenant();
    const hook = await receiver();
    await patient.target(tenant, hook.url);
    one.kernel.clock.advance(7_200_000);
    await one.post(tenant, 1);
    await hook.until(({ length }) => length === 1);
    expect(numbers(hook.received)).toEqual([1]);
  });

  it('disables a target of which more than 95 % of 1,000 attempts failed in an hour', async () => {
    const fake = product({ retryDelaysSeconds: [], disable: { kind: 'share', attempts: 100, failed: 0.95 } });
    const one = await fake.process({ countsMs: 50 });
    const tenant = await store.tenant();
    const hook = await receiver((request, reply) => {
      reply.statusCode = JSON.parse(request.body).data < 5 ? 200 : 500;
      reply.end();
    });
    const target = await fake.target(tenant, hook.url);
    await one.post(tenant, ...count(100));
    await hook.until(({ length }) => length === 100);
    await eventually(async () => (await queued(target)).length === 0, 'an empty queue');
    // 95 of 100 is not more than 95 %
    const tallied = async (): Promise<number> =>
      Number(
        (
          await store.dataSource.query('SELECT sum(attempts) AS n FROM delivery_counts WHERE target_id = $1', [target])
        )[0].n,
      );
    await eventually(async () => (await tallied()) === 100, 'all of them counted');
    expect((await row(target)).enabled).toBe(true);
    await one.post(tenant, 100);
    await eventually(async () => !(await row(target)).enabled, 'the target disabled');
    await eventually(() => fake.disabled.includes(target), 'the product told');
    await one.post(tenant, 101);
    expect(await queued(target)).toEqual([]);
  });

  it('disables a target after five exhausted events in a row, and counts afresh when it is enabled again', async () => {
    const fake = product({ retryDelaysSeconds: [0], disable: { kind: 'exhausted', inARow: 5 } });
    const one = await fake.process();
    const tenant = await store.tenant();
    let good = false;
    const hook = await receiver((_, reply) => {
      reply.statusCode = good ? 200 : 500;
      reply.end();
    });
    const target = await fake.target(tenant, hook.url);
    const done = async (): Promise<void> =>
      eventually(async () => (await queued(target)).length === 0, 'an empty queue');
    await one.post(tenant, 1, 2, 3, 4);
    await done();
    good = true;
    await one.post(tenant, 5);
    await done();
    good = false;
    await one.post(tenant, 6, 7, 8, 9);
    await done();
    expect((await row(target)).enabled).toBe(true);
    await one.post(tenant, 10);
    await eventually(async () => !(await row(target)).enabled, 'the target disabled');
    await eventually(() => fake.disabled.includes(target), 'the product told');

    await one.kernel.db.write((tx) => one.engine.setEnabled(tx, [target], true));
    good = true;
    await one.post(tenant, 11);
    await hook.until((all) => numbers(all).includes(11));
    expect((await row(target)).enabled).toBe(true);
  });

  it('sends nothing more to a removed target, not even retries', async () => {
    const fake = product({ retryDelaysSeconds: [0.5] });
    const one = await fake.process();
    const tenant = await store.tenant();
    const hook = await receiver((_, reply) => void reply.writeHead(500).end());
    const other = await receiver();
    const target = await fake.target(tenant, hook.url);
    await one.post(tenant, 1);
    await eventually(async () => (await queued(target))[0]?.attempt === 1, 'a failed attempt');
    await one.kernel.db.write((tx) => one.engine.remove(tx, [target]));
    // orphans, as planned by a transaction that ran meanwhile
    await store.dataSource.query(
      `INSERT INTO deliveries (target_id, event_id, attempt, next_at)
       VALUES ($1, 1, 0, NULL), ($1, 1, 1, clock_timestamp())`,
      [target],
    );
    await fake.target(tenant, other.url);
    await one.post(tenant, 2);
    await other.until(({ length }) => length === 1);
    await eventually(async () => (await queued(target)).length === 0, 'orphans swept');
    expect(hook.received).toHaveLength(1);
  });

  it('finishes what is in flight on a clean stop, gives its leases back, and sends nothing twice', async () => {
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
    expect((await row(target)).lane_owner).toBeNull();
    expect(await queued(target)).toHaveLength(1);
    hook.answer = (_, reply) => void reply.end();
    await fake.process();
    await hook.until(({ length }) => length === 2);
    expect(numbers(hook.received)).toEqual([1, 2]);
  });

  it('takes over from a process that died: what it had not finished is sent, in order', async () => {
    const leases = { leaseMs: 2_000, renewMs: 300, pollMs: 100 };
    const fake = product({ timeoutMs: 5_000 });
    const one = await fake.process(leases);
    const tenant = await store.tenant();
    const hook = await receiver(() => undefined);
    await fake.target(tenant, hook.url);
    await one.post(tenant, 1, 2, 3);
    await hook.until(({ length }) => length === 1);
    const two = await fake.process(leases);
    // held while the first one renews
    await eventually(async () => (await two.engine.depth()).first >= 3, 'everything queued');
    one.engine.halt();
    hook.answer = (_, reply) => void reply.end();
    await hook.until(({ length }) => length === 4);
    expect(numbers(hook.received)).toEqual([1, 1, 2, 3]);
  });

  it('makes each first attempt once when two processes share the targets', async () => {
    const fake = product();
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

  it('delivers after a start what was committed before a crash', async () => {
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
    'loses nothing and repeats nothing that was answered when its connections are lost (needs a server)',
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

  it.skipIf(!onServer)('hears at once of what another process queued (needs a server: NOTIFY)', async () => {
    const fake = product();
    const writer = await fake.process();
    writer.engine.halt();
    await fake.process({ pollMs: 60_000 });
    const tenant = await store.tenant();
    const hook = await receiver();
    await fake.target(tenant, hook.url);
    await writer.post(tenant, 1);
    await hook.until(({ length }) => length === 1);
  });
});
