import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import {
  channelInfo,
  expectHidden,
  expectScopes,
  imInfo,
  missing,
  recentSeconds,
  wireTs,
} from '../support/conversations.js';

describe('conversations.setTopic', () => {
  const app = useApp();

  it('sets the topic, says by whom and when, and tells by a message', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const channel = await ws.channel({ members: [ws.admin, bot] });

    const answer = await bot.webClient().conversations.setTopic({ channel: channel.id, topic: 'ship <it> & "go"' });

    const shown = channelInfo(ws, channel, {
      topic: { value: 'ship <it> & "go"', creator: bot.userId, last_set: recentSeconds },
    });
    expect(answer).toMatchObject({ ok: true, topic: 'ship <it> & "go"' });
    expect(answer.channel).toEqual(shown);
    expect((await bot.call('conversations.info', { channel: channel.id })).channel).toEqual(shown);
    const { messages } = await bot.call('conversations.history', { channel: channel.id });
    expect(messages).toEqual([
      {
        type: 'message',
        subtype: 'channel_topic',
        user: bot.userId,
        text: `<@${bot.userId}> set the channel topic: ship <it> & "go"`,
        topic: 'ship <it> & "go"',
        team: ws.id,
        ts: wireTs,
      },
    ]);
    expect(await ws.recorded()).toEqual([
      { ...messages[0], channel: channel.id, channel_type: 'channel', event_ts: messages[0].ts },
    ]);
  });

  it('clears it with the empty string', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const channel = await ws.channel({ members: [bot] });
    await bot.call('conversations.setTopic', { channel: channel.id, topic: 'x' });
    const answer = await bot.call('conversations.setTopic', { channel: channel.id, topic: '' });
    expect(answer).toMatchObject({ ok: true, topic: '', channel: { topic: { value: '', creator: bot.userId } } });
    expect((await ws.recorded('message')).at(-1)).toMatchObject({
      subtype: 'channel_topic',
      text: `<@${bot.userId}> cleared the channel topic`,
      topic: '',
    });
  });

  it('tells again of the same topic', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const channel = await ws.channel({ members: [bot] });
    for (let i = 0; i < 2; i++) {
      expect((await bot.call('conversations.setTopic', { channel: channel.id, topic: 'same' })).ok).toBe(true);
    }
    expect(await ws.recorded('message')).toHaveLength(2);
  });

  it('takes 250 characters, counted as code points', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const channel = await ws.channel({ members: [bot] });
    const longest = '😀'.repeat(250);
    expect((await bot.call('conversations.setTopic', { channel: channel.id, topic: longest })).topic).toBe(longest);
    expect(await bot.call('conversations.setTopic', { channel: 'C0NOSUCHCH1', topic: `${longest}x` })).toEqual({
      ok: false,
      error: 'too_long',
    });
  });

  it('sets it in group messages with a message, in ims without', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const ann = await ws.user();
    const mpim = await ws.direct(bot, ann, await ws.user());
    const im = await ws.direct(bot, ann);
    expect((await bot.call('conversations.setTopic', { channel: mpim.id, topic: 'x' })).channel).toMatchObject({
      is_mpim: true,
      topic: { value: 'x', creator: bot.userId },
    });
    expect(await ws.recorded()).toEqual([expect.objectContaining({ subtype: 'channel_topic', channel_type: 'mpim' })]);
    expect(await bot.call('conversations.setTopic', { channel: im.id, topic: 'x' })).toEqual({
      ok: true,
      channel: imInfo(ws, { id: im.id, user: ann.id }),
      topic: 'x',
    });
    expect(await ws.recorded()).toHaveLength(1);
  });

  it('refuses in the order of the table', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const archived = await ws.channel();
    await ws.archive(archived);
    expect(await bot.call('conversations.setTopic')).toEqual(missing('channel', 'topic'));
    expect(await bot.call('conversations.setTopic', { channel: archived.id, topic: 'x' })).toEqual({
      ok: false,
      error: 'is_archived',
    });
    expect(await bot.call('conversations.setTopic', { channel: ws.random.id, topic: 'x' })).toEqual({
      ok: false,
      error: 'not_in_channel',
    });
    await expectHidden(app, ws, bot, 'conversations.setTopic', { topic: 'x' });
    expect(await ws.recorded()).toEqual([]);
  });

  it('needs the scope of the type', async () => {
    const ws = await app.workspace();
    const args = (channel: { id: string }) => ({ channel: channel.id, topic: 'x' });
    const others = {
      private: ['groups:write.topic', 'groups:write'],
      im: ['im:write.topic', 'im:write'],
      mpim: ['mpim:write.topic', 'mpim:write'],
    };
    await expectScopes(
      ws,
      'bot',
      'conversations.setTopic',
      { public: ['channels:write.topic', 'channels:manage'], ...others },
      args,
    );
    await expectScopes(
      ws,
      'user',
      'conversations.setTopic',
      { public: ['channels:write.topic', 'channels:write'], ...others },
      args,
    );
  });
});
