import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { newHex } from '../../src/kernel/ids/ids.js';
import { createDatabase, onPostgres, serverUrl } from '../support/databases.js';
import { Load, SETTINGS, CREDENTIALS } from '../support/load.js';
import { eventually } from '../support/receiver.js';
import { scratchFolder } from '../support/scratch.js';
import { ensureBuilt, ServerProcess } from '../support/server-process.js';
import { snippet } from '../support/snippets.js';
import { storedTexts } from '../support/stored-texts.js';

const folder = scratchFolder();

/** Runs lines of a document in a shell in the spec's folder. */
function shell(lines: string, env: Record<string, string> = {}): void {
  const path = { PATH: process.env['PATH'] ?? '', HOME: folder };
  const ended = spawnSync('sh', ['-ec', lines], { cwd: folder, encoding: 'utf8', env: { ...path, ...env } });
  if (ended.status !== 0) throw new Error(`${lines}\nended with ${ended.status}: ${ended.stderr}`);
}

const hasTools = ['pg_dump', 'pg_restore', 'createdb'].every((tool) => spawnSync(tool, ['--version']).status === 0);

async function keyIsGood(server: ServerProcess, key: string): Promise<boolean> {
  const response = await fetch(`${server.baseUrl}/graphql`, {
    method: 'POST',
    headers: { authorization: key, 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ viewer { id } }' }),
  });
  return response.status === 200;
}

async function generalOf(server: ServerProcess): Promise<string> {
  const { channels } = await server.call('conversations.list', CREDENTIALS.bot_token);
  return (channels as { id: string; name: string }[]).find(({ name }) => name === 'general')?.id as string;
}

describe('the documented commands for operators', { timeout: 180_000 }, () => {
  beforeAll(ensureBuilt, 300_000);

  it.skipIf(serverUrl === undefined || !hasTools)(
    `back up PostgreSQL under load and restore it elsewhere with all credentials and acknowledged posts${onPostgres}`,
    async () => {
      const database = await createDatabase();
      onTestFinished(() => database.drop());
      const secret = { SVC_SECRET_KEY: `k1:${'0c'.repeat(32)}` };
      const env = { ...SETTINGS, ...secret, SVC_JWT_SECRET: newHex(64) };
      const first = await ServerProcess.start({ ...env, DATABASE_URL: database.url });
      const channel = await generalOf(first);
      const headers = { 'content-type': 'application/json' };
      const login = async (server: ServerProcess, path: string, body: object): Promise<Record<string, string>> =>
        (await (
          await fetch(`${server.baseUrl}/api/auth/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
        ).json()) as Record<string, string>;
      const person = { email: 'pat@example.com', password: 'pats-password', name: 'pat' };
      const session = await login(first, 'signup', person);

      const load = new Load([first.baseUrl], channel);
      await eventually(() => load.posts.length >= 30, 'load');
      const before = load.acknowledged;
      shell(snippet('docs/OPERATIONS.md#backup-and-restore/1').text, { DATABASE_URL: database.url });
      await eventually(() => load.posts.length >= before.length + 10, 'load while it was backed up');
      await load.stop();
      await first.kill('SIGTERM');

      const name = `understudy_restored_${newHex(8)}`;
      const lines = snippet('docs/OPERATIONS.md#backup-and-restore/2')
        .text.replaceAll('understudy_restored', name)
        .split('\n');
      const [start] = lines.splice(-1);
      expect(start).toBe('DATABASE_URL="$RESTORED" npm run start:prod');
      shell(lines.join('\n'), { DATABASE_URL: database.url });
      const restored = new URL(database.url);
      restored.pathname = `/${name}`;
      onTestFinished(async () => {
        const client = new pg.Client({ connectionString: database.url });
        await client.connect();
        await client.query(`DROP DATABASE ${name} WITH (FORCE)`);
        await client.end();
      });

      const second = await ServerProcess.start({ ...env, DATABASE_URL: restored.href });
      try {
        for (const token of [CREDENTIALS.bot_token, CREDENTIALS.user_token])
          expect(await second.call('auth.test', token)).toMatchObject({ ok: true });
        expect(await keyIsGood(second, CREDENTIALS.api_key)).toBe(true);
        expect(await storedTexts(second, CREDENTIALS.bot_token, channel)).toEqual(expect.arrayContaining(before));
        expect(await login(second, 'login', person)).toHaveProperty('accessToken');
        const { refreshToken } = session;
        expect(await login(second, 'refresh', { refreshToken })).toHaveProperty('accessToken');
        const posted = await second.call('chat.postMessage', CREDENTIALS.bot_token, { channel, text: 'restored' });
        expect(posted).toMatchObject({ ok: true });
      } finally {
        await second.kill('SIGTERM');
      }
    },
  );

  it('copy and restore the embedded database', async () => {
    const env = { ...SETTINGS, SVC_DATA_DIR: join(folder, '.understudy') };
    const first = await ServerProcess.start(env);
    const channel = await generalOf(first);
    await first.call('chat.postMessage', CREDENTIALS.bot_token, { channel, text: 'in the copy' });
    await first.kill('SIGTERM');
    shell(snippet('docs/OPERATIONS.md#backup-and-restore/3').text);
    const second = await ServerProcess.start(env);
    await second.call('chat.postMessage', CREDENTIALS.bot_token, { channel, text: 'later' });
    await second.kill('SIGTERM');
    shell(snippet('docs/OPERATIONS.md#backup-and-restore/4').text);
    expect(existsSync(join(folder, '.understudy'))).toBe(true);
    const third = await ServerProcess.start(env);
    expect(await storedTexts(third, CREDENTIALS.bot_token, channel)).toEqual(['in the copy']);
    expect(await keyIsGood(third, CREDENTIALS.api_key)).toBe(true);
    await third.kill('SIGTERM');
  });
});
