import { describe, expect, it } from 'vitest';
import { Delivery } from '../../src/webhooks/delivery.entity.js';
import { useApp } from '../support/app.js';
import { closeReceivers, eventually, receiver, type Receiver } from '../support/receiver.js';
import { copyRow } from '../support/rows.js';
import { TestSandbox } from '../support/sandbox.js';

// oxlint-disable-next-line no-explicit-any
type Any = any;

/** docs/reference/sandboxes.md#deliveries */
describe('deliveries with delivery rules', () => {
  const app = useApp();
  closeReceivers();

  const make = async (far: Receiver): Promise<TestSandbox & { hook: string }> => {
    const sandbox = await TestSandbox.make(app);
    await sandbox.control('PATCH', '', { rate_limit_multiplier: 0 });
    const url = far.url;
    const made = await sandbox.send('POST', '/api/webhooks/outgoing', sandbox.person, { url, events: ['message'] });
    return Object.assign(sandbox, { hook: made.body.id as string });
  };
  const post = async (sandbox: TestSandbox, ...texts: string[]): Promise<void> => {
    for (const text of texts) {
      expect((await sandbox.call('chat.postMessage', { channel: 'war-room', text })).body.ok).toBe(true);
    }
  };
  const texts = (far: Receiver): string[] => far.received.map(({ body }) => JSON.parse(body).event.text as string);
  const counts = async (sandbox: TestSandbox): Promise<Any> =>
    (await sandbox.control('GET', '/deliveries')).body.counts;
  const held = (sandbox: TestSandbox, n: number): Promise<void> =>
    eventually(async () => (await counts(sandbox)).held === n, `${n} held ones`);

  it('are reordered as soon as the window is full', async () => {
    const far = await receiver();
    const sandbox = await make(far);
    await sandbox.control('POST', '/delivery-rules', { do: { type: 'reorder', window: 3, order: 'reversed' } });
    await post(sandbox, 'a', 'b');
    await held(sandbox, 2);
    expect(far.received).toHaveLength(0);
    await post(sandbox, 'c', 'd', 'e', 'f');
    await far.until(({ length }) => length === 6);
    expect(texts(far)).toEqual(['c', 'b', 'a', 'f', 'e', 'd']);
  });

  it('begin the next window when the previous one has been delivered', async () => {
    const far = await receiver((_, reply) => void setTimeout(() => reply.end(), 100));
    const sandbox = await make(far);
    await sandbox.control('POST', '/delivery-rules', { do: { type: 'reorder', window: 3, order: 'reversed' } });
    await post(sandbox, 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i');
    await far.until(({ length }) => length === 9);
    expect(texts(far)).toEqual(['c', 'b', 'a', 'f', 'e', 'd', 'i', 'h', 'g']);
  });

  it('are released by target and count, and shuffled alike with the same random_seed', async () => {
    const letters = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    const orders: string[][] = [];
    for (const seed of [7, 7, 8]) {
      const far = await receiver();
      const sandbox = await make(far);
      await sandbox.control('POST', '/delivery-rules', { do: { type: 'hold' } });
      await post(sandbox, ...letters);
      await held(sandbox, 8);
      const release = async (body: object): Promise<unknown> =>
        (await sandbox.control('POST', '/deliveries/release', body)).body;
      expect(await release({ target: 'nobody' })).toEqual({ released: 0 });
      expect(await release({ target: sandbox.hook, count: 1 })).toEqual({ released: 1 });
      await far.until(({ length }) => length === 1);
      expect(await release({ order: 'shuffled', random_seed: seed })).toEqual({ released: 7 });
      await far.until(({ length }) => length === 8);
      orders.push(texts(far));
    }
    expect(orders[0]?.[0]).toBe('a');
    expect(orders[1]).toEqual(orders[0]);
    expect(orders[2]).not.toEqual(orders[0]);
    expect(orders[2]?.toSorted()).toEqual(letters);
    const sandbox = await TestSandbox.make(app);
    for (const bad of [{ order: 'up' }, { ids: ['x'] }, { count: 0 }, { random_seed: 1.5 }, { target: 1 }]) {
      expect((await sandbox.control('POST', '/deliveries/release', bad)).status).toBe(400);
    }
  });

  it('are not held up by others that a rule delays or holds', async () => {
    const far = await receiver();
    const sandbox = await make(far);
    const where = (text: string): object => ({ data: { text } });
    await sandbox.control('POST', '/delivery-rules', { on: { where: where('held') }, do: { type: 'hold' } });
    await sandbox.control('POST', '/delivery-rules', {
      on: { where: where('late') },
      do: { type: 'delay', ms: 3_000 },
    });
    await post(sandbox, 'held', 'late', 'at once');
    await far.until(({ length }) => length === 2);
    expect(texts(far)).toEqual(['at once', 'late']);
    // the receiver has both before their responses are recorded
    await eventually(async () => (await counts(sandbox)).done === 2, 'two that are done');
    expect(await counts(sandbox)).toMatchObject({ held: 1, done: 2 });
  });

  it('apply rules to retries and redeliveries too; a held delivery is sent when it is redelivered again', async () => {
    const far = await receiver();
    const sandbox = await make(far);
    const rules = async (): Promise<number[]> =>
      (await sandbox.control('GET', '/delivery-rules')).body.delivery_rules.map(({ fired }: Any) => fired as number);
    await sandbox.control('POST', '/delivery-rules', { do: { type: 'answer', status: 500 }, times: 2 });
    await post(sandbox, 'one');
    // the first attempt and its first retry, which is due at once
    const attempts = async (): Promise<number | undefined> =>
      (await sandbox.control('GET', '/deliveries')).body.deliveries[0]?.attempts.length as number | undefined;
    await eventually(
      async () => (await attempts()) === 2 && (await counts(sandbox)).retrying === 1,
      'a second retry that waits',
    );
    expect([await rules(), far.received.length]).toEqual([[2], 0]);
    const flushed = await sandbox.control('POST', '/deliveries/flush', {});
    expect(flushed).toMatchObject({ status: 200, body: { flushed: 1, done: true } });
    expect(texts(far)).toEqual(['one']);
    expect(far.received[0]?.headers).toMatchObject({
      'x-slack-retry-num': '2',
      'x-slack-retry-reason': 'http_error',
    });
    const [delivery] = (await sandbox.control('GET', '/deliveries')).body.deliveries;
    await sandbox.control('POST', '/delivery-rules', { do: { type: 'hold' } });
    expect((await sandbox.control('POST', `/deliveries/${delivery.id}/redeliver`)).status).toBe(202);
    await held(sandbox, 1);
    expect(await rules()).toEqual([2, 1]);
    expect((await sandbox.control('POST', `/deliveries/${delivery.id}/redeliver`)).status).toBe(202);
    await far.until(({ length }) => length === 2);
    await sandbox.send('DELETE', `/api/webhooks/outgoing/${sandbox.hook}`, sandbox.person);
    await eventually(
      async () => (await sandbox.control('POST', `/deliveries/${delivery.id}/redeliver`)).status === 409,
      'a target that is gone',
    );
  });

  it('carry a wrong signature, or an old timestamp with a valid signature', async () => {
    const sandbox = await TestSandbox.make(app);
    const { url } = (await sandbox.control('POST', '/inboxes', {})).body;
    await sandbox.send('POST', '/api/webhooks/outgoing', sandbox.person, { url, events: ['message'] });
    await sandbox.control('POST', '/delivery-rules', { do: { type: 'bad_signature' }, times: 1 });
    await sandbox.control('POST', '/delivery-rules', { do: { type: 'stale_timestamp', seconds: 3_600 }, times: 1 });
    await post(sandbox, 'badly', 'stale', 'well');
    const { entries } = (await sandbox.control('POST', '/wait', { for: 'received', after: 'start', count: 3 })).body;
    const age = (entry: Any): number =>
      Math.round((Date.now() / 1000 - Number(entry.request.headers['x-slack-request-timestamp'])) / 60);
    expect(entries.map((entry: Any) => [entry.verified !== null, age(entry)])).toEqual([
      [false, 0],
      [true, 60],
      [true, 0],
    ]);
    // what a receiver with the secret makes of each
    const { deliveries } = (await sandbox.control('GET', '/deliveries')).body;
    expect(deliveries.map(({ attempts }: Any) => attempts[0].signature)).toEqual([
      'wrong_signature',
      'old_timestamp',
      'accepted',
    ]);
  });

  it('are held up to 10,000; beyond that the oldest is sent', async () => {
    const far = await receiver();
    const sandbox = await make(far);
    await sandbox.control('POST', '/delivery-rules', { do: { type: 'hold' } });
    await post(sandbox, 'the oldest');
    await held(sandbox, 1);
    await copyRow(app.store, Delivery, { targetId: sandbox.hook }, 9_999, () => ({ id: undefined }));
    expect(await counts(sandbox)).toMatchObject({ held: 10_000 });
    const more = Array.from({ length: 100 }, (_, i) => `more ${i}`);
    await Promise.all(more.map((text) => post(sandbox, text)));
    await far.until(({ length }) => length >= 100);
    await eventually(async () => (await counts(sandbox)).held === 10_000, 'no more than 10,000 held');
    expect(new Set(texts(far))).toEqual(new Set(['the oldest']));
    await sandbox.control('DELETE', '');
  });
});
