import pg from 'pg';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createDatabase, onPostgres, serverUrl } from '../support/databases.js';
import { attempt, CREDENTIALS, SETTINGS, refusedCleanly, succeeded, type Outcome } from '../support/load.js';
import { eventually } from '../support/receiver.js';
import { ensureBuilt, ServerProcess } from '../support/server-process.js';

describe.skipIf(serverUrl === undefined)(`a read-only database, such as a standby${onPostgres}`, () => {
  beforeAll(ensureBuilt, 300_000);

  it('is treated as unavailable: 503 and not ready, until it accepts writes', { timeout: 120_000 }, async () => {
    const database = await createDatabase();
    onTestFinished(database.drop);
    const admin = async (isStandby: boolean): Promise<void> => {
      const client = new pg.Client({ connectionString: serverUrl });
      await client.connect();
      const name = new URL(database.url).pathname.slice(1);
      await client.query(`ALTER DATABASE ${name} SET default_transaction_read_only = ${isStandby ? 'on' : 'off'}`);
      await client.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
      await client.end();
    };
    const server = await ServerProcess.start({ DATABASE_URL: database.url, ...SETTINGS });
    onTestFinished(async () => void (await server.kill('SIGTERM')));
    const post = (): Promise<Outcome> =>
      attempt(`${server.baseUrl}/api/chat.postMessage`, `Bearer ${CREDENTIALS.bot_token}`, {
        channel: '#general',
        text: 'x',
      });
    const readiness = async (): Promise<number> => (await fetch(`${server.baseUrl}/api/health/ready`)).status;
    expect(await post()).toSatisfy(succeeded);

    await admin(true);
    await eventually(async () => (await readiness()) === 503, 'not ready');
    const outcomes = await Promise.all(Array.from({ length: 20 }, post));
    expect(outcomes.filter((outcome) => !refusedCleanly(outcome))).toEqual([]);

    await admin(false);
    await eventually(async () => succeeded(await post()), 'serves again');
    expect(await readiness()).toBe(200);
  });
});
