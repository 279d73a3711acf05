import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import type { ChatClient } from '../support/chat-client.js';
import { expectHidden, expectScopes, missing, wireTs } from '../support/conversations.js';
import type { TestMessage, WorkspaceBuilder } from '../support/workspace.js';

type Wire = Record<string, unknown> & { ts: string; text: string };

describe('conversations.history', () => {
  const app = useApp();

  const history = (client: ChatClient, channel: { id: string }, args: Record<string, unknown> = {}) =>
    client.call('conversations.history', { channel: channel.id, ...args });
  const texts = (answer: { messages: Wire[] }) => answer.messages.map((message) => message.text);

  /** A channel with messages `m1` (oldest) to `m<count>`, and a bot in it. */
  async function talk(count: number) {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const user = await ws.user();
    const channel = await ws.channel({ members: [user, bot] });
    const messages: TestMessage[] = [];
    for (let i = 1; i <= count; i++) messages.push(await ws.message({ channel, user, text: `m${i}` }));
    return { ws, bot, user, channel, messages, ts: messages.map((message) => message.ts) };
  }

  /** Texts of every page, following the cursors. */
  async function walk(
    client: ChatClient,
    channel: { id: string },
    args: Record<string, unknown>,
    between?: (page: number) => Promise<unknown>,
  ): Promise<string[][]> {
    const pages: string[][] = [];
    for (let cursor = ''; ;) {
      const answer = await history(client, channel, { ...args, cursor });
      pages.push(texts(answer));
      cursor = answer.response_metadata.next_cursor;
      expect(answer.has_more).toBe(cursor !== '');
      if (cursor === '') return pages;
      await between?.(pages.length);
    }
  }

  it('answers the newest messages first, in full', async () => {
    const { ws, bot, user, channel, ts } = await talk(2);
    const wire = (text: string, at: string | undefined) => ({
      type: 'message',
      user: user.id,
      text,
      ts: at,
      team: ws.id,
    });

    expect(await history(bot, channel)).toEqual({
      ok: true,
      messages: [wire('m2', ts[1]), wire('m1', ts[0])],
      has_more: false,
      pin_count: 0,
      channel_actions_ts: null,
      channel_actions_count: 0,
      response_metadata: { next_cursor: '' },
    });
    const seen = await bot.webClient().conversations.history({ channel: channel.id });
    expect(seen.messages?.map((message) => message.text)).toEqual(['m2', 'm1']);
    expect(await history(bot, await ws.channel({ members: [bot] }))).toMatchObject({ messages: [], has_more: false });
  });

  it('shows a bot message as it was posted', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot({ name: 'deployer' });
    const channel = await ws.channel({ members: [bot] });
    const { message } = await bot.call('chat.postMessage', {
      channel: channel.id,
      text: 'done',
      blocks: [{ type: 'section', text: { type: 'mrkdwn', text: '*done*' } }],
    });
    expect(message).toMatchObject({
      bot_id: bot.botId,
      app_id: bot.appId,
      is_bot: true,
      bot_profile: { name: 'deployer' },
    });
    expect((await history(bot, channel)).messages).toEqual([message]);
  });

  it('leaves out plain replies, and shows broadcasts with their root', async () => {
    const { ws, bot, user, channel, messages } = await talk(1);
    const parent = messages[0] as TestMessage;
    await ws.message({ channel, user, text: 'a reply', threadTs: parent.ts });
    const broadcast = await bot.call('chat.postMessage', {
      channel: channel.id,
      text: 'for all',
      thread_ts: parent.ts,
      reply_broadcast: true,
    });

    const { messages: seen } = await history(bot, channel);

    const root = {
      type: 'message',
      user: user.id,
      text: 'm1',
      ts: parent.ts,
      team: ws.id,
      thread_ts: parent.ts,
      reply_count: 2,
      reply_users_count: 2,
      reply_users: [user.id, bot.userId],
      latest_reply: broadcast.ts,
      is_locked: false,
      subscribed: true,
      last_read: parent.ts,
    };
    expect(seen).toEqual([
      expect.objectContaining({
        subtype: 'thread_broadcast',
        text: 'for all',
        ts: broadcast.ts,
        thread_ts: parent.ts,
        user: bot.userId,
        bot_id: bot.botId,
        is_bot: true,
        root,
      }),
      root,
    ]);
  });

  it('says who follows a thread: the author of the parent or of a reply', async () => {
    const ws = await app.workspace();
    const [author, replier, reader] = [await ws.userClient(), await ws.userClient(), await ws.userClient()];
    const [bot, customised] = [await ws.bot(), await ws.bot()];
    const channel = await ws.channel({ members: [author, replier, reader, bot, customised] });
    const { ts } = await ws.message({ channel, user: { id: author.userId } });
    await ws.message({ channel, user: { id: replier.userId }, threadTs: ts });
    await customised.call('chat.postMessage', { channel: channel.id, text: 'x', thread_ts: ts, username: 'mask' });

    const seen = async (client: ChatClient) => (await history(client, channel)).messages[0] as Wire;
    for (const client of [author, replier, customised])
      expect(await seen(client)).toMatchObject({ subscribed: true, last_read: ts });
    for (const client of [reader, bot]) {
      const message = await seen(client);
      expect(message['subscribed']).toBe(false);
      expect(message).not.toHaveProperty('last_read');
    }
    expect(await seen(reader)).toMatchObject({ reply_count: 2, reply_users: [replier.userId, customised.botId] });
  });

  it('shows edits, and a deleted parent as a tombstone until its last reply goes', async () => {
    const ws = await app.workspace();
    const ann = await ws.userClient();
    const channel = await ws.channel({ members: [ann] });
    const user = { id: ann.userId };
    const parent = await ws.message({ channel, user, text: 'parent' });
    const reply = await ws.message({ channel, user, text: 'reply', threadTs: parent.ts });
    const edited = await ws.message({ channel, user, text: 'before' });
    await ann.call('chat.update', { channel: channel.id, ts: edited.ts, text: 'after' });
    await ann.call('chat.delete', { channel: channel.id, ts: parent.ts });

    expect((await history(ann, channel)).messages).toEqual([
      expect.objectContaining({ text: 'after', ts: edited.ts, edited: { user: ann.userId, ts: wireTs } }),
      {
        type: 'message',
        subtype: 'tombstone',
        user: 'USLACKBOT',
        hidden: true,
        text: 'This message was deleted.',
        ts: parent.ts,
        team: ws.id,
        thread_ts: parent.ts,
        reply_count: 1,
        reply_users_count: 1,
        reply_users: [ann.userId],
        latest_reply: reply.ts,
        is_locked: false,
        // by her reply; the tombstone itself is nobody's
        subscribed: true,
        last_read: parent.ts,
      },
    ]);
    await ann.call('chat.delete', { channel: channel.id, ts: reply.ts });
    expect(texts(await history(ann, channel))).toEqual(['after']);
  });

  it('walks into the past by pages of any size', async () => {
    const { bot, channel } = await talk(7);
    expect(await walk(bot, channel, { limit: 3 })).toEqual([['m7', 'm6', 'm5'], ['m4', 'm3', 'm2'], ['m1']]);
    expect(await walk(bot, channel, { limit: 7 })).toEqual([['m7', 'm6', 'm5', 'm4', 'm3', 'm2', 'm1']]);
    expect((await walk(bot, channel, { limit: 1 })).flat()).toHaveLength(7);
  });

  it('goes on where it was while messages are added, and where the next one is deleted', async () => {
    const { ws, user, channel, ts } = await talk(6);
    const ann = await ws.userClient({ user });
    const pages = await walk(ann, channel, { limit: 2 }, async (page) => {
      await ws.message({ channel, user, text: `late${page}` });
      // the cursor names m4
      if (page === 1) await ann.call('chat.delete', { channel: channel.id, ts: ts[3] });
    });
    expect(pages).toEqual([['m6', 'm5'], ['m3', 'm2'], ['m1']]);
  });

  it('pages through the official client', async () => {
    const { bot, channel } = await talk(5);
    const seen: (string | undefined)[] = [];
    for await (const page of bot.webClient().paginate('conversations.history', { channel: channel.id, limit: 2 })) {
      seen.push(...(page as unknown as { messages: Wire[] }).messages.map((message) => message.text));
    }
    expect(seen).toEqual(['m5', 'm4', 'm3', 'm2', 'm1']);
  });

  it('has exclusive bounds unless inclusive is set, and echoes them as they were sent', async () => {
    const { bot, channel, ts } = await talk(5);
    const [, second, , fourth] = ts;
    const cases: [Record<string, unknown>, string[]][] = [
      [{ latest: fourth }, ['m3', 'm2', 'm1']],
      [{ latest: fourth, inclusive: true }, ['m4', 'm3', 'm2', 'm1']],
      [{ oldest: second }, ['m5', 'm4', 'm3']],
      [{ oldest: second, inclusive: 'true' }, ['m5', 'm4', 'm3', 'm2']],
      [{ oldest: second, latest: fourth }, ['m3']],
      [{ oldest: second, latest: fourth, inclusive: 1 }, ['m4', 'm3', 'm2']],
      [{ oldest: fourth, latest: second }, []],
      [{ oldest: '0' }, ['m5', 'm4', 'm3', 'm2', 'm1']],
      [{ latest: '9999999999.999999' }, ['m5', 'm4', 'm3', 'm2', 'm1']],
      [{ latest: '0' }, []],
    ];
    for (const [args, expected] of cases) {
      const answer = await history(bot, channel, args);
      expect([args, texts(answer)]).toEqual([args, expected]);
      expect([args, answer.latest, answer.oldest]).toEqual([args, args['latest'], args['oldest']]);
    }
    // one message: what clients do to fetch it by its ts
    expect(texts(await history(bot, channel, { latest: fourth, inclusive: true, limit: 1 }))).toEqual(['m4']);
  });

  it('reads timestamps of any precision, also numbers', async () => {
    const { bot, channel, ts } = await talk(1);
    const [seconds, micros] = (ts[0] as string).split('.') as [string, string];
    const exact = `${seconds}.${micros.replace(/0+$/, '')}`.replace(/\.$/, '');
    expect(texts(await history(bot, channel, { oldest: seconds, inclusive: true }))).toEqual(['m1']);
    expect(texts(await history(bot, channel, { oldest: Number(seconds) - 1 }))).toEqual(['m1']);
    expect(texts(await history(bot, channel, { latest: exact, inclusive: true }))).toEqual(['m1']);
    expect(texts(await history(bot, channel, { latest: exact }))).toEqual([]);
    expect(texts(await history(bot, channel, { latest: Number(seconds) + 1 }))).toEqual(['m1']);
  });

  it('with oldest alone answers the messages closest to it and walks towards now', async () => {
    const { ws, bot, user, channel, ts } = await talk(6);
    const pages = await walk(bot, channel, { oldest: ts[0], limit: 2 }, async (page) => {
      if (page === 2) await ws.message({ channel, user, text: 'm7' });
    });
    expect(pages).toEqual([
      ['m3', 'm2'],
      ['m5', 'm4'],
      ['m7', 'm6'],
    ]);
    expect(await walk(bot, channel, { oldest: ts[0], latest: ts[5], limit: 2 })).toEqual([
      ['m5', 'm4'],
      ['m3', 'm2'],
    ]);
  });

  it('has no upper bound without latest: a ts may lie ahead of the clock', async () => {
    const { ws, bot, user, channel } = await talk(1);
    app.clock.advance(3_600_000);
    const ahead = await ws.message({ channel, user, text: 'ahead' });
    app.clock.reset();
    await ws.message({ channel, user, text: 'after' });
    expect(Number(ahead.ts)).toBeGreaterThan(Date.now() / 1000 + 3000);
    expect(texts(await history(bot, channel))).toEqual(['after', 'ahead', 'm1']);
  });

  it('shows metadata only when asked to', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const channel = await ws.channel({ members: [bot] });
    const metadata = { event_type: 'deploy', event_payload: { id: 1, nested: ['a'] } };
    await bot.call('chat.postMessage', { channel: channel.id, text: 'x', metadata });
    expect((await history(bot, channel)).messages[0]).not.toHaveProperty('metadata');
    expect((await history(bot, channel, { include_all_metadata: true })).messages[0].metadata).toEqual(metadata);
  });

  it('keeps archived channels readable', async () => {
    const { ws, bot, channel } = await talk(1);
    await ws.archive(channel);
    expect(texts(await history(bot, channel))).toEqual(['m1']);
  });

  it('lets people read any public channel, bots only where they are members', async () => {
    const { ws, channel } = await talk(1);
    const [bot, ann] = [await ws.bot(), await ws.userClient()];
    expect(await history(bot, channel)).toEqual({ ok: false, error: 'not_in_channel' });
    expect(texts(await history(ann, channel))).toEqual(['m1']);
  });

  it('refuses bad arguments in the order of the table', async () => {
    const { bot, channel } = await talk(1);
    const members = await bot.call('conversations.members', { channel: channel.id, limit: 1 });
    const foreign = members.response_metadata.next_cursor as string;
    expect(foreign).not.toBe('');
    const refusal = (error: string) => ({ ok: false, error });
    const bad = { latest: 'x', oldest: 'y', limit: -1, cursor: 'z' };

    expect(await bot.call('conversations.history', bad)).toEqual(missing('channel'));
    expect(await history(bot, { id: 'C0NOSUCHCH1' }, bad)).toEqual(refusal('invalid_ts_latest'));
    expect(await history(bot, channel, { ...bad, latest: '1.1234567' })).toEqual(refusal('invalid_ts_latest'));
    expect(await history(bot, channel, { ...bad, latest: '1' })).toEqual(refusal('invalid_ts_oldest'));
    expect(await history(bot, channel, { limit: -1, cursor: 'z' })).toEqual(refusal('invalid_limit'));
    expect(await history(bot, channel, { limit: 'many' })).toEqual(refusal('invalid_limit'));
    for (const cursor of ['z', foreign]) {
      expect(await history(bot, { id: 'C0NOSUCHCH1' }, { cursor })).toEqual(refusal('invalid_cursor'));
    }
  });

  it('has pages of 100, at most 999', async () => {
    const { ws, bot, user, channel } = await talk(0);
    await fill(ws, channel, user, 1001);
    const page = async (limit: unknown) => (await history(bot, channel, { limit })).messages.length;
    expect([await page(undefined), await page(0), await page('250'), await page(5000)]).toEqual([100, 100, 250, 999]);
  });

  it('hides what the caller cannot see, and needs the scope of the type', async () => {
    const ws = await app.workspace();
    await expectHidden(app, ws, await ws.bot(), 'conversations.history');
    const rule = {
      public: ['channels:history'],
      private: ['groups:history'],
      im: ['im:history'],
      mpim: ['mpim:history'],
    };
    await expectScopes(ws, 'bot', 'conversations.history', rule);
    await expectScopes(ws, 'user', 'conversations.history', rule);
  });
});

/** Many messages of one user, posted together. */
async function fill(ws: WorkspaceBuilder, channel: { id: string }, user: { id: string }, count: number): Promise<void> {
  for (let done = 0; done < count; done += 200) {
    await Promise.all(Array.from({ length: Math.min(200, count - done) }, () => ws.message({ channel, user })));
  }
}
