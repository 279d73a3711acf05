import { afterEach, describe, expect, it } from 'vitest';
import type { Tx } from '../../src/kernel/database/db.js';
import { EventTail } from '../../src/kernel/events/event-tail.js';
import { LoggedEvent } from '../../src/kernel/events/logged-event.entity.js';
import type { RecordedEvent } from '../../src/kernel/events/recorded-event.js';
import { onServer, useBareStore, type BareStore } from '../support/bare-store.js';
import { eventually } from '../support/receiver.js';

type Kernel = ReturnType<BareStore['process']>;

describe('the event tail', () => {
  const store = useBareStore();
  const tails: EventTail[] = [];
  afterEach(async () => {
    await Promise.all(tails.splice(0).map((tail) => tail.stop()));
  });

  /** A process with a started tail, and the events that it receives in one room. */
  const listen = async (room: string, interest?: () => boolean) => {
    const kernel = store.process();
    await kernel.wakeups.start();
    const tail = new EventTail(kernel.db, kernel.wakeups);
    tails.push(tail);
    if (interest) tail.interested(interest);
    const heard: RecordedEvent[] = [];
    tail.onEvents((events) => void heard.push(...events.filter((event) => event.room === room)));
    tail.start();
    await tail.attend();
    return { ...kernel, tail, heard, said: () => heard.map(({ data }) => data) };
  };
  const event = (room: string, data: string) =>
    ({ tenantId: 1, product: 'chat', kind: 'message', room, data }) as Parameters<Tx['record']>[0];
  const post = ({ db }: Pick<Kernel, 'db'>, room: string, data: string): Promise<void> =>
    db.write(async (tx) => void tx.record(event(room, data)));

  it('passes on events that are committed after its start, complete and in order', async () => {
    const writer = store.process();
    await post(writer, 'a', 'before');
    const one = await listen('a');
    for (let i = 0; i < 30; i++) await post(one, 'a', String(i));
    await eventually(() => one.heard.length === 30, '30 events');
    expect(one.said()).toEqual(Array.from({ length: 30 }, (_, i) => String(i)));
    expect(one.heard[0]).toEqual({
      id: expect.any(Number),
      tenantId: 1,
      product: 'chat',
      kind: 'message',
      room: 'a',
      syncId: null,
      data: '0',
      draw: null,
      recordedAt: expect.any(Date),
    });
  });

  it('reads nothing without a listener, and starts again at the end of the log', async () => {
    let interested = true;
    const one = await listen('b', () => interested);
    await post(one, 'b', '1');
    await eventually(() => one.heard.length === 1, 'the first event');
    interested = false;
    Object.assign(one.tail, { attendedAt: -Infinity });
    await post(one, 'b', '2');
    await eventually(() => (one.tail as unknown as { position?: number }).position === undefined, 'the tail at rest');
    interested = true;
    await one.tail.attend();
    await post(one, 'b', '3');
    await eventually(() => one.heard.length === 2, 'the third event');
    expect(one.said()).toEqual(['1', '3']);
  });

  it('is caught up once all committed events were passed on', async () => {
    const [writer, one] = [store.process(), await listen('h')];
    await post(writer, 'h', 'one');
    await one.tail.caughtUp();
    expect(one.said()).toEqual(['one']);
    // more than one read can pass on
    await writer.db.write(async (tx) => {
      for (let i = 1; i <= 1_200; i++) tx.record(event('h', String(i)));
    });
    await one.tail.caughtUp();
    expect(one.heard).toHaveLength(1_201);
  });

  it('is caught up at once while it is idle, and when it stops', async () => {
    const one = await listen('i', () => false);
    Object.assign(one.tail, { attendedAt: -Infinity });
    await eventually(() => (one.tail as unknown as { position?: number }).position === undefined, 'the tail at rest');
    await one.tail.caughtUp();
    await one.tail.attend();
    const waits = one.tail.caughtUp();
    await one.tail.stop();
    await waits;
  });

  it('continues after an exception in a listener', async () => {
    const one = await listen('c');
    one.tail.onEvents(() => {
      throw new Error('the listener of this test');
    });
    await post(one, 'c', '1');
    await eventually(() => one.heard.length === 1, 'the first event');
    await post(one, 'c', '2');
    await eventually(() => one.heard.length === 2, 'the second event');
  });

  it.skipIf(!onServer)(
    'passes on an event that is committed late with a lower id, and does not wait for it (needs a server: two transactions at once)',
    async () => {
      const one = await listen('d');
      const runner = store.dataSource.createQueryRunner();
      await runner.startTransaction();
      await runner.manager.insert(LoggedEvent, event('d', 'late'));
      const rolledBack = store.dataSource.createQueryRunner();
      await rolledBack.startTransaction();
      await rolledBack.manager.insert(LoggedEvent, event('d', 'never'));
      await rolledBack.rollbackTransaction();
      await rolledBack.release();
      await post(one, 'd', 'early');
      await eventually(() => one.heard.length === 1, 'the event with the higher id');
      await runner.commitTransaction();
      await runner.release();
      await eventually(() => one.heard.length === 2, 'the late event, by the poll');
      expect(one.said()).toEqual(['early', 'late']);
      expect((one.heard[1] as RecordedEvent).id).toBeLessThan((one.heard[0] as RecordedEvent).id);
    },
  );

  it.skipIf(!onServer)(
    'passes on events that were uncommitted at its start (needs a server: two transactions at once)',
    async () => {
      const writer = store.process();
      const runner = store.dataSource.createQueryRunner();
      await runner.startTransaction();
      await runner.manager.insert(LoggedEvent, event('e', 'open'));
      await post(writer, 'e', 'before');
      const one = await listen('e');
      await runner.commitTransaction();
      await runner.release();
      await eventually(() => one.heard.length === 1, 'the open one');
      expect(one.said()).toEqual(['open']);
    },
  );

  it.skipIf(!onServer)('is woken by other processes at once (needs a server: NOTIFY)', async () => {
    const writer = store.process();
    await writer.wakeups.start();
    const one = await listen('f');
    const waits: number[] = [];
    for (let i = 0; i < 5; i++) {
      const started = performance.now();
      await post(writer, 'f', String(i));
      await eventually(() => one.heard.length > i, 'the event');
      waits.push(performance.now() - started);
    }
    // polling alone would take about a second for each
    expect(waits.toSorted((a, b) => a - b)[2], waits.join(' ')).toBeLessThan(700);
  });

  it.skipIf(!onServer)('recovers from lost connections (needs a server: connections that can be ended)', async () => {
    const writer = store.process();
    await writer.wakeups.start();
    const one = await listen('g');
    await post(writer, 'g', '1');
    await eventually(() => one.heard.length === 1, 'the first event');
    await store.dataSource
      .query(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
      )
      .catch(() => undefined);
    await eventually(() => !one.wakeups.connected || !writer.wakeups.connected, 'connections lost');
    await eventually(() => one.wakeups.connected && writer.wakeups.connected, 'connections back');
    await post(writer, 'g', '2');
    await eventually(() => one.heard.length === 2, 'the second event');
    expect(one.said()).toEqual(['1', '2']);
  });
});
