import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHECKOUT } from '../support/image.js';
import { Reader } from '../support/reader.js';
import { eventually } from '../support/receiver.js';
import { scratchFolder } from '../support/scratch.js';
import { ensureBuilt, Running, ServerProcess } from '../support/server-process.js';
import { snippet, textOf } from '../support/snippets.js';

/** What README shows of a start. */
const SAMPLE = textOf('README.md');
const shown = (name: string): string => new RegExp(`^  ${name} +(\\S+)`, 'm').exec(SAMPLE)?.[1] as string;

/** Expects the fields of the sample, also of nested objects; an ellipsis stands for more. */
function expectFields(sample: object, real: object): void {
  const entries = Object.entries(sample).filter(([name]) => name !== '…');
  if (entries.length === Object.keys(sample).length)
    expect(Object.keys(real).sort()).toEqual(Object.keys(sample).sort());
  for (const [name, value] of entries) {
    const other = (real as Record<string, unknown>)[name];
    expect(typeof other, name).toBe(typeof value);
    if (typeof value === 'object') expectFields(value as object, other as object);
  }
}

describe('README', { timeout: 120_000 }, () => {
  const [folder, scratch] = [scratchFolder(), scratchFolder()];
  let server: ServerProcess;
  let reader: Reader;

  beforeAll(async () => {
    ensureBuilt();
    server = await ServerProcess.start(
      {
        SVC_DATA_DIR: join(folder, '.understudy'),
        SVC_DEFAULT_BOT_TOKEN: shown('Bot token'),
        SVC_DEFAULT_USER_TOKEN: shown('User token'),
        SVC_DEFAULT_APP_TOKEN: shown('App token'),
        SVC_DEFAULT_API_KEY: shown('API key'),
      },
      ['--print-credentials'],
    );
    reader = new Reader(folder, { '127.0.0.1:3000': new URL(server.baseUrl).host });
  }, 300_000);

  afterAll(async () => {
    await reader.stop();
    await server.kill('SIGTERM');
  });

  it('shows the output of a start', async () => {
    await eventually(() => server.running.stdout.includes('Ctrl+C'), 'a welcome');
    const rows = (text: string): string[] =>
      Array.from(text.matchAll(/^ {2}([A-Z][\w ]*?) {2,}\S/gm), ([, name]) => name as string);
    expect(rows(server.running.stdout)).toEqual(rows(SAMPLE));
    for (const name of ['Bot token', 'User token', 'App token', 'API key'])
      expect(server.running.stdout).toContain(shown(name));
  });

  it('starts a server with its first command', async () => {
    const env = { PATH: process.env['PATH'] ?? '', HOME: folder, PORT: '0', SVC_DATA_DIR: 'memory' };
    const command = snippet('README.md#start/1').text;
    const child = spawn('sh', ['-c', command], {
      cwd: CHECKOUT,
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const running = new Running(child);
    try {
      await expect.poll(() => running.stdout, { timeout: 60_000 }).toContain('is ready.');
    } finally {
      process.kill(-(child.pid as number), 'SIGTERM'); // npm, its shell and the server
      await running.ended;
    }
  });

  it('shows a first call with its real answer', () => {
    const answer = JSON.parse(reader.run('README.md#start/2')) as object;
    expect(answer).toMatchObject({ ok: true, message: { text: 'Hello from curl' } });
    expectFields(JSON.parse(snippet('README.md#start/3').text) as object, answer);
  });

  it('points the official clients to a sandbox', async () => {
    reader.run('README.md#build-an-app/1');
    expect(await reader.start('README.md#build-an-app/2').ended).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^posted at \d+\.\d{6}\n$/),
    });
    const bot = reader.start('README.md#build-an-app/3');
    await eventually(() => bot.stdout.includes('listens'), 'the bot connected');
    const answer = JSON.parse(reader.run('README.md#build-an-app/4')) as {
      replies: { messages: { text: string }[] };
    };
    expect(answer.replies.messages).toMatchObject([{ text: 'pong' }]);
    expect(await reader.start('README.md#build-an-app/6').ended).toMatchObject({
      code: 0,
      stdout: '0 issues\n',
      stderr: '',
    });
    const history = reader.sh(
      'curl -sS "$SVC_API_URL/search.messages" -H "Authorization: Bearer $SLACK_USER_TOKEN" -d query=Hello',
    );
    expect(history).toContain('"text":"Hello"');
  });

  it('tests a bot in a sandbox of a server that it starts', async () => {
    const { code, stdout, stderr } = await reader.start('README.md#test-a-bot/1').ended;
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(stdout).toMatch(/SLACK_BOT_TOKEN: 'xoxb-/);
    expect(stdout).toMatch(/^deploy <@U0[0-9A-Z]{9}>$/m);
  });

  it('grades what was done in a sandbox', async () => {
    const ended = await reader.start('README.md#grade-an-agent/1').ended;
    expect(ended).toMatchObject({ code: 0, stdout: "[ 'I am on it' ]\n", stderr: '' });
  });

  it('fits on a few screens', () => {
    expect(SAMPLE.split('\n').length).toBeLessThan(200);
  });

  it('provisions a workspace', async () => {
    const token = 'the-token-of-operators';
    const other = await ServerProcess.start({ SVC_DATA_DIR: 'memory', SVC_ADMIN_TOKEN: token });
    const operator = new Reader(scratch, { '127.0.0.1:3000': new URL(other.baseUrl).host }, { SVC_ADMIN_TOKEN: token });
    const answer = operator.run('README.md#run-it-for-a-team/2');
    await other.kill('SIGTERM');
    expect(JSON.parse(answer)).toMatchObject({
      team: { name: 'Acme' },
      users: [{ name: 'alice', access_token: expect.any(String) }],
      channels: [{ name: 'war-room' }],
    });
  });
});
