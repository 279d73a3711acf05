import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, onPostgres, serverUrl } from '../support/databases.js';
import { eventually } from '../support/receiver.js';
import { ensureBuilt, ServerProcess } from '../support/server-process.js';

const ADMIN = 'operator-of-the-tests';

// docs/reference/sandboxes.md#colleagues
describe.skipIf(serverUrl === undefined)(`a script on two processes${onPostgres}`, { timeout: 120_000 }, () => {
  let servers: [ServerProcess, ServerProcess];
  let drop: () => Promise<void>;

  beforeAll(async () => {
    ensureBuilt();
    const database = await createDatabase();
    drop = database.drop;
    const env = { DATABASE_URL: database.url, SVC_ADMIN_TOKEN: ADMIN };
    const first = await ServerProcess.start(env);
    servers = [first, await ServerProcess.start(env)];
  }, 300_000);

  afterAll(async () => {
    await Promise.all(servers.map((server) => server.kill()));
    await drop();
  });

  it('is done once, and goes on when one of them is killed', async () => {
    const [first, second] = servers;
    const send = async (server: ServerProcess, path: string, headers: Record<string, string>, body?: object) => {
      const response = await fetch(`${server.baseUrl}${path}`, {
        method: body ? 'POST' : 'GET',
        headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
      });
      // oxlint-disable-next-line typescript/no-explicit-any -- the spec reads deep into answers
      return response.json() as Promise<any>;
    };
    const made = await send(
      first,
      '/api/sandboxes',
      { 'x-admin-token': ADMIN },
      {
        rate_limit_multiplier: 0,
        users: ['alice', 'bob'],
        channels: [{ name: 'ops', members: ['alice', 'bob'] }],
        script: [
          {
            name: 'answer',
            when: { for: 'message', where: { text: { $startsWith: 'ask ' } } },
            times: null,
            as: 'alice',
            do: { message: { channel: '{{channel}}', text: 'answer to {{text}}' } },
          },
          { name: 'late', at: 3, as: 'alice', do: { message: { channel: '#ops', text: 'late' } } },
        ],
      },
    );
    const { credentials, id } = made;
    const ctl = { 'x-sandbox-token': credentials.control_token as string };
    const bob = credentials.users.bob.access_token as string;
    const channel = credentials.channels.ops as string;
    const ask = async (n: number, server: ServerProcess) => {
      const posted = await server.call('chat.postMessage', bob, { channel, text: `ask ${n}` });
      expect(posted.ok).toBe(true);
    };
    for (let n = 0; n < 10; n++) await ask(n, n % 2 === 0 ? first : second);
    await first.kill('SIGKILL');
    for (let n = 10; n < 20; n++) await ask(n, second);
    // entries of the timeline may die with the process that wrote them, what was done does not
    const script = async () => (await send(second, `/api/sandboxes/${id}/script`, ctl)).script as { fired: number }[];
    await eventually(async () => (await script()).every(({ fired }, i) => fired >= [20, 1][i]!), 'all is done', 40_000);
    // and nothing twice: what is being done is done by then
    await send(second, `/api/sandboxes/${id}/wait`, ctl, { for: 'idle' });
    expect(await script()).toMatchObject([{ fired: 20 }, { state: 'done', fired: 1 }]);
    const { messages } = await second.call('conversations.history', bob, { channel, limit: 200 });
    const said = (messages as { text: string }[]).map(({ text }) => text).filter((text) => !text.startsWith('ask '));
    const answers = Array.from({ length: 20 }, (_, n) => `answer to ask ${n}`);
    expect(said.filter((text) => text.startsWith('answer')).sort()).toEqual(answers.sort());
    expect(said.filter((text) => text === 'late')).toHaveLength(1);
  });
});
