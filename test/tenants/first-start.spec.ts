import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { Passwords } from '../../src/auth/passwords.js';
import { FirstStart } from '../../src/tenants/first-start.js';
import { TestApp } from '../support/app.js';
import { createDatabase, serverUrl } from '../support/databases.js';

describe('first start', () => {
  const cleanups: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  /** An empty store for the test; each call of the returned function starts a server on it. */
  async function emptyStore(): Promise<
    (env?: Record<string, string>) => Promise<{ app: TestApp; firstStart: FirstStart }>
  > {
    const env: Record<string, string> = {};
    if (serverUrl === undefined) {
      env['SVC_DATA_DIR'] = mkdtempSync(join(tmpdir(), 'understudy-test-'));
      cleanups.push(() => rmSync(env['SVC_DATA_DIR'] as string, { recursive: true, force: true }));
    } else {
      const database = await createDatabase();
      env['DATABASE_URL'] = database.url;
      cleanups.push(database.drop);
    }
    return async (more = {}) => {
      const app = await TestApp.start({ ...env, ...more });
      return { app, firstStart: app.nest.get(FirstStart, { strict: false }) };
    };
  }

  async function call(app: TestApp, token: string): Promise<Record<string, unknown>> {
    const response = await fetch(`${app.baseUrl}/api/chat.postMessage`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: new URLSearchParams({ channel: '#general', text: 'hello' }),
    });
    return (await response.json()) as Record<string, unknown>;
  }

  it('creates the default workspace with admin, app, #general and #random, and valid tokens', async () => {
    const start = await emptyStore();
    const { app, firstStart } = await start();
    const tenant = await firstStart.ensure();

    expect(tenant).toMatchObject({ teamName: 'Default Workspace', adminEmail: 'admin@understudy.local' });
    expect(tenant.botToken).toMatch(/^xoxb-[0-9]{12}-[A-Za-z0-9]{24}$/);
    expect(tenant.userToken).toMatch(/^xoxp-[0-9]{12}-[A-Za-z0-9]{24}$/);
    expect(await call(app, tenant.botToken)).toMatchObject({
      ok: true,
      message: { team: tenant.teamId, bot_id: expect.anything() },
    });
    expect(await call(app, tenant.userToken)).toMatchObject({ ok: true });

    const rows = (await app.store.dataSource.query(
      `SELECT c.name, c.is_general, array_agg(u.name || ':' || u.role ORDER BY u.name) AS members, max(c.member_count) AS count
       FROM conversations c JOIN members m ON m.conversation_id = c.id JOIN users u ON u.id = m.user_id
       GROUP BY 1, 2 ORDER BY 1`,
    )) as unknown[];
    const members = ['admin:primary_owner', 'default-app:member'];
    expect(rows).toEqual([
      { name: 'general', is_general: true, members, count: 2 },
      { name: 'random', is_general: false, members, count: 2 },
    ]);
    const [admin] = (await app.store.dataSource.query('SELECT password_hash AS hash FROM accounts')) as [
      { hash: string },
    ];
    expect(admin.hash).toMatch(/^\$argon2id\$/);
    expect(await new Passwords().verify(admin.hash, tenant.adminPassword)).toBe(true);
    await app.stop();
  });

  it('answers the same credentials again, also after a restart, and stores none in plain text', async () => {
    const start = await emptyStore();
    const first = await start();
    const tenant = await first.firstStart.ensure();
    expect(await first.firstStart.ensure()).toEqual(tenant);
    await first.app.stop();

    const second = await start();
    expect(await second.firstStart.ensure()).toEqual(tenant);
    const tables = ['tokens', 'accounts', 'apps', 'instance_values'];
    for (const table of tables) {
      const stored = JSON.stringify(await second.app.store.dataSource.query(`SELECT * FROM ${table}`));
      for (const secret of [tenant.botToken, tenant.userToken, tenant.adminPassword])
        expect(stored).not.toContain(secret);
    }
    await second.app.stop();
  });

  it('replaces the tokens on rotation: the old ones answer token_revoked in the next call', async () => {
    const start = await emptyStore();
    const { app, firstStart } = await start();
    const before = await firstStart.ensure();
    const after = await firstStart.rotate();

    expect(after.botToken).not.toBe(before.botToken);
    expect(after.userToken).not.toBe(before.userToken);
    expect(await call(app, before.botToken)).toEqual({ ok: false, error: 'token_revoked' });
    expect(await call(app, before.userToken)).toEqual({ ok: false, error: 'token_revoked' });
    expect(await call(app, after.botToken)).toMatchObject({ ok: true });
    expect(await firstStart.ensure()).toEqual(after);
    await app.stop();
  });

  it('accepts fixed credentials, and replaces them when the settings change', async () => {
    const start = await emptyStore();
    const fixed = (letter: string) => ({
      SVC_DEFAULT_BOT_TOKEN: `xoxb-000000000000-${letter.repeat(24)}`,
      SVC_DEFAULT_USER_TOKEN: `xoxp-000000000000-${letter.repeat(24)}`,
      SVC_DEFAULT_APP_TOKEN: `xapp-1-A0FIXED0001-0000000000000-${letter.repeat(64)}`,
      SVC_DEFAULT_API_KEY: `svc_api_${letter.repeat(40)}`,
      SVC_ADMIN_PASSWORD: letter.repeat(10),
    });
    const first = await start(fixed('a'));
    expect(await first.firstStart.ensure()).toMatchObject({
      botToken: fixed('a').SVC_DEFAULT_BOT_TOKEN,
      userToken: fixed('a').SVC_DEFAULT_USER_TOKEN,
      appToken: fixed('a').SVC_DEFAULT_APP_TOKEN,
      apiKey: fixed('a').SVC_DEFAULT_API_KEY,
      adminPassword: 'aaaaaaaaaa',
    });
    await expect(first.firstStart.rotate()).rejects.toThrow(
      /SVC_DEFAULT_BOT_TOKEN and SVC_DEFAULT_USER_TOKEN and SVC_DEFAULT_APP_TOKEN and SVC_DEFAULT_API_KEY fix the tokens/,
    );
    await first.app.stop();

    const second = await start(fixed('b'));
    await second.firstStart.ensure();
    expect(await call(second.app, fixed('a').SVC_DEFAULT_BOT_TOKEN)).toEqual({ ok: false, error: 'token_revoked' });
    expect(await call(second.app, fixed('b').SVC_DEFAULT_BOT_TOKEN)).toMatchObject({ ok: true });
    const [admin] = (await second.app.store.dataSource.query('SELECT password_hash AS hash FROM accounts')) as [
      { hash: string },
    ];
    expect(await new Passwords().verify(admin.hash, 'bbbbbbbbbb')).toBe(true);
    await second.app.stop();

    // the id of the app is fixed by the first start
    const foreign = await start({
      ...fixed('b'),
      SVC_DEFAULT_APP_TOKEN: `xapp-1-A0OTHER0001-0000000000000-${'b'.repeat(64)}`,
    });
    await expect(foreign.firstStart.ensure()).rejects.toThrow(
      "SVC_DEFAULT_APP_TOKEN names another app than this store's default app, which is A0FIXED0001",
    );
    await foreign.app.stop();

    const third = await start(fixed('a'));
    await third.firstStart.ensure();
    expect(await call(third.app, fixed('a').SVC_DEFAULT_BOT_TOKEN)).toMatchObject({ ok: true });
    expect(await call(third.app, fixed('b').SVC_DEFAULT_BOT_TOKEN)).toEqual({ ok: false, error: 'token_revoked' });
    await third.app.stop();
  });
});
