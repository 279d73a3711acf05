import pg, { type PoolClient } from 'pg';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parseSettings } from '../../src/kernel/config/settings.js';
import { poolOf } from '../../src/kernel/database/pool.js';
import { StoreInfo } from '../../src/kernel/database/store-info.js';
import { StoreWatch } from '../../src/kernel/database/store-watch.js';
import { openStore, type OpenOptions, type Store } from '../../src/kernel/database/store.js';
import { Upkeep } from '../../src/kernel/database/upkeep.js';
import { createDatabase, onPostgres, serverUrl } from '../support/databases.js';
import { eventually } from '../support/receiver.js';
import { Relay } from '../support/relay.js';

async function open(url: string, options?: OpenOptions): Promise<Store> {
  const store = await openStore(parseSettings({ DATABASE_URL: url }), [], options);
  onTestFinished(() => store.close());
  return store;
}

/** Keeps this thread busy, as loading code on a starved CPU does. */
function hog(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

describe.skipIf(serverUrl === undefined)(`connections to PostgreSQL${onPostgres}`, () => {
  let url: string;
  let admin: pg.Client;
  beforeAll(async () => {
    const database = await createDatabase();
    admin = new pg.Client({ connectionString: serverUrl });
    await admin.connect();
    url = database.url;
    return async () => {
      await admin.end();
      await database.drop();
    };
  });

  it('may be lost while they are taken and idle: the next statement fails, and another connection serves', async () => {
    const pool = poolOf((await open(url)).dataSource);
    const client: PoolClient = await pool.connect();
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const ended = new Promise((end) => client.once('end', end));
    // fails before: an error event that nobody listens to ends the process
    expect(client.listenerCount('error')).toBeGreaterThan(0);
    await admin.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
    await ended;
    await expect(client.query('SELECT 1')).rejects.toThrow('connection error');
    client.release();
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  });

  it('are not judged by an event loop that is late', async () => {
    const opening = open(url);
    for (let turn = 0; turn < 2; turn++) {
      hog(3_000);
      await new Promise((read) => setTimeout(read, 5));
    }
    await opening;
  });

  it('are not made while the server does not answer, but for a probe, and again once it does', async () => {
    const relay = await Relay.to(url);
    onTestFinished(() => relay.close());
    const { dataSource } = await open(relay.through(url));
    const upkeep = new Upkeep();
    const watch = new StoreWatch(dataSource, new StoreInfo(false, relay.through(url)), upkeep);
    upkeep.onApplicationBootstrap();
    onTestFinished(() => upkeep.beforeApplicationShutdown());
    const pool = poolOf(dataSource);

    relay.hold();
    const caught = pool.query('SELECT 1').catch((error: Error) => error);
    await eventually(() => watch.silent, 'the watch notices');
    expect(await caught).toBeInstanceOf(Error);
    await eventually(() => pool.totalCount === 0, 'all are cut');
    const refused = Array.from({ length: 20 }, () => pool.connect());
    expect(pool.totalCount).toBe(0);
    for (const call of refused) await expect(call).rejects.toThrow('timeout exceeded');

    relay.release();
    await eventually(() => !watch.silent, 'the watch notices again');
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  });

  it('are tried again at a start, until the server answers', async () => {
    const relay = await Relay.to(url);
    onTestFinished(() => relay.close());
    relay.hold();
    const sentences: string[] = [];
    const opening = open(relay.through(url), { onWait: (sentence) => sentences.push(sentence) });
    await eventually(() => sentences.length > 0, 'the start waits');
    relay.release();
    expect((await poolOf((await opening).dataSource).query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    expect(sentences).toEqual([expect.stringContaining('PostgreSQL is not ready, waiting for it')]);
  });
});
