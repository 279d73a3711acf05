import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FirstStart } from '../../src/tenants/first-start.js';
import { TestApp } from '../support/app.js';
import { createDatabase, serverUrl } from '../support/databases.js';
import { bearer, send } from '../support/sandbox-routes.js';

// docs/reference/sandboxes.md#reset
describe('A reset of the default workspace', () => {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-rotation-'));
  let app: TestApp;
  let drop: (() => Promise<void>) | undefined;

  beforeAll(async () => {
    const database = serverUrl === undefined ? undefined : await createDatabase();
    drop = database?.drop;
    const store: Record<string, string> = database ? { DATABASE_URL: database.url } : { SVC_DATA_DIR: folder };
    app = await TestApp.start({ SVC_ADMIN_TOKEN: '', ...store });
  });
  afterAll(async () => {
    await app.stop();
    await drop?.();
    rmSync(folder, { recursive: true, force: true });
  });

  it('keeps rotated credentials: the old ones stay revoked and the new ones valid', async () => {
    const firstStart = app.nest.get(FirstStart, { strict: false });
    const before = await firstStart.ensure();
    const after = await firstStart.rotate();
    const ok = async (token: string): Promise<unknown> =>
      (await send(app, 'POST', '/api/auth.test', bearer(token))).body.ok;
    expect([await ok(before.botToken), await ok(after.botToken)]).toEqual([false, true]);
    const reset = await send(app, 'POST', '/api/sandboxes/default/reset', bearer(after.userToken), {});
    expect(reset.status, JSON.stringify(reset.body)).toBe(200);
    expect([await ok(before.botToken), await ok(before.userToken)]).toEqual([false, false]);
    expect([await ok(after.botToken), await ok(after.userToken)]).toEqual([true, true]);
    const viewer = (key: string) =>
      send(app, 'POST', '/graphql', { authorization: key }, { query: '{ viewer { id } }' });
    expect((await viewer(before.apiKey)).body.errors).toHaveLength(1);
    expect((await viewer(after.apiKey)).body.data.viewer.id).toEqual(expect.any(String));
    // the next start still finds the rotated credentials
    expect((await firstStart.ensure()).botToken).toBe(after.botToken);
  });
});
