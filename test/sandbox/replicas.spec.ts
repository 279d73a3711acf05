import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Db } from '../../src/kernel/database/db.js';
import { TestApp } from '../support/app.js';
import { createDatabase, onPostgres, serverUrl } from '../support/databases.js';
import { closeReceivers, eventually, receiver } from '../support/receiver.js';
import { TestSandbox, type Answer } from '../support/sandbox.js';

/** docs/reference/sandboxes.md: every feature works on every replica. The embedded database serves only one process. */
describe.skipIf(serverUrl === undefined)(`a sandbox on two replicas${onPostgres}`, { timeout: 120_000 }, () => {
  let apps: [TestApp, TestApp];
  let drop: () => Promise<void>;
  let url: string;
  let sandbox: TestSandbox;
  closeReceivers();

  beforeAll(async () => {
    const database = await createDatabase();
    ({ drop, url } = database);
    const env = { DATABASE_URL: database.url, SVC_SANDBOX_LIMIT: '6' };
    const first = await TestApp.start(env);
    apps = [first, await TestApp.start(env)];
    sandbox = await TestSandbox.make(apps[0]);
    await sandbox.control('PATCH', '', { rate_limit_multiplier: 0 });
  }, 120_000);
  afterAll(async () => {
    await Promise.all(apps.map((app) => app.stop()));
    await drop();
  });

  /** Calls one replica or the other by turns. */
  const at = async (n: number, method: string, path: string, body?: object): Promise<Answer> => {
    const own = path.startsWith('/api/sandboxes') ? sandbox.person : sandbox.bot;
    const response = await fetch(`${(apps[n % 2] as TestApp).baseUrl}${path}`, {
      method,
      headers: { ...own, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  };
  const control = (n: number, method: string, path: string, body?: object): Promise<Answer> =>
    at(n, method, `/api/sandboxes/self${path}`, body);

  it('applies a fault to exactly as many calls as configured, on whichever replica they arrive', async () => {
    await control(0, 'POST', '/faults', {
      on: { method: 'auth.test' },
      fault: { type: 'error', error: 'fatal_error' },
      times: 7,
      skip: 5,
    });
    const calls = await Promise.all(Array.from({ length: 40 }, (_, n) => at(n, 'POST', '/api/auth.test', {})));
    expect(calls.filter(({ body }) => body.error === 'fatal_error')).toHaveLength(7);
    expect((await control(1, 'GET', '/faults')).body.faults).toMatchObject([{ fired: 7 }]);
    await control(1, 'DELETE', '/faults');
    expect((await at(0, 'POST', '/api/auth.test', {})).body.ok).toBe(true);
  });

  it('lists each call right after the event it caused, whichever replica is asked', async () => {
    for (const n of [0, 1]) {
      const mark = (await control(n, 'POST', '/timeline/mark')).body.cursor as string;
      const texts = ['one', 'two', 'three', 'four'].map((word) => `${word} at ${n}`);
      for (const text of texts) await at(n, 'POST', '/api/chat.postMessage', { channel: 'war-room', text });
      const { body } = await control(n, 'GET', `/timeline?kind=call,event&after=${mark}`);
      const shown = (body.entries as { kind: string; args?: object; data?: object }[]).map(
        ({ kind, args, data }) => `${kind} ${((args ?? data) as { text: string }).text}`,
      );
      expect(shown).toEqual(texts.flatMap((text) => [`event ${text}`, `call ${text}`]));
    }
  });

  it('enforces the limit on inboxes across both', async () => {
    const made = await Promise.all(Array.from({ length: 104 }, (_, n) => control(n, 'POST', '/inboxes', {})));
    expect(made.filter(({ status }) => status === 409)).toHaveLength(4);
    await control(0, 'DELETE', '/inboxes');
  });

  it('counts towards the limit on sandboxes, on whichever replica they are created', async () => {
    const make = async (n: number): Promise<Answer> => {
      const response = await fetch(`${(apps[n % 2] as TestApp).baseUrl}/api/sandboxes`, {
        method: 'POST',
        headers: { 'x-admin-token': 'operator-of-the-tests', 'content-type': 'application/json' },
        body: '{}',
      });
      return { status: response.status, headers: response.headers, body: await response.json() };
    };
    const made = await Promise.all(Array.from({ length: 14 }, (_, n) => make(n)));
    const there = await apps[0].store.dataSource.query('SELECT count(*)::int AS n FROM sandboxes');
    expect(there).toEqual([{ n: 6 }]);
    expect(made.filter(({ status }) => status === 201)).toHaveLength(5);
    expect(made.filter(({ body }) => body.message === 'too_many_sandboxes')).toHaveLength(9);
  });

  it('waits on one replica for what happens on the other, and reads all answered calls on both', async () => {
    const waiting = control(0, 'POST', '/wait', { for: 'message', where: { text: 'from afar' }, timeout_ms: 20_000 });
    await at(1, 'POST', '/api/chat.postMessage', { channel: 'war-room', text: 'from afar' });
    expect((await waiting).body).toMatchObject({ matched: true, entries: [{ data: { text: 'from afar' } }] });
    for (let n = 0; n < 10; n++) {
      await at(n, 'POST', '/api/auth.test', { n });
      const { entries } = (await control(n + 1, 'GET', '/timeline?kind=call&method=auth.test&order=desc&limit=1')).body;
      expect(entries).toMatchObject([{ args: { n } }]);
    }
  });

  it('waits for a replica that has lost its connection, until it can be asked again', async () => {
    const admin = new pg.Client({ connectionString: serverUrl });
    await admin.connect();
    const name = new URL(url).pathname.slice(1);
    const connections = (allowed: boolean) => admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS ${allowed}`);
    onTestFinished(async () => {
      await connections(true);
      await admin.end();
    });
    const wakeups = `FROM pg_stat_activity WHERE datname = '${name}' AND application_name = 'understudy wake-ups'`;
    const path = '/timeline?kind=call&method=auth.test&order=desc&limit=1';
    await control(0, 'GET', path);
    for (let round = 0; round < 5; round++) {
      await connections(false);
      // the replica that started last
      await admin.query(`SELECT pg_terminate_backend(pid) ${wakeups} ORDER BY backend_start DESC LIMIT 1`);
      await eventually(async () => (await admin.query(`SELECT 1 ${wakeups}`)).rowCount === 1, 'one of two is lost');
      await at(1, 'POST', '/api/auth.test', { round });
      let isRead = false;
      const read = control(0, 'GET', path).finally(() => (isRead = true));
      const counts = new Set<string>();
      await eventually(async () => {
        const { rows } = await admin.query<{ at: string }>(
          `SELECT query_start::text AS at FROM pg_stat_activity
            WHERE datname = '${name}' AND query LIKE '%understudy wake-ups%'`,
        );
        for (const row of rows) counts.add(row.at);
        return isRead || counts.size > 2;
      }, 'the other one counts again, or does not wait');
      await connections(true);
      expect((await read).body.entries).toMatchObject([{ args: { round } }]);
    }
  });

  it('does not wait for a replica that has ended in order', async () => {
    const third = await TestApp.start({ DATABASE_URL: url, SVC_SANDBOX_LIMIT: '6' });
    await control(0, 'GET', '/timeline');
    await third.stop();
    const reads = vi.spyOn(apps[0].nest.get(Db), 'read');
    onTestFinished(() => reads.mockRestore());
    await control(0, 'GET', '/timeline');
    // who waits counts again and again
    expect(reads.mock.calls.filter(([{ name }]) => name === 'replicas_listening')).toHaveLength(1);
  });

  it('lists deliveries of either, and advances the clock on both', async () => {
    const far = await receiver((_, reply) => void reply.writeHead(500).end());
    await sandbox.send('POST', '/api/webhooks/outgoing', sandbox.person, { url: far.url, events: ['message'] });
    await control(1, 'PUT', '/clock', { frozen: true });
    for (let n = 0; n < 4; n++) await at(n, 'POST', '/api/chat.postMessage', { channel: 'war-room', text: `to ${n}` });
    await far.until(({ length }) => length === 8);
    expect(await control(0, 'POST', '/clock/advance', { by: '1d' })).toMatchObject({ status: 200 });
    expect(far.received).toHaveLength(16);
    const { counts, deliveries } = (await control(1, 'GET', '/deliveries')).body;
    expect(counts).toMatchObject({ failed: 4, retrying: 0, in_flight: 0 });
    expect(deliveries.map(({ attempts }: { attempts: unknown[] }) => attempts.length)).toEqual([4, 4, 4, 4]);
    expect((await control(1, 'POST', '/wait', { for: 'idle' })).body.matched).toBe(true);
  });

  it('does not delay first attempts while a retry waits for a frozen clock', async () => {
    sandbox = await TestSandbox.make(apps[0]);
    const far = await receiver((_, reply) => void reply.writeHead(500).end());
    await sandbox.send('POST', '/api/webhooks/outgoing', sandbox.person, {
      url: far.url,
      events: ['message'],
    });
    await control(1, 'PUT', '/clock', { frozen: true });
    await at(0, 'POST', '/api/chat.postMessage', { channel: 'war-room', text: 'first' });
    await far.until(({ length }) => length === 2);
    await eventually(async () => {
      const { counts } = (await control(0, 'GET', '/deliveries')).body;
      return counts.retrying === 1 && counts.in_flight === 0;
    }, 'the next attempt is put off');
    for (let n = 0; n < 2; n++) await at(n, 'POST', '/api/chat.postMessage', { channel: 'war-room', text: 'second' });
    await far.until(({ length }) => length === 6);
  });
});
