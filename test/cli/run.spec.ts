import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createServer, request as httpRequest } from 'node:http';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import tls from 'node:tls';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FIELDS } from '../../src/cli/run/options.js';
import { eventually } from '../support/receiver.js';
import { scratchFolder } from '../support/scratch.js';
import { ensureBuilt, run, ServerProcess, type Ended, type Running } from '../support/server-process.js';

const ADMIN_TOKEN = 'operator-of-the-runs';
const moduleUrl = (path: string): string => pathToFileURL(join(process.cwd(), 'node_modules', path)).href;
const AS_NOBODY = ['--reuid=65534', '--regid=65534', '--clear-groups'];
const maySwitchUser =
  process.getuid?.() === 0 && spawnSync('setpriv', [...AS_NOBODY, process.execPath, '--version']).status === 0;
const hasPython = spawnSync('python3', ['--version']).status === 0;
const hasCurl = spawnSync('curl', ['--version']).status === 0;
const hasJava = spawnSync('javac', ['--version']).status === 0;

interface Report {
  exit_code: number;
  signal: string | null;
  sandbox: string;
  calls: { total: number; ok: number; refused: number; unknown: number; by_method: Record<string, { total: number }> };
  deliveries: { total: number; failed: number; failures: { event: string; error: string }[] };
  hosts: { led: Record<string, number>; passed: Record<string, number>; refused: Record<string, number> };
  unknown: { what: string; times: number }[];
}

describe('understudy run', { timeout: 120_000 }, () => {
  const folder = scratchFolder();
  let server: ServerProcess;

  beforeAll(async () => {
    ensureBuilt();
    server = await ServerProcess.start({ SVC_DATA_DIR: 'memory', SVC_METHODS: 'all', SVC_ADMIN_TOKEN: ADMIN_TOKEN });
  }, 300_000);
  afterAll(async () => void (await server.kill('SIGTERM')));

  const file = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const starting = (args: string[], env: Record<string, string> = {}): Running =>
    run('bin/understudy.mjs', ['run', ...args], {
      SVC_API_URL: `${server.baseUrl}/api`,
      SVC_ADMIN_TOKEN: ADMIN_TOKEN,
      SVC_CA_DIR: join(folder, 'ca'),
      ...env,
    });
  const running = (args: string[], env: Record<string, string> = {}): Promise<Ended> => starting(args, env).ended;
  /** Runs a command with a JSON report. */
  async function reported(args: string[], command: string[]): Promise<{ ended: Ended; report: Report }> {
    const path = join(folder, `${randomBytes(6).toString('hex')}.json`);
    const ended = await running([...args, '--report', `json=${path}`, '--', ...command]);
    return { ended, report: JSON.parse(readFileSync(path, 'utf8')) as Report };
  }
  /** The path of a module that runs `body`. */
  let scripts = 0;
  const script = (body: string): string => file(`app-${++scripts}.mjs`, body);
  const sandboxes = async (): Promise<string[]> => {
    const response = await fetch(`${server.baseUrl}/api/sandboxes`, { headers: { 'x-admin-token': ADMIN_TOKEN } });
    return ((await response.json()) as { sandboxes: { id: string }[] }).sandboxes.map(({ id }) => id);
  };
  /** A command that prints its environment. */
  const ENVIRONMENT = [process.execPath, '-p', 'JSON.stringify(process.env)'];
  const environmentOf = async (args: string[], env: Record<string, string> = {}) => {
    const ended = await running([...args, '--', ...ENVIRONMENT], env);
    expect(ended.code, ended.stderr).toBe(0);
    return JSON.parse(ended.stdout) as Record<string, string>;
  };

  it('leads clients with the vendors’ hosts in their code to a sandbox of its own, unchanged', async () => {
    const app = script(`
      import { WebClient } from ${JSON.stringify(moduleUrl('@slack/web-api/dist/index.js'))};
      import { LinearClient } from ${JSON.stringify(moduleUrl('@linear/sdk/dist/index.mjs'))};
      import { SocketModeClient } from ${JSON.stringify(moduleUrl('@slack/socket-mode/dist/src/index.js'))};
      import WebSocket from ${JSON.stringify(moduleUrl('ws/wrapper.mjs'))};
      const slack = new WebClient(process.env.SLACK_BOT_TOKEN);
      await slack.chat.postMessage({ channel: '#general', text: 'posted to https://slack.com/api/' });
      const linear = new LinearClient({ apiKey: process.env.LINEAR_API_KEY });
      const [team] = (await linear.teams()).nodes;
      await linear.createIssue({ teamId: team.id, title: 'sent to https://api.linear.app/graphql' });
      const headers = { authorization: 'Bearer ' + process.env.SLACK_BOT_TOKEN };
      const answer = await fetch('https://slack.com/api/auth.test', { method: 'POST', headers });
      if (!(await answer.json()).ok) throw new Error('fetch');
      const socket = new SocketModeClient({ appToken: process.env.SLACK_APP_TOKEN });
      const connected = new Promise((resolve) => socket.once('connected', resolve));
      await socket.start();
      await connected;
      await socket.disconnect();
      const refused = new WebSocket('wss://wss-primary.slack.com/link/?ticket=none');
      console.log(await new Promise((resolve) => {
        refused.on('error', () => undefined);
        refused.on('unexpected-response', (_, { statusCode }) => resolve(statusCode));
      }));
    `);
    const { ended, report } = await reported(['--offline', '--strict'], [process.execPath, app]);
    expect(ended.stdout, ended.stderr).toBe('403\n');
    expect(ended.code).toBe(0);
    expect(report.calls.by_method).toMatchObject({ 'chat.postMessage': { total: 1 }, issueCreate: { total: 1 } });
    expect(report.hosts.led).toMatchObject({ 'slack.com': 3, 'api.linear.app': 2 });
    expect(await sandboxes()).not.toContain(report.sandbox);
    expect(ended.stderr).toMatch(/^understudy: \d+ calls \(\d+ ok, 0 refused, 0 unknown\), .* deleted\n$/);
  });

  it.runIf(hasPython)('leads Python’s urllib there', async () => {
    const app = file(
      'app.py',
      `import json, os, urllib.request
headers = {'Authorization': 'Bearer ' + os.environ['SLACK_BOT_TOKEN']}
ask = urllib.request.Request('https://slack.com/api/auth.test', data=b'', headers=headers)
print(json.load(urllib.request.urlopen(ask))['ok'])
try: urllib.request.urlopen('https://example.com/')
except OSError as error: print(error)
`,
    );
    const { ended, report } = await reported(['--offline', '--strict'], ['python3', app]);
    expect(ended.stdout).toContain('True\n<urlopen error Tunnel connection failed: 403');
    expect(ended.code).toBe(1);
    expect(report).toMatchObject({ exit_code: 0, hosts: { led: { 'slack.com': 1 }, refused: { 'example.com': 1 } } });
    expect(ended.stderr).toContain('understudy: refused example.com (1 time)');
  });

  it.runIf(hasCurl)('leads curl there', async () => {
    const { stdout } = await running(['--quiet', '--', 'curl', '-sS', 'https://slack.com/api/api.test']);
    expect(JSON.parse(stdout)).toMatchObject({ ok: true });
  });

  it.runIf(hasJava)('leads Java there with --java', { timeout: 120_000 }, async () => {
    const source = file(
      'Ask.java',
      `import java.net.*; import java.net.http.*;
      public class Ask { public static void main(String[] a) throws Exception {
        var request = HttpRequest.newBuilder(URI.create("https://slack.com/api/api.test")).build();
        System.out.println(HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body());
      } }`,
    );
    const { stdout, stderr } = await running(['--quiet', '--java', '--', 'java', source]);
    expect(stdout, stderr).toContain('"ok":true');
  });

  it('takes a sandbox that is ready in a pool', async () => {
    const send = async (path: string, body: object, headers: Record<string, string> = {}) => {
      const response = await fetch(`${server.baseUrl}/api${path}`, {
        method: 'POST',
        headers: { 'x-admin-token': ADMIN_TOKEN, ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      return (await response.json()) as { id: string; credentials: { control_token: string } };
    };
    const { id } = await send('/sandboxes', { team: { name: 'Acme' } });
    const snapshot = await send(`/sandboxes/${id}/snapshots`, {});
    await send('/pools', { name: 'runs', from: snapshot.id, size: 1, refill: false });
    const state = async (): Promise<unknown> =>
      (await fetch(`${server.baseUrl}/api/pools/runs`, { headers: { 'x-admin-token': ADMIN_TOKEN } })).json();
    await eventually(async () => ((await state()) as { ready: number }).ready === 1, 'one is ready');
    const app = script(`
      const headers = { authorization: 'Bearer ' + process.env.SLACK_BOT_TOKEN };
      const { team, url } = await (await fetch('https://slack.com/api/auth.test', { method: 'POST', headers })).json();
      console.log(team, url.startsWith('https://') && url.endsWith('.slack.com/'));
    `);
    const { ended, report } = await reported(['--pool', 'runs', '--name', 'step', '--strict'], [process.execPath, app]);
    expect(ended.stdout, ended.stderr).toBe('Acme true\n');
    expect(await state()).toMatchObject({ ready: 0, claimed: 0 });
    expect(await sandboxes()).not.toContain(report.sandbox);
    const none = await running(['--pool', 'nobodys', '--', 'true']);
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('pool_not_found')]);
    expect((await running(['--pool', 'runs', '--seed', 'x.yaml', '--', 'true'])).code).toBe(2);
  });

  it('gives the command its variables, its input and its output, and adds to what was there', async () => {
    const before = {
      NODE_OPTIONS: '--no-warnings',
      NO_PROXY: 'internal.example',
      JAVA_TOOL_OPTIONS: '-Dx=1',
      NODE_EXTRA_CA_CERTS: file('extra.pem', readFileSync(new URL('../support/tls/cert.pem', import.meta.url), 'utf8')),
    };
    const env = await environmentOf(['--set', 'MY_TOKEN=bot_token', '--java'], before);
    expect(env).toMatchObject({
      SLACK_API_URL: `${server.baseUrl}/api/`,
      LINEAR_API_URL: `${server.baseUrl}/graphql`,
      SVC_API_URL: `${server.baseUrl}/api`,
      SVC_SANDBOX_TOKEN: expect.stringMatching(/^svc_sbx_/),
      SLACK_SIGNING_SECRET: expect.stringMatching(/^[0-9a-f]{32}$/),
      UNDERSTUDY_SANDBOX: expect.stringMatching(/^Sb0/),
      SLACK_AUTHORIZE_URL: 'https://slack.com/oauth/v2/authorize',
      LINEAR_TOKEN_URL: 'https://api.linear.app/oauth/token',
      NODE_OPTIONS: expect.stringMatching(/^--no-warnings --require="?\/.*run-preload\.cjs"?$/),
      HTTPS_PROXY: expect.stringMatching(/^http:\/\/run:[0-9a-f]{32}@127\.0\.0\.1:\d+$/),
      NO_PROXY: 'localhost,127.0.0.1,::1,internal.example',
      JAVA_TOOL_OPTIONS: expect.stringMatching(/^-Dx=1 -Dhttps\.proxyHost=127\.0\.0\.1 .*trustStore=.*\.jks/),
    });
    expect(env['MY_TOKEN']).toBe(env['SLACK_BOT_TOKEN']);
    expect(env).not.toHaveProperty('HTTP_PROXY');
    const plain = await environmentOf(['--no-intercept', '--app', 'default-app']);
    expect(plain['SLACK_BOT_TOKEN']).toMatch(/^xoxb-/);
    expect(plain['SLACK_AUTHORIZE_URL']).toBe(`${server.baseUrl}/oauth/v2/authorize`);
    expect(Object.keys(plain).filter((name) => /PROXY|CA_|CERT|NODE_OPTIONS/i.test(name))).toEqual(['SVC_CA_DIR']);

    const echo = ['run', '--quiet', '--no-intercept', '--', 'cat'];
    const child = spawn(process.execPath, ['bin/understudy.mjs', ...echo], {
      env: { ...process.env, SVC_API_URL: `${server.baseUrl}/api`, SVC_ADMIN_TOKEN: ADMIN_TOKEN },
    });
    child.stdin.end('what comes in');
    expect(await child.stdout.setEncoding('utf8').toArray()).toEqual(['what comes in']);
  });

  it('ends with the command’s code, and says why where there is none', async () => {
    const codeOf = async (...args: string[]): Promise<number | null> => (await running(args)).code;
    expect(await codeOf('--', 'sh', '-c', 'exit 7')).toBe(7);
    expect(await codeOf('--', 'sh', '-c', 'kill -9 $$')).toBe(137);
    expect(await codeOf('--', 'no-such-program')).toBe(127);
    expect(await codeOf('--', folder)).toBe(126);
    expect(await codeOf()).toBe(2);
    const wrong = await running(['--nonsense', '--', 'true']);
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toMatch(/^(?:understudy: .*\n)+$/);
    expect((await running(['--set', 'X=bot_tokens', '--', 'true'])).stderr).toContain('did you mean bot_token?');
    const unreachable = await running(['--server', 'http://127.0.0.1:1', '--', 'echo', 'started']);
    expect(unreachable).toMatchObject({ code: 1, stdout: '' });
    expect(unreachable.stderr).toMatch(/^understudy: no answer from http:\/\/127\.0\.0\.1:1/);
    const seed = file('bad.yaml', 'channels: [{ name: "#", topc: x }]');
    expect(await running(['--seed', seed, '--', 'echo', 'x'])).toMatchObject({ code: 1, stdout: '' });
    const before = await sandboxes();
    expect(await running(['--app', 'nobody', '--', 'echo', 'x'])).toMatchObject({ code: 1, stdout: '' });
    const refused = file('many.yaml', 'users: [alice]');
    const labels = Array.from({ length: 30 }, (_, n) => ['--label', `k${n}=v`]).flat();
    expect(await running(['--seed', refused, ...labels, '--', 'echo', 'x'])).toMatchObject({ code: 1, stdout: '' });
    expect(await sandboxes()).toEqual(before);
    expect(await codeOf('--quiet', '--', '')).toBe(127);
    const nowhere = await running(['--server', 'nonsense', '--', 'echo', 'x']);
    expect(nowhere).toMatchObject({ code: 1, stderr: 'understudy: nonsense/api is not the URL of a server\n' });
  });

  it('has every field of --set for the default app', async () => {
    const set = FIELDS.flatMap((field) => ['--set', `X_${field}=${field}`]);
    const env = await environmentOf(['--quiet', ...set]);
    for (const field of FIELDS) expect([field, env[`X_${field}`]]).toEqual([field, expect.stringMatching(/./)]);
    expect(env['X_app_id']).toMatch(/^A0/);
    expect(env['X_bot_user_id']).toMatch(/^U0/);
  });

  it('ends with the command’s code also when the server is gone by then, unless it owes a report', async () => {
    const gone = await ServerProcess.start({
      SVC_DATA_DIR: 'memory',
      SVC_METHODS: 'all',
      SVC_ADMIN_TOKEN: ADMIN_TOKEN,
    });
    const wait = file('wait', '');
    const app = (code: number): string =>
      script(`import { existsSync } from 'node:fs';
        console.log('started');
        const timer = setInterval(() => existsSync(${JSON.stringify(`${wait}.over`)}) && process.exit(${code}), 20);`);
    const report = `json=${join(folder, 'never.json')}`;
    const runs = [
      starting(['--server', gone.baseUrl, '--', process.execPath, app(3)]),
      starting(['--server', gone.baseUrl, '--quiet', '--', process.execPath, app(0)]),
      starting(['--server', gone.baseUrl, '--report', report, '--', process.execPath, app(0)]),
    ];
    await eventually(() => runs.every(({ stdout }) => stdout === 'started\n'), 'all have started');
    await gone.kill();
    file('wait.over', '');
    const ended = await Promise.all(runs.map((one) => one.ended));
    expect(ended.map(({ code }) => code)).toEqual([3, 0, 1]);
    for (const { stderr } of ended) expect(stderr).toMatch(/^understudy: no answer from /);
  });

  it('says which sandbox it keeps, also with --quiet', async () => {
    const { stderr } = await running(['--keep', '--quiet', '--', 'true']);
    expect(stderr).toMatch(/^understudy: sandbox Sb0\w{9}\b.*\n$/);
  });

  it('passes signals on, waits for the command and cleans up', async () => {
    const app = script(`
      process.on('SIGTERM', () => setTimeout(() => process.exit(3), 200));
      console.log(process.env.UNDERSTUDY_SANDBOX);
      setInterval(() => undefined, 1000);
    `);
    const started = starting(['--', process.execPath, app]);
    await eventually(() => /^Sb0\w+\n$/.test(started.stdout), 'the command started');
    const id = started.stdout.trim();
    expect(await sandboxes()).toContain(id);
    const { code, stderr } = await started.kill('SIGTERM');
    expect(code, stderr).toBe(3);
    expect(await sandboxes()).not.toContain(id);
  });

  it('starts a server where none runs, which ends with it, however it ends', async () => {
    const nowhere = { SVC_API_URL: '', SVC_ADMIN_TOKEN: '', SVC_DATA_DIR: join(folder, 'no data') };
    const own = await running(['--', process.execPath, '-p', 'process.env.SLACK_API_URL'], nowhere);
    expect(own.code, own.stderr).toBe(0);
    const isUp = (url: string): Promise<boolean> =>
      fetch(`${url}api.test`).then(
        ({ ok }) => ok,
        () => false,
      );
    expect(own.stdout).not.toContain(server.baseUrl);
    expect(await isUp(own.stdout.trim())).toBe(false);

    // nobody else ends a command whose run is killed
    const app = script(
      `const url = process.env.SLACK_API_URL;
       console.log(url);
       setInterval(() => fetch(url + 'api.test').catch(() => process.exit()), 200);`,
    );
    const killed = starting(['--new', '--', process.execPath, app]);
    await eventually(() => killed.stdout.includes('/api/\n'), 'the command started');
    const url = killed.stdout.trim();
    expect(await isUp(url)).toBe(true);
    killed.child.kill('SIGKILL');
    await eventually(async () => !(await isUp(url)), 'the server ended', 5_000);
    killed.child.stdout.destroy();
  });

  it('uses a sandbox that is there, keeps one, and copies a snapshot', async () => {
    const kept = await reported(['--keep', '--label', 'suite=runs'], ['true']);
    const { sandbox: id } = kept.report;
    expect(await sandboxes()).toContain(id);
    const headers = { 'x-admin-token': ADMIN_TOKEN, 'content-type': 'application/json' };
    const again = await reported(['--sandbox', id], ['true']);
    expect(again.report.sandbox).toBe(id);
    expect(await sandboxes()).toContain(id);
    const made = await fetch(`${server.baseUrl}/api/sandboxes/${id}/snapshots`, {
      method: 'POST',
      headers,
      body: '{}',
    });
    const copy = await reported(['--from', ((await made.json()) as { id: string }).id], ['true']);
    expect(copy.ended.code, copy.ended.stderr).toBe(0);
    expect(copy.report.sandbox).not.toBe(id);
    expect(await sandboxes()).not.toContain(copy.report.sandbox);
  });

  it('fails with --strict for what is unknown or failed, and reports it as JUnit', async () => {
    const closed = net.createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address() as AddressInfo;
    closed.close();
    const seed = file(
      'failing.yaml',
      `apps: [{ name: hears, scopes: { bot: [channels:history] }, event_subscriptions: { request_url: "http://127.0.0.1:${port}/", events: [message.channels], verify: false } }]
channels: [{ name: ops, members: [hears, default-app] }]
`,
    );
    const app = script(`
      const call = (method, body) => fetch('https://slack.com/api/' + method, { method: 'POST', body,
        headers: { authorization: 'Bearer ' + process.env.SLACK_BOT_TOKEN, 'content-type': 'application/json' } });
      for (const n of [1, 2, 3]) await call('files.lost<' + n, '{}');
      await call('files.lost', '{}');
      await call('chat.postMessage', JSON.stringify({ channel: '#ops', text: 'x' }));
      await call('chat.postMessage', JSON.stringify({ channel: '#nowhere', text: 'x' }));
      await fetch('https://api.linear.app/graphql', { method: 'POST', body: '{"query":"{ nonsense }"}',
        headers: { authorization: process.env.LINEAR_API_KEY, 'content-type': 'application/json' } });
    `);
    const junit = join(folder, 'understudy.xml');
    const command = [process.execPath, app];
    const { ended, report } = await reported(['--strict', '--seed', seed, '--report', `junit=${junit}`], command);
    expect(ended.code, ended.stderr).toBe(1);
    expect(report.unknown.map(({ what }) => what)).toEqual(
      expect.arrayContaining(['files.lost', 'slack.com/api/files.lost%3C1']),
    );
    expect(report.calls).toMatchObject({ ok: 1, refused: 1, unknown: 5 });
    expect(report.deliveries).toMatchObject({ total: 1, failed: 1, failures: [{ event: 'message' }] });
    expect(ended.stderr).toContain('understudy: failed delivery of message to http://127.0.0.1:');
    const xml = readFileSync(junit, 'utf8');
    expect(xml).toContain('<testsuite name="understudy run" tests="4" failures="2"');
    const { code } = await running(['--seed', seed, '--', ...command]);
    expect(code).toBe(0);
  });

  it('writes well-formed JUnit whatever the command is called', async () => {
    const junit = join(folder, 'odd.xml');
    const odd = `exit 1 # <&"' \u0007 ]]> --`;
    expect((await running(['--report', `junit=${junit}`, '--', 'sh', '-c', odd])).code).toBe(1);
    const xml = readFileSync(junit, 'utf8');
    expect(xml).toContain('failures="1"');
    expect(xml).toContain('exit 1 # &lt;&amp;&quot;');
    // oxlint-disable-next-line no-control-regex
    expect(xml).not.toMatch(/[\u0000-\u0008]|\]\]>/);
  });

  it('leads only one vendor’s hosts with --only, and refuses the other’s offline', async () => {
    const app = script(`
      const { connect } = await import('node:tls');
      console.log((await fetch('https://slack.com/api/api.test')).status);
      const socket = connect({ host: 'api.linear.app', port: 443 });
      console.log(await new Promise((resolve) => { socket.on('error', (e) => resolve(e.code)); socket.on('secureConnect', () => resolve('open')); }));
    `);
    const { stdout } = await running(['--quiet', '--only', 'slack', '--', process.execPath, app]);
    expect(stdout.split('\n')[0]).toBe('200');
    expect(stdout.split('\n')[1]).not.toBe('open');
  });

  describe('is safe:', () => {
    /** A run that stays open, and what its command was told. */
    const open = async (args: string[] = []): Promise<{ started: Running; env: Record<string, string> }> => {
      const app = script('console.log(JSON.stringify(process.env)); setInterval(() => undefined, 1000);');
      const started = starting([...args, '--', process.execPath, app]);
      await eventually(() => started.stdout.includes('\n'), 'the command started');
      return { started, env: JSON.parse(started.stdout) as Record<string, string> };
    };
    /** The status that the proxy answers a request for a tunnel with. */
    const tunnel = (proxy: string, target: string, authorization?: string): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const { hostname, port } = new URL(proxy);
        const headers = authorization === undefined ? {} : { 'proxy-authorization': authorization };
        httpRequest({ hostname, port, method: 'CONNECT', path: target, headers })
          .on('connect', ({ statusCode }, socket) => {
            socket.destroy();
            resolve(statusCode);
          })
          .on('error', reject)
          .end();
      });

    it('the proxy asks for the run’s password, and ends tunnels to other hosts offline', async () => {
      const { started, env } = await open(['--offline', '--allow', '*.example.org']);
      const proxy = env['HTTPS_PROXY'] as string;
      const { username, password } = new URL(proxy);
      const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
      expect(await tunnel(proxy, 'slack.com:443')).toBe(407);
      expect(await tunnel(proxy, 'slack.com:443', basic('run:'))).toBe(407);
      expect(await tunnel(proxy, '127.0.0.1:22', basic(`run:${'0'.repeat(32)}`))).toBe(407);
      const own = basic(`${username}:${password}`);
      expect(await tunnel(proxy, 'slack.com:443', own)).toBe(200);
      expect(await tunnel(proxy, 'slack.com:80', own)).toBe(403);
      expect(await tunnel(proxy, 'example.com:443', own)).toBe(403);
      expect(await tunnel(proxy, 'slack.com.example.com:443', own)).toBe(403);
      expect(await tunnel(proxy, 'nonsense', own)).toBe(400);
      const absolute = await new Promise<number | undefined>((resolve) => {
        const { hostname, port } = new URL(proxy);
        httpRequest({ hostname, port, path: 'http://example.com/' }, ({ statusCode }) => resolve(statusCode)).end();
      });
      expect(absolute).toBe(407);
      await started.kill('SIGTERM');
    });

    it.runIf(maySwitchUser)('another user’s program gets nothing of it', async () => {
      const { started, env } = await open();
      const proxy = new URL(env['HTTPS_PROXY'] as string);
      const { ca } = JSON.parse(env['UNDERSTUDY_RUN'] as string) as { ca: string };
      const stranger = script(`
        import { readdirSync, readFileSync } from 'node:fs';
        import { request } from 'node:http';
        const read = (file) => {
          try { return readFileSync(file, 'utf8'); } catch ({ code }) { return code; }
        };
        for (const file of ${JSON.stringify([ca, join(folder, 'ca', 'ca.key')])}) console.log(read(file));
        for (const pid of readdirSync('/proc').filter(Number))
          if (read('/proc/' + pid + '/environ').includes('HTTPS_PROXY=http://run:')) console.log('the password');
        const opening = request({ host: '127.0.0.1', port: ${proxy.port}, method: 'CONNECT', path: 'slack.com:443' });
        opening.on('connect', ({ statusCode }, socket) => socket.destroy(console.log(statusCode))).end();
      `);
      const { stdout, stderr } = spawnSync('setpriv', [...AS_NOBODY, process.execPath, '--input-type=module'], {
        encoding: 'utf8',
        input: readFileSync(stranger),
      });
      expect(stdout, stderr).toBe('EACCES\nEACCES\n407\n');
      await started.kill('SIGTERM');
    });

    it('its TLS port serves the vendors’ names alone, over HTTP/1.1, and no route of the control plane', async () => {
      const { started, env } = await open();
      const { port, ca } = JSON.parse(env['UNDERSTUDY_RUN'] as string) as { port: number; ca: string };
      const shake = (servername: string | undefined, more: object = {}): Promise<string> =>
        new Promise((resolve) => {
          const socket = tls.connect({ port, host: '127.0.0.1', ca: readFileSync(ca), servername, ...more });
          socket.on('secureConnect', () => resolve(`open ${String(socket.alpnProtocol)}`));
          socket.on('error', ({ message }) => resolve(`refused ${message}`));
          socket.on('close', () => resolve('closed'));
        });
      expect(await shake('files.slack.com', { ALPNProtocols: ['h2', 'http/1.1'] })).toBe('open http/1.1');
      expect(await shake('slack.com', { ALPNProtocols: ['h2'] })).not.toMatch(/^open/);
      for (const name of ['example.com', 'notslack.com', undefined]) {
        expect(await shake(name, { rejectUnauthorized: false }), name).not.toMatch(/^open/);
      }
      const app = script(`
        const { SVC_SANDBOX_TOKEN: token, UNDERSTUDY_SANDBOX: id } = process.env;
        for (const path of ['/api/sandboxes/self', '/api/sandboxes/' + id, '/api/admin/provision']) {
          const response = await fetch('https://slack.com' + path, { headers: { 'x-sandbox-token': token, 'x-understudy-host': '127.0.0.1' } });
          console.log(response.status, (await response.json()).message);
        }
      `);
      const { stdout } = await running(['--', process.execPath, app]);
      expect(stdout).toBe('404 not_found_on_host\n'.repeat(3));
      await started.kill('SIGTERM');
    });
  });

  it('streams uploads and answers, of which nothing is gathered', async () => {
    let received = 0;
    let peak = 0;
    const fake = createServer((request, response) => {
      if (request.url === '/api/health') return void response.end('{}');
      if (request.url?.startsWith('/api/sandboxes')) {
        const credentials = { control_token: 'x', bot_token: 'x', user_token: 'x', signing_secret: 'x', api_key: 'x' };
        const answer = { id: 'Sb0', team_id: 'T0', credentials, entries: [], deliveries: [], next_cursor: '' };
        return void response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
      }
      request.on('data', (part: Buffer) => (received += part.length));
      request.on('end', () => response.end(String(received)));
    }).listen(0, '127.0.0.1');
    await once(fake, 'listening');
    const size = 600 * 2 ** 20;
    const app = script(`
      import { request } from 'node:https';
      import { Readable } from 'node:stream';
      const part = Buffer.alloc(2 ** 20);
      let left = ${size} / part.length;
      const body = new Readable({ read() { this.push(left-- > 0 ? part : null); } });
      const call = request('https://files.slack.com/upload/v1/x', { method: 'POST' });
      call.on('response', async (response) => console.log(String(await response.toArray())));
      body.pipe(call);
    `);
    const base = `http://127.0.0.1:${(fake.address() as AddressInfo).port}`;
    const started = starting(['--quiet', '--server', base, '--', process.execPath, app]);
    const look = setInterval(() => {
      try {
        const status = readFileSync(`/proc/${started.child.pid}/status`, 'utf8');
        peak = Math.max(peak, Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024);
      } catch {
        // it has ended, or this is no Linux
      }
    }, 20);
    const { stdout, stderr } = await started.ended;
    clearInterval(look);
    expect(stdout, stderr).toBe(`${size}\n`);
    expect(peak).toBeLessThan(300 * 2 ** 20);
    fake.close();
    fake.closeAllConnections();
  });
});
