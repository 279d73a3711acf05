import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, serverUrl } from '../support/databases.js';
import { receiver } from '../support/receiver.js';
import { ensureBuilt, ServerProcess } from '../support/server-process.js';

beforeAll(ensureBuilt, 300_000);

const FAULTS = new URL('../support/preload-faults.mjs', import.meta.url).href;

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

type Entry = Record<string, unknown> & { level: string; msg: string };

/** A server with the most verbose log, and errors on request. */
class VerboseServer {
  /** Everything that must not appear in the log. */
  readonly secrets = new Set<string>();
  private constructor(readonly server: ServerProcess) {}

  static async start(env: Record<string, string>): Promise<VerboseServer> {
    const server = await ServerProcess.start({ SVC_LOG_LEVEL: 'trace', NODE_OPTIONS: `--import=${FAULTS}`, ...env });
    return new VerboseServer(server);
  }

  /** Sends JSON, and records as secrets the credential and the answer's fields with secret names. */
  async send(
    path: string,
    credential: string,
    body: object,
    method = 'POST',
    // eslint-disable-next-line @typescript-eslint/no-explicit-any -- specs read fields of answers freely
  ): Promise<{ status: number; id: string | null; body: any }> {
    const headers = { 'content-type': 'application/json', ...(credential === '' ? {} : { authorization: credential }) };
    const init = { method, headers, body: JSON.stringify(body) };
    const response = await fetch(`${this.server.baseUrl}${path}`, init);
    const text = await response.text();
    if (credential !== '') this.secrets.add(credential.replace(/^\w+ /, ''));
    for (const [, secret = ''] of text.matchAll(/"\w*(?:[sS]ecret|[tT]oken|[pP]assword)"\s*:\s*"([^"]{8,})"/g))
      this.secrets.add(secret);
    const isJson = response.headers.get('content-type')?.includes('json') ?? false;
    return {
      status: response.status,
      id: response.headers.get('x-request-id'),
      body: isJson ? JSON.parse(text) : text,
    };
  }

  entries(): Entry[] {
    const lines = this.server.running.stderr.split('\n').filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line) as Entry);
  }
}

describe('the log', { timeout: 120_000 }, () => {
  it('contains no secret at its most verbose, and identifies each call by the request id of its answer', async () => {
    const database = serverUrl === undefined ? undefined : await createDatabase();
    const given = {
      SVC_ADMIN_TOKEN: 'operator-that-nobody-reads',
      SVC_ADMIN_PASSWORD: 'password-that-nobody-reads',
      SVC_JWT_SECRET: 'instance secret that nobody reads, ever',
      SVC_DEFAULT_BOT_TOKEN: `xoxb-123456789012-${'readbynobodyatallabcdefg'}`,
      SVC_DEFAULT_USER_TOKEN: `xoxp-123456789012-${'readbynobodyatallhijklmn'}`,
      SVC_DEFAULT_API_KEY: `svc_api_${'readByNobody'.repeat(4).slice(0, 40)}`,
    };
    const url = new URL(database?.url ?? 'http://unused');
    if (database) url.password = 'database-that-nobody-reads';
    const server = await VerboseServer.start({
      ...given,
      ...(database ? { DATABASE_URL: url.href } : { SVC_DATA_DIR: 'memory' }),
    });
    for (const secret of [...Object.values(given), 'database-that-nobody-reads']) server.secrets.add(secret);
    const [bot, user] = [`Bearer ${given.SVC_DEFAULT_BOT_TOKEN}`, `Bearer ${given.SVC_DEFAULT_USER_TOKEN}`];
    const key = given.SVC_DEFAULT_API_KEY;
    try {
      // signing in, with a wrong and the right password
      const email = 'admin@understudy.local';
      server.secrets.add('a-wrong-password');
      await server.send('/api/auth/login', '', { email, password: 'a-wrong-password' });
      const session = await server.send('/api/auth/login', '', { email, password: given.SVC_ADMIN_PASSWORD });
      const { accessToken, refreshToken } = session.body as Record<string, string>;
      expect([...server.secrets]).toEqual(expect.arrayContaining([accessToken, refreshToken]));
      const jwt = `Bearer ${accessToken}`;
      await server.send('/api/auth/refresh', '', { refreshToken });

      // a post, and a call that fails
      const posted = await server.send('/api/chat.postMessage', bot, { channel: '#general', text: 'hello' });
      expect(posted.body).toMatchObject({ ok: true });
      await server.send(`/api/auth.test?token=${given.SVC_DEFAULT_USER_TOKEN}`, '', {});
      await server.send('/api/auth.test', `Bearer xoxb-000000000000-${'wrong'.repeat(5)}`, {});

      // everything that has a secret of its own
      const far = await receiver();
      const channel = (posted.body as { channel: string }).channel;
      const outgoing = await server.send('/api/webhooks/outgoing', user, { url: far.url, events: ['message'] });
      const incoming = await server.send('/api/webhooks/incoming', user, { channel });
      const app = await server.send('/api/apps', jwt, { manifest: { display_information: { name: 'talks' } } });
      await server.send('/api/commands', bot, { command: '/talk', url: far.url });
      await server.send('/api/commands/execute', user, { command: '/talk', channel_id: channel });
      const form = new URLSearchParams(far.received.at(-1)?.body);
      const hook = new URL((incoming.body as { url: string }).url).pathname;
      const respond = new URL(form.get('response_url') as string).pathname;
      for (const path of [hook, respond]) server.secrets.add(path.split('/').at(-1) as string);
      expect(outgoing.body).toHaveProperty('secret');
      expect(app.body).toHaveProperty('credentials.signing_secret');
      const webhookCreate =
        'mutation($input: WebhookCreateInput!) { webhookCreate(input: $input) { webhook { secret } } }';
      const made = await server.send('/graphql', key, {
        query: webhookCreate,
        variables: { input: { url: far.url, resourceTypes: ['Issue'] } },
      });
      expect(made.body).toHaveProperty('data.webhookCreate.webhook.secret');
      await server.send(hook, '', { text: 'in' });
      await server.send(respond, '', { text: 'later' });

      const teams = await server.send('/graphql', key, { query: '{ teams { nodes { id } } }' });
      const team = (teams.body as { data: { teams: { nodes: { id: string }[] } } }).data.teams.nodes[0]?.id;

      // errors whose driver messages contain secrets, in each API, identified by the request id
      const text = `break:${[...server.secrets].filter((secret) => /^(xox|svc_|eyJ)/.test(secret)).join(' ')} ${bot} ${
        url.href
      }:break`;
      const broken = [
        await server.send('/api/chat.postMessage', bot, { channel, text }),
        await server.send(hook, '', { text }),
        await server.send(respond, '', { text }),
        await server.send('/api/webhooks/outgoing', user, { url: far.url, name: 'break:x:break' }),
        await server.send(`${hook.slice(0, hook.lastIndexOf('/'))}break:x:break`, user, {}, 'DELETE'),
        await server.send('/graphql', key, {
          query: 'mutation($input: IssueCreateInput!) { issueCreate(input: $input) { success } }',
          variables: { input: { teamId: team, title: 'broken', description: text } },
        }),
      ];
      expect(broken.map(({ status }) => status)).toEqual([200, 500, 500, 500, 500, 500]);

      const entries = (): Entry[] => server.entries();
      for (const { id } of broken) {
        expect(id).toMatch(/^[0-9a-f]{24}$/);
        await expect
          .poll(() => entries().filter(({ requestId }) => requestId === id))
          .toMatchObject([{ level: 'error' }, { level: 'debug', msg: 'answered' }]);
      }
      expect(entries().find(({ requestId }) => requestId === posted.id)).toMatchObject({
        level: 'debug',
        msg: 'answered',
        method: 'chat.postMessage',
        status: 200,
        outcome: 'ok',
      });
      await server.server.kill('SIGTERM');
      const { stderr, stdout } = server.server.running;
      expect(stdout).toBe('');
      expect(stderr.match(/\[redacted\]/g)?.length).toBeGreaterThan(10);
      expect([...server.secrets].filter((secret) => stderr.includes(secret))).toEqual([]);
    } finally {
      await server.server.kill();
      await database?.drop();
    }
  });

  it('separates the message and the stack that Nest’s loggers pass, also of an error', () => {
    const program = `
      import { Logger } from '@nestjs/common';
      import { Log } from './dist/kernel/log/log.js';
      const log = Log.create({ logLevel: 'info', logFormat: process.argv[1] });
      Logger.overrideLogger(log);
      const error = new Error('broken by xoxb-1-secret');
      new Logger('Realtime').error('a listener failed', error.stack);
      new Logger('Realtime').error('a listener failed');
      log.error(error, 'Realtime');
      log.warn('no answer', 'Realtime');
    `;
    const lines = (format: string): string[] =>
      spawnSync(process.execPath, ['--input-type=module', '--eval', program, format], { cwd: ROOT, encoding: 'utf8' })
        .stderr.trimEnd()
        .split('\n');
    const stack = expect.stringMatching(/^Error: broken by \[redacted\]\n {4}at /) as string;
    const [withStack, without, thrown, plain] = lines('json').map((line) => JSON.parse(line) as Entry);
    expect(withStack).toMatchObject({ msg: 'a listener failed', stack, context: 'Realtime' });
    expect(without).toMatchObject({ msg: 'a listener failed', context: 'Realtime' });
    expect(without).not.toHaveProperty('stack');
    expect(thrown).toMatchObject({ msg: 'broken by [redacted]', error: { stack }, context: 'Realtime' });
    expect(plain).toMatchObject({ level: 'warn', msg: 'no answer', context: 'Realtime' });
    const [first, second, third] = lines('pretty');
    expect(first).toMatch(/^[\d:]{8} error a listener failed \{"context":"Realtime"\}$/);
    expect([second, third]).toEqual(['Error: broken by [redacted]', expect.stringMatching(/^ {4}at /)]);
  });
});
