import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { DEFAULT_BOT_SCOPES } from '../../src/messaging/provisioning/default-scopes.js';
import { posting } from '../support/posting.js';

const without = (...scopes: string[]): string[] => DEFAULT_BOT_SCOPES.filter((scope) => !scopes.includes(scope));

describe('chat.postMessage with another name and icon', () => {
  const app = useApp();

  it('creates a bot_message with chat:write.customize; icon_emoji takes precedence over icon_url', async () => {
    const { ws, bot, post, channel } = await posting(app);
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

  it('creates an ordinary message without the scope', async () => {
    const { ws, channel } = await posting(app);
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
    const { bot, ann, post } = await posting(app);
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
