import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_BOT_SCOPES, DEFAULT_USER_SCOPES } from '../../src/messaging/provisioning/default-scopes.js';
import { createDatabase, onPostgres, serverUrl } from '../support/databases.js';
import { eventually } from '../support/receiver.js';
import { ensureBuilt, ServerProcess } from '../support/server-process.js';
import { storedTexts } from '../support/stored-texts.js';

const fixture = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`fixtures/${name}`, import.meta.url)), 'utf8');

/**
 * A database written by version 0.1.0 (`pg_dump`, without comments), with its credentials. That version was killed
 * while four clients posted.
 */
const DUMP = fixture('version-0.1.0.sql');
const FACTS = JSON.parse(fixture('version-0.1.0.json')) as {
  botToken: string;
  userToken: string;
  apiKey: string;
  adminPassword: string;
  person: { email: string; password: string; refreshToken: string };
  app: { botToken: string };
  second: { botToken: string; apiKey: string; channel: string };
  general: string;
  thread: string;
  privateChannel: string;
  dm: string;
  acknowledged: string[];
};

/** Posts as a replica of version 0.1.0 does: it locks the conversation's row first, then inserts the message. */
class OldReplica {
  readonly written: string[] = [];
  readonly failed: unknown[] = [];
  private stopped = false;
  private readonly loop: Promise<void>;

  constructor(
    private readonly client: pg.Client,
    private readonly channel: string,
  ) {
    this.loop = this.post();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.loop;
  }

  private async post(): Promise<void> {
    while (!this.stopped) {
      const text = `old replica ${this.written.length}`;
      try {
        await this.client.query(
          `WITH moved AS (
             UPDATE conversations SET last_ts = greatest((extract(epoch FROM clock_timestamp()) * 1e6)::bigint, last_ts + 1)
             WHERE id = $1 RETURNING id, last_ts),
           model AS (
             SELECT m.user_id, m.bot_id, m.wire::jsonb AS wire FROM messages m
             WHERE m.conversation_id = $1 AND m.text LIKE 'kept post 11%')
           INSERT INTO messages (conversation_id, ts, user_id, bot_id, text, wire)
           SELECT moved.id, moved.last_ts, user_id, bot_id, $2,
             (wire || jsonb_build_object('text', $2::text, 'ts', round(last_ts / 1e6, 6)::text))::text
           FROM moved, model`,
          [this.channel, text],
        );
        this.written.push(text);
      } catch (error) {
        this.failed.push(error);
        // an immediate error must not fill the list forever
        if (this.failed.length >= 10) return;
      }
    }
  }
}

describe.skipIf(serverUrl === undefined)(`a database of version 0.1.0${onPostgres}`, { timeout: 180_000 }, () => {
  let drop: () => Promise<void>;
  let servers: ServerProcess[] = [];
  let old: OldReplica;
  let client: pg.Client;
  const server = (): ServerProcess => servers[0] as ServerProcess;

  beforeAll(async () => {
    ensureBuilt();
    const database = await createDatabase();
    drop = database.drop;
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query(DUMP);
    old = new OldReplica(client, FACTS.general);
    await eventually(() => old.written.length > 20 || old.failed.length > 0, 'the old version writes');
    expect(old.failed).toEqual([]);
    const env = { DATABASE_URL: database.url, SVC_RATE_LIMIT_MULTIPLIER: '100', SVC_METHODS: 'all' };
    servers = await Promise.all([ServerProcess.start(env), ServerProcess.start(env)]);
    const before = old.written.length;
    await eventually(() => old.written.length > before + 20 || old.failed.length > 0, 'the old version writes on');
    await old.stop();
  }, 400_000);

  afterAll(async () => {
    await old?.stop();
    await Promise.all(servers.map((each) => each.kill('SIGTERM')));
    await client.end();
    await drop();
  });

  const send = async (path: string, init: { token?: string; body?: object; method?: string } = {}) => {
    const { token, body, method = body === undefined ? 'GET' : 'POST' } = init;
    const authorization = path === '/graphql' ? token : `Bearer ${token}`;
    const response = await fetch(`${server().baseUrl}${path}`, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(token === undefined ? {} : { authorization: authorization as string }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    // eslint-disable-next-line @typescript-eslint/no-explicit-any -- specs read fields of answers freely
    return { status: response.status, body: (await response.json()) as any };
  };

  it('is migrated by the first replica, while a replica of the old version keeps posting', async () => {
    expect(old.failed).toEqual([]);
    for (const { baseUrl } of servers) expect((await fetch(`${baseUrl}/api/health/ready`)).status).toBe(200);
    const { rows } = await client.query(
      'SELECT count(*)::int AS applied, count(DISTINCT name)::int AS names FROM migrations',
    );
    expect(rows[0].applied).toBe(rows[0].names);
    expect(rows[0].applied).toBeGreaterThan(12);
  });

  it('keeps every acknowledged message, and those that old replicas post meanwhile', async () => {
    const texts = await storedTexts(server(), FACTS.botToken, FACTS.general);
    for (let i = 0; i < 12; i++) if (i !== 2) expect(texts).toContain(`kept post ${i} of https://example.com/${i}`);
    expect(texts).toContain('kept, edited');
    expect(texts).toEqual(expect.arrayContaining(FACTS.acknowledged));
    expect(texts.filter((text) => text.startsWith('old replica')).sort()).toEqual([...old.written].sort());
    expect(new Set(texts).size).toBe(texts.length);
    expect(await storedTexts(server(), FACTS.botToken, FACTS.privateChannel)).toContain('kept private');
    expect(await storedTexts(server(), FACTS.botToken, FACTS.dm)).toContain('kept dm');
    const { messages } = await server().call('conversations.replies', FACTS.botToken, {
      channel: FACTS.general,
      ts: FACTS.thread,
    });
    expect(messages.map(({ text }: { text: string }) => text).slice(1)).toEqual([
      'kept reply 0',
      'kept reply 1',
      'kept reply 2',
    ]);
    const posted = await server().call('chat.postMessage', FACTS.botToken, { channel: FACTS.general, text: 'after' });
    const newest = await server().call('conversations.history', FACTS.botToken, { channel: FACTS.general, limit: 1 });
    expect(newest.messages).toMatchObject([{ ts: posted.ts, text: 'after' }]);
    const found = await server().call('search.messages', FACTS.userToken, { query: 'kept post' });
    expect(found.messages.total).toBeGreaterThan(0);
  });

  it('accepts all previous credentials', async () => {
    const { botToken, userToken, app, second, apiKey, person, adminPassword } = FACTS;
    for (const token of [botToken, userToken, app.botToken, second.botToken])
      expect(await server().call('auth.test', token)).toMatchObject({ ok: true });
    for (const token of [apiKey, second.apiKey])
      expect((await send('/graphql', { token, body: { query: '{ viewer { id } }' } })).body).toHaveProperty(
        'data.viewer.id',
      );
    const { email, password, refreshToken } = person;
    const login = await send('/api/auth/login', { body: { email, password } });
    expect(login.body).toHaveProperty('accessToken');
    expect((await send('/api/auth/me', { token: login.body.accessToken })).status).toBe(200);
    expect((await send('/api/auth/refresh', { body: { refreshToken } })).body).toHaveProperty('accessToken');
    const admin = { email: 'admin@understudy.local', password: adminPassword };
    expect((await send('/api/auth/login', { body: admin })).status).toBe(200);
    // tenants stay separate
    expect(await server().call('conversations.info', botToken, { channel: second.channel })).toMatchObject({
      error: 'channel_not_found',
    });
  });

  it('gives default apps their current scopes, with unchanged tokens, and no other app', async () => {
    const scopesOf = async (token: string): Promise<string[]> => {
      const response = await fetch(`${server().baseUrl}/api/auth.test`, {
        headers: { authorization: `Bearer ${token}` },
      });
      return (response.headers.get('x-oauth-scopes') ?? '').split(',').sort();
    };
    const { botToken, userToken, second, app, general } = FACTS;
    const bot = [...DEFAULT_BOT_SCOPES].sort();
    const user = [...DEFAULT_USER_SCOPES].sort();
    expect(await scopesOf(botToken)).toEqual(bot);
    expect(await scopesOf(userToken)).toEqual(user);
    for (const token of [second.botToken, app.botToken]) expect(await scopesOf(token)).not.toContain('pins:read');
    expect(await server().call('pins.list', botToken, { channel: general })).toEqual({ ok: true, items: [] });
    const { apps } = (await send('/api/apps', { token: userToken })).body;
    const { manifest } = apps.find(({ name }: { name: string }) => name === 'default-app');
    expect(manifest.oauth_config.scopes.bot.sort()).toEqual(bot);
    expect(manifest.oauth_config.scopes.user.sort()).toEqual(user);
  });

  it('continues the numbering of issues', async () => {
    const token = FACTS.apiKey;
    const all = await send('/graphql', {
      token,
      body: { query: '{ issues { nodes { identifier title priority } } teams { nodes { id } } }' },
    });
    const identifiers = all.body.data.issues.nodes.map(({ identifier }: { identifier: string }) => identifier);
    expect(identifiers.sort()).toEqual(['ENG-1', 'ENG-2', 'ENG-3', 'ENG-4', 'ENG-5']);
    const query = 'mutation($input: IssueCreateInput!) { issueCreate(input: $input) { issue { identifier } } }';
    const variables = { input: { teamId: all.body.data.teams.nodes[0].id, title: 'After' } };
    const made = await send('/graphql', { token, body: { query, variables } });
    expect(made.body.data.issueCreate.issue).toEqual({ identifier: 'ENG-6' });
  });

  it('keeps its apps, webhooks and commands, and delivers to them', async () => {
    const token = FACTS.userToken;
    expect((await send('/api/apps', { token })).body.apps.map(({ name }: { name: string }) => name)).toContain('Kept');
    expect((await send('/api/commands', { token })).body.commands).toMatchObject([{ command: '/kept' }]);
    expect((await send('/api/webhooks/outgoing', { token })).body.webhooks).toHaveLength(1);
    const [incoming] = (await send('/api/webhooks/incoming', { token })).body.webhooks;
    const path = new URL(incoming.url).pathname;
    const posted = await fetch(`${server().baseUrl}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text: 'through a webhook' }),
    });
    expect(await posted.text()).toBe('ok');
    // pending deliveries were kept: they are retried, or have used up their attempts at a URL that never answers
    const { rows } = await client.query('SELECT count(*)::int AS waiting FROM deliveries');
    expect(rows[0].waiting).toBeGreaterThan(0);
  });
});
