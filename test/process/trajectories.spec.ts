import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, onPostgres, serverUrl } from '../support/databases.js';
import { eventually } from '../support/receiver.js';
import { ensureBuilt, ServerProcess } from '../support/server-process.js';

const OPERATOR = { 'x-admin-token': 'operator-of-the-tests' };
const POSTS = 150;

// docs/reference/sandboxes.md#trajectories
describe.skipIf(serverUrl === undefined)(`a replay on two processes${onPostgres}`, { timeout: 180_000 }, () => {
  let servers: [ServerProcess, ServerProcess];
  let drop: () => Promise<void>;

  beforeAll(async () => {
    ensureBuilt();
    const database = await createDatabase();
    drop = database.drop;
    const env = { DATABASE_URL: database.url, SVC_ADMIN_TOKEN: OPERATOR['x-admin-token'] };
    const first = await ServerProcess.start(env);
    servers = [first, await ServerProcess.start(env)];
  }, 300_000);

  afterAll(async () => {
    await Promise.all(servers.map((server) => server.kill()));
    await drop();
  });

  const fetched = async (
    server: ServerProcess,
    path: string,
    headers: Record<string, string>,
    body?: object | string,
  ) =>
    fetch(`${server.baseUrl}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        ...headers,
        ...(body !== undefined && {
          'content-type': typeof body === 'string' ? 'application/x-ndjson' : 'application/json',
        }),
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  // oxlint-disable-next-line typescript/no-explicit-any -- the spec reads deep into answers
  const send = async (...asked: Parameters<typeof fetched>): Promise<any> => (await fetched(...asked)).json();
  const ctlOf = ({ credentials }: { credentials: { control_token: string } }) => ({
    'x-sandbox-token': credentials.control_token,
  });

  it('goes on when the one that plays is killed, makes no call twice, and is told to who asks again', async () => {
    const [first, second] = servers;
    const settings = { rate_limit_multiplier: 0 };
    const document = { ...settings, journal: true, channels: [{ name: 'ops' }] };
    const recorded = await send(first, '/api/sandboxes', OPERATOR, document);
    const { id: from } = await send(first, '/api/sandboxes/self/snapshots', ctlOf(recorded), {});
    const bot = { authorization: `Bearer ${recorded.credentials.bot_token}` };
    for (let n = 0; n < POSTS; n++) {
      await send(first, '/api/chat.postMessage', bot, { channel: '#general', text: `post ${n}` });
    }
    const text = await (await fetched(first, '/api/sandboxes/self/trajectory', ctlOf(recorded))).text();
    expect(JSON.parse(text.trimEnd().split('\n').at(-1) as string)).toMatchObject({ t: 'end', calls: POSTS });

    const fork = await send(first, '/api/sandboxes', OPERATOR, { ...settings, from });
    const token = { authorization: `Bearer ${fork.credentials.bot_token}` };
    const channel = fork.credentials.channels.general as string;
    const texts = async (): Promise<string[]> => {
      const { messages } = await send(second, '/api/conversations.history', token, { channel, limit: 999 });
      return (messages as { text: string }[]).map((message) => message.text).filter((one) => one.startsWith('post '));
    };
    const cutOff = send(first, '/api/sandboxes/self/replay', ctlOf(fork), text).catch(() => undefined);
    await eventually(async () => (await texts()).length >= 3, 'some are posted', 60_000);
    await first.kill('SIGKILL');
    expect(await cutOff).toBeUndefined();
    expect((await texts()).length).toBeLessThan(POSTS);

    const { calls, same, skipped, differs, state } = await send(
      second,
      '/api/sandboxes/self/replay',
      ctlOf(fork),
      text,
    );
    // the answer to the call that was under way is lost, if it had done its work
    expect(skipped.length).toBeLessThanOrEqual(1);
    expect({ calls, same, differs }).toEqual({ calls: POSTS - skipped.length, same: calls, differs: [] });
    expect(state).toMatchObject({ equal: true });
    const posted = await texts();
    expect(new Set(posted).size).toBe(POSTS);
    expect(posted).toHaveLength(POSTS);
  });
});
