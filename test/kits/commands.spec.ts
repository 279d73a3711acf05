import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { receiver } from '../support/receiver.js';
import { scratchFolder } from '../support/scratch.js';
import { command, ensureBuilt, run, type Ended, type Running } from '../support/server-process.js';

beforeAll(ensureBuilt, 300_000);

const ADMIN_TOKEN = 'operator-of-the-commands';

describe('understudy, against a running server', { timeout: 120_000 }, () => {
  const folder = scratchFolder();
  let server: Running | undefined;
  let base: string;
  let asAdmin: Record<string, string>;
  let asSandbox: Record<string, string>;
  let sandboxId: string;

  beforeAll(async () => {
    server = run('bin/understudy.mjs', ['start', '--port', '0', '--data', 'memory', '--quiet'], {
      SVC_ADMIN_TOKEN: ADMIN_TOKEN,
      SVC_METHODS: 'all',
    });
    base = (JSON.parse(await server.logged('listening on')) as { base: string }).base;
    expect(server.stdout).not.toContain('xoxb-');
    asAdmin = { SVC_API_URL: `${base}/api`, SVC_ADMIN_TOKEN: ADMIN_TOKEN };
    const made = await succeed(['sandbox', 'create', '--seed', seedFile(), '--label', 'suite=kits', '--json'], asAdmin);
    const { id, credentials } = JSON.parse(made) as { id: string; credentials: { control_token: string } };
    sandboxId = id;
    asSandbox = { SVC_API_URL: `${base}/api`, SVC_SANDBOX_TOKEN: credentials.control_token };
  }, 120_000);
  // also when what came before it failed
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

  it('sandbox create --env prints what a shell can eval', async () => {
    const printed = await succeed(['sandbox', 'create', '--name', 'of the shell', '--ttl', '1h', '--env'], asAdmin);
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
    ]) {
      expect(names).toContain(name);
    }
    expect(printed).toContain(`export SLACK_API_URL=${base}/api/\n`);
    expect(printed).toContain(`export LINEAR_API_URL=${base}/graphql\n`);
    expect(printed).toMatch(/export SVC_SANDBOX_TOKEN=svc_sbx_/);
  });

  it('sandbox list, show, snapshot and reset', async () => {
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

  it('trigger makes it happen, wait finds it or says what came closest', async () => {
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

  it.each([
    ['message_changed', []],
    ['message_deleted', []],
    ['channel_created', ['--text', 'made-here']],
    ['reaction_added', ['--text', 'eyes']],
    ['member_joined_channel', ['--channel', 'war-room']],
    ['issue.removed', []],
  ])('trigger %s makes that event happen, as an admin where nobody is named', async (event, options) => {
    if (event === 'reaction_added') await succeed(['trigger', 'message', '--as', 'alice'], asSandbox);
    if (event === 'issue.removed') await succeed(['trigger', 'issue.created'], asSandbox);
    await succeed(['trigger', event, ...options], asSandbox);
    const kind = event === 'message_changed' || event === 'message_deleted' ? 'message' : event;
    const subtype = kind === event ? {} : { data: { subtype: event } };
    const found = await asked([
      'wait',
      'event',
      '--where',
      JSON.stringify({ event: kind, ...subtype }),
      '--timeout',
      '5s',
    ]);
    expect(found.code, found.stderr).toBe(0);
  });

  it('without a token they speak to the server of the local data directory', async () => {
    const local = { SVC_DATA_DIR: join(folder, 'local') };
    const own = run('bin/understudy.mjs', ['start', '--port', '0', '--quiet'], local);
    try {
      await own.logged('listening on');
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

  it('trigger and open say what is near, and what is missing', async () => {
    const [slip, none] = await Promise.all([asked(['trigger', 'mesage']), asked(['open'])]);
    expect(slip).toMatchObject({ code: 2 });
    expect(slip.stderr).toContain('did you mean message?');
    expect(none).toMatchObject({ code: 1 });
    expect(none.stderr).toContain('no web UI; start it with one: understudy start --mode full');
  });

  it('each command has --help with an example', async () => {
    const commands = [
      [],
      ['start'],
      ['tokens'],
      ['tokens', 'rotate'],
      ['open'],
      ['migrate'],
      ['health'],
      ['mcp', 'chat'],
    ];
    const kit = ['create', 'list', 'show', 'reset', 'delete', 'export', 'snapshot'].map((name) => ['sandbox', name]);
    const others = [
      ['mcp', 'issues'],
      ['listen'],
      ['trigger'],
      ['fault'],
      ['fault', 'list'],
      ['fault', 'clear'],
      ['wait'],
    ];
    for (const words of [...commands, ...kit, ...others, ['assert'], ['completion']]) {
      const { code, stdout } = await command([...words, '--help'], {});
      expect([words, code, stdout.includes('\nExample:\n  ')]).toEqual([words, 0, true]);
    }
  });

  it('fault, fault list and fault clear', async () => {
    expect(await succeed(['fault', 'chat.postMessage', 'ratelimited', '--retry-after', '1'], asSandbox)).toMatch(
      /^Fa\w+: chat.postMessage → ratelimited, 1 time/,
    );
    const listed = JSON.parse(await succeed(['fault', 'list', '--json'], asSandbox)) as object[];
    expect(listed).toMatchObject([{ on: { method: 'chat.postMessage' }, fault: { retry_after: 1 }, fired: 0 }]);
    await succeed(['fault', 'clear'], asSandbox);
    expect(JSON.parse(await succeed(['fault', 'list', '--json'], asSandbox))).toEqual([]);
  });

  it('listen shows entries and forwards events, signed', async () => {
    const hook = await receiver();
    const listening = run('bin/understudy.mjs', ['listen', '--json', '--forward-to', hook.url], asSandbox);
    await listening.logged('forwarding events');
    // its streams are open a moment later
    const sent = setInterval(
      () => void asked(['trigger', 'message', '--channel', 'war-room', '--text', 'over']),
      1_500,
    );
    const [first] = await hook.until(({ length }) => length > 0).finally(() => clearInterval(sent));
    expect(first?.headers['x-slack-signature']).toMatch(/^v0=[0-9a-f]{64}$/);
    expect(JSON.parse(first?.body as string)).toMatchObject({ type: 'event_callback', event: { type: 'message' } });
    expect(await listening.kill('SIGTERM')).toMatchObject({ code: 0 });
    expect(listening.stdout).toContain('"event":"message"');
  });

  it('wrong usage is exit code 2, a refusal 1', async () => {
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

  it('completion prints scripts of the shells', async () => {
    const [bash, zsh, fish] = await Promise.all(
      ['bash', 'zsh', 'fish'].map((shell) => succeed(['completion', shell], {})),
    );
    expect(bash).toContain('complete ');
    expect(zsh).toContain('compdef');
    expect(fish).toContain('complete -c understudy');
  });
});
