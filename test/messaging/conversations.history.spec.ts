import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import type { ChatClient } from '../support/chat-client.js';
import { expectHidden, expectScopes, missing, wireTs } from '../support/conversations.js';
import type { TestMessage } from '../support/workspace.js';

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

  it('omits plain replies, and shows broadcasts with their root', async () => {
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
      last_read: broadcast.ts,
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

  it('marks a thread as subscribed for the author of the parent or of a reply', async () => {
    const ws = await app.workspace();
    const [author, replier, reader] = [await ws.userClient(), await ws.userClient(), await ws.userClient()];
    const [bot, customised] = [await ws.bot(), await ws.bot()];
    const channel = await ws.channel({ members: [author, replier, reader, bot, customised] });
    const { ts } = await ws.message({ channel, user: { id: author.userId } });
    await ws.message({ channel, user: { id: replier.userId }, threadTs: ts });
    await customised.call('chat.postMessage', { channel: channel.id, text: 'x', thread_ts: ts, username: 'mask' });

    const seen = async (client: ChatClient) => (await history(client, channel)).messages[0] as Wire;
    const [reply, masked] = (await replier.call('conversations.replies', { channel: channel.id, ts })).messages.slice(
      1,
    );
    expect(await seen(author)).toMatchObject({ subscribed: true, last_read: ts });
    expect(await seen(replier)).toMatchObject({ subscribed: true, last_read: reply.ts });
    expect(await seen(customised)).toMatchObject({ subscribed: true, last_read: masked.ts });
    for (const client of [author, replier, customised]) {
      const [parent] = (await client.call('conversations.replies', { channel: channel.id, ts })).messages;
      expect((await seen(client))['last_read']).toBe(parent.last_read);
    }
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
        // subscribed by her reply, as the tombstone itself has no author
        subscribed: true,
        last_read: reply.ts,
      },
    ]);
    await ann.call('chat.delete', { channel: channel.id, ts: reply.ts });
    expect(texts(await history(ann, channel))).toEqual(['after']);
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

  it('lets users read any public channel, and bots only where they are members', async () => {
    const { ws, channel } = await talk(1);
    const [bot, ann] = [await ws.bot(), await ws.userClient()];
    expect(await history(bot, channel)).toEqual({ ok: false, error: 'not_in_channel' });
    expect(texts(await history(ann, channel))).toEqual(['m1']);
  });

  it('refuses bad arguments in the documented order', async () => {
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

  it('hides what the caller cannot see, and requires the scope of the conversation type', async () => {
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
