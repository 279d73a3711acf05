import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, onPostgres, serverUrl } from '../support/databases.js';
import { Listener } from '../support/listener.js';
import { eventually } from '../support/receiver.js';
import { scratchFolder } from '../support/scratch.js';
import { ensureBuilt, run, ServerProcess, type Ended } from '../support/server-process.js';

beforeAll(ensureBuilt, 300_000);

const MEMORY = { SVC_DATA_DIR: 'memory' };

/** Expects one line for each fault that explains what to do, no stack, and exit code 1. */
function expectLines(ended: Ended, ...lines: (string | RegExp)[]): void {
  const written = ended.stderr.trimEnd().split('\n');
  expect(written).toEqual(lines.map((line) => expect.stringMatching(line)));
  expect(ended.code).toBe(1);
  expect(ended.stdout).toBe('');
}

describe('starting', { timeout: 120_000 }, () => {
  const folder = scratchFolder();

  it('prints the credentials and a call that works unchanged', async () => {
    const server = await ServerProcess.start(MEMORY, ['--print-credentials']);
    const { running } = server;
    const shown = () => running.stdout;
    await expect.poll(shown, { timeout: 30_000 }).toContain('Ctrl+C');

    expect(shown()).toContain(`Base URL    ${server.baseUrl}\n`);
    expect(shown()).toMatch(/Workspace {3}Default Workspace \(T0[0-9A-Z]{9}\)\n/);
    expect(shown()).toMatch(/Admin {7}admin@understudy\.local {2}password: [a-z0-9]{20}\n/);
    expect(shown()).toMatch(/Bot token {3}xoxb-[0-9]{12}-[A-Za-z0-9]{24}\n/);
    expect(shown()).toMatch(/User token {2}xoxp-[0-9]{12}-[A-Za-z0-9]{24}\n/);
    const curl = shown()
      .split('\n')
      .find((line) => line.includes('curl')) as string;
    if (spawnSync('curl', ['--version']).status === 0) {
      const { stdout } = spawnSync('sh', ['-c', curl], { encoding: 'utf8' });
      expect(JSON.parse(stdout)).toMatchObject({ ok: true, message: { text: 'Hello from curl' } });
    }
    expect((await server.kill('SIGTERM')).code).toBe(0);
  });

  it('prints nothing else to standard output, and no secret anywhere', async () => {
    const secrets = {
      SVC_ADMIN_PASSWORD: 'a-very-secret-password',
      SVC_ADMIN_TOKEN: 'a-very-secret-operator',
      SVC_JWT_SECRET: 'a-very-secret-instance-secret-of-length',
      SVC_DEFAULT_BOT_TOKEN: `xoxb-123456789012-${'averysecretbottokenabcde'}`,
      SVC_DEFAULT_USER_TOKEN: `xoxp-123456789012-${'averysecretusertokenabcd'}`,
    };
    const server = await ServerProcess.start({ ...MEMORY, SVC_LOG_LEVEL: 'trace', ...secrets });
    const send = (path: string, init: RequestInit): Promise<unknown> =>
      fetch(`${server.baseUrl}${path}`, init).then((r) => r.text());
    for (const token of Object.values(secrets)) {
      const headers = { authorization: `Bearer ${token}`, 'x-admin-token': token, 'content-type': 'application/json' };
      await send('/api/auth.test', { method: 'POST', headers, body: `{"broken ${token}` });
      await send(`/api/auth.test?token=${token}`, {});
      await send(`/api/no.such?token=${token}`, { headers });
      await send('/api/admin/provision', { method: 'POST', headers, body: `{"team": ${token}` });
      await send('/api/admin/provision', {
        method: 'POST',
        headers,
        body: JSON.stringify({ team: { name: 'x' }, admin: { password: token } }),
      });
      await send(`/api/none/${token}`, { headers });
    }
    const { stdout, stderr } = await server.kill('SIGTERM');

    expect(stdout).toBe('');
    expect(stderr).toContain('listening on');
    // on a laptop nobody else reads the store
    expect(stderr).not.toContain('SVC_SECRET_KEY');
    for (const secret of Object.values(secrets)) expect(stderr).not.toContain(secret);
  });

  it('reports what is wrong with the settings, a line each', async () => {
    const ended = await run('dist/server/main.js', [], {
      PORT: 'http',
      SVC_MODE: 'whole',
      SVC_CONSENT: 'everybody',
      SVC_DEFAULT_BOT_TOKEN: 'sesame',
      DATABASE_URL: 'mysql://x',
    }).ended;
    expectLines(
      ended,
      /^understudy: PORT must be a whole number from 0 to 65535/,
      /^understudy: DATABASE_URL must look like postgres:/,
      /^understudy: SVC_MODE must be one of api, full/,
      /^understudy: SVC_DEFAULT_BOT_TOKEN must be of the form xoxb-/,
      /^understudy: SVC_CONSENT must be one of picker, sign-in/,
    );
    expect(ended.stderr).not.toContain('sesame');
  });

  it('warns of unknown settings, and on a network of secrets stored readable and consent of anybody, and starts', async () => {
    const env = { ...MEMORY, SVC_MOD: 'full', HOST: '0.0.0.0', SVC_CONSENT: 'picker' };
    const server = await ServerProcess.start(env);
    expect(server.running.stderr).toContain(
      'SVC_CONSENT is picker: whoever reaches the port may let apps in as anybody',
    );
    expect(server.running.stderr).toContain('SVC_MOD is no setting: did you mean SVC_MODE?');
    expect(server.running.stderr).toContain('SVC_SECRET_KEY is not set: signing secrets are stored readable');
    await server.kill('SIGTERM');
  });

  it('explains what to do in a checkout without a build', () => {
    const copy = (path: string): void => {
      mkdirSync(join(folder, 'unbuilt', dirname(path)), { recursive: true });
      copyFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), join(folder, 'unbuilt', path));
    };
    for (const path of ['package.json', 'bin/require-node.cjs']) copy(path);
    for (const path of ['scripts/is-built.mjs', 'bin/understudy.mjs']) {
      copy(path);
      const ended = spawnSync(process.execPath, [join(folder, 'unbuilt', path)], { encoding: 'utf8' });
      expect(ended).toMatchObject({ status: 1, stdout: '' });
      expect(ended.stderr).toMatch(/^understudy: not built yet: run "npm run build".*\n$/);
    }
  });

  it('prints its settings for --help, and does not start', async () => {
    const ended = await run('dist/server/main.js', ['--help'], { ...MEMORY, PORT: 'http' }).ended;
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout).toContain('--print-credentials');
  });

  it('reports a port that is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as AddressInfo;
    const ended = await run('dist/server/main.js', [], { ...MEMORY, PORT: String(port) }).ended;
    other.close();
    expectLines(ended, new RegExp(`^understudy: 127\\.0\\.0\\.1:${port} is in use: .*set PORT`));
  });

  it('reports a certificate that cannot be read', async () => {
    const [cert, key] = [join(folder, 'none.pem'), join(folder, 'key.pem')];
    writeFileSync(key, 'no key');
    const ended = await run('dist/server/main.js', [], { ...MEMORY, SVC_TLS_CERT_FILE: cert, SVC_TLS_KEY_FILE: key })
      .ended;
    expectLines(ended, /^understudy: cannot read .*none\.pem \(ENOENT\)/);
  });

  it('reports that another process uses the directory, whose data stays intact', async () => {
    const env = { SVC_DATA_DIR: join(folder, 'data') };
    const first = await ServerProcess.start(env, ['--print-credentials']);
    expectLines(
      await run('dist/server/main.js', [], env).ended,
      /is in use by process \d+: stop that process, or choose another SVC_DATA_DIR/,
    );
    await expect.poll(() => first.running.stdout, { timeout: 30_000 }).toContain('Bot token');
    const token = /xoxb-\S+/.exec(first.running.stdout)?.[0] as string;
    const posted = await first.call('chat.postMessage', token, { channel: '#general', text: 'still here' });
    expect(posted).toMatchObject({ ok: true });
    await first.kill('SIGTERM');

    const second = await ServerProcess.start(env);
    const history = await second.call('conversations.history', token, { channel: posted.channel });
    expect(history.messages).toMatchObject([{ text: 'still here' }]);
    await second.kill('SIGTERM');
  });

  it('reports that no PostgreSQL answers', async () => {
    const closed = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => closed.once('listening', resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    const ended = await run('dist/server/main.js', [], { DATABASE_URL: `postgres://me:sesame@127.0.0.1:${port}/x` })
      .ended;
    expectLines(ended, /^understudy: no PostgreSQL answers at 127\.0\.0\.1:\d+ .*check DATABASE_URL/);
    expect(ended.stderr).not.toContain('sesame');
  });

  it.skipIf(serverUrl === undefined)(
    `reports a missing database, or one with the wrong locale${onPostgres}`,
    async () => {
      const absent = new URL(serverUrl as string);
      absent.pathname = '/understudy_nowhere';
      const none = await run('dist/server/main.js', [], { DATABASE_URL: absent.href }).ended;
      expectLines(none, /has no database "understudy_nowhere"; create it with: createdb/);

      for (const options of [`ENCODING 'UTF8' LOCALE 'C'`, `ENCODING 'SQL_ASCII' LOCALE 'C'`]) {
        const database = await createDatabase(options);
        const wrong = await run('dist/server/main.js', [], { DATABASE_URL: database.url }).ended;
        await database.drop();
        expectLines(wrong, /has the wrong encoding or locale; create one with: createdb/);
      }
    },
  );
});

describe('stopping', { timeout: 120_000 }, () => {
  const scratch = scratchFolder();

  it('finishes running calls, closes idle connections and exits with code 0', async () => {
    const server = await ServerProcess.start(MEMORY);
    // an idle keep-alive connection, as every client has
    expect((await fetch(`${server.baseUrl}/api/health`)).status).toBe(200);
    // a call whose body is incomplete; the server has answered that it expects it
    const call = request(`${server.baseUrl}/api/auth.test`, { method: 'POST', headers: { expect: '100-continue' } });
    call.flushHeaders();
    await once(call, 'continue');
    const ending = server.kill('SIGTERM');
    await server.running.logged('stopping');
    call.end();
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    const body = (await response.setEncoding('utf8').toArray()).join('');

    expect(JSON.parse(body)).toEqual({ ok: false, error: 'not_authed' });
    expect(await ending).toMatchObject({ code: 0, signal: null });
  });

  it('closes sockets as lost transports, so that their clients reconnect, and exits with code 0 in time', async () => {
    const token = `xoxb-000000000000-${'s'.repeat(24)}`;
    const server = await ServerProcess.start({ ...MEMORY, SVC_DEFAULT_BOT_TOKEN: token });
    const transports = ['websocket', 'polling', 'websocket', 'polling'];
    const listeners = await Promise.all(
      transports.map((name) => Listener.connect(server, { token }, { transports: [name], reconnection: true })),
    );
    const tries = listeners.map(
      ({ socket }) => new Promise<unknown>((tried) => socket.io.once('reconnect_attempt', tried)),
    );
    const signalled = performance.now();
    const ended = await server.kill('SIGTERM');

    expect(ended).toMatchObject({ code: 0, signal: null });
    // the grace period is 8 s, and no client used it
    expect(performance.now() - signalled).toBeLessThan(5_000);
    await Promise.all(tries);
    for (const { ended: reason } of listeners) expect(['transport close', 'transport error']).toContain(reason);
  });

  it('lets a socket reconnect to the next process', async () => {
    const token = `xoxb-000000000000-${'s'.repeat(24)}`;
    const env = { SVC_DATA_DIR: join(scratch, 'data'), SVC_DEFAULT_BOT_TOKEN: token };
    const first = await ServerProcess.start(env);
    const options = { reconnection: true, reconnectionDelay: 100, reconnectionDelayMax: 200 };
    const listeners = await Promise.all(
      ['websocket', 'polling'].map((name) => Listener.connect(first, { token }, { transports: [name], ...options })),
    );
    await first.kill('SIGTERM');
    const again = listeners.map(({ socket }) => new Promise<void>((back) => socket.once('connect', back)));
    const second = await ServerProcess.start({ ...env, PORT: new URL(first.baseUrl).port });
    await Promise.all(again);
    await second.call('chat.postMessage', token, { channel: '#general', text: 'welcome back' });
    for (const listener of listeners) await eventually(() => listener.texts.includes('welcome back'), 'a message');
    expect((await second.kill('SIGTERM')).code).toBe(0);
  });
});
