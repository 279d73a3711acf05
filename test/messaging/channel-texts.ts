import { expect, it } from 'vitest';
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

/** The rules of `conversations.setTopic` and `conversations.setPurpose`, which differ only in the property. */
export function describeSetting(property: 'topic' | 'purpose'): void {
  const method = property === 'topic' ? 'setTopic' : 'setPurpose';
  const name = `conversations.${method}`;
  type Answer = { ok: boolean; channel?: unknown };
  const app = useApp();

  it(`sets the ${property} with its author and time, and posts a message about it`, async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const channel = await ws.channel({ members: [ws.admin, bot] });

    const set = bot.webClient().conversations[method] as (args: object) => Promise<Answer>;
    const answer = await set({ channel: channel.id, [property]: 'ship <it> & "go"' });

    const shown = channelInfo(ws, channel, {
      [property]: { value: 'ship <it> & "go"', creator: bot.userId, last_set: recentSeconds },
    });
    expect(answer).toMatchObject({ ok: true, [property]: 'ship <it> & "go"' });
    expect(answer.channel).toEqual(shown);
    expect((await bot.call('conversations.info', { channel: channel.id })).channel).toEqual(shown);
    const { messages } = await bot.call('conversations.history', { channel: channel.id });
    expect(messages).toEqual([
      {
        type: 'message',
        subtype: `channel_${property}`,
        user: bot.userId,
        text: `<@${bot.userId}> set the channel ${property}: ship <it> & "go"`,
        [property]: 'ship <it> & "go"',
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
    await bot.call(name, { channel: channel.id, [property]: 'x' });
    const answer = await bot.call(name, { channel: channel.id, [property]: '' });
    expect(answer).toMatchObject({
      ok: true,
      [property]: '',
      channel: { [property]: { value: '', creator: bot.userId } },
    });
    expect((await ws.recorded('message')).at(-1)).toMatchObject({
      subtype: `channel_${property}`,
      text: `<@${bot.userId}> cleared the channel ${property}`,
      [property]: '',
    });
  });

  it(`posts a message again for the same ${property}`, async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const channel = await ws.channel({ members: [bot] });
    for (let i = 0; i < 2; i++) {
      expect((await bot.call(name, { channel: channel.id, [property]: 'same' })).ok).toBe(true);
    }
    expect(await ws.recorded('message')).toHaveLength(2);
  });

  it('accepts 250 characters, counted as code points', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const channel = await ws.channel({ members: [bot] });
    const longest = '😀'.repeat(250);
    expect((await bot.call(name, { channel: channel.id, [property]: longest }))[property]).toBe(longest);
    expect(await bot.call(name, { channel: 'C0NOSUCHCH1', [property]: `${longest}x` })).toEqual({
      ok: false,
      error: 'too_long',
    });
  });

  it('sets it in group messages with a message, in ims without one', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const ann = await ws.user();
    const mpim = await ws.direct(bot, ann, await ws.user());
    const im = await ws.direct(bot, ann);
    expect((await bot.call(name, { channel: mpim.id, [property]: 'x' })).channel).toMatchObject({
      is_mpim: true,
      [property]: { value: 'x', creator: bot.userId },
    });
    expect(await ws.recorded()).toEqual([
      expect.objectContaining({ subtype: `channel_${property}`, channel_type: 'mpim' }),
    ]);
    expect(await bot.call(name, { channel: im.id, [property]: 'x' })).toEqual({
      ok: true,
      channel: imInfo(ws, { id: im.id, user: ann.id }),
      [property]: 'x',
    });
    expect(await ws.recorded()).toHaveLength(1);
  });

  it('answers errors in the documented order', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const archived = await ws.channel();
    await ws.archive(archived);
    expect(await bot.call(name)).toEqual(missing('channel', property));
    expect(await bot.call(name, { channel: archived.id, [property]: 'x' })).toEqual({
      ok: false,
      error: 'is_archived',
    });
    expect(await bot.call(name, { channel: ws.random.id, [property]: 'x' })).toEqual({
      ok: false,
      error: 'not_in_channel',
    });
    await expectHidden(app, ws, bot, name, { [property]: 'x' });
    expect(await ws.recorded()).toEqual([]);
  });

  it('requires the scope of the conversation type', async () => {
    const ws = await app.workspace();
    const args = (channel: { id: string }) => ({ channel: channel.id, [property]: 'x' });
    const others = {
      private: ['groups:write.topic', 'groups:write'],
      im: ['im:write.topic', 'im:write'],
      mpim: ['mpim:write.topic', 'mpim:write'],
    };
    await expectScopes(ws, 'bot', name, { public: ['channels:write.topic', 'channels:manage'], ...others }, args);
    await expectScopes(ws, 'user', name, { public: ['channels:write.topic', 'channels:write'], ...others }, args);
  });
}
