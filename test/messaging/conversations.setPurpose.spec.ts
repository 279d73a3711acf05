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

describe('conversations.setPurpose', () => {
  const app = useApp();

  it('sets the purpose, says by whom and when, and tells by a message', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const channel = await ws.channel({ members: [ws.admin, bot] });

    const answer = await bot.webClient().conversations.setPurpose({ channel: channel.id, purpose: 'ship <it> & "go"' });

    const shown = channelInfo(ws, channel, {
      purpose: { value: 'ship <it> & "go"', creator: bot.userId, last_set: recentSeconds },
    });
    expect(answer).toMatchObject({ ok: true, purpose: 'ship <it> & "go"' });
    expect(answer.channel).toEqual(shown);
    expect((await bot.call('conversations.info', { channel: channel.id })).channel).toEqual(shown);
    const { messages } = await bot.call('conversations.history', { channel: channel.id });
    expect(messages).toEqual([
      {
        type: 'message',
        subtype: 'channel_purpose',
        user: bot.userId,
        text: `<@${bot.userId}> set the channel purpose: ship <it> & "go"`,
        purpose: 'ship <it> & "go"',
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
    await bot.call('conversations.setPurpose', { channel: channel.id, purpose: 'x' });
    const answer = await bot.call('conversations.setPurpose', { channel: channel.id, purpose: '' });
    expect(answer).toMatchObject({ ok: true, purpose: '', channel: { purpose: { value: '', creator: bot.userId } } });
    expect((await ws.recorded('message')).at(-1)).toMatchObject({
      subtype: 'channel_purpose',
      text: `<@${bot.userId}> cleared the channel purpose`,
      purpose: '',
    });
  });

  it('tells again of the same purpose', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const channel = await ws.channel({ members: [bot] });
    for (let i = 0; i < 2; i++) {
      expect((await bot.call('conversations.setPurpose', { channel: channel.id, purpose: 'same' })).ok).toBe(true);
    }
    expect(await ws.recorded('message')).toHaveLength(2);
  });

  it('takes 250 characters, counted as code points', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const channel = await ws.channel({ members: [bot] });
    const longest = '😀'.repeat(250);
    expect((await bot.call('conversations.setPurpose', { channel: channel.id, purpose: longest })).purpose).toBe(
      longest,
    );
    expect(await bot.call('conversations.setPurpose', { channel: 'C0NOSUCHCH1', purpose: `${longest}x` })).toEqual({
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
    expect((await bot.call('conversations.setPurpose', { channel: mpim.id, purpose: 'x' })).channel).toMatchObject({
      is_mpim: true,
      purpose: { value: 'x', creator: bot.userId },
    });
    expect(await ws.recorded()).toEqual([
      expect.objectContaining({ subtype: 'channel_purpose', channel_type: 'mpim' }),
    ]);
    expect(await bot.call('conversations.setPurpose', { channel: im.id, purpose: 'x' })).toEqual({
      ok: true,
      channel: imInfo(ws, { id: im.id, user: ann.id }),
      purpose: 'x',
    });
    expect(await ws.recorded()).toHaveLength(1);
  });

  it('refuses in the order of the table', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const archived = await ws.channel();
    await ws.archive(archived);
    expect(await bot.call('conversations.setPurpose')).toEqual(missing('channel', 'purpose'));
    expect(await bot.call('conversations.setPurpose', { channel: archived.id, purpose: 'x' })).toEqual({
      ok: false,
      error: 'is_archived',
    });
    expect(await bot.call('conversations.setPurpose', { channel: ws.random.id, purpose: 'x' })).toEqual({
      ok: false,
      error: 'not_in_channel',
    });
    await expectHidden(app, ws, bot, 'conversations.setPurpose', { purpose: 'x' });
    expect(await ws.recorded()).toEqual([]);
  });

  it('needs the scope of the type', async () => {
    const ws = await app.workspace();
    const args = (channel: { id: string }) => ({ channel: channel.id, purpose: 'x' });
    const others = {
      private: ['groups:write.topic', 'groups:write'],
      im: ['im:write.topic', 'im:write'],
      mpim: ['mpim:write.topic', 'mpim:write'],
    };
    await expectScopes(
      ws,
      'bot',
      'conversations.setPurpose',
      { public: ['channels:write.topic', 'channels:manage'], ...others },
      args,
    );
    await expectScopes(
      ws,
      'user',
      'conversations.setPurpose',
      { public: ['channels:write.topic', 'channels:write'], ...others },
      args,
    );
  });
});
