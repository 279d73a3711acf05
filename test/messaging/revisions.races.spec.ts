import { describe, expect, it } from 'vitest';
import { Db } from '../../src/kernel/database/db.js';
import { statement } from '../../src/kernel/database/statement.js';
import { useApp } from '../support/app.js';
import type { ChatClient } from '../support/chat-client.js';
import { onPostgres, serverUrl } from '../support/databases.js';
import { twoReplicas } from '../support/replicas.js';

interface EventMessage {
  readonly ts: string;
  readonly subtype?: string;
  readonly hidden?: boolean;
  readonly message?: { readonly text: string; readonly ts: string };
  readonly previous_message?: { readonly text: string; readonly ts: string };
  readonly deleted_ts?: string;
}

/** The counters of a conversation's pins and a thread's replies, and the actual rows. */
const countsOf = statement(
  'tests_counts_of_thread',
  `SELECT c.pin_count, (SELECT count(*)::int FROM pins WHERE conversation_id = $1) AS pins,
          (SELECT count(*)::int FROM reactions WHERE conversation_id = $1 AND ts = $2) AS reactions,
          (SELECT coalesce(sum(replies), 0)::int FROM thread_repliers WHERE conversation_id = $1 AND thread_ts = $2) AS replies
   FROM conversations c WHERE c.id = $1`,
);

/** Concurrent chat.update and chat.delete share statements. */
describe('concurrent revisions', () => {
  const app = useApp();

  it('change each message once per call, with events in order that carry the previous message', async () => {
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
    const recorded = (await ws.recorded('message')) as unknown as EventMessage[];
    for (const { ts, channel, by } of written) {
      const changes = recorded.filter(({ message }) => message?.ts === ts);
      expect(changes).toHaveLength(4);
      let before = 'v0';
      for (const { previous_message: previous, message } of changes) {
        expect(previous?.text).toBe(before);
        before = message?.text as string;
      }
      const { messages } = await by.call('conversations.history', { channel });
      expect((messages as { ts: string; text: string }[]).find((message) => message.ts === ts)?.text).toBe(before);
    }
    const stamps = recorded.filter(({ hidden }) => hidden === true).map(({ ts }) => ts);
    expect(new Set(stamps).size).toBe(stamps.length);
  });

  it('delete a message once, with concurrent replies, reactions and edits', async () => {
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
    // a tombstone if the reply was stored first, otherwise the reply is a message of its own
    for (const message of messages as { ts: string; subtype?: string; reactions?: unknown }[]) {
      if (message.ts === parent) expect(message).toMatchObject({ subtype: 'tombstone' });
      expect(message.reactions).toBeUndefined();
    }
  });

  it('delete exactly the given messages of a thread, and keep its counters correct', async () => {
    const ws = await app.workspace();
    // each has a rate limit of its own
    const bots = await Promise.all([ws.bot(), ws.bot(), ws.bot()]);
    const bot = bots[0] as ChatClient;
    const channel = await ws.channel({ members: bots });
    const at = { channel: channel.id };
    const parent = (await bot.call('chat.postMessage', { ...at, text: 'parent' }))['ts'] as string;
    const replies = await Promise.all(
      bots.flatMap((by) =>
        [0, 1, 2].map(async (i) => {
          const { ts } = await by.call('chat.postMessage', { ...at, thread_ts: parent, text: `${i}` });
          if (i === 0) await by.call('pins.add', { ...at, timestamp: ts });
          return { by, i, ts: ts as string };
        }),
      ),
    );
    const shown = async (): Promise<(EventMessage & Record<string, unknown>)[]> =>
      (await bot.call('conversations.replies', { ...at, ts: parent }))['messages'] as [];
    const answers = await Promise.all([
      ...replies.filter(({ i }) => i < 2).map(({ by, ts }) => by.call('chat.delete', { ...at, ts })),
      bot.call('chat.delete', { ...at, ts: parent }),
      ...bots.slice(1).map((by) => by.call('chat.postMessage', { ...at, thread_ts: parent, text: 'more' })),
    ]);
    expect(answers.filter(({ ok }) => ok !== true)).toEqual([]);
    const [tombstone, ...left] = await shown();
    expect(left).toHaveLength(5);
    const authors = left.map((reply) => reply['user']);
    expect(tombstone).toMatchObject({
      subtype: 'tombstone',
      reply_count: 5,
      reply_users_count: 3,
      reply_users: [...new Set(authors)],
      latest_reply: left.at(-1)?.ts,
    });
    expect((await bot.call('pins.list', at))['items']).toEqual([]);
    const byUser = new Map(bots.map((by) => [by.userId, by]));
    const rest = await Promise.all(
      left.map((reply) => byUser.get(reply['user'] as string)?.call('chat.delete', { ...at, ts: reply.ts })),
    );
    expect(rest.filter((answer) => (answer as { ok: boolean }).ok !== true)).toEqual([]);
    expect((await bot.call('conversations.history', at))['messages']).toEqual([]);
    const recorded = (await ws.recorded('message')) as unknown as EventMessage[];
    const deleted = recorded.flatMap(({ deleted_ts: ts }) => ts ?? []);
    const gone = [...replies.filter(({ i }) => i < 2), ...left].map(({ ts }) => ts);
    expect(deleted.sort()).toEqual(gone.sort());
  });

  it.skipIf(serverUrl === undefined)(
    `lose no change of two processes${onPostgres}`,
    async () => {
      const servers = await twoReplicas({ SVC_RATE_LIMIT_MULTIPLIER: '1000' });
      const ws = await servers[0].workspace();
      const bot = await ws.bot();
      const channel = await ws.channel({ members: [bot] });
      const at = async ({ token }: ChatClient, place: number, method: string, body: object): Promise<EventMessage> => {
        const response = await fetch(`${servers[place % 2]?.baseUrl}/api/${method}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ channel: channel.id, ...body }),
        });
        const answer = (await response.json()) as EventMessage & { ok: boolean };
        expect(answer).toMatchObject({ ok: true });
        return answer;
      };
      const stamps = await Promise.all(
        Array.from({ length: 20 }, async (_, i) => (await at(bot, i, 'chat.postMessage', { text: 'v' })).ts),
      );
      // each message is changed from both processes while others are posted, and every fourth is deleted at the end
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
      const recorded = (await ws.recorded('message')) as unknown as EventMessage[];
      expect(recorded.filter(({ subtype }) => subtype === 'message_changed')).toHaveLength(40);
      const deleted = recorded.filter(({ subtype }) => subtype === 'message_deleted');
      expect(deleted.map(({ deleted_ts: ts }) => ts).sort()).toEqual(stamps.filter((_, i) => i % 4 === 0).sort());
      const changed = recorded.filter(({ subtype }) => subtype === 'message_changed');
      for (const ts of stamps) {
        const [first, second] = changed.filter(({ message }) => message?.ts === ts);
        expect(second?.previous_message?.text).toBe(first?.message?.text);
      }
    },
    60_000,
  );

  it.skipIf(serverUrl === undefined)(
    `keep the counters of a thread correct while two processes reply, react, pin and delete${onPostgres}`,
    async () => {
      const servers = await twoReplicas({ SVC_RATE_LIMIT_MULTIPLIER: '1000' });
      const ws = await servers[0].workspace();
      const bots = [await ws.bot(), await ws.bot(), await ws.bot()] as const;
      const channel = await ws.channel({ members: [...bots] });
      const call = async (by: number, place: number, method: string, body: object): Promise<EventMessage> => {
        const response = await fetch(`${servers[place % 2]?.baseUrl}/api/${method}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${bots[by % 3]?.token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ channel: channel.id, ...body }),
        });
        return (await response.json()) as EventMessage;
      };
      const done = async (...args: Parameters<typeof call>): Promise<EventMessage> => {
        const answer = await call(...args);
        expect(answer).toMatchObject({ ok: true });
        return answer;
      };
      const { ts: parent } = await done(0, 0, 'chat.postMessage', { text: 'parent' });
      const reply = (i: number): Promise<EventMessage> =>
        done(i, i + 1, 'chat.postMessage', { thread_ts: parent, text: `${i}` });
      const stamps: string[] = [];
      for (let i = 0; i < 30; i++) stamps.push((await reply(i)).ts);
      await Promise.all([
        ...stamps.flatMap((ts, i) => [
          // some of these are deleted already
          call(i, i, 'pins.add', { timestamp: ts }),
          i % 2 === 0 ? done(i, i + 1, 'chat.delete', { ts }) : reply(i),
          call(i, i, 'reactions.add', { timestamp: parent, name: `${['one', 'two', 'three'][i % 3]}` }),
        ]),
        done(0, 1, 'chat.delete', { ts: parent }),
      ]);
      const { messages } = await bots[0].call('conversations.replies', { channel: channel.id, ts: parent, limit: 200 });
      const [tombstone, ...left] = messages as (EventMessage & { user: string; pinned_to?: string[] })[];
      expect(left).toHaveLength(30);
      expect(tombstone).toMatchObject({
        subtype: 'tombstone',
        reply_count: 30,
        reply_users_count: 3,
        reply_users: [...new Set(left.map(({ user }) => user))],
        latest_reply: left.at(-1)?.ts,
      });
      expect(tombstone).not.toHaveProperty('reactions');
      const db = servers[0].nest.get(Db);
      const [counted] = await db.read(countsOf, [channel.id, parent.replace('.', '')]);
      const pins = left.filter((message) => message.pinned_to).length;
      expect(counted).toEqual({ pin_count: pins, pins, reactions: 0, replies: 30 });
      const byUser = new Map(bots.map((bot, i) => [bot.userId, i]));
      await Promise.all(left.map(({ ts, user }, i) => done(byUser.get(user) as number, i, 'chat.delete', { ts })));
      expect(await db.read(countsOf, [channel.id, parent.replace('.', '')])).toEqual([
        { pin_count: 0, pins: 0, reactions: 0, replies: 0 },
      ]);
      expect((await bots[0].call('conversations.history', { channel: channel.id }))['messages']).toEqual([]);
    },
    60_000,
  );
});
