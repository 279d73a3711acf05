import { describe, expect, it, onTestFinished } from 'vitest';
import { TestApp, useApp } from '../support/app.js';
import type { ChatClient } from '../support/chat-client.js';
import { createDatabase, onPostgres, serverUrl } from '../support/databases.js';

interface Told {
  readonly ts: string;
  readonly subtype?: string;
  readonly hidden?: boolean;
  readonly message?: { readonly text: string; readonly ts: string };
  readonly previous_message?: { readonly text: string; readonly ts: string };
  readonly deleted_ts?: string;
}

/** Concurrent revisions share statements: chat.update and chat.delete. */
describe('revisions at once', () => {
  const app = useApp();

  it('change each message once a call, and tell of each in order with what was before', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const people = await Promise.all([ws.userClient(), ws.userClient()]);
    const channels = [await ws.channel({ members: [bot, ...people] }), await ws.channel({ members: [bot, ...people] })];
    const written = await Promise.all(
      [bot, ...people].flatMap((by) =>
        channels.map(async ({ id: channel }) => {
          const { ts } = await by.call('chat.postMessage', { channel, text: 'v0' });
          return { by, channel, ts: ts as string };
        }),
      ),
    );
    const answers = await Promise.all(
      written.flatMap(({ by, channel, ts }) =>
        [1, 2, 3, 4].map((i) => by.call('chat.update', { channel, ts, text: `v${i}` })),
      ),
    );
    expect(answers.every(({ ok }) => ok === true)).toBe(true);
    const told = (await ws.recorded('message')) as unknown as Told[];
    for (const { ts, channel, by } of written) {
      const changes = told.filter(({ message }) => message?.ts === ts);
      expect(changes).toHaveLength(4);
      let before = 'v0';
      for (const { previous_message: previous, message } of changes) {
        expect(previous?.text).toBe(before);
        before = message?.text as string;
      }
      const { messages } = await by.call('conversations.history', { channel });
      expect((messages as { ts: string; text: string }[]).find((message) => message.ts === ts)?.text).toBe(before);
    }
    const stamps = told.filter(({ hidden }) => hidden === true).map(({ ts }) => ts);
    expect(new Set(stamps).size).toBe(stamps.length);
  });

  it('delete a message once, whoever else replies, reacts and revises', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const channel = await ws.channel({ members: [bot] });
    const { ts } = await bot.call('chat.postMessage', { channel: channel.id, text: 'old' });
    const at = { channel: channel.id, ts };
    const deleted = await Promise.all(
      Array.from(
        { length: 4 },
        async () => (await bot.wire('chat.delete', at)).body as { ok: boolean; error?: string },
      ),
    );
    expect(deleted.filter(({ ok }) => ok)).toHaveLength(1);
    expect(new Set(deleted.flatMap(({ error }) => error ?? []))).toEqual(new Set(['message_not_found']));

    const parent = (await bot.call('chat.postMessage', { channel: channel.id, text: 'parent' }))['ts'] as string;
    const [gone] = await Promise.all([
      bot.wire('chat.delete', { channel: channel.id, ts: parent }),
      bot.wire('chat.postMessage', { channel: channel.id, thread_ts: parent, text: 'reply' }),
      bot.wire('reactions.add', { channel: channel.id, timestamp: parent, name: 'tada' }),
    ]);
    expect(gone.body).toMatchObject({ ok: true });
    const { messages } = await bot.call('conversations.history', { channel: channel.id });
    // a tombstone where the reply came first; else the reply stands by itself
    for (const message of messages as { ts: string; subtype?: string; reactions?: unknown }[]) {
      if (message.ts === parent) expect(message).toMatchObject({ subtype: 'tombstone' });
      expect(message.reactions).toBeUndefined();
    }
  });

  it.skipIf(serverUrl === undefined)(
    `lose nothing over two processes${onPostgres}`,
    async () => {
      const database = await createDatabase();
      onTestFinished(database.drop);
      const env = { DATABASE_URL: database.url, SVC_RATE_LIMIT_MULTIPLIER: '1000' };
      const servers = [await TestApp.start(env), await TestApp.start(env)];
      onTestFinished(async () => {
        await Promise.all(servers.map((server) => server.stop()));
      });
      const ws = await (servers[0] as TestApp).workspace();
      const bot = await ws.bot();
      const channel = await ws.channel({ members: [bot] });
      const at = async ({ token }: ChatClient, place: number, method: string, body: object): Promise<Told> => {
        const response = await fetch(`${servers[place % 2]?.baseUrl}/api/${method}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ channel: channel.id, ...body }),
        });
        const answer = (await response.json()) as Told & { ok: boolean };
        expect(answer).toMatchObject({ ok: true });
        return answer;
      };
      const stamps = await Promise.all(
        Array.from({ length: 20 }, async (_, i) => (await at(bot, i, 'chat.postMessage', { text: 'v' })).ts),
      );
      // each is changed from both sides while others are posted, and every fourth is deleted in the end
      await Promise.all(
        stamps.map(async (ts, i) => {
          await Promise.all([
            at(bot, i, 'chat.update', { ts, text: `a${i}` }),
            at(bot, i + 1, 'chat.update', { ts, text: `b${i}` }),
            at(bot, i, 'chat.postMessage', { text: 'more' }),
          ]);
          if (i % 4 === 0) await at(bot, i + 1, 'chat.delete', { ts });
        }),
      );
      const { messages } = await bot.call('conversations.history', { channel: channel.id, limit: 200 });
      const texts = (messages as { text: string }[]).map(({ text }) => text).filter((text) => /^[abv]\d*$/.test(text));
      expect(texts).toHaveLength(15);
      expect(texts.every((text) => /^[ab]\d+$/.test(text))).toBe(true);
      const told = (await ws.recorded('message')) as unknown as Told[];
      expect(told.filter(({ subtype }) => subtype === 'message_changed')).toHaveLength(40);
      const deleted = told.filter(({ subtype }) => subtype === 'message_deleted');
      expect(deleted.map(({ deleted_ts: ts }) => ts).sort()).toEqual(stamps.filter((_, i) => i % 4 === 0).sort());
      const changed = told.filter(({ subtype }) => subtype === 'message_changed');
      for (const ts of stamps) {
        const [first, second] = changed.filter(({ message }) => message?.ts === ts);
        expect(second?.previous_message?.text).toBe(first?.message?.text);
      }
    },
    60_000,
  );
});
