import pg from 'pg';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { attempt, CREDENTIALS, SETTINGS, succeeded } from '../support/load.js';
import { createDatabase, onPostgres, serverUrl } from '../support/databases.js';
import { canRunPgBouncer, onPgBouncer, PgBouncer } from '../support/pgbouncer.js';
import { command, ensureBuilt, ServerProcess } from '../support/server-process.js';

describe.skipIf(serverUrl === undefined || !canRunPgBouncer)(
  `a PgBouncer in front of PostgreSQL${onPostgres || onPgBouncer}`,
  { timeout: 120_000 },
  () => {
    beforeAll(ensureBuilt, 300_000);

    /** Starts one, and answers the database URL through it. */
    async function through(mode: 'session' | 'transaction', database: string): Promise<string> {
      const pooler = await PgBouncer.to(database, { mode });
      onTestFinished(() => pooler.drop());
      return pooler.through(database);
    }

    it('works in session mode, with settings that it does not pass on at the start of a session', async () => {
      const database = await createDatabase();
      onTestFinished(database.drop);
      const env = { DATABASE_URL: await through('session', database.url), ...SETTINGS };
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
      const env = { DATABASE_URL: await through('transaction', database.url), ...SETTINGS };
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
