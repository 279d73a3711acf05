import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { reservedPort } from '../support/ports.js';
import { eventually } from '../support/receiver.js';
import { scratchFolder } from '../support/scratch.js';
import { command, ensureBuilt, ServerProcess } from '../support/server-process.js';

beforeAll(ensureBuilt, 300_000);

interface Tokens {
  base_url: string;
  team_id: string;
  bot_token: string;
  user_token: string;
  app_token: string;
  api_key: string;
}

async function tokens(args: string[], env: Record<string, string>): Promise<Tokens> {
  const { stdout, stderr, code } = await command(args, env);
  expect(stderr).toBe('');
  expect(code).toBe(0);
  const document = JSON.parse(stdout) as Tokens;
  expect(Object.keys(document)).toEqual(['base_url', 'team_id', 'bot_token', 'user_token', 'app_token', 'api_key']);
  return document;
}

describe('understudy tokens', { timeout: 120_000 }, () => {
  const folder = scratchFolder();

  it('asks a running server with the embedded database, and opens the store when none runs', async () => {
    const env = { SVC_DATA_DIR: join(folder, 'asked') };
    const server = await ServerProcess.start(env);
    const beside = await tokens(['tokens', '--json'], env);
    expect(beside.base_url).toBe(server.baseUrl);
    expect(await server.call('auth.test', beside.bot_token)).toMatchObject({ ok: true, team_id: beside.team_id });
    expect(await server.call('auth.test', beside.user_token)).toMatchObject({ ok: true, user: 'admin' });

    const keyWorks = async (key: string): Promise<number> =>
      (
        await fetch(`${server.baseUrl}/graphql`, {
          method: 'POST',
          headers: { authorization: key, 'content-type': 'application/json' },
          body: '{"query":"{ viewer { id } }"}',
        })
      ).status;
    expect(await keyWorks(beside.api_key)).toBe(200);

    const rotated = await tokens(['tokens', 'rotate', '--json'], env);
    expect(await keyWorks(beside.api_key)).toBe(401);
    expect(await keyWorks(rotated.api_key)).toBe(200);
    expect(await server.call('auth.test', beside.bot_token)).toEqual({ ok: false, error: 'token_revoked' });
    expect(await server.call('auth.test', beside.user_token)).toEqual({ ok: false, error: 'token_revoked' });
    expect(await server.call('auth.test', rotated.bot_token)).toMatchObject({ ok: true });
    await server.kill('SIGKILL'); // the file with its address remains

    const { bot_token, user_token, team_id } = await tokens(['tokens', '--json'], env);
    expect({ bot_token, user_token, team_id }).toEqual({
      bot_token: rotated.bot_token,
      user_token: rotated.user_token,
      team_id: rotated.team_id,
    });
    const readable = await command(['tokens'], env);
    expect(readable.stdout).toContain(`Bot token   ${bot_token}\n`);
  });

  it('requires reading the secret, which only its user can', async () => {
    const env = { SVC_DATA_DIR: join(folder, 'secret') };
    const server = await ServerProcess.start(env);
    const file = join(env.SVC_DATA_DIR, 'operator.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { port, secret } = JSON.parse(readFileSync(file, 'utf8')) as { port: number; secret: string };
    const ask = async (given: string | null, path = '/tokens'): Promise<number> =>
      (
        await fetch(`http://127.0.0.1:${port}${path}`, {
          method: 'POST',
          headers: given === null ? {} : { 'x-operator-secret': given },
        })
      ).status;

    expect(await ask(null)).toBe(404);
    expect(await ask(`${secret.slice(0, -1)}!`)).toBe(404);
    expect(await ask(secret, '/')).toBe(404);
    expect(await ask(secret)).toBe(200);
    for (const path of ['/tokens', '/api/tokens', '/api/operator/tokens']) {
      expect(
        (await fetch(`${server.baseUrl}${path}`, { method: 'POST', headers: { 'x-operator-secret': secret } })).status,
      ).toBe(404);
    }
    await server.kill('SIGTERM');
    expect(() => statSync(file)).toThrow(/ENOENT/);
  });

  it('reports that there is nothing to read in memory without a server, and asks a running one', async () => {
    const temporary = join(folder, 'tmp');
    mkdirSync(temporary);
    const env = { SVC_DATA_DIR: 'memory', TMPDIR: temporary };
    const none = await command(['tokens'], env);
    expect(none).toMatchObject({ code: 1, stdout: '' });
    expect(none.stderr).toBe(
      'understudy: SVC_DATA_DIR=memory keeps nothing and no server runs, so there is nothing to read\n',
    );

    const server = await ServerProcess.start(env);
    const { bot_token } = await tokens(['tokens', '--json'], env);
    expect(await server.call('auth.test', bot_token)).toMatchObject({ ok: true });
    await server.kill('SIGTERM');
  });

  it('does not rotate tokens that settings fix', async () => {
    const env = {
      SVC_DATA_DIR: join(folder, 'fixed'),
      SVC_DEFAULT_BOT_TOKEN: `xoxb-000000000000-${'f'.repeat(24)}`,
      SVC_DEFAULT_USER_TOKEN: `xoxp-000000000000-${'f'.repeat(24)}`,
      SVC_DEFAULT_APP_TOKEN: `xapp-1-A0${'F'.repeat(9)}-0000000000000-${'f'.repeat(64)}`,
      SVC_DEFAULT_API_KEY: `svc_api_${'f'.repeat(40)}`,
    };
    expect(await tokens(['tokens', '--json'], env)).toMatchObject({ bot_token: env.SVC_DEFAULT_BOT_TOKEN });
    const refused = await command(['tokens', 'rotate'], env);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(
      /^understudy: nothing to rotate: SVC_DEFAULT_BOT_TOKEN and SVC_DEFAULT_USER_TOKEN and SVC_DEFAULT_APP_TOKEN and SVC_DEFAULT_API_KEY fix the tokens.*\n$/,
    );
  });
});

describe('understudy open', { timeout: 120_000 }, () => {
  const folder = scratchFolder();

  it('prints a link into the web UI that works once, as the start in full mode does', async () => {
    const env = { SVC_DATA_DIR: join(folder, 'full'), SVC_MODE: 'full' };
    const server = await ServerProcess.start(env, ['--print-credentials']);
    const shown = () => server.running.stdout;
    await expect.poll(shown, { timeout: 30_000 }).toContain('Ctrl+C');
    expect(shown()).toContain('The link works once, for an hour; npx --no-install understudy open prints another.');
    const follow = async (link: string): Promise<{ status: number; body: Record<string, unknown> }> => {
      const key = new URLSearchParams(new URL(link).hash.slice(1)).get('key');
      const answer = await fetch(`${server.baseUrl}/api/ui/session/link`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
        body: JSON.stringify({ key }),
      });
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
    };
    const printed = /^ *Open {8}(http\S+\/#key=[\w-]{43})$/m.exec(shown())?.[1] as string;
    expect(await follow(printed)).toMatchObject({ status: 200, body: { user: { name: 'admin' }, role: 'owner' } });
    expect(await follow(printed)).toMatchObject({ status: 401, body: { message: 'invalid_link' } });
    const opened = await command(['open', '--to', '/sandboxes'], env);
    expect(opened.code).toBe(0);
    const link = /http\S+#key=\S+/.exec(opened.stdout)?.[0] as string;
    expect(await follow(link)).toMatchObject({ status: 200, body: { to: '/sandboxes' } });
    await server.kill('SIGTERM');
  });
});

describe('understudy', { timeout: 120_000 }, () => {
  const folder = scratchFolder();

  it('migrates an empty store, and reports the second time that it is up to date', async () => {
    const env = { SVC_DATA_DIR: join(folder, 'migrated') };
    const first = await command(['migrate'], env);
    expect(first.stdout).toMatch(/^(Applied|The schema)/); // a store from a template is already up to date
    expect(await command(['migrate'], env)).toMatchObject({
      code: 0,
      stdout: 'The schema is up to date.\n',
      stderr: '',
    });
  });

  it('prints its help', async () => {
    const help = await command(['--help'], {});
    expect(help).toMatchObject({ code: 0, stderr: '' });
    for (const name of ['start', 'tokens', 'migrate']) expect(help.stdout).toMatch(new RegExp(`^ {2}${name}`, 'm'));
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
      version: string;
    };
    expect((await command(['--version'], {})).stdout).toBe(`${version}\n`);
    const unknown = await command(['dance'], {});
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toContain(`unknown command 'dance'`);
  });

  it('exits with the message for invalid settings', async () => {
    const ended = await command(['tokens'], { PORT: 'x' });
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toMatch(/^understudy: PORT must be/);
  });
});

describe('understudy sandbox', { timeout: 120_000 }, () => {
  const folder = scratchFolder();
  const ADMIN_TOKEN = 'an-admin-token-of-the-tests';

  it('works on the server of the data directory, whatever credentials its operators have', async () => {
    for (const [name, own] of Object.entries<Record<string, string>>({
      none: {},
      one: { SVC_ADMIN_TOKEN: ADMIN_TOKEN },
      named: { SVC_ADMIN_TOKENS: `ci:${ADMIN_TOKEN}` },
    })) {
      const env = { SVC_DATA_DIR: join(folder, name) };
      const server = await ServerProcess.start({ ...env, ...own });
      const made = await command(['sandbox', 'create', '--name', name, '--env'], env);
      expect([made.code, made.stderr]).toEqual([0, '']);
      expect(made.stdout).toContain(`export SVC_API_URL=${server.baseUrl}/api\n`);
      const listed = await command(['sandbox', 'list', '--json'], env);
      expect(JSON.parse(listed.stdout)).toContainEqual(expect.objectContaining({ name }));
      await server.kill('SIGTERM');
    }
  });

  it('says which variable to set when it cannot know the server or has no credential for it', async () => {
    const env = { SVC_DATA_DIR: join(folder, 'here') };
    const none = await command(['sandbox', 'list'], env);
    expect(none.stderr).toMatch(/no server runs on the local data directory: .* SVC_API_URL with SVC_ADMIN_TOKEN/);
    const server = await ServerProcess.start(env);
    const other = await command(['sandbox', 'list'], { ...env, SVC_API_URL: 'http://staging.test/api' });
    expect([other.code, other.stderr]).toEqual([
      1,
      expect.stringContaining('set SVC_ADMIN_TOKEN or SVC_SANDBOX_TOKEN'),
    ]);
    const same = { ...env, SVC_API_URL: `${server.baseUrl.replace('127.0.0.1', 'localhost')}/api` };
    expect(await command(['sandbox', 'list'], same)).toMatchObject({ code: 0 });
    await server.kill('SIGTERM');
  });
});

describe('npm start', { timeout: 180_000 }, () => {
  it('takes the flags of understudy start', async () => {
    const port = await reservedPort();
    const { PATH = '', HOME = '' } = process.env;
    // without `prestart`, which would install or build under the specs that run beside this one
    const started = spawn(
      'npm',
      ['start', '--ignore-scripts', '--', '--port', String(port), '--data', 'memory', '--quiet'],
      {
        cwd: fileURLToPath(new URL('../..', import.meta.url)),
        env: { PATH, HOME },
        stdio: 'ignore',
        detached: true,
      },
    );
    const ended = once(started, 'exit');
    const isHealthy = async (): Promise<boolean> =>
      (await command(['health'], { SVC_API_URL: `http://127.0.0.1:${port}/api` })).code === 0;
    try {
      await eventually(isHealthy, 'it listens on the port that was given', 60_000);
    } finally {
      process.kill(-(started.pid as number), 'SIGTERM');
      await ended;
    }
  });
});

describe('understudy health', { timeout: 60_000 }, () => {
  const folder = scratchFolder();

  it('exits with 1 and the reason when the server is not healthy or cannot be found', async () => {
    const sick = createServer((_, reply) => void reply.writeHead(503).end()).listen(0, '127.0.0.1');
    await once(sick, 'listening');
    const { port } = sick.address() as AddressInfo;
    const ended = await command(['health'], { PORT: String(port), HOST: '0.0.0.0' });
    sick.close();
    expect(ended).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `understudy: http://127.0.0.1:${port} is not healthy: it answers 503\n`,
    });
    const nowhere = { PORT: '0', SVC_DATA_DIR: join(folder, 'nowhere') };
    expect((await command(['health'], nowhere)).stderr).toMatch(
      /^understudy: no server runs on the local data directory: set SVC_API_URL, or PORT/,
    );
  });

  it('finds the server by SVC_API_URL, else by the data directory', async () => {
    const env = { SVC_DATA_DIR: join(folder, 'health') };
    const server = await ServerProcess.start(env);
    const elsewhere = { SVC_DATA_DIR: join(folder, 'nowhere') };
    expect(await command(['health'], env)).toMatchObject({ code: 0, stderr: '' });
    expect(await command(['health'], { ...elsewhere, SVC_API_URL: `${server.baseUrl}/api` })).toMatchObject({
      code: 0,
    });
    expect(await command(['health'], { ...env, SVC_API_URL: 'http://127.0.0.1:1/api' })).toMatchObject({ code: 1 });
    await server.kill('SIGTERM');
  });
});
