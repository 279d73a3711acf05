import { spawn, type ChildProcess } from 'node:child_process';
import { chownSync, existsSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { attempt, CREDENTIALS, SETTINGS, succeeded } from '../support/load.js';
import { createDatabase, onPostgres, serverUrl } from '../support/databases.js';
import { reservedPort } from '../support/ports.js';
import { eventually } from '../support/receiver.js';
import { scratchFolder } from '../support/scratch.js';
import { command, ensureBuilt, ServerProcess } from '../support/server-process.js';

const PROGRAM = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', '/opt/homebrew/bin/pgbouncer'].find(existsSync);
const noPooler = PROGRAM === undefined ? ' (skipped: no PgBouncer is installed)' : '';
const isRoot = process.getuid?.() === 0;

const canConnect = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });

describe.skipIf(serverUrl === undefined || noPooler !== '')(
  `a PgBouncer in front of PostgreSQL${onPostgres || noPooler}`,
  { timeout: 120_000 },
  () => {
    const folder = scratchFolder();
    const poolers: ChildProcess[] = [];
    beforeAll(ensureBuilt, 300_000);
    afterEach(() => poolers.splice(0).forEach((pooler) => pooler.kill('SIGTERM')));

    /** Starts one with its defaults except for the mode, and answers the database URL through it. */
    async function pooler(mode: 'session' | 'transaction', database: string): Promise<string> {
      const [url, port] = [new URL(database), await reservedPort()];
      const [config, users] = [join(folder, `${mode}.ini`), join(folder, 'users.txt')];
      writeFileSync(users, `"${url.username}" "${url.password}"\n`);
      writeFileSync(
        config,
        `[databases]\n* = host=${url.hostname} port=${url.port || 5432}\n[pgbouncer]\nlisten_addr = 127.0.0.1\n` +
          `listen_port = ${port}\nunix_socket_dir =\nauth_type = trust\nauth_file = ${users}\npool_mode = ${mode}\n`,
      );
      // PgBouncer refuses to run as root
      if (isRoot) for (const path of [folder, config, users]) chownSync(path, 65_534, 65_534);
      const user = isRoot ? { uid: 65_534, gid: 65_534 } : {};
      poolers.push(spawn(PROGRAM as string, [config], { ...user, stdio: 'ignore' }));
      await eventually(() => canConnect(port), 'the pooler listens');
      url.host = `127.0.0.1:${port}`;
      return url.href;
    }

    it('works in session mode, with settings that it does not pass on at the start of a session', async () => {
      const database = await createDatabase();
      onTestFinished(database.drop);
      const env = { DATABASE_URL: await pooler('session', database.url), ...SETTINGS };
      const server = await ServerProcess.start(env);
      const outcome = await attempt(`${server.baseUrl}/api/chat.postMessage`, `Bearer ${CREDENTIALS.bot_token}`, {
        channel: '#general',
        text: 'through the pooler',
      });
      expect(outcome).toSatisfy(succeeded);
      await server.kill('SIGTERM');
    });

    it('is refused in transaction mode with one message, before anything is changed', async () => {
      const database = await createDatabase();
      onTestFinished(database.drop);
      const env = { DATABASE_URL: await pooler('transaction', database.url), ...SETTINGS };
      const ended = await command(['tokens'], env);
      expect(ended.code).toBe(1);
      expect(ended.stderr).toContain('a pooler in transaction mode, which cannot be used');
    });
  },
);

describe.skipIf(serverUrl === undefined)(`the connections of a process${onPostgres}`, { timeout: 120_000 }, () => {
  beforeAll(ensureBuilt, 300_000);

  it('are no more than the start reports, however many clients call', async () => {
    const database = await createDatabase();
    onTestFinished(database.drop);
    const env = { DATABASE_URL: database.url, SVC_DATABASE_POOL_SIZE: '3', ...SETTINGS };
    const server = await ServerProcess.start(env);
    onTestFinished(async () => void (await server.kill('SIGTERM')));
    const started = server.running.stderr.split('\n').find((line) => line.includes('listening on')) as string;
    expect(JSON.parse(started)).toMatchObject({ connections: 5 });

    const watcher = new pg.Client({ connectionString: database.url });
    await watcher.connect();
    onTestFinished(() => watcher.end());
    let most = 0;
    let ended = false;
    const watching = (async () => {
      while (!ended) {
        const { rows } = await watcher.query<{ held: number }>(
          `SELECT count(*)::int AS held FROM pg_stat_activity WHERE datname = current_database()
           AND backend_type = 'client backend' AND pid <> pg_backend_pid()`,
        );
        most = Math.max(most, rows[0]?.held ?? 0);
      }
    })();
    const outcomes = await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        attempt(`${server.baseUrl}/api/chat.postMessage`, `Bearer ${CREDENTIALS.bot_token}`, {
          channel: '#general',
          text: `post ${i}`,
        }),
      ),
    );
    ended = true;
    await watching;
    expect(outcomes.filter((outcome) => !succeeded(outcome))).toEqual([]);
    // the pool was exhausted, so the limit took effect
    expect(most).toBeGreaterThanOrEqual(3);
    expect(most).toBeLessThanOrEqual(5);
  });
});
