import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import type { ChatClient } from '../support/chat-client.js';

describe('chat.delete', () => {
  const app = useApp();
  const refused = (error: string) => ({ ok: false, error });

  async function setUp() {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const ann = await ws.userClient();
    const channel = await ws.channel({ members: [bot, ann] });
    const post = async (by: ChatClient, text: string, more: object = {}) =>
      (await by.call('chat.postMessage', { channel: channel.id, text, ...more })).ts as string;
    const remove = (by: ChatClient, ts: string) => by.call('chat.delete', { channel: channel.id, ts });
    const history = async () => (await ann.call('conversations.history', { channel: channel.id })).messages;
    const thread = async (ts: string) =>
      (await ann.call('conversations.replies', { channel: channel.id, ts })).messages;
    return { ws, bot, ann, channel, post, remove, history, thread };
  }

  it('removes a message with its reactions and sends an event', async () => {
    const { ws, bot, ann, channel, post, remove, history } = await setUp();
    const ts = await post(bot, 'gone');
    await ann.call('reactions.add', { channel: channel.id, timestamp: ts, name: 'tada' });
    const [before] = await history();

    expect(await remove(bot, ts)).toEqual({ ok: true, channel: channel.id, ts });

    expect(await history()).toEqual([]);
    const [, event] = await ws.recorded('message');
    expect(event).toEqual({
      type: 'message',
      subtype: 'message_deleted',
      hidden: true,
      channel: channel.id,
      channel_type: 'channel',
      ts: expect.any(String),
      event_ts: event?.['ts'],
      deleted_ts: ts,
      previous_message: before,
    });
    expect(await remove(bot, ts)).toEqual(refused('message_not_found'));
  });

  it("lowers the parent's counters with each deleted reply, and refills the list of repliers", async () => {
    const { ws, bot, channel, post, remove, thread } = await setUp();
    const parent = await post(bot, 'parent');
    const others = await Promise.all(Array.from({ length: 5 }, () => ws.jwtClient()));
    await ws.join(channel, ...others);
    const first = await post(others[0] as ChatClient, 'r', { thread_ts: parent });
    for (const other of others.slice(1)) await post(other, 'r', { thread_ts: parent });
    const again = await post(others[0] as ChatClient, 'r', { thread_ts: parent });
    const last = await post(bot, 'r', { thread_ts: parent });
    const ids = others.map((other) => other.userId);
    expect((await thread(parent))[0]).toMatchObject({
      reply_count: 7,
      reply_users_count: 6,
      reply_users: ids,
      latest_reply: last,
    });

    // the first replier also wrote a later reply, after all the others but the bot
    await remove(others[0] as ChatClient, first);
    expect((await thread(parent))[0]).toMatchObject({
      reply_count: 6,
      reply_users_count: 6,
      reply_users: [...ids.slice(1), ids[0]],
    });
    await remove(others[0] as ChatClient, again);
    expect((await thread(parent))[0]).toMatchObject({
      reply_count: 5,
      reply_users_count: 5,
      reply_users: [...ids.slice(1), bot.userId],
    });
    await remove(bot, last);
    const [now, ...replies] = await thread(parent);
    expect(now).toMatchObject({
      reply_count: 4,
      reply_users_count: 4,
      reply_users: ids.slice(1),
      latest_reply: replies.at(-1).ts,
    });
  });

  it('removes the counters from a parent that has no replies left', async () => {
    const { bot, ann, post, remove, thread } = await setUp();
    const parent = await post(bot, 'parent');
    const reply = await post(ann, 'reply', { thread_ts: parent });
    await remove(ann, reply);
    const [message, ...rest] = await thread(parent);
    expect(rest).toEqual([]);
    expect(Object.keys(message).filter((key) => /reply|thread|subscribed|latest/.test(key))).toEqual([]);
  });

  it('leaves a tombstone for a parent with replies, which is removed with the last of them', async () => {
    const { ws, bot, ann, channel, post, remove, history, thread } = await setUp();
    const parent = await post(bot, 'parent', { metadata: { event_type: 'x', event_payload: {} } });
    await ann.call('reactions.add', { channel: channel.id, timestamp: parent, name: 'tada' });
    const reply = await post(ann, 'reply', { thread_ts: parent });
    const second = await post(ann, 'second', { thread_ts: parent, reply_broadcast: true });
    const heardBefore = (await ws.recorded('message')).length;

    expect(await remove(bot, parent)).toMatchObject({ ok: true, ts: parent });

    const tombstone = {
      type: 'message',
      subtype: 'tombstone',
      user: 'USLACKBOT',
      hidden: true,
      text: 'This message was deleted.',
      team: ws.id,
      ts: parent,
      thread_ts: parent,
      reply_count: 2,
      reply_users_count: 1,
      latest_reply: second,
      reply_users: [ann.userId],
      is_locked: false,
      subscribed: true,
      last_read: second,
    };
    expect((await thread(parent))[0]).toEqual({ ...tombstone, unread_count: 0 });
    expect((await history())[0].root).toEqual(tombstone);
    const { last_read: _, ...eventMessage } = { ...tombstone, subscribed: false };
    expect((await ws.recorded('message')).slice(heardBefore)).toEqual([
      expect.objectContaining({
        subtype: 'message_changed',
        message: eventMessage,
        previous_message: expect.objectContaining({ text: 'parent' }),
      }),
    ]);

    expect(await remove(bot, parent)).toEqual(refused('message_not_found'));
    expect(await bot.call('chat.update', { channel: channel.id, ts: parent, text: 'x' })).toEqual(
      refused('cant_update_message'),
    );
    await remove(ann, reply);
    expect(await history()).toHaveLength(2);
    await remove(ann, second);
    expect(await history()).toEqual([]);
    const after = (await ws.recorded('message')).slice(heardBefore + 1);
    expect(after.map((event) => [event['subtype'], event['deleted_ts']])).toEqual([
      ['message_deleted', reply],
      ['message_deleted', second],
    ]);
  });

  it('lets bots and users delete their own messages, and admins everything but system messages', async () => {
    const { ws, bot, ann, channel, post, remove } = await setUp();
    const admin = await ws.adminClient();
    const other = await ws.bot();
    const own = await post(bot, 'x', { username: 'deploybot' });
    const theirs = await post(ann, 'x');
    expect(await remove(other, own)).toEqual(refused('cant_delete_message'));
    expect(await remove(ann, own)).toEqual(refused('cant_delete_message'));
    expect(await remove(bot, theirs)).toEqual(refused('cant_delete_message'));
    expect(await remove(bot, own)).toMatchObject({ ok: true });
    expect(await remove(admin, theirs)).toMatchObject({ ok: true });
    const bots = await post(bot, 'x');
    expect(await remove(await ws.jwtClient({ role: 'owner' }), bots)).toMatchObject({ ok: true });

    const joiner = await ws.userClient();
    const system = await ws.system(channel, joiner, 'channel_join');
    for (const client of [admin, joiner]) expect(await remove(client, system)).toEqual(refused('cant_delete_message'));
    expect(await joiner.call('chat.update', { channel: channel.id, ts: system, text: 'x' })).toEqual(
      refused('cant_update_message'),
    );
  });

  it('works in an archived channel', async () => {
    const { ws, bot, channel, post, remove } = await setUp();
    const ts = await post(bot, 'x');
    await ws.archive(channel);
    expect(await remove(bot, ts)).toMatchObject({ ok: true });
  });

  it('answers each error in the documented order', async () => {
    const { ws, bot, channel } = await setUp();
    const hidden = await ws.channel({ isPrivate: true });
    const call = (args: object) =>
      bot.call('chat.delete', { channel: channel.id, ts: '1.0', ...args }) as Promise<object>;
    expect(await call({ channel: '', ts: '' })).toMatchObject({
      error: 'invalid_arguments',
      response_metadata: {
        messages: ['[ERROR] missing required field: channel', '[ERROR] missing required field: ts'],
      },
    });
    expect(await call({ channel: hidden.id })).toEqual(refused('channel_not_found'));
    expect(await call({ channel: 'general' })).toEqual(refused('channel_not_found'));
    expect(await call({})).toEqual(refused('message_not_found'));
    expect(await call({ ts: 'x' })).toEqual(refused('message_not_found'));
    const mute = await ws.bot({ scopes: ['chat:write.public'] });
    expect(await mute.call('chat.delete', { channel: channel.id, ts: '1.0' })).toMatchObject({
      error: 'missing_scope',
      needed: 'chat:write',
    });
  });
});
