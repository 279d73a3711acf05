import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { FirstStart } from '../../src/tenants/first-start.js';
import { TestApp } from '../support/app.js';
import { createDatabase, serverUrl } from '../support/databases.js';
import { bearer, send } from '../support/sandbox-routes.js';

// docs/reference/sandboxes.md#seed-file
describe('SVC_SEED_FILE', () => {
  const cleanups: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  /** A server on an empty store, which still has to create its default workspace. */
  async function serverWith(
    name: string,
    text: string,
  ): Promise<{ app: TestApp; firstStart: FirstStart; rewrite: (text: string) => void }> {
    const folder = mkdtempSync(join(tmpdir(), 'understudy-seed-'));
    cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(join(folder, name), text);
    const env: Record<string, string> = { SVC_SEED_FILE: join(folder, name), SVC_ADMIN_TOKEN: '' };
    if (serverUrl === undefined) env['SVC_DATA_DIR'] = join(folder, 'data');
    else {
      const database = await createDatabase();
      env['DATABASE_URL'] = database.url;
      cleanups.push(database.drop);
    }
    const app = await TestApp.start(env);
    cleanups.push(() => app.stop());
    return {
      app,
      firstStart: app.nest.get(FirstStart, { strict: false }),
      rewrite: (other) => writeFileSync(join(folder, name), other),
    };
  }

  it('is seeded into the default workspace at the first start only, as part of its baseline', async () => {
    const { app, firstStart } = await serverWith(
      'team.yaml',
      `users: [{ name: alice }]
channels:
  - name: war-room
    members: [alice, default-app]
    messages: [{ as: alice, text: "for <@alice>", ref: hello }]
tracker: { teams: [{ key: OPS, issues: [{ title: First, assignee: alice }] }] }
`,
    );
    const tenant = await firstStart.ensure();
    const person = bearer(tenant.userToken);
    const counts = { users: 2, channels: 3, messages: 1, issues: 1 };
    expect((await send(app, 'GET', '/api/sandboxes/default', person)).body.counts).toEqual(counts);
    const posted = await send(app, 'POST', '/api/chat.postMessage', bearer(tenant.botToken), {
      channel: 'war-room',
      text: 'x',
    });
    expect(posted.body.ok, JSON.stringify(posted.body)).toBe(true);
    expect((await send(app, 'POST', '/api/sandboxes/default/reset', person, {})).status).toBe(200);
    await firstStart.ensure();
    expect((await send(app, 'GET', '/api/sandboxes/default', person)).body.counts).toEqual(counts);
  });

  it('is refused with one line for each fault, and nothing is created', async () => {
    const { app, firstStart } = await serverWith(
      'team.json',
      JSON.stringify({
        team: { name: 'no' },
        users: [{ name: 'Not A Handle' }],
        channels: [{ name: 'ops', messages: [{ as: 'admin' }] }],
      }),
    );
    const failed = await firstStart.ensure().catch((error: unknown) => error as Error);
    const lines = (failed as Error).message.split('\n');
    expect(lines.map((line) => line.replace(/^SVC_SEED_FILE \S+ /, ''))).toEqual([
      'team: only a new sandbox takes it',
      'users[0].name: must be 1 to 80 of a-z, 0-9, ".", "_" and "-", beginning with a letter or digit',
      'channels[0].messages[0]: must have a text, blocks or attachments',
    ]);
    const left = await app.store.dataSource.query('SELECT count(*)::int AS count FROM tenants');
    expect(left).toEqual([{ count: 0 }]);
  });

  it('is refused for unknown names, and when it is not a document', async () => {
    const { firstStart, rewrite } = await serverWith('a.yaml', 'channels: [{ name: ops, members: [nobody] }]');
    await expect(firstStart.ensure()).rejects.toThrow(
      /a\.yaml: channels\[0\]\.members\[0\]: no user or app has the name "nobody"$/,
    );
    rewrite('channels: [');
    await expect(firstStart.ensure()).rejects.toThrow(/a\.yaml: line 1/);
  });
});
