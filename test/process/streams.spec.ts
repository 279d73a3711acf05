import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, onPostgres, serverUrl } from '../support/databases.js';
import { command, ensureBuilt, ServerProcess } from '../support/server-process.js';

const SETTINGS = { SVC_RATE_LIMIT_MULTIPLIER: '0', SVC_METHODS: 'all' };

// docs/reference/chat.md#streams
describe.skipIf(serverUrl === undefined)(`streams on several processes${onPostgres}`, { timeout: 120_000 }, () => {
  let env: Record<string, string>;
  let drop: () => Promise<void>;
  let token: string;
  const running = new Set<ServerProcess>();

  const startServer = async (more: Record<string, string> = {}): Promise<ServerProcess> => {
    const server = await ServerProcess.start({ ...env, ...more });
    running.add(server);
    return server;
  };

  beforeAll(async () => {
    ensureBuilt();
    const database = await createDatabase();
    drop = database.drop;
    env = { DATABASE_URL: database.url, ...SETTINGS };
    await startServer();
    token = (JSON.parse((await command(['tokens', '--json'], env)).stdout) as { bot_token: string }).bot_token;
  }, 300_000);

  afterAll(async () => {
    await Promise.all([...running].map((server) => server.kill('SIGTERM')));
    await drop();
  });

  const begin = async (server: ServerProcess) => {
    const { user_id, team_id } = await server.call('auth.test', token);
    const { channels } = await server.call('conversations.list', token);
    const [{ id: channel }] = channels;
    const recipients = { recipient_user_id: user_id, recipient_team_id: team_id };
    const { ts } = await server.call('chat.startStream', token, { channel, ...recipients });
    return { channel, ts } as { channel: string; ts: string };
  };

  it('a killed process loses no append that it answered, and the next one goes on', async () => {
    const [one, two] = [await startServer(), await startServer()];
    const at = await begin(one);
    const acknowledged: string[] = [];
    let killed = false;
    const append = async (lane: number): Promise<void> => {
      for (let i = 0; !killed; i++) {
        const word = `<${lane}.${i}>`;
        const answer = await one.call('chat.appendStream', token, { ...at, markdown_text: word }).catch(() => null);
        if (!answer?.ok) return;
        acknowledged.push(word);
        if (acknowledged.length !== 100) continue;
        killed = true;
        running.delete(one);
        await one.kill('SIGKILL');
      }
    };
    await Promise.all([0, 1, 2, 3].map(append));
    expect(acknowledged.length).toBeGreaterThanOrEqual(100);
    expect(await two.call('chat.appendStream', token, { ...at, markdown_text: ' and on' })).toMatchObject({ ok: true });
    const { message } = await two.call('chat.stopStream', token, at);
    const kept = (message.text.match(/<\d\.\d+>/g) as string[]) ?? [];
    expect(acknowledged.filter((word) => !kept.includes(word))).toEqual([]);
    expect(new Set(kept).size).toBe(kept.length);
    expect(message.text).toMatch(/ and on$/);
  });

  it('each of three processes may take each of the three calls, and one of them expires a stream', async () => {
    // a stream ends when the process that began it says
    const seconds = ['300', '2', '300'].map((value) => startServer({ SVC_STREAM_SECONDS: value }));
    const [one, two, three] = (await Promise.all(seconds)) as [ServerProcess, ServerProcess, ServerProcess];
    const at = await begin(one);
    expect(await two.call('chat.appendStream', token, { ...at, markdown_text: 'two' })).toMatchObject({ ok: true });
    expect(await three.call('chat.stopStream', token, { ...at, markdown_text: ' three' })).toMatchObject({
      message: { text: 'two three' },
    });
    const late = await begin(two);
    const state = async () =>
      (await three.call('conversations.history', token, { channel: late.channel, limit: 1 })).messages[0];
    await expect.poll(state, { timeout: 10_000 }).toMatchObject({ ts: late.ts, streaming_state: 'completed' });
    expect(await one.call('chat.appendStream', token, { ...late, markdown_text: 'x' })).toEqual({
      ok: false,
      error: 'message_not_in_streaming_state',
    });
  });
});
