import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { posting } from '../support/posting.js';

const TS = /^\d{10}\.\d{6}$/;
const refused = (error: string) => ({ ok: false, error });

describe('chat.postMessage', () => {
  const app = useApp();

  describe('the message', () => {
    it('posts through the official client and shows the message in history', async () => {
      const { ws, bot, channel } = await posting(app);
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

    it('belongs to the bot user, and is answered in full', async () => {
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

    it('belongs to the user for a user token and a JWT', async () => {
      const { ws, ann, channel, post } = await posting(app);
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

    it('keeps text verbatim, and accepts numbers and markdown_text as text', async () => {
      const { ann, post } = await posting(app);
      const texts = ['a & <b> "c" \\ \u2028 😀', ' padded ', '<@U0ANNUSER01>', 'line\nbreak', 'NUL \0 and half \ud83d'];
      for (const text of texts)
        expect((await post(ann, { text })).message.text).toBe(
          text.replace('\0', '\uFFFD').replace(/\ud83d$/, '\uFFFD'),
        );
      app.clock.advance(5_000); // a channel accepts a burst of five
      expect((await post(ann, { text: 5 })).message.text).toBe('5');
      expect((await post(ann, { markdown_text: '# Hi' })).message.text).toBe('*Hi*');
      expect((await post(ann, { markdown_text: 'x', text: '', blocks: [] })).message.text).toBe('x');
    });

    it('truncates a text over 40,000 characters and warns', async () => {
      const { ann, post, history } = await posting(app);
      const answer = await post(ann, { text: '😀'.repeat(40_001) });
      expect([...answer.message.text]).toHaveLength(40_000);
      expect(answer).toMatchObject({
        warning: 'message_truncated',
        response_metadata: { warnings: ['message_truncated'] },
      });
      expect((await history())[0].text).toBe(answer.message.text);
      expect(await post(ann, { text: 'x'.repeat(40_000) })).not.toHaveProperty('warning');
    });

    it('needs no text with blocks or attachments, whose ids it assigns', async () => {
      const { bot, post, history } = await posting(app);
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

    it('stores metadata for callers that ask for it, and for events', async () => {
      const { ws, bot, channel, post } = await posting(app);
      const metadata = { event_type: 'build', event_payload: { id: 1, nested: { a: [true, null] } } };
      const { message } = await post(bot, { text: 'x', metadata });
      expect(message.metadata).toEqual(metadata);
      const { messages } = await bot.call('conversations.history', { channel: channel.id, include_all_metadata: true });
      expect(messages[0].metadata).toEqual(metadata);
      expect((await ws.recorded('message'))[0]?.['metadata']).toEqual(metadata);
    });

    it('gets a unique ts, later than all before, however many are posted concurrently', async () => {
      const { ann, bot, post, history } = await posting(app);
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

  describe('errors', () => {
    it('follow the documented order', async () => {
      const { bot, post } = await posting(app);
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
      const long = Array.from({ length: 40 }, () => ({
        type: 'section',
        text: { type: 'mrkdwn', text: 'x'.repeat(2_600) },
      }));
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
      const { ws, channel } = await posting(app);
      const mute = await ws.bot({ scopes: ['channels:read', 'users:read'] });
      const { status, body } = await mute.wire('chat.postMessage', { channel: channel.id });
      expect(status).toBe(403);
      expect(body).toEqual({ ...refused('missing_scope'), needed: 'chat:write', provided: 'channels:read,users:read' });
    });
  });
});
