import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, onPostgres, serverUrl } from '../support/databases.js';
import { eventually } from '../support/receiver.js';
import { ensureBuilt, ServerProcess } from '../support/server-process.js';

const OPERATOR = { 'x-admin-token': 'operator-of-the-tests' };

// docs/reference/sandboxes.md#pools
describe.skipIf(serverUrl === undefined)(`a pool on two processes${onPostgres}`, { timeout: 120_000 }, () => {
  let servers: [ServerProcess, ServerProcess];
  let drop: () => Promise<void>;

  beforeAll(async () => {
    ensureBuilt();
    const database = await createDatabase();
    drop = database.drop;
    const env = { DATABASE_URL: database.url, SVC_ADMIN_TOKEN: OPERATOR['x-admin-token'] };
    const first = await ServerProcess.start(env);
    servers = [first, await ServerProcess.start(env)];
  }, 300_000);

  afterAll(async () => {
    await Promise.all(servers.map((server) => server.kill()));
    await drop();
  });

  const send = async (server: ServerProcess, path: string, headers: Record<string, string>, body?: object) => {
    const response = await fetch(`${server.baseUrl}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    // oxlint-disable-next-line typescript/no-explicit-any -- the spec reads deep into answers
    return response.json() as Promise<any>;
  };

  it('is filled on when one is killed, never gives one sandbox twice, and has none half made', async () => {
    const [first, second] = servers;
    const document = {
      users: 5,
      channels: [{ name: 'ops', messages: 40 }],
      tracker: { teams: [{ key: 'ENG', issues: Array.from({ length: 20 }, (_, n) => ({ title: `Issue ${n}` })) }] },
    };
    const { credentials } = await send(first, '/api/sandboxes', OPERATOR, document);
    const ctl = { 'x-sandbox-token': credentials.control_token as string };
    const { id: from } = await send(first, '/api/sandboxes/self/snapshots', ctl, {});
    const { hash } = await send(first, '/api/sandboxes/self/state', ctl);
    const size = 24;
    expect(await send(first, '/api/pools', OPERATOR, { name: 'steps', from, size })).toMatchObject({
      size,
      error: null,
    });
    const pool = () => send(second, '/api/pools/steps', OPERATOR);
    await eventually(async () => (await pool()).ready >= 4, 'some are ready');

    // while it fills, and while claims are under way at both
    const claims = Array.from({ length: 12 }, (_, n) =>
      send(n % 2 === 0 ? first : second, '/api/sandboxes', OPERATOR, { pool: 'steps' }).catch(() => undefined),
    );
    await Promise.race(claims);
    await first.kill('SIGKILL');
    const answered = (await Promise.all(claims)).filter((claim) => claim !== undefined);
    expect(answered.length).toBeGreaterThanOrEqual(6);
    await eventually(async () => (await pool()).ready === size, 'the other one fills it', 60_000);
    expect(await pool()).toMatchObject({ ready: size, making: 0, error: null });

    // more at once than are ready
    const more = await Promise.all(
      Array.from({ length: size + 4 }, () => send(second, '/api/sandboxes', OPERATOR, { pool: 'steps' })),
    );
    const all = [...answered, ...more];
    expect(new Set(all.map(({ id }) => id as string)).size).toBe(all.length);
    expect(more.filter(({ pooled }) => pooled).length).toBeGreaterThanOrEqual(size);
    const states = new Set<string>();
    for (const { credentials: own } of all) {
      states.add((await send(second, '/api/sandboxes/self/state', { 'x-sandbox-token': own.control_token })).hash);
      expect(await second.call('auth.test', own.bot_token)).toMatchObject({ ok: true });
    }
    // each holds everything
    expect([...states]).toEqual([hash]);
  });
});
