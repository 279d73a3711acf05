import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import type { ChatClient } from '../support/chat-client.js';
import { DEFAULT_BOT_SCOPES } from '../../src/messaging/provisioning/default-scopes.js';

const TS = /^\d{10}\.\d{6}$/;
const without = (...scopes: string[]): string[] => DEFAULT_BOT_SCOPES.filter((scope) => !scopes.includes(scope));

describe('chat.postMessage', () => {
  const app = useApp();
  const refused = (error: string) => ({ ok: false, error });

  /** A bot and a person in a channel of their own. */
  async function scene() {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const ann = await ws.userClient({ user: await ws.user() });
    const channel = await ws.channel({ members: [bot, ann] });
    const post = (by: ChatClient, args: object) => by.call('chat.postMessage', { channel: channel.id, ...args });
    const history = async () => (await ann.call('conversations.history', { channel: channel.id })).messages;
    return { ws, bot, ann, channel, post, history };
  }

  describe('the message', () => {
    it('posts through the official client and shows the message in history', async () => {
      const { ws, bot, channel } = await scene();
      const client = bot.webClient();

      const posted = await client.chat.postMessage({ channel: channel.id, text: 'hello' });
      const history = await client.conversations.history({ channel: channel.id });

      expect(posted.ok).toBe(true);
      expect(posted.channel).toBe(channel.id);
      expect(history.messages).toEqual([posted.message]);
      expect(await ws.recorded('message')).toEqual([
        { ...posted.message, channel: channel.id, channel_type: 'channel', event_ts: posted.ts },
      ]);
    });

    it('is the bot user’s, in full', async () => {
      const ws = await app.workspace();
      const bot = await ws.bot({ name: 'deployer' });
      const { message, ts, channel } = await bot.call('chat.postMessage', { channel: '#general', text: 'hi' });
      const icon = (size: number) =>
        expect.stringMatching(new RegExp(`/avatars/${bot.userId}-${size}\\.png$`)) as string;
      expect(channel).toBe(ws.general.id);
      expect(message).toEqual({
        type: 'message',
        user: bot.userId,
        bot_id: bot.botId,
        app_id: bot.appId,
        is_bot: true,
        text: 'hi',
        ts,
        team: ws.id,
        bot_profile: {
          id: bot.botId,
          deleted: false,
          name: 'deployer',
          updated: expect.any(Number),
          app_id: bot.appId,
          icons: { image_36: icon(36), image_48: icon(48), image_72: icon(72) },
          team_id: ws.id,
          user_id: bot.userId,
        },
      });
    });

    it('is a plain user’s message by user token and by JWT', async () => {
      const { ws, ann, channel, post } = await scene();
      const jwt = await ws.jwtClient();
      await ws.join(channel, jwt);
      for (const client of [ann, jwt]) {
        const { message, ts } = await post(client, {
          text: 'hi',
          username: 'x',
          icon_emoji: ':x:',
          client_msg_id: 'abc',
        });
        expect(message).toEqual({ type: 'message', user: client.userId, text: 'hi', ts, team: ws.id });
      }
    });

    it('takes text verbatim, numbers as text and markdown_text as text', async () => {
      const { ann, post } = await scene();
      const texts = ['a & <b> "c" \\ \u2028 😀', ' padded ', '<@U0ANNUSER01>', 'line\nbreak', 'NUL \0 and half \ud83d'];
      for (const text of texts)
        expect((await post(ann, { text })).message.text).toBe(
          text.replace('\0', '\uFFFD').replace(/\ud83d$/, '\uFFFD'),
        );
      app.clock.advance(5_000); // a channel takes five at once
      expect((await post(ann, { text: 5 })).message.text).toBe('5');
      expect((await post(ann, { markdown_text: '# Hi' })).message.text).toBe('*Hi*');
      expect((await post(ann, { markdown_text: 'x', text: '', blocks: [] })).message.text).toBe('x');
    });

    it('cuts a text over 40,000 characters and warns', async () => {
      const { ann, post, history } = await scene();
      const answer = await post(ann, { text: '😀'.repeat(40_001) });
      expect([...answer.message.text]).toHaveLength(40_000);
      expect(answer).toMatchObject({
        warning: 'message_truncated',
        response_metadata: { warnings: ['message_truncated'] },
      });
      expect((await history())[0].text).toBe(answer.message.text);
      expect(await post(ann, { text: 'x'.repeat(40_000) })).not.toHaveProperty('warning');
    });

    it('needs no text beside blocks or attachments, and fills their ids in', async () => {
      const { bot, post, history } = await scene();
      const button = { type: 'button', text: { type: 'plain_text', text: 'OK' } };
      const { message } = await post(bot, { blocks: JSON.stringify([{ type: 'actions', elements: [button] }]) });
      expect(message).toMatchObject({
        text: '',
        blocks: [{ type: 'actions', block_id: expect.any(String), elements: [{ action_id: expect.any(String) }] }],
      });
      const second = await post(bot, { text: '', attachments: [{ text: 'a' }, { title: 'b', __proto__: null }] });
      expect(second.message).toMatchObject({
        text: '',
        attachments: [
          { id: 1, text: 'a', fallback: 'a' },
          { id: 2, title: 'b', fallback: '[no preview available]' },
        ],
      });
      expect(await history()).toEqual([second.message, message]);
    });

    it('keeps metadata for those who ask, and for events', async () => {
      const { ws, bot, channel, post } = await scene();
      const metadata = { event_type: 'build', event_payload: { id: 1, nested: { a: [true, null] } } };
      const { message } = await post(bot, { text: 'x', metadata });
      expect(message.metadata).toEqual(metadata);
      const { messages } = await bot.call('conversations.history', { channel: channel.id, include_all_metadata: true });
      expect(messages[0].metadata).toEqual(metadata);
      expect((await ws.recorded('message'))[0]?.['metadata']).toEqual(metadata);
    });

    it('gets a ts of its own, later than all before, however many are posted at once', async () => {
      const { ann, bot, post, history } = await scene();
      const posts = await Promise.all(
        [ann, bot].flatMap((client) => [1, 2, 3, 4, 5].map((i) => post(client, { text: `t${i}` }))),
      );
      const all = posts.map((answer) => answer.ts as string);
      expect(new Set(all).size).toBe(10);
      for (const ts of all) expect(ts).toMatch(TS);
      const shown = (await history()).map((message: { ts: string }) => message.ts);
      expect(shown).toEqual([...all].sort().reverse());
    });
  });

  describe('as somebody else', () => {
    it('is a bot_message with chat:write.customize; icon_emoji wins over icon_url', async () => {
      const { ws, bot, post, channel } = await scene();
      const { message, ts } = await post(bot, {
        text: 'hi',
        username: 'deploybot',
        icon_emoji: ':rocket:',
        icon_url: 'http://x/y.png',
      });
      expect(message).toEqual({
        type: 'message',
        subtype: 'bot_message',
        bot_id: bot.botId,
        app_id: bot.appId,
        is_bot: true,
        username: 'deploybot',
        icons: { emoji: ':rocket:', image_64: `${app.baseUrl}/emoji/1f680.svg` },
        text: 'hi',
        ts,
        team: ws.id,
      });
      expect((await ws.recorded('message'))[0]).toEqual({
        ...message,
        channel: channel.id,
        channel_type: 'channel',
        event_ts: ts,
      });
      const { message: second } = await post(bot, { text: 'hi', icon_url: 'http://x/y.png' });
      expect(second).toMatchObject({
        subtype: 'bot_message',
        icons: { image_36: 'http://x/y.png', image_48: 'http://x/y.png', image_72: 'http://x/y.png' },
        username: second.username,
      });
      expect(second.username).not.toBe('');
    });

    it('is an ordinary message without the scope', async () => {
      const { ws, channel } = await scene();
      const plain = await ws.bot({ scopes: without('chat:write.customize') });
      await ws.join(channel, plain);
      const { message } = await plain.call('chat.postMessage', {
        channel: channel.id,
        text: 'hi',
        username: 'x',
        icon_emoji: ':x:',
      });
      expect(message).toMatchObject({ user: plain.userId, bot_id: plain.botId });
      expect(message).not.toHaveProperty('username');
      expect(message).not.toHaveProperty('subtype');
    });

    it('keeps name and icon in a broadcast reply, which shows its user', async () => {
      const { bot, ann, post } = await scene();
      const { ts } = await post(ann, { text: 'parent' });
      const { message } = await post(bot, {
        text: 'hi',
        thread_ts: ts,
        reply_broadcast: true,
        username: 'deploybot',
        icon_emoji: ':x:',
      });
      expect(message).toMatchObject({
        subtype: 'thread_broadcast',
        username: 'deploybot',
        icons: { emoji: ':x:', image_64: `${app.baseUrl}/emoji/274c.svg` },
        user: bot.userId,
        bot_id: bot.botId,
      });
      const plain = await post(bot, { text: 'hi', thread_ts: ts, username: 'deploybot' });
      expect(plain.message).toMatchObject({ subtype: 'bot_message', thread_ts: ts, parent_user_id: ann.userId });
      expect(plain.message).not.toHaveProperty('user');
    });
  });

  describe('where', () => {
    it('finds a channel by id, #name and name', async () => {
      const { ws, bot, channel } = await scene();
      const room = await ws.channel({ members: [bot], isPrivate: true, name: 'straße' });
      for (const name of [channel.id, `#${channel.name}`, channel.name]) {
        expect(await bot.call('chat.postMessage', { channel: name, text: 'x' })).toMatchObject({
          ok: true,
          channel: channel.id,
        });
      }
      expect(await bot.call('chat.postMessage', { channel: '#straße', text: 'x' })).toMatchObject({ channel: room.id });
    });

    it('opens the DM with a user once', async () => {
      const { ws, bot, ann } = await scene();
      const answers = await Promise.all(
        [1, 2, 3].map((i) => bot.call('chat.postMessage', { channel: ann.userId, text: `t${i}` })),
      );
      const [{ channel }] = answers;
      expect(channel).toMatch(/^D0/);
      expect(answers.map((answer) => answer.channel)).toEqual([channel, channel, channel]);
      // both ends use the same one
      expect((await ann.call('chat.postMessage', { channel: bot.userId, text: 'hi' })).channel).toBe(channel);
      const { messages } = await ann.call('conversations.history', { channel });
      expect(messages).toHaveLength(4);
      expect((await ws.recorded('message')).every((event) => event['channel_type'] === 'im')).toBe(true);
      const self = await ann.call('chat.postMessage', { channel: ann.userId, text: 'note' });
      expect(self.channel).not.toBe(channel);
    });

    it('needs membership of a public channel, unless a bot has chat:write.public', async () => {
      const { ws } = await scene();
      const room = await ws.channel();
      const args = { channel: room.id, text: 'x' };
      expect(await (await ws.bot()).call('chat.postMessage', args)).toMatchObject({ ok: true });
      for (const client of [
        await ws.bot({ scopes: without('chat:write.public') }),
        await ws.userClient(),
        await ws.jwtClient({ user: await ws.user() }),
      ]) {
        expect(await client.call('chat.postMessage', args)).toEqual(refused('not_in_channel'));
      }
      expect(await ws.recorded('member_joined_channel')).toEqual([]);
    });

    it('hides what the caller may not see behind channel_not_found', async () => {
      const { ws, bot, ann } = await scene();
      const other = await app.workspace();
      const hidden = await ws.channel({ isPrivate: true });
      const { channel: dm } = await ann.call('chat.postMessage', { channel: ws.admin.id, text: 'psst' });
      const gone = await ws.user();
      await ws.deactivate(gone);
      const targets = [
        hidden.id,
        `#${hidden.name}`,
        dm,
        other.general.id,
        other.admin.id,
        gone.id,
        `#${ws.general.id}`,
        'U0NOBODY001',
        'C0NOWHERE01',
        'nowhere',
        '#',
        '@admin',
      ];
      for (const channel of targets)
        expect(await bot.call('chat.postMessage', { channel, text: 'x' }), channel).toEqual(
          refused('channel_not_found'),
        );
      const admin = await ws.adminClient();
      expect(await admin.call('chat.postMessage', { channel: hidden.id, text: 'x' })).toMatchObject({ ok: true });
    });

    it('answers cannot_dm_bot between bots', async () => {
      const { ws, bot, ann } = await scene();
      const other = await ws.bot();
      for (const channel of [other.userId, bot.userId]) {
        expect(await bot.call('chat.postMessage', { channel, text: 'x' })).toEqual(refused('cannot_dm_bot'));
      }
      expect(await ann.call('chat.postMessage', { channel: other.userId, text: 'x' })).toMatchObject({ ok: true });
    });

    it('answers is_archived before not_in_channel', async () => {
      const { ws, bot, ann, channel } = await scene();
      const room = await ws.channel();
      await ws.archive(channel);
      await ws.archive(room);
      expect(await bot.call('chat.postMessage', { channel: channel.id, text: 'x' })).toEqual(refused('is_archived'));
      expect(await ann.call('chat.postMessage', { channel: `#${room.name}`, text: 'x', thread_ts: '1.0' })).toEqual(
        refused('is_archived'),
      );
      expect(await ws.recorded()).toEqual([]);
    });
  });

  describe('in a thread', () => {
    it('counts on the parent, in replies but not in history, and tells of both', async () => {
      const { ws, bot, ann, channel, post, history } = await scene();
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

    it('shows a broadcast in the channel too, with its root', async () => {
      const { ws, bot, ann, post, history } = await scene();
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
      // without thread_ts there is nothing to broadcast
      expect((await post(bot, { text: 'x', reply_broadcast: true })).message).not.toHaveProperty('subtype');
    });

    it('maps a reply’s ts to its parent', async () => {
      const { bot, ann, post } = await scene();
      const parent = await post(ann, { text: 'parent' });
      const reply = await post(bot, { text: 'one', thread_ts: parent.ts });
      const second = await post(bot, { text: 'two', thread_ts: reply.ts });
      expect(second.message).toMatchObject({ thread_ts: parent.ts, parent_user_id: ann.userId });
    });

    it('counts a bot_message replier by its bot id, and lists the first five', async () => {
      const { ws, bot, ann, channel, post, history } = await scene();
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

    it('posts at top level when thread_ts is malformed or names nothing', async () => {
      const { bot, post, history } = await scene();
      for (const thread_ts of ['yesterday', '1.5', '1767225600.000100', 'null']) {
        const { message } = await post(bot, { text: 'x', thread_ts, reply_broadcast: true });
        expect(message).not.toHaveProperty('thread_ts');
        expect(message).not.toHaveProperty('subtype');
      }
      expect(await history()).toHaveLength(4);
    });

    it('takes replies to a tombstone', async () => {
      const { bot, ann, channel, post } = await scene();
      const parent = await post(bot, { text: 'parent' });
      await post(ann, { text: 'reply', thread_ts: parent.ts });
      await bot.call('chat.delete', { channel: channel.id, ts: parent.ts });
      const { message } = await post(ann, { text: 'more', thread_ts: parent.ts });
      expect(message).toMatchObject({ thread_ts: parent.ts, parent_user_id: 'USLACKBOT' });
    });

    it('answers cannot_reply_to_message for a system message, after not_in_channel', async () => {
      const { ws, ann, channel, post } = await scene();
      const ts = await ws.system(channel, ann, 'channel_join');
      expect(await post(ann, { text: 'x', thread_ts: ts })).toEqual(refused('cannot_reply_to_message'));
      const stranger = await ws.userClient();
      expect(await post(stranger, { text: 'x', thread_ts: ts })).toEqual(refused('not_in_channel'));
    });

    it('counts every one of many concurrent replies', async () => {
      const { ann, bot, post, history } = await scene();
      const parent = await post(ann, { text: 'parent' });
      await Promise.all(
        [1, 2, 3, 4].flatMap((i) => [ann, bot].map((by) => post(by, { text: `r${i}`, thread_ts: parent.ts }))),
      );
      const [message] = await history();
      expect(message).toMatchObject({ reply_count: 8, reply_users_count: 2 });
    });

    it('shows in each notice of many the parent as it was after that reply', async () => {
      const { ws, ann, bot, channel, post, history } = await scene();
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
        const told = notices.map(({ message }) => message as Record<string, unknown>);
        expect(told.map((message) => message['latest_reply'])).toEqual([...replies].sort());
        expect(told.map((message) => message['reply_count'])).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
        const seen: string[] = [];
        for (const message of told) {
          const [{ user }] = message['replies'] as [{ user: string }];
          if (!seen.includes(user)) seen.push(user);
          expect(message).toMatchObject({ reply_users_count: seen.length, reply_users: seen.slice(0, 5) });
        }
        const shown = (await history()).find(({ ts }: { ts: string }) => ts === parent.ts);
        expect(shown).toMatchObject({ reply_count: 12, reply_users_count: 6, reply_users: seen.slice(0, 5) });
      }
      // a notice comes right after its reply, with a ts of its own
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

  describe('refusals', () => {
    it('come in the order of the table', async () => {
      const { bot, post } = await scene();
      const bad = { channel: 'nowhere', text: 'x' };
      expect(await post(bot, { channel: '', markdown_text: 'a', text: 'b' })).toEqual({
        ...refused('invalid_arguments'),
        response_metadata: { messages: ['[ERROR] missing required field: channel'] },
      });
      expect(await post(bot, { ...bad, markdown_text: 'x'.repeat(12_001) })).toEqual(refused('markdown_text_conflict'));
      expect(await post(bot, { ...bad, text: '', markdown_text: 'x'.repeat(12_001), blocks: '{' })).toEqual(
        refused('msg_too_long'),
      );
      expect(await post(bot, { ...bad, blocks: '{', attachments: 1 })).toEqual(refused('invalid_blocks_format'));
      expect(await post(bot, { ...bad, blocks: [{ type: 'foo' }], attachments: 1 })).toEqual({
        ...refused('invalid_blocks'),
        response_metadata: { messages: ['[ERROR] unsupported type: foo [json-pointer:/blocks/0/type]'] },
      });
      expect(
        await post(bot, { ...bad, blocks: Array.from({ length: 51 }, () => ({ type: 'divider' })) }),
      ).toMatchObject({
        ...refused('invalid_blocks'),
        response_metadata: { messages: [expect.stringContaining('no more than 50 items allowed')] },
      });
      const long = Array.from({ length: 40 }, () => ({ type: 'markdown', text: 'x'.repeat(2600) }));
      expect(await post(bot, { ...bad, blocks: long, attachments: 1 })).toEqual(refused('msg_blocks_too_long'));
      expect(await post(bot, { ...bad, attachments: 'x', metadata: {} })).toEqual(refused('invalid_attachments'));
      expect(await post(bot, { ...bad, attachments: Array.from({ length: 101 }, () => ({})), metadata: {} })).toEqual(
        refused('too_many_attachments'),
      );
      expect(await post(bot, { ...bad, text: '', metadata: { event_type: 'x' } })).toEqual(
        refused('invalid_metadata_format'),
      );
      expect(await post(bot, { ...bad, text: ' \n ' })).toEqual(refused('no_text'));
      expect(await post(bot, bad)).toEqual(refused('channel_not_found'));
    });

    it('include missing_scope', async () => {
      const { ws, channel } = await scene();
      const mute = await ws.bot({ scopes: ['channels:read', 'users:read'] });
      const { status, body } = await mute.wire('chat.postMessage', { channel: channel.id });
      expect(status).toBe(403);
      expect(body).toEqual({ ...refused('missing_scope'), needed: 'chat:write', provided: 'channels:read,users:read' });
    });
  });
});
