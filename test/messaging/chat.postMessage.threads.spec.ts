import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import type { ChatClient } from '../support/chat-client.js';
import { posting } from '../support/posting.js';

const TS = /^\d{10}\.\d{6}$/;
const refused = (error: string) => ({ ok: false, error });

describe('chat.postMessage in a thread', () => {
  const app = useApp();

  it('counts on the parent, is listed in replies but not in history, and sends events for both', async () => {
    const { ws, bot, ann, channel, post, history } = await posting(app);
    const parent = await post(ann, { text: 'parent' });
    const reply = await post(bot, { text: 'reply', thread_ts: parent.ts });

    expect(reply.message).toMatchObject({
      text: 'reply',
      thread_ts: parent.ts,
      parent_user_id: ann.userId,
      is_bot: true,
    });
    expect(reply.message).not.toHaveProperty('subtype');
    const counters = {
      thread_ts: parent.ts,
      reply_count: 1,
      reply_users_count: 1,
      latest_reply: reply.ts,
      reply_users: [bot.userId],
      is_locked: false,
    };
    expect(await history()).toEqual([{ ...parent.message, ...counters, subscribed: true, last_read: parent.ts }]);
    const { messages } = await bot.call('conversations.replies', { channel: channel.id, ts: parent.ts });
    expect(messages[1]).toEqual(reply.message);

    const place = { channel: channel.id, channel_type: 'channel' };
    expect((await ws.recorded()).slice(1)).toEqual([
      { ...reply.message, ...place, event_ts: reply.ts },
      {
        type: 'message',
        subtype: 'message_replied',
        hidden: true,
        ...place,
        ts: expect.stringMatching(TS),
        event_ts: expect.stringMatching(TS),
        message: { ...parent.message, ...counters, subscribed: false, replies: [{ user: bot.userId, ts: reply.ts }] },
      },
    ]);
    expect((await ws.recorded()).map((event) => event['subtype'])).toEqual([undefined, undefined, 'message_replied']);
  });

  it('lists a broadcast in the channel too, with its root', async () => {
    const { ws, bot, ann, post, history } = await posting(app);
    const parent = await post(ann, { text: 'parent' });
    const reply = await post(bot, {
      text: 'look',
      thread_ts: parent.ts,
      reply_broadcast: 'true',
      metadata: { event_type: 'x', event_payload: {} },
    });
    const shown = await history();
    expect(shown.map((message: { text: string }) => message.text)).toEqual(['look', 'parent']);
    expect(reply.message).toMatchObject({
      subtype: 'thread_broadcast',
      thread_ts: parent.ts,
      root: { ts: parent.ts, reply_count: 1, subscribed: true },
    });
    expect(reply.message.metadata).toEqual({ event_type: 'x', event_payload: {} });
    expect((await bot.call('conversations.history', { channel: reply.channel })).messages[0]).toEqual({
      ...reply.message,
      metadata: undefined,
    });
    const [, event] = await ws.recorded('message');
    expect(event).toMatchObject({
      subtype: 'thread_broadcast',
      root: { text: 'parent', subscribed: false },
      metadata: { event_type: 'x' },
    });
    // without thread_ts, reply_broadcast has no effect
    expect((await post(bot, { text: 'x', reply_broadcast: true })).message).not.toHaveProperty('subtype');
  });

  it('replaces the ts of a reply by that of its parent', async () => {
    const { bot, ann, post } = await posting(app);
    const parent = await post(ann, { text: 'parent' });
    const reply = await post(bot, { text: 'one', thread_ts: parent.ts });
    const second = await post(bot, { text: 'two', thread_ts: reply.ts });
    expect(second.message).toMatchObject({ thread_ts: parent.ts, parent_user_id: ann.userId });
  });

  it('counts a bot_message replier by its bot id, and lists the first five repliers', async () => {
    const { ws, bot, ann, channel, post, history } = await posting(app);
    const parent = await post(ann, { text: 'parent' });
    const users = await Promise.all([1, 2, 3, 4].map(() => ws.jwtClient()));
    await ws.join(channel, ...users);
    await post(bot, { text: 'x', thread_ts: parent.ts, username: 'x' });
    for (const user of [...users, ann, users[0] as ChatClient]) await post(user, { text: 'x', thread_ts: parent.ts });
    expect((await history())[0]).toMatchObject({
      reply_count: 7,
      reply_users_count: 6,
      reply_users: [bot.botId, ...users.map((user) => user.userId)],
    });
  });

  it('posts at top level when thread_ts is malformed or unknown', async () => {
    const { bot, post, history } = await posting(app);
    for (const thread_ts of ['yesterday', '1.5', '1767225600.000100', 'null']) {
      const { message } = await post(bot, { text: 'x', thread_ts, reply_broadcast: true });
      expect(message).not.toHaveProperty('thread_ts');
      expect(message).not.toHaveProperty('subtype');
    }
    expect(await history()).toHaveLength(4);
  });

  it('accepts replies to a tombstone', async () => {
    const { bot, ann, channel, post } = await posting(app);
    const parent = await post(bot, { text: 'parent' });
    await post(ann, { text: 'reply', thread_ts: parent.ts });
    await bot.call('chat.delete', { channel: channel.id, ts: parent.ts });
    const { message } = await post(ann, { text: 'more', thread_ts: parent.ts });
    expect(message).toMatchObject({ thread_ts: parent.ts, parent_user_id: 'USLACKBOT' });
  });

  it('answers cannot_reply_to_message for a system message, after not_in_channel', async () => {
    const { ws, ann, channel, post } = await posting(app);
    const ts = await ws.system(channel, ann, 'channel_join');
    expect(await post(ann, { text: 'x', thread_ts: ts })).toEqual(refused('cannot_reply_to_message'));
    const outsider = await ws.userClient();
    expect(await post(outsider, { text: 'x', thread_ts: ts })).toEqual(refused('not_in_channel'));
  });

  it('counts every one of many concurrent replies', async () => {
    const { ann, bot, post, history } = await posting(app);
    const parent = await post(ann, { text: 'parent' });
    await Promise.all(
      [1, 2, 3, 4].flatMap((i) => [ann, bot].map((by) => post(by, { text: `r${i}`, thread_ts: parent.ts }))),
    );
    const [message] = await history();
    expect(message).toMatchObject({ reply_count: 8, reply_users_count: 2 });
  });

  it('includes in each message_replied event the parent as it was after that reply', async () => {
    const { ws, ann, bot, channel, post, history } = await posting(app);
    const parents = [await post(ann, { text: 'one' }), await post(bot, { text: 'two' })];
    const people = await Promise.all([1, 2, 3, 4, 5, 6].map(() => ws.jwtClient()));
    await ws.join(channel, ...people);
    const posted = await Promise.all(
      [...people, ...people].flatMap((by) => parents.map(({ ts }) => post(by, { text: 'reply', thread_ts: ts }))),
    );
    const events = await ws.recorded();
    for (const parent of parents) {
      const replies = posted.filter(({ message }) => message.thread_ts === parent.ts).map(({ ts }) => ts as string);
      expect(new Set(replies).size).toBe(12);
      const notices = events.filter(
        (event) => event['subtype'] === 'message_replied' && (event['message'] as { ts: string }).ts === parent.ts,
      );
      const parents = notices.map(({ message }) => message as Record<string, unknown>);
      expect(parents.map((message) => message['latest_reply'])).toEqual([...replies].sort());
      expect(parents.map((message) => message['reply_count'])).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
      const seen: string[] = [];
      for (const message of parents) {
        const [{ user }] = message['replies'] as [{ user: string }];
        if (!seen.includes(user)) seen.push(user);
        expect(message).toMatchObject({ reply_users_count: seen.length, reply_users: seen.slice(0, 5) });
      }
      const shown = (await history()).find(({ ts }: { ts: string }) => ts === parent.ts);
      expect(shown).toMatchObject({ reply_count: 12, reply_users_count: 6, reply_users: seen.slice(0, 5) });
    }
    // an event follows directly on its reply, with a ts of its own
    const stamps = events
      .filter(({ type, text }) => type === 'message' && text !== 'one' && text !== 'two')
      .map(({ ts }) => ts);
    expect(new Set(stamps).size).toBe(stamps.length);
    for (const [place, event] of events.entries()) {
      if (event['subtype'] !== 'message_replied') continue;
      const [{ ts }] = (event['message'] as { replies: [{ ts: string }] }).replies;
      expect(events[place - 1]).toMatchObject({ ts });
    }
  });
});
