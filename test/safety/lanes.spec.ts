import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { coalesce } from '../../src/kernel/database/coalesce.js';
import { Db } from '../../src/kernel/database/db.js';
import { statement } from '../../src/kernel/database/statement.js';
import { TenantLanes } from '../../src/kernel/database/tenant-lanes.js';
import { ConcurrentTenants } from '../../src/kernel/tenancy/concurrent-tenants.js';
import { useApp } from '../support/app.js';
import { holding, waitingForLocks } from '../support/locks.js';
import { eventually } from '../support/receiver.js';
import { rest } from '../support/rest-client.js';
import { unique } from '../support/unique.js';

/** Waits for a lock that another session holds. */
const WAIT_FOR_LOCK = statement('tests_hangs', 'SELECT pg_advisory_xact_lock_shared($1)');

describe('a tenant whose rows are locked', () => {
  const app = useApp();

  it('answers request_timeout to its own posts within the limit, and delays no other tenant', async (context) => {
    if (!app.store.isConcurrent) return context.skip('PGlite has one session');
    const [stuck, neighbour] = [await app.workspace(), await app.workspace()];
    const [a, b] = [await stuck.bot({ scopes: ['chat:write'] }), await neighbour.bot({ scopes: ['chat:write'] })];
    const [there, here] = [await stuck.channel({ members: [a] }), await neighbour.channel({ members: [b] })];
    const release = await holding(app.store.dataSource, 'SELECT FROM conversations WHERE id = $1 FOR UPDATE', [
      there.id,
    ]);
    try {
      const began = performance.now();
      let answered = 0;
      const held = Array.from({ length: 5 }, () =>
        a.call('chat.postMessage', { channel: there.id, text: 'held' }).finally(() => answered++),
      );
      await eventually(async () => (await waitingForLocks(app.store.dataSource)) > 0, 'a post waits for the lock');
      expect(await b.call('chat.postMessage', { channel: here.id, text: 'free' })).toMatchObject({ ok: true });
      expect(answered).toBe(0);
      expect(await Promise.all(held)).toEqual(Array(5).fill({ ok: false, error: 'request_timeout' }));
      expect(performance.now() - began).toBeLessThan(8_000);
    } finally {
      await release();
    }
    expect(await a.call('chat.postMessage', { channel: there.id, text: 'again' })).toMatchObject({ ok: true });
  });
});

describe('tenant lanes', () => {
  it('run as many calls as they have places, let 200 more wait, and refuse the next with Retry-After 1', async () => {
    const lanes = new TenantLanes(() => 2);
    let open!: () => void;
    const gate = new Promise<void>((resolve) => (open = resolve));
    let running = 0;
    const work = async (): Promise<void> => {
      running++;
      await gate;
    };
    const calls = Array.from({ length: 202 }, () => lanes.run(1, work));
    await expect(lanes.run(1, work)).rejects.toMatchObject({ code: 'service_unavailable', retryAfterSeconds: 1 });
    const others = lanes.run(2, work);
    await sleep(0);
    expect(running).toBe(3);
    open();
    await Promise.all([...calls, others]);
    expect(running).toBe(203);
  });

  it('have fewer places while other tenants call as well', async () => {
    const lanes = new TenantLanes(
      () => 4,
      () => 2,
    );
    const ends: (() => void)[] = [];
    let running = 0;
    const work = async (): Promise<void> => {
      running++;
      await new Promise<void>((end) => ends.push(end));
      running--;
    };
    const calls = Array.from({ length: 6 }, () => lanes.run(1, work));
    expect(running).toBe(4);
    const other = lanes.run(2, work);
    expect(running).toBe(5);
    // the places of the first two are not given to waiting calls, as fewer are allowed now
    for (const end of ends.splice(0, 2)) end();
    await sleep(0);
    expect(running).toBe(3);
    for (const end of ends.splice(0)) end();
    await sleep(0);
    expect(running).toBe(2);
    for (const end of ends.splice(0)) end();
    await Promise.all([...calls, other]);
  });

  it('count tenants that use other lanes, and give each tenant its own number of places', async () => {
    const company = new ConcurrentTenants();
    const quick = new TenantLanes(() => 4, undefined, company);
    const slow = new TenantLanes(
      () => 4,
      (tenant) => (tenant === 1 ? 1 : 2),
      company,
    );
    const ends: (() => void)[] = [];
    const running = { 1: 0, 2: 0 };
    const work = (tenant: 1 | 2) => (): Promise<void> => {
      running[tenant]++;
      return new Promise((end) => ends.push(end));
    };
    const alone = Array.from({ length: 4 }, () => slow.run(1, work(1)));
    expect(running[1]).toBe(4);
    for (const end of ends.splice(0)) end();
    await Promise.all(alone);
    await quick.run(2, () => Promise.resolve());
    const calls = ([1, 2] as const).flatMap((tenant) =>
      Array.from({ length: 3 }, () => slow.run(tenant, work(tenant))),
    );
    expect(running).toEqual({ 1: 5, 2: 2 });
    while (ends.length > 0) {
      for (const end of ends.splice(0)) end();
      await sleep(0);
    }
    await Promise.all(calls);
    expect(running).toEqual({ 1: 7, 2: 3 });
  });

  it('count calls, not the statements that one call runs at once', async () => {
    const lanes = new TenantLanes(() => 1);
    let open!: () => void;
    const gate = new Promise<void>((resolve) => (open = resolve));
    const one = {};
    const asked = Array.from({ length: 400 }, () => lanes.run(1, () => gate, one));
    expect(lanes.waitingOf(1)).toBe(1);
    const others = Array.from({ length: 199 }, () => lanes.run(1, () => gate));
    expect(lanes.waitingOf(1)).toBe(200);
    await expect(lanes.run(1, () => gate)).rejects.toMatchObject({ code: 'service_unavailable' });
    asked.push(lanes.run(1, () => gate, one));
    open();
    await Promise.all([...asked, ...others]);
    expect(lanes.waitingOf(1)).toBe(0);
  });
});

describe('the tenants of one account', () => {
  const app = useApp();

  it('share what the server gives one tenant, workspaces and organizations together', async () => {
    const { shares } = app.nest.get(Db);
    const { id: teamId } = await app.workspace();
    const session = async () => {
      const body = { email: `${unique('maker')}@example.com`, password: 'a good password', team_id: teamId };
      return (await rest(app, 'POST /auth/signup', { body })).body.accessToken as string;
    };
    const [one, other] = [await session(), await session()];
    const tenantOf = async (id: string): Promise<number> => {
      const [row] = await app.store.dataSource.query('SELECT tenant_id AS id FROM workspaces WHERE id = $1', [id]);
      return Number((row as { id: number }).id);
    };
    const make = async (token: string): Promise<number> => {
      const made = await rest(app, 'POST /workspaces', { token, body: { name: unique('Mine') } });
      return tenantOf(made.body.id as string);
    };
    const organization = async (token: string): Promise<number> => {
      const urlKey = unique('org').slice(0, 32);
      const answer = await fetch(`${app.baseUrl}/api/organization`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'Mine', urlKey }),
      });
      expect(answer.status).toBe(201);
      const [row] = await app.store.dataSource.query('SELECT tenant_id AS id FROM organizations WHERE url_key = $1', [
        urlKey,
      ]);
      return Number((row as { id: number }).id);
    };
    // created concurrently: the server settles which of them is the first
    const mine = await Promise.all([make(one), make(one), organization(one), make(one)]);
    const theirs = await make(other);
    const provisioned = await rest(app, 'POST /admin/provision', {
      headers: { 'x-admin-token': 'operator-of-the-tests' },
      body: { team: { name: unique('Team') } },
    });
    expect(new Set(mine).size).toBe(4);
    expect(new Set(mine.map((id) => shares.of(id)))).toEqual(new Set([Math.min(...mine)]));
    const apart = await tenantOf(provisioned.body.team.id as string);
    expect([shares.of(theirs), shares.of(apart)]).toEqual([theirs, apart]);
  });

  it('use half of the connections, however many of its workspaces call', async (context) => {
    if (!app.store.isConcurrent) return context.skip('PGlite has one session');
    const db = app.nest.get(Db);
    const [first, neighbour] = [await app.workspace(), await app.workspace()];
    const further = await Promise.all(Array.from({ length: 5 }, () => app.workspace()));
    for (const { tenantId } of further) db.shares.note(tenantId, first.tenantId);
    const bot = await neighbour.bot();
    let answered = 0;
    let hanging: Promise<unknown> = Promise.resolve();
    const release = await holding(app.store.dataSource, 'SELECT pg_advisory_xact_lock($1)', [first.tenantId]);
    try {
      const hangs = ({ tenantId }: { tenantId: number }) =>
        db
          .run(WAIT_FOR_LOCK, [first.tenantId], tenantId)
          .catch(() => undefined)
          .finally(() => answered++);
      hanging = Promise.all([first, ...further].flatMap((ws) => Array.from({ length: 20 }, () => hangs(ws))));
      expect(await bot.call('chat.postMessage', { channel: neighbour.general.id, text: 'free' })).toMatchObject({
        ok: true,
      });
      // if each had half of them, the first post would come after all that had a connection and all that waited for
      // one
      expect(answered).toBeLessThan(15);
    } finally {
      await release();
    }
    await hanging;
    expect(answered).toBe(120);
  });
});

describe('a batch that times out', () => {
  it('is retried in parts side by side, and only the part that is slow itself answers the timeout', async () => {
    const late = Object.assign(new Error('late'), { code: '57014' });
    const batches: string[][] = [];
    const run = coalesce(
      async (keys: string[]) => {
        batches.push(keys);
        if (keys.some((key) => key.startsWith('slow'))) throw late;
        return keys;
      },
      { name: 'test.parts', together: (key) => key.slice(0, 4) },
    );
    const answers = await Promise.allSettled(['slow 1', 'fine 1', 'slow 2', 'fine 2'].map(run));
    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected', 'fulfilled']);
    expect(batches).toHaveLength(3);
  });

  it('delays no other lane', async () => {
    let open!: () => void;
    const gate = new Promise<void>((resolve) => (open = resolve));
    const run = coalesce(
      async (keys: string[]) => {
        if (keys[0] === 'slow') await gate;
        return keys;
      },
      { name: 'test.lanes', inFlight: 1, lane: (key) => key },
    );
    const slow = run('slow');
    expect(await run('quick')).toBe('quick');
    open();
    expect(await slow).toBe('slow');
  });
});
