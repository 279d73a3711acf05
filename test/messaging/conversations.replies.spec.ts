import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import type { ChatClient } from '../support/chat-client.js';
import { expectHidden, expectScopes, missing } from '../support/conversations.js';
import { bearer, makeSandbox, send } from '../support/sandbox-routes.js';

type Wire = Record<string, unknown> & { ts: string; text: string };

describe('conversations.replies', () => {
  const app = useApp();
  const texts = (answer: { messages: Wire[] }) => answer.messages.map((message) => message.text);

  /** A thread with replies `r1` to `r<count>` by one user, and a bot in the channel. */
  async function thread(count: number) {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const [author, replier] = [await ws.user(), await ws.user()];
    const channel = await ws.channel({ members: [author, replier, bot] });
    const { ts } = await ws.message({ channel, user: author, text: 'parent' });
    const replies: string[] = [];
    for (let i = 1; i <= count; i++) {
      replies.push((await ws.message({ channel, user: replier, text: `r${i}`, threadTs: ts })).ts);
    }
    const read = (client: ChatClient, args: Record<string, unknown> = {}) =>
      client.call('conversations.replies', { channel: channel.id, ts, ...args });
    return { ws, bot, author, replier, channel, ts, replies, read };
  }

  it('answers the parent with its counters, then the replies, oldest first', async () => {
    const { ws, bot, author, replier, channel, ts, replies, read } = await thread(2);
    const reply = (text: string, at: string | undefined) => ({
      type: 'message',
      user: replier.id,
      text,
      ts: at,
      thread_ts: ts,
      parent_user_id: author.id,
      team: ws.id,
    });
    expect(await read(bot)).toEqual({
      ok: true,
      messages: [
        {
          type: 'message',
          user: author.id,
          text: 'parent',
          ts,
          thread_ts: ts,
          team: ws.id,
          reply_count: 2,
          reply_users_count: 1,
          latest_reply: replies[1],
          reply_users: [replier.id],
          is_locked: false,
          subscribed: false,
        },
        reply('r1', replies[0]),
        reply('r2', replies[1]),
      ],
      has_more: false,
      response_metadata: { next_cursor: '' },
    });
    const seen = await bot.webClient().conversations.replies({ channel: channel.id, ts });
    expect(seen.messages?.map((message) => message.text)).toEqual(['parent', 'r1', 'r2']);
    const asReplier = await ws.userClient({ user: replier });
    expect((await read(asReplier)).messages[0]).toMatchObject({ subscribed: true, last_read: replies[1] });
  });

  it('shows one state in each answer, also during resets: the counters agree with the replies', async () => {
    const made = await makeSandbox(app, {
      rate_limit_multiplier: 0,
      channels: [{ name: 'ops', members: ['default-app'] }],
    });
    const { credentials } = made.body;
    const channel = credentials.channels.ops;
    const call = async (method: string, args: object): Promise<Record<string, any>> =>
      (await send(app, 'POST', `/api/${method}`, bearer(credentials.bot_token), { channel, ...args })).body;
    const control = async (path: string, body: object): Promise<number> =>
      (await send(app, 'POST', `/api/sandboxes/self/${path}`, made.ctl, body)).status;
    const { ts } = await call('chat.postMessage', { text: 'parent' });
    const reply = (text: string) => call('chat.postMessage', { text, thread_ts: ts });
    for (let i = 0; i < 10; i++) await reply(`r${i}`);
    expect(await control('snapshots', { name: 'ten' })).toBe(201);

    const seen = new Set<number>();
    const lookOnce = async (): Promise<void> => {
      const answer = await call('conversations.replies', { ts, limit: 999 });
      expect(answer['error']).toBeUndefined();
      const [parent, ...replies] = answer['messages'] as Record<string, unknown>[];
      expect([parent?.['reply_count'], parent?.['latest_reply']]).toEqual([replies.length, replies.at(-1)?.['ts']]);
      seen.add(replies.length);
    };
    const turn = async (i: number): Promise<void> => {
      for (let j = 0; j < 4; j++) await reply(`more ${i} ${j}`);
      expect(await control('reset', { to: 'ten' })).toBe(200);
    };
    let isOver = false;
    const writing = (async () => {
      for (let i = 0; i < 6; i++) await turn(i);
    })().finally(() => (isOver = true));
    while (!isOver) await Promise.all(Array.from({ length: 4 }, lookOnce));
    await writing;
    expect(seen.size).toBeGreaterThan(3);
  });

  it('counts as unread what follows the caller’s own latest reply; for bots nothing is unread', async () => {
    const { ws, bot, channel, author, replier, replies, ts, read } = await thread(3);
    const [asAuthor, asReplier] = [await ws.userClient({ user: author }), await ws.userClient({ user: replier })];
    expect((await read(asAuthor)).messages[0]).toMatchObject({ subscribed: true, last_read: ts, unread_count: 3 });
    expect((await read(asReplier)).messages[0]).toMatchObject({ last_read: replies[2], unread_count: 0 });
    const outsider = (await read(await ws.adminClient())).messages[0];
    expect(outsider).toMatchObject({ subscribed: false });
    for (const field of ['last_read', 'unread_count']) expect(outsider).not.toHaveProperty(field);

    const mine = await bot.call('chat.postMessage', { channel: channel.id, text: 'mine', thread_ts: ts });
    await ws.message({ channel, user: replier, threadTs: ts });
    expect((await read(bot)).messages[0]).toMatchObject({ subscribed: true, last_read: mine.ts, unread_count: 0 });
    expect((await read(asAuthor)).messages[0]).toMatchObject({ last_read: ts, unread_count: 5 });
  });

  it('lists the first five repliers and counts all', async () => {
    const { ws, bot, channel, ts, read } = await thread(0);
    const ids: string[] = [];
    for (let i = 0; i < 6; i++) {
      const user = await ws.user();
      ids.push(user.id);
      await ws.message({ channel, user, threadTs: ts });
      await ws.message({ channel, user, threadTs: ts });
    }
    expect((await read(bot)).messages[0]).toMatchObject({
      reply_count: 12,
      reply_users_count: 6,
      reply_users: ids.slice(0, 5),
    });
  });

  it('shows a bot reply, and a broadcast with its root', async () => {
    const { bot, channel, ts, author, read } = await thread(0);
    const plain = await bot.call('chat.postMessage', { channel: channel.id, text: 'plain', thread_ts: ts });
    await bot.call('chat.postMessage', { channel: channel.id, text: 'for all', thread_ts: ts, reply_broadcast: true });
    const { messages } = await read(bot);
    expect(messages[1]).toEqual(plain.message);
    expect(messages[1]).toMatchObject({ bot_id: bot.botId, is_bot: true, thread_ts: ts, parent_user_id: author.id });
    expect(messages[2]).toMatchObject({ subtype: 'thread_broadcast', text: 'for all', root: { ts, reply_count: 2 } });
  });

  it('answers a message without replies alone, without thread_ts', async () => {
    const { ws, bot, author, ts, read } = await thread(0);
    expect(await read(bot)).toEqual({
      ok: true,
      messages: [{ type: 'message', user: author.id, text: 'parent', ts, team: ws.id }],
      has_more: false,
      response_metadata: { next_cursor: '' },
    });
  });

  it('answers a single reply for its own ts', async () => {
    const { bot, replies, ts, read } = await thread(2);
    const answer = await read(bot, { ts: replies[0] });
    expect(answer).toMatchObject({ messages: [{ text: 'r1', thread_ts: ts }], has_more: false });
    expect(answer.messages).toHaveLength(1);
  });

  it('includes the parent on the first page, and pages through replies that are added meanwhile', async () => {
    const { ws, bot, channel, replier, ts, read } = await thread(5);
    const pages: string[][] = [];
    for (let cursor = ''; ;) {
      const answer = await read(bot, { limit: 2, cursor });
      pages.push(texts(answer));
      cursor = answer.response_metadata.next_cursor;
      expect(answer.has_more).toBe(cursor !== '');
      if (cursor === '') break;
      if (pages.length === 1) await ws.message({ channel, user: replier, text: 'r6', threadTs: ts });
    }
    expect(pages).toEqual([['parent', 'r1'], ['r2', 'r3'], ['r4', 'r5'], ['r6']]);
    const first = await read(bot, { limit: 1 });
    expect(texts(first)).toEqual(['parent']);
    expect(texts(await read(bot, { limit: 2, cursor: first.response_metadata.next_cursor }))).toEqual(['r1', 'r2']);
  });

  it('continues at the right place when the reply that the cursor points to is deleted', async () => {
    const { ws, replier, channel, replies, read } = await thread(4);
    const client = await ws.userClient({ user: replier });
    const first = await read(client, { limit: 2 });
    await client.call('chat.delete', { channel: channel.id, ts: replies[1] });
    const second = await read(client, { limit: 2, cursor: first.response_metadata.next_cursor });
    expect(texts(second)).toEqual(['r3', 'r4']);
    expect(second.response_metadata.next_cursor).toBe('');
  });

  it('applies bounds to replies, never to the parent of the first page', async () => {
    const { bot, replies, read } = await thread(4);
    const [, second, third] = replies;
    const cases: [Record<string, unknown>, string[]][] = [
      [{ oldest: second }, ['r3', 'r4']],
      [{ oldest: second, inclusive: true }, ['r2', 'r3', 'r4']],
      [{ latest: third }, ['r1', 'r2']],
      [{ latest: third, inclusive: 1 }, ['r1', 'r2', 'r3']],
      [{ oldest: second, latest: third }, []],
      [{ oldest: second, latest: third, inclusive: 'true' }, ['r2', 'r3']],
      [{ latest: '0' }, []],
    ];
    for (const [args, expected] of cases) {
      expect([args, texts(await read(bot, args))]).toEqual([args, ['parent', ...expected]]);
    }
    const page = await read(bot, { oldest: replies[0], limit: 2 });
    expect(texts(page)).toEqual(['parent', 'r2']);
    expect(
      texts(await read(bot, { oldest: replies[0], limit: 2, cursor: page.response_metadata.next_cursor })),
    ).toEqual(['r3', 'r4']);
  });

  it('shows the tombstone of a deleted parent, and thread_not_found once its last reply is deleted', async () => {
    const { ws, author, replier, channel, ts, replies, read } = await thread(2);
    const [asAuthor, asReplier] = [await ws.userClient({ user: author }), await ws.userClient({ user: replier })];
    await asAuthor.call('chat.delete', { channel: channel.id, ts });
    const { messages } = await read(asReplier);
    expect(messages[0]).toMatchObject({
      subtype: 'tombstone',
      user: 'USLACKBOT',
      hidden: true,
      ts,
      thread_ts: ts,
      reply_count: 2,
    });
    expect(messages).toHaveLength(3);

    await asReplier.call('chat.delete', { channel: channel.id, ts: replies[0] });
    expect((await read(asReplier)).messages[0]).toMatchObject({ reply_count: 1, latest_reply: replies[1] });
    await asReplier.call('chat.delete', { channel: channel.id, ts: replies[1] });
    expect(await read(asReplier)).toEqual({ ok: false, error: 'thread_not_found' });
  });

  it('shows metadata only when asked to', async () => {
    const { bot, channel, ts, read } = await thread(0);
    const metadata = { event_type: 'deploy', event_payload: { id: 1 } };
    await bot.call('chat.postMessage', { channel: channel.id, text: 'x', thread_ts: ts, metadata });
    expect((await read(bot)).messages[1]).not.toHaveProperty('metadata');
    expect((await read(bot, { include_all_metadata: 1 })).messages[1].metadata).toEqual(metadata);
  });

  it('answers thread_not_found for a malformed or unknown ts, and for a system message', async () => {
    const { ws, bot, author, channel, ts, read } = await thread(1);
    const elsewhere = await ws.message({ user: author });
    const systems = [
      await ws.system(channel, { userId: author.id }, 'channel_join'),
      await ws.system(channel, { userId: author.id }, 'channel_topic'),
    ];
    for (const other of ['x', '1.', '1767225600.1234567', '1767225600.000100', elsewhere.ts, ...systems]) {
      expect([other, await read(bot, { ts: other })]).toEqual([other, { ok: false, error: 'thread_not_found' }]);
    }
    expect(texts(await read(bot, { ts }))).toEqual(['parent', 'r1']);
  });

  it('refuses bad arguments in the documented order', async () => {
    const { bot, ts, channel, read } = await thread(1);
    const refusal = (error: string) => ({ ok: false, error });
    const bad = { ts: 'x', latest: 'x', oldest: 'y', limit: -1, cursor: 'z' };
    const first = await bot.call('conversations.history', { channel: channel.id, limit: 1 });
    await bot.call('chat.postMessage', { channel: channel.id, text: 'one more' });
    const foreign = (await bot.call('conversations.history', { channel: channel.id, limit: 1 })).response_metadata
      .next_cursor;
    expect(first.ok).toBe(true);
    expect(foreign).not.toBe('');

    expect(await bot.call('conversations.replies', { latest: 'x' })).toEqual(missing('channel', 'ts'));
    expect(await read(bot, bad)).toEqual(refusal('invalid_ts_latest'));
    expect(await read(bot, { ...bad, latest: ts })).toEqual(refusal('invalid_ts_oldest'));
    expect(await read(bot, { ts: 'x', limit: 1.5, cursor: 'z' })).toEqual(refusal('invalid_limit'));
    for (const cursor of ['z', foreign]) {
      expect(await read(bot, { ts: 'x', channel: 'C0NOSUCHCH1', cursor })).toEqual(refusal('invalid_cursor'));
    }
    expect(await read(bot, { ts: 'x', channel: 'C0NOSUCHCH1' })).toEqual(refusal('channel_not_found'));
  });

  it('lets users read any public channel, and bots only where they are members', async () => {
    const { ws, read } = await thread(1);
    expect(await read(await ws.bot(), { ts: 'x' })).toEqual({ ok: false, error: 'not_in_channel' });
    expect(texts(await read(await ws.userClient()))).toEqual(['parent', 'r1']);
  });

  it('has 1000 messages on a page', async () => {
    const { ws, bot, channel, replier, ts, read } = await thread(0);
    // in parts, so that no call waits too long for a connection on a busy machine
    for (let done = 0; done < 1001; done += 77) {
      await Promise.all(Array.from({ length: 77 }, () => ws.message({ channel, user: replier, threadTs: ts })));
    }
    for (const limit of [undefined, 0, 5000]) {
      const page = await read(bot, { limit });
      expect([limit, page.messages.length, page.has_more]).toEqual([limit, 1000, true]);
      const rest = await read(bot, { limit, cursor: page.response_metadata.next_cursor });
      expect([limit, rest.messages.length, rest.has_more]).toEqual([limit, 2, false]);
    }
  });

  it('hides what the caller cannot see, and requires the scope of the conversation type', async () => {
    const ws = await app.workspace();
    await expectHidden(app, ws, await ws.bot(), 'conversations.replies', { ts: '1767225600.000100' });
    const rule = {
      public: ['channels:history'],
      private: ['groups:history'],
      im: ['im:history'],
      mpim: ['mpim:history'],
    };
    const args = async (conversation: { id: string }, client: ChatClient) => ({
      channel: conversation.id,
      ts: (await ws.message({ channel: conversation, user: { id: client.userId } })).ts,
    });
    await expectScopes(ws, 'bot', 'conversations.replies', rule, args);
    await expectScopes(ws, 'user', 'conversations.replies', rule, args);
  });
});
