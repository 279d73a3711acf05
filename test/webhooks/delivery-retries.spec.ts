import { In } from 'typeorm';
import { describe, expect, it } from 'vitest';
import { Delivery } from '../../src/webhooks/delivery.entity.js';
import { svcSignature } from '../../src/webhooks/signing.js';
import { numbers, useFakeProducts } from '../support/fake-product.js';
import { closeReceivers, eventually, receiver } from '../support/receiver.js';
import { deleteRows, insertRows, rowOf } from '../support/rows.js';

const count = (n: number): number[] => Array.from({ length: n }, (_, i) => i);
describe('retries of the delivery engine', () => {
  const { store, product, queued, row } = useFakeProducts();
  closeReceivers();

  it('have the reason, a new timestamp and signature, and do not hold up later events', async () => {
    const fake = product();
    // retries are punctual without the poll
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
    expect((await row(target)).lastStatus).toBe('204');
  });

  it('start when due, even before the store has answered the previous attempt', async () => {
    // an abandoned claim would be retried only after this timeout and 10 s
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

  it('leave places for other targets, and use all places of their own', async () => {
    const fake = product({ timeoutMs: 1_000, retryDelaysSeconds: [0] });
    const one = await fake.process({ maxRetries: 20, maxRetriesOfTarget: 4, pollMs: 100 });
    const tenant = await store.tenant();
    const hanging = await receiver(() => undefined);
    const quick = await receiver();
    const dead = await fake.target(tenant, hanging.url);
    const alive = await fake.target(tenant, quick.url);
    one.engine.halt();
    await one.post(tenant, 1);
    const { eventId } = await rowOf(store, Delivery, { targetId: alive });
    await deleteRows(store, Delivery, { targetId: In([dead, alive]) });
    const due = (targetId: string, length: number, seconds: number): Promise<unknown> => {
      const nextAt = new Date(Date.now() - seconds * 1_000);
      return insertRows(store, Delivery, Array(length).fill({ targetId, eventId, attempt: 1, nextAt }));
    };
    // a long queue that is overdue longer than the other one
    await due(dead, 2_000, 60);
    await due(alive, 100, 1);
    await fake.process({ maxRetries: 20, maxRetriesOfTarget: 4, pollMs: 100 });
    await quick.until(({ length }) => length === 100);
    expect(hanging.received.length).toBeLessThan(40);
  });

  it('end after the last retry, and at once when the answer forbids retries', async () => {
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
    const failures: object[] = [];
    one.engine.setFailureListener((failed) => failures.push(failed));
    await one.post(tenant, 0, 1);
    await eventually(() => happened.length === 3, 'three attempts');
    const failed = { target, reason: 'http_error', status: 500 };
    expect(failures).toHaveLength(3);
    expect(failures).toEqual(expect.arrayContaining([1, 2].map((attempt) => ({ ...failed, attempt }))));
    await eventually(async () => (await queued(target)).length === 0, 'an empty queue');
    expect(numbers(hook.received).sort()).toEqual([0, 0, 1]);
    expect(happened.sort()).toEqual(['failed', 'given_up', 'given_up']);
    expect((await row(target)).lastStatus).toBe('500');
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
  ])('name the reason %s', async (reason, url) => {
    const fake = product({ retryDelaysSeconds: [600] });
    const one = await fake.process();
    const tenant = await store.tenant();
    const target = await fake.target(tenant, await url());
    await one.post(tenant, 7);
    await eventually(async () => (await queued(target))[0]?.attempt === 1, 'a failed attempt');
    expect(await queued(target)).toEqual([{ attempt: 1, reason }]);
    expect((await row(target)).lastStatus).toBe(reason === 'http_error' ? '404' : reason);
  });

  it('are not made for a first attempt older than its product allows, which is dropped; a younger one is sent', async () => {
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
    // the row goes after the report; by the clock that is set back it would be young again
    await eventually(async () => (await queued(target)).length === 0, 'the row is gone');
    one.kernel.clock.reset();
    await one.post(tenant, 2);
    await hook.until(({ length }) => length === 1);
    expect(numbers(hook.received)).toEqual([2]);
    await eventually(async () => (await queued(target)).length === 0, 'an empty queue');
  });

  it('a first attempt older than another product would allow is sent', async () => {
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

  it('disable a target of which more than 95 % of 1,000 attempts failed in an hour', async () => {
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
    await eventually(() => fake.disabled.includes(target), 'the product to be notified');
    await one.post(tenant, 101);
    expect(await queued(target)).toEqual([]);
  });

  it('disable a target after five exhausted events in a row, and count afresh when it is enabled again', async () => {
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
    await eventually(() => fake.disabled.includes(target), 'the product to be notified');

    await one.kernel.db.write((tx) => one.engine.setEnabled(tx, [target], true));
    good = true;
    await one.post(tenant, 11);
    await hook.until((all) => numbers(all).includes(11));
    expect((await row(target)).enabled).toBe(true);
  });
});
