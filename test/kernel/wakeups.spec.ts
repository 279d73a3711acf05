import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { useBareStore } from '../support/bare-store.js';
import { onPostgres, serverUrl } from '../support/databases.js';
import { eventually } from '../support/receiver.js';
import { canRunPgBouncer, onPgBouncer, PgBouncer } from '../support/pgbouncer.js';
import { Relay } from '../support/relay.js';

describe.skipIf(serverUrl === undefined)(`wake-ups from other replicas${onPostgres}`, { timeout: 60_000 }, () => {
  const store = useBareStore();

  it('are back as soon as calls have the database again, however long it was away', async () => {
    const url = store.info.databaseUrl as string;
    const relay = await Relay.to(url);
    onTestFinished(() => relay.close());
    const { db, wakeups } = await store.processThrough(relay.through(url));
    await wakeups.start();
    expect(wakeups.connected).toBe(true);

    relay.refuse();
    await eventually(() => !wakeups.connected, 'the connection is lost');
    // it tries again after 0.2, 0.5, 1, 2 and 5 s
    await sleep(4_500);
    relay.release();
    await db.readText('SELECT 1');

    const since = performance.now();
    await wakeups.whenConnected(10_000);
    expect(performance.now() - since).toBeLessThan(1_500);
    expect(wakeups.connected).toBe(true);
  });

  it.skipIf(!canRunPgBouncer)(`are not those of the replica itself behind a pooler${onPgBouncer}`, async () => {
    const url = store.info.databaseUrl as string;
    const pooler = await PgBouncer.to(url, { mode: 'session' });
    onTestFinished(() => pooler.drop());
    const heard: string[] = [];
    for (const name of ['one', 'other']) {
      const { wakeups } = await store.processThrough(pooler.through(url));
      wakeups.onMessage((message) => heard.push(`${name} heard ${message}`));
      await wakeups.start();
      expect(await wakeups.send(`of ${name}`)).toBe(true);
    }
    await eventually(() => heard.includes('one heard of other'), 'the message of the other one');
    expect(heard).toEqual(['one heard of other']);
  });
});
