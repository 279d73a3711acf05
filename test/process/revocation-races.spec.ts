import { randomUUID } from 'node:crypto';
import { Like } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENTITIES } from '../../src/entities.js';
import { parseSettings } from '../../src/kernel/config/settings.js';
import { openStore, type Store } from '../../src/kernel/database/store.js';
import { sha256Hex } from '../../src/kernel/ids/ids.js';
import { Message, Token } from '../../src/messaging/entities.js';
import { createDatabase, onPostgres, serverUrl } from '../support/databases.js';
import { changeRows, copyRow, rowsOf } from '../support/rows.js';
import { command, ensureBuilt, ServerProcess } from '../support/server-process.js';

/** The number of tokens that are revoked, with 20 calls around each: 10,000 calls in all. */
const TOKENS = 500;
const CALLS = 20;
/** The number of concurrent revocations. */
const AT_ONCE = 8;

/**
 * A token that one replica revoked is refused by all in the next call (docs/decisions/remembered-callers.md): tokens
 * that two processes have cached are revoked during calls to both.
 */
describe.skipIf(serverUrl === undefined)(`revocations with concurrent calls${onPostgres}`, { timeout: 240_000 }, () => {
  let servers: [ServerProcess, ServerProcess];
  let store: Store;
  let drop: () => Promise<void>;
  let channel: string;

  beforeAll(async () => {
    ensureBuilt();
    const database = await createDatabase();
    drop = database.drop;
    const env = { DATABASE_URL: database.url, SVC_RATE_LIMIT_MULTIPLIER: '1000000' };
    servers = await Promise.all([ServerProcess.start(env), ServerProcess.start(env)]);
    store = await openStore(parseSettings({ DATABASE_URL: database.url }), ENTITIES);
    const { bot_token } = JSON.parse((await command(['tokens', '--json'], env)).stdout) as { bot_token: string };
    const { channels } = await servers[0].call('conversations.list', bot_token);
    channel = (channels as { id: string; is_member: boolean }[]).find(({ is_member }) => is_member)?.id as string;
    // more tokens of the same bot
    tokens = Array.from({ length: TOKENS }, () => `xoxb-${randomUUID()}`);
    const fresh = (n: number) => ({ hash: sha256Hex(tokens[n] as string), isDefault: false });
    await copyRow(store, Token, { hash: sha256Hex(bot_token) }, TOKENS, fresh);
  }, 300_000);

  afterAll(async () => {
    await store.close();
    await Promise.all(servers.map((server) => server.kill('SIGTERM')));
    await drop();
  });

  let tokens: string[] = [];

  it('never let a call succeed that started after the revocation was acknowledged', async () => {
    const answered = { before: 0, after: 0 };
    const wrong: unknown[] = [];
    const race = async (token: string): Promise<void> => {
      let isDead = false;
      const call = async (i: number): Promise<void> => {
        const began = isDead ? 'late' : 'in time';
        const server = servers[i % 2] as ServerProcess;
        // two of each kind to each server, by turns
        const answer = await (i % 4 < 2
          ? server.call('auth.test', token)
          : server.call('chat.postMessage', token, { channel, text: `${began} ${token}` }));
        if (began === 'in time') return void (answer.ok && answered.before++);
        if (answer.ok || answer.error !== 'token_revoked') wrong.push(answer);
        else answered.after++;
      };
      const some = (from: number, count: number): Promise<unknown> =>
        Promise.all(Array.from({ length: count }, (_, i) => call(from + i)));
      // both servers cache the token, in both kinds of call
      await some(0, 4);
      const underWay = some(4, CALLS / 2 - 4);
      await changeRows(store, Token, { hash: sha256Hex(token) }, { revokedAt: new Date() });
      isDead = true;
      await Promise.all([some(0, CALLS / 2), underWay]);
    };
    const left = [...tokens];
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let token = left.pop(); token !== undefined; token = left.pop()) await race(token);
      }),
    );
    expect(wrong).toEqual([]);
    expect(answered.after).toBe((TOKENS * CALLS) / 2);
    expect(answered.before).toBeGreaterThanOrEqual(TOKENS * 4);
    expect(await rowsOf(store, Message, { text: Like('late %') })).toEqual([]);
  });
});
