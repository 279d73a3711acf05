import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, onPostgres, serverUrl } from '../support/databases.js';
import { noServer } from '../support/native-postgres.js';
import { scratchFolder } from '../support/scratch.js';
import { ensureBuilt, ServerProcess } from '../support/server-process.js';
import { storedTexts } from '../support/stored-texts.js';

beforeAll(ensureBuilt, 300_000);

const TOKENS = {
  SVC_DEFAULT_BOT_TOKEN: `xoxb-000000000000-${'k'.repeat(24)}`,
  SVC_RATE_LIMIT_MULTIPLIER: '0',
};
const BOT = TOKENS.SVC_DEFAULT_BOT_TOKEN;

/** Posts over several connections until the process is killed; answers the acknowledged posts. */
async function postUntilKilled(server: ServerProcess): Promise<{ channel: string; acknowledged: string[] }> {
  const acknowledged: string[] = [];
  let channel = '';
  let number = 0;
  let killed = false;
  const post = async (): Promise<void> => {
    while (!killed) {
      const text = `message ${number++}`;
      const answer = await server.call('chat.postMessage', BOT, { channel: '#general', text }).catch(() => null);
      if (!answer?.ok) return;
      channel = answer.channel;
      acknowledged.push(text);
      if (acknowledged.length === 200) {
        killed = true;
        await server.kill('SIGKILL');
      }
    }
  };
  await Promise.all(Array.from({ length: 16 }, post));
  return { channel, acknowledged };
}

describe('a process that is killed during posts', { timeout: 120_000 }, () => {
  const folder = scratchFolder();

  async function losesNothing(env: Record<string, string>): Promise<void> {
    const { channel, acknowledged } = await postUntilKilled(await ServerProcess.start({ ...env, ...TOKENS }));
    expect(acknowledged.length).toBeGreaterThanOrEqual(200);
    const again = await ServerProcess.start({ ...env, ...TOKENS });
    const kept = new Set(await storedTexts(again, BOT, channel));
    expect(acknowledged.filter((text) => !kept.has(text))).toEqual([]);
    expect(await again.call('chat.postMessage', BOT, { channel, text: 'and on' })).toMatchObject({ ok: true });
    await again.kill('SIGTERM');
  }

  it('keeps every acknowledged message on the embedded database', () =>
    losesNothing({ SVC_DATA_DIR: join(folder, 'data') }));

  it.skipIf(serverUrl === undefined)(`keeps every acknowledged message on PostgreSQL${onPostgres}`, async () => {
    const database = await createDatabase();
    await losesNothing({ DATABASE_URL: database.url });
    await database.drop();
  });
});

describe('a server whose embedded database dies during a query', { timeout: 120_000 }, () => {
  const folder = scratchFolder();

  /** Makes calls before and after the database is killed. */
  async function endsClearly(env: Record<string, string>, kill: (server: ServerProcess) => void): Promise<void> {
    const server = await ServerProcess.start({ ...env, ...TOKENS });
    const calls: Promise<unknown>[] = [];
    const call = (): void => {
      calls.push(
        server.call('chat.postMessage', BOT, { channel: '#general', text: 'x' }).then(
          () => 'answered',
          () => 'failed',
        ),
      );
    };
    for (let i = 0; i < 50; i++) call();
    await calls[0];
    kill(server);
    for (let i = 0; i < 50; i++) call();
    const ended = await server.ended;

    expect(ended.code).toBe(1);
    const lines = ended.stderr.split('\n').filter((line) => !line.startsWith('{') && line !== '');
    expect(lines).toEqual([expect.stringMatching(/^The embedded database died: .+/)]);
    expect(await Promise.all(calls)).toContain('failed');
  }

  it.skipIf(noServer !== '')(`exits with one clear line and code 1, and no call hangs${noServer}`, async () => {
    const data = join(folder, 'data');
    const mark = join(data, 'postgres', 'postmaster.pid');
    const kill = (): void => void process.kill(Number.parseInt(readFileSync(mark, 'utf8'), 10), 'SIGKILL');
    await endsClearly({ SVC_DATA_DIR: data }, kill);
  });

  it('does so with PGlite too', () => {
    // as a URL, since NODE_OPTIONS splits at spaces
    const preload = new URL('../support/preload-killer.mjs', import.meta.url).href;
    const env = { SVC_DATA_DIR: 'memory', SVC_EMBEDDED_ENGINE: 'pglite', NODE_OPTIONS: `--import ${preload}` };
    return endsClearly(env, (server) => void server.kill('SIGUSR2'));
  });
});
