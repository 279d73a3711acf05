import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/receiver.js';
import { scratchFolder } from '../support/scratch.js';
import {
  command,
  ensureBuilt,
  hasTerminal,
  run,
  terminal,
  type Ended,
  type Running,
} from '../support/server-process.js';

beforeAll(ensureBuilt, 300_000);

const ADMIN_TOKEN = 'operator-of-the-commands';

interface SeedOf {
  channels: { name: string; id?: string }[];
}

const channelsIn = (yaml: string): string[] =>
  [...yaml.matchAll(/^ {2}- name: (\S+)$/gm)].map(([, name]) => name as string);

describe('understudy, against a running server', { timeout: 120_000 }, () => {
  const folder = scratchFolder();
  /** Environment values that contradict each flag: with them the start would fail or differ. */
  const OTHERWISE = {
    PORT: '1',
    HOST: '203.0.113.1',
    SVC_DATA_DIR: join(folder, 'never'),
    SVC_MODE: 'api',
    SVC_METHODS: 'core',
    SVC_SEED_FILE: join(folder, 'none.yaml'),
    ...(process.env['DATABASE_URL'] === undefined ? {} : { DATABASE_URL: 'postgres://127.0.0.1:1/none' }),
  };
  let server: Running | undefined;
  let base: string;
  let asAdmin: Record<string, string>;
  let asSandbox: Record<string, string>;
  let sandboxId: string;

  beforeAll(async () => {
    const flags = { port: '0', host: '127.0.0.1', data: 'memory', mode: 'full', methods: 'all', seed: seedFile() };
    const database = process.env['DATABASE_URL'];
    const args = Object.entries({ ...flags, ...(database === undefined ? {} : { database }) });
    server = run('bin/understudy.mjs', ['start', ...args.flatMap(([name, value]) => [`--${name}`, value]), '--quiet'], {
      SVC_ADMIN_TOKEN: ADMIN_TOKEN,
      ...OTHERWISE,
    });
    base = (JSON.parse(await server.logged('listening on')) as { base: string }).base;
    expect(server.stdout).not.toContain('xoxb-');
    asAdmin = { SVC_API_URL: `${base}/api`, SVC_ADMIN_TOKEN: ADMIN_TOKEN };
    const made = await succeed(['sandbox', 'create', '--seed', seedFile(), '--label', 'suite=kits', '--json'], asAdmin);
    const { id, credentials } = JSON.parse(made) as { id: string; credentials: { control_token: string } };
    sandboxId = id;
    asSandbox = { SVC_API_URL: `${base}/api`, SVC_SANDBOX_TOKEN: credentials.control_token };
  }, 120_000);
  // also when an earlier step failed
  afterAll(() => server?.kill('SIGTERM'));

  function seedFile(): string {
    const file = join(folder, 'suite.json');
    const channels = [{ name: 'war-room', members: ['alice', 'default-app'] }];
    writeFileSync(file, JSON.stringify({ users: [{ name: 'alice', is_admin: true }], channels }));
    return file;
  }

  async function succeed(args: string[], env: Record<string, string>): Promise<string> {
    const { code, stdout, stderr } = await command(args, env);
    expect(code, stderr).toBe(0);
    return stdout;
  }
  const asked = (args: string[]): Promise<Ended> => command(args, asSandbox);

  it('start: each flag takes precedence over the environment', async () => {
    expect(base).toMatch(/^http:\/\/127\.0\.0\.1:\d{4,5}$/);
    expect(existsSync(OTHERWISE.SVC_DATA_DIR)).toBe(false);
    const page = await fetch(base, { headers: { accept: 'text/html' } });
    expect(await page.text()).toContain('<script');
    const seeded = JSON.parse(await succeed(['sandbox', 'export', 'default', '--json'], asAdmin)) as SeedOf;
    // a store on a shared server may have been created by another start
    if (process.env['DATABASE_URL'] === undefined) {
      expect(seeded.channels.map(({ name }) => name)).toContain('war-room');
    }
    const beyondTheCore = await fetch(`${base}/api/pins.list`, { method: 'POST' });
    expect(await beyondTheCore.json()).toMatchObject({ ok: false, error: 'not_authed' });
  });

  it('sandbox export writes a document for sandbox create --seed, which the options extend', async () => {
    const file = join(folder, 'exported.yaml');
    const [yaml, ids] = await Promise.all([
      succeed(['sandbox', 'export'], asSandbox),
      succeed(['sandbox', 'export', '--format', 'json', '--ids'], asSandbox),
    ]);
    expect(yaml).toMatch(/^ {2}- name: war-room$/m);
    expect((JSON.parse(ids) as SeedOf).channels.find(({ name }) => name === 'war-room')?.id).toMatch(/^C0/);
    writeFileSync(file, yaml);
    const options = ['--name', 'a copy', '--ttl', '90m', '--label', 'suite=kits', '--label', 'of=exports'];
    const copy = JSON.parse(await succeed(['sandbox', 'create', '--seed', file, ...options, '--json'], asAdmin)) as {
      id: string;
    };
    const shown = JSON.parse(await succeed(['sandbox', 'show', copy.id], asAdmin)) as Record<string, number>;
    expect(shown).toMatchObject({ name: 'a copy', labels: { suite: 'kits', of: 'exports' } });
    // whole seconds of two moments
    const life = Number(shown['expires_at']) - Number(shown['created']);
    expect([90 * 60, 90 * 60 + 1]).toContain(life);
    const [again, listed] = await Promise.all([
      succeed(['sandbox', 'export', copy.id], asAdmin),
      succeed(['sandbox', 'list', '--label', 'suite=kits', '--label', 'of=exports', '--json'], asAdmin),
    ]);
    expect(channelsIn(again)).toEqual(channelsIn(yaml));
    expect((JSON.parse(listed) as { id: string }[]).map(({ id }) => id)).toEqual([copy.id]);
    expect(await succeed(['sandbox', 'delete', copy.id], asAdmin)).toBe('deleted\n');
    const gone = await command(['sandbox', 'show', copy.id], asAdmin);
    expect(gone).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('sandbox_not_found') });
  });

  it('assert exits with 0 when the whole document holds, else with 1 and its messages', async () => {
    await succeed(['sandbox', 'reset'], asSandbox);
    await succeed(['trigger', 'message', '--channel', 'war-room', '--text', 'done'], asSandbox);
    const file = join(folder, 'expected.json');
    const expectation = (text: string) => ({
      expect: [{ added: 'message', where: { channel: '#war-room', text }, count: 1 }],
      nothing_else: ['message'],
    });
    writeFileSync(file, JSON.stringify(expectation('done')));
    const wrong = join(folder, 'wrong.json');
    writeFileSync(wrong, JSON.stringify(expectation('undone')));
    const [holds, differs, json, missing] = await Promise.all([
      asked(['assert', file]),
      asked(['assert', wrong]),
      asked(['assert', wrong, '--json']),
      asked(['assert', join(folder, 'none.json')]),
    ]);
    expect(holds).toMatchObject({ code: 0, stdout: '', stderr: 'passed\n' });
    expect(differs).toMatchObject({ code: 1, stdout: '' });
    expect(differs.stderr).toMatch(/message.*"undone"/);
    expect(json.code).toBe(1);
    expect(JSON.parse(json.stdout)).toMatchObject({ passed: false, failures: [{}, {}] });
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('cannot be read: ENOENT') });
  });

  it('sandbox create --env prints lines that a shell can eval', async () => {
    const shell = { ...asAdmin, ...asSandbox }; // the shell already has a sandbox
    const printed = await succeed(['sandbox', 'create', '--name', 'of the shell', '--ttl', '1h', '--env'], shell);
    const names = printed
      .trimEnd()
      .split('\n')
      .map((line) => /^export (\w+)=\S/.exec(line)?.[1]);
    for (const name of [
      'SLACK_API_URL',
      'SLACK_BOT_TOKEN',
      'SLACK_SIGNING_SECRET',
      'LINEAR_API_URL',
      'LINEAR_API_KEY',
      'LINEAR_CLIENT_ID',
      'LINEAR_CLIENT_SECRET',
    ]) {
      expect(names).toContain(name);
    }
    expect(printed).toContain(`export SLACK_API_URL=${base}/api/\n`);
    expect(printed).toContain(`export LINEAR_API_URL=${base}/graphql\n`);
    expect(printed).toContain(`export LINEAR_AUTHORIZE_URL=${base}/oauth/authorize\n`);
    expect(printed).toContain(`export LINEAR_TOKEN_URL=${base}/oauth/token\n`);
    const link = /^export SLACK_INSTALL_URL='?([^'\n]*)'?$/m.exec(printed)?.[1] as string;
    const page = await fetch(link, { headers: { accept: 'text/html' } });
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('asks for access to')]);
    const token = /export SVC_SANDBOX_TOKEN=(svc_sbx_\w+)/.exec(printed)?.[1] as string;
    // for the clients that are started with these variables
    const made = { SVC_API_URL: `${base}/api`, SVC_SANDBOX_TOKEN: token };
    expect(JSON.parse(await succeed(['sandbox', 'export', '--format', 'json'], made))).toMatchObject({
      name: 'of the shell',
      missing_scope_status: 200,
    });
  });

  it('sandbox list and show find sandboxes; snapshot keeps a state by name, and reset goes back to it', async () => {
    const [listed, shown, kept] = await Promise.all([
      succeed(['sandbox', 'list', '--label', 'suite=kits'], asAdmin),
      succeed(['sandbox', 'show'], asSandbox),
      succeed(['sandbox', 'snapshot', '--name', 'before', '--json'], asSandbox),
    ]);
    expect(listed).toMatch(/^ID .*NAME/);
    expect(listed).toContain(sandboxId);
    expect(JSON.parse(shown)).toMatchObject({ id: sandboxId, labels: { suite: 'kits' } });
    expect(JSON.parse(kept)).toMatchObject({ name: 'before' });
    expect(await succeed(['sandbox', 'reset', '--to', 'before'], asSandbox)).toMatch(/^reset to before: \d+ rows/);
  });

  it('trigger causes an event, and wait finds it or reports the closest entries', async () => {
    const [, mentioned] = await Promise.all([
      succeed(['trigger', '--list'], asSandbox),
      succeed(['trigger', 'message', '--as', 'alice', '--channel', 'war-room', '--text', 'ship it'], asSandbox),
      succeed(['trigger', 'app_mention', '--channel', 'war-room', '--json'], asSandbox),
      succeed(['trigger', 'issue.created', '--as', 'alice', '--text', 'Fix login'], asSandbox),
    ]);
    expect(mentioned).toContain('message');
    const found = await asked(['wait', 'message', '--where', '{"text":"ship it"}', '--timeout', '5s', '--json']);
    expect(found.code, found.stderr).toBe(0);
    expect(JSON.parse(found.stdout)).toMatchObject({ matched: true });
    const missed = await asked(['wait', 'message', '--where', '{"text":"ship this"}', '--timeout', '50ms']);
    expect(missed).toMatchObject({ code: 1 });
    expect(missed.stderr).toMatch(/no message matched in time\n {2}\S*text: expected "ship this", was "/);
  });

  it('without a token, commands use the server of the local data directory', async () => {
    const local = { SVC_DATA_DIR: join(folder, 'local') };
    const own = run('bin/understudy.mjs', ['start', '--port', '0', '--quiet'], local);
    try {
      await own.logged('listening on');
      await succeed(['sandbox', 'create'], { ...local, SVC_SANDBOX_TOKEN: 'svc_sbx_of_before' });
      await succeed(['trigger', 'message', '--text', 'from here'], local);
      await succeed(['trigger', 'reaction_added', '--text', 'eyes'], local);
      await succeed(['trigger', 'issue.created', '--text', 'Fix login'], local);
      await succeed(['wait', 'message', '--where', '{"text":"from here"}', '--after', 'start'], local);
      await succeed(['wait', 'issue', '--where', '{"title":"Fix login"}', '--after', 'start'], local);
      expect((await command(['open'], local)).stderr).toContain('no web UI');
    } finally {
      await own.kill('SIGTERM');
    }
  });

  it('open prints a link that works once; trigger suggests similar names', async () => {
    const [slip, plain, json] = await Promise.all([
      asked(['trigger', 'mesage']),
      asked(['open', '--as', 'alice', '--to', '/w/inspect']),
      asked(['open', '--json']),
    ]);
    expect(slip).toMatchObject({ code: 2 });
    expect(slip.stderr).toContain('did you mean message?');
    expect(plain.stdout).toMatch(new RegExp(`^${base}/#key=[\\w-]+&to=%2Fw%2Finspect\n$`));
    const { url } = JSON.parse(json.stdout) as { url: string };
    const key = /#key=([\w-]+)/.exec(url)?.[1];
    const signIn = () =>
      fetch(`${base}/api/ui/session/link`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
        body: JSON.stringify({ key }),
      });
    expect([(await signIn()).ok, (await signIn()).ok]).toEqual([true, false]);
  });

  describe.skipIf(!hasTerminal)(
    `on a terminal${hasTerminal ? '' : ' (skipped: there is no script of util-linux)'}`,
    () => {
      it('open starts a browser with the link', async () => {
        const seen = join(folder, 'opened');
        for (const name of ['xdg-open', 'open']) {
          writeFileSync(
            join(folder, name),
            `#!/bin/sh\nprintf '%s' "$1" > '${seen}.draft' && mv '${seen}.draft' '${seen}'\n`,
          );
          chmodSync(join(folder, name), 0o755);
        }
        const env = { ...asSandbox, PATH: `${folder}:${process.env['PATH']}` };
        const { code, stdout } = await terminal(['open'], env);
        expect(code).toBe(0);
        await eventually(() => existsSync(seen), 'a browser was started');
        expect(readFileSync(seen, 'utf8')).toBe(stdout.trim());
      });

      it('there are colours unless NO_COLOR is set, and long operations show their progress', async () => {
        const [colourful, plain, elsewhere, making] = await Promise.all([
          terminal(['sandbox', 'list'], asAdmin),
          terminal(['sandbox', 'list'], { ...asAdmin, NO_COLOR: '1' }),
          succeed(['sandbox', 'list'], asAdmin),
          terminal(['sandbox', 'create', '--name', 'of a terminal'], asAdmin),
        ]);
        expect(colourful.stdout).toContain('\x1b[1mID');
        expect(plain).toMatchObject({ code: 0, stdout: expect.not.stringContaining('\x1b[') });
        expect(elsewhere).not.toContain('\x1b[');
        expect(making.stdout).toMatch(/^\rcreating the sandbox …/);
        expect(making.stdout).toContain('\r\x1b[KSandbox        Sb0');
      });
    },
  );

  it('fault, fault list and fault clear', async () => {
    expect(await succeed(['fault', 'chat.postMessage', 'ratelimited', '--retry-after', '1'], asSandbox)).toMatch(
      /^Fa\w+: chat.postMessage → ratelimited, 1 time/,
    );
    const listed = JSON.parse(await succeed(['fault', 'list', '--json'], asSandbox)) as object[];
    expect(listed).toMatchObject([{ on: { method: 'chat.postMessage' }, fault: { retry_after: 1 }, fired: 0 }]);
    await succeed(['fault', 'clear'], asSandbox);
    expect(JSON.parse(await succeed(['fault', 'list', '--json'], asSandbox))).toEqual([]);
  });

  it('wrong usage exits with 2, a refusal with 1', async () => {
    const [flag, word, nothing, port, refused, unreachable, help] = await Promise.all([
      command(['start', '--prot', '0'], {}),
      command(['sandbx', 'list'], {}),
      asked(['fault', 'chat.postMessage']),
      command(['start', '--port', '70000'], {}),
      asked(['sandbox', 'reset', '--to', 'never']),
      command(['sandbox', 'list'], { ...asAdmin, SVC_API_URL: 'http://127.0.0.1:1/api' }),
      command(['sandbox', 'create', '--help'], {}),
    ]);
    expect(flag.code).toBe(2);
    expect(flag.stderr).toMatch(/unknown option '--prot'[\s\S]*--port/);
    expect(word.code).toBe(2);
    expect(word.stderr).toMatch(/Did you mean sandbox/);
    expect(nothing.code).toBe(2);
    expect(port.code).toBe(2);
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.stderr).toContain('snapshot_not_found');
    expect(unreachable.code).toBe(1);
    expect(unreachable.stderr).toContain('no answer from');
    expect(help.code).toBe(0);
    expect(help.stdout).toContain('Example:');
  });
});
