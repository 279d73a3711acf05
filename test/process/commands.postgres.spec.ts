import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, onPostgres, serverUrl } from '../support/databases.js';
import { reservedPort } from '../support/ports.js';
import { scratchFolder } from '../support/scratch.js';
import { command, ensureBuilt, ServerProcess } from '../support/server-process.js';

interface Tokens {
  readonly base_url: string;
}

async function tokens(env: Record<string, string>, ...words: string[]): Promise<Tokens> {
  const { stdout, stderr, code } = await command(['tokens', ...words, '--json'], env);
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as Tokens;
}

describe.skipIf(serverUrl === undefined)(`commands on PostgreSQL${onPostgres}`, { timeout: 120_000 }, () => {
  const folder = scratchFolder();
  beforeAll(ensureBuilt, 300_000);

  it('print the tokens of a store that they open themselves', async () => {
    const database = await createDatabase();
    const env = { DATABASE_URL: database.url, PORT: '4321', SVC_DATA_DIR: join(folder, 'unused') };
    const first = await tokens(env);
    expect(first.base_url).toBe('http://127.0.0.1:4321');
    expect(await tokens(env)).toEqual(first);
    expect(await tokens(env, 'rotate')).not.toEqual(first);
    expect(() => statSync(env.SVC_DATA_DIR)).toThrow(/ENOENT/); // nothing is written to disk
    await database.drop();
  });

  it('find a server by its port', async () => {
    const database = await createDatabase();
    const temporary = join(folder, 'tmp');
    mkdirSync(temporary);
    const env = { PORT: String(await reservedPort()), TMPDIR: temporary };
    const server = await ServerProcess.start({ ...env, DATABASE_URL: database.url });
    const made = await command(['sandbox', 'create', '--env'], { ...env, SVC_DATA_DIR: join(folder, 'unused') });
    expect([made.code, made.stderr]).toEqual([0, '']);
    expect(made.stdout).toMatch(/^export SLACK_BOT_TOKEN=xoxb-/m);
    await server.kill('SIGTERM');
    await database.drop();
  });

  it('migrate an empty store, and report the second time that it is up to date', async () => {
    const database = await createDatabase();
    const env = { DATABASE_URL: database.url };
    expect((await command(['migrate'], env)).stdout).toMatch(/^Applied \d+ migrations\.\n$/);
    expect(await command(['migrate'], env)).toMatchObject({
      code: 0,
      stdout: 'The schema is up to date.\n',
      stderr: '',
    });
    await database.drop();
  });
});
