import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, onPostgres, serverUrl } from '../support/databases.js';
import { command, ensureBuilt, ServerProcess } from '../support/server-process.js';

const NAMES = ['tada', 'eyes', 'rocket', 'heart', 'wave', 'fire', 'clap', 'pray', 'bug', 'zap'];

describe.skipIf(serverUrl === undefined)(`two processes on one PostgreSQL${onPostgres}`, { timeout: 120_000 }, () => {
  let servers: [ServerProcess, ServerProcess];
  let env: Record<string, string>;
  let drop: () => Promise<void>;
  let tokens: { bot_token: string; user_token: string };

  beforeAll(async () => {
    ensureBuilt();
    const database = await createDatabase();
    drop = database.drop;
    env = { DATABASE_URL: database.url };
    // started at the same time, on an empty database
    servers = await Promise.all([ServerProcess.start(env), ServerProcess.start(env)]);
    tokens = JSON.parse((await command(['tokens', '--json'], env)).stdout) as typeof tokens;
  }, 300_000);

  afterAll(async () => {
    await Promise.all(servers.map((server) => server.kill('SIGTERM')));
    await drop();
  });

  it('create one default workspace', async () => {
    const answers = await Promise.all(servers.map((server) => server.call('auth.test', tokens.bot_token)));
    expect(answers[0]).toMatchObject({ ok: true, team: 'Default Workspace' });
    expect(answers[1].team_id).toBe(answers[0].team_id);
    const { members } = await servers[0].call('users.list', tokens.bot_token);
    expect((members as { name: string }[]).map((member) => member.name).sort()).toEqual(['admin', 'default-app']);
  });

  it('assign distinct, increasing ts', async () => {
    const made = (await provision(servers[0])) as { bot_token: string; channels: { id: string }[] };
    const posts = await Promise.all(
      made.channels.flatMap(({ id: channel }) =>
        servers.map(async (server) => {
          const own: string[] = [];
          for (let i = 0; i < 2; i++) {
            const { ok, ts } = await server.call('chat.postMessage', made.bot_token, { channel, text: 'x' });
            expect(ok).toBe(true);
            own.push(`${channel} ${ts}`);
          }
          expect(own).toEqual([...own].sort());
          return own;
        }),
      ),
    );
    expect(new Set(posts.flat()).size).toBe(posts.flat().length);
  });

  it('share one rate limit', async () => {
    const made = (await provision(servers[1])) as { bot_token: string };
    // Tier 2: 20 in 60 s, over both
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        (servers[i % 2] as ServerProcess).call('users.setPresence', made.bot_token, { presence: 'auto' }),
      ),
    );
    expect(answers.filter((answer) => answer.ok)).toHaveLength(20);
    expect(answers.filter((answer) => answer.error === 'ratelimited')).toHaveLength(20);
  });

  it('share the count of takes that are made with their write', async () => {
    const { bot_token: token, channels } = (await provision(servers[0])) as {
      bot_token: string;
      channels: { id: string }[];
    };
    const channel = channels[0]?.id as string;
    const [first, second] = servers as [ServerProcess, ServerProcess];
    const { ts } = await first.call('chat.postMessage', token, { channel, text: 'x' });
    const react = (server: ServerProcess, i: number) =>
      server.call('reactions.add', token, { channel, timestamp: ts, name: NAMES[i] });
    // both processes have cached the caller
    for (const server of servers) expect((await react(server, 0)).error).not.toBe('ratelimited');
    await second.call('reactions.remove', token, { channel, timestamp: ts, name: NAMES[0] });
    // Tier 3: 50 in 60 s, of which two are used; the same few reactions by turns, so that each call counts and few
    // are stored
    const answers = await Promise.all(
      Array.from({ length: 80 }, (_, i) => react(servers[i % 2] as ServerProcess, Math.floor(i / 2) % NAMES.length)),
    );
    expect(answers.filter(({ error }) => error === 'ratelimited')).toHaveLength(80 - 48);
    expect(answers.filter(({ ok, error }) => ok || error === 'already_reacted')).toHaveLength(48);
    const { messages } = await first.call('conversations.history', token, { channel, limit: 1 });
    const [message] = messages as [{ reactions: { name: string; count: number }[] }];
    expect(message.reactions.map(({ count }) => count)).toEqual(answers.filter(({ ok }) => ok).map(() => 1));
  });

  it('both refuse tokens from the next call after their rotation', async () => {
    const before = JSON.parse((await command(['tokens', '--json'], env)).stdout) as typeof tokens;
    const after = JSON.parse((await command(['tokens', 'rotate', '--json'], env)).stdout) as typeof tokens;
    for (const server of servers) {
      expect(await server.call('auth.test', before.bot_token)).toEqual({ ok: false, error: 'token_revoked' });
      expect(await server.call('auth.test', before.user_token)).toEqual({ ok: false, error: 'token_revoked' });
      expect(await server.call('auth.test', after.bot_token)).toMatchObject({ ok: true });
    }
    tokens = after;
  });

  /** A workspace with three channels for one test. */
  async function provision(server: ServerProcess): Promise<unknown> {
    const response = await fetch(`${server.baseUrl}/api/admin/provision`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokens.user_token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        team: { name: 'Replicas' },
        channels: [{ name: 'one' }, { name: 'two' }, { name: 'three' }],
      }),
    });
    expect(response.status).toBe(201);
    return response.json();
  }
});
