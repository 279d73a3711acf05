import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import {
  channelInfo,
  expectHidden,
  expectScopes,
  expectUnsupported,
  missing,
  recordedKinds,
  wireTs,
} from '../support/conversations.js';

describe('conversations.join', () => {
  const app = useApp();

  it('makes the caller a member, stores the message and sends both events', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();

    const answer = await bot.webClient().conversations.join({ channel: ws.random.id });

    expect(answer).toMatchObject({ ok: true });
    expect(answer.warning).toBeUndefined();
    expect(answer.channel).toEqual(channelInfo(ws, ws.random));
    expect(await ws.memberCount(ws.random)).toEqual({ counted: 3, rows: 3 });
    const [joined, message] = await ws.recorded();
    expect(joined).toEqual({
      type: 'member_joined_channel',
      user: bot.userId,
      channel: ws.random.id,
      channel_type: 'C',
      team: ws.id,
      event_ts: wireTs,
    });
    const { messages } = await bot.call('conversations.history', { channel: ws.random.id });
    expect(messages).toEqual([
      {
        type: 'message',
        subtype: 'channel_join',
        user: bot.userId,
        text: `<@${bot.userId}> has joined the channel`,
        team: ws.id,
        ts: wireTs,
      },
    ]);
    expect(message).toEqual({
      ...messages[0],
      channel: ws.random.id,
      channel_type: 'channel',
      event_ts: messages[0].ts,
    });
    expect(await ws.recorded()).toHaveLength(2);
  });

  it('warns a caller who is already a member, and stores and sends nothing', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const answer = await bot.call('conversations.join', { channel: ws.general.id });
    expect(answer).toEqual({
      ok: true,
      channel: channelInfo(ws, ws.general, { is_general: true }),
      warning: 'already_in_channel',
      response_metadata: { warnings: ['already_in_channel'] },
    });
    expect(await ws.recorded()).toEqual([]);
    expect((await bot.call('conversations.history', { channel: ws.general.id })).messages).toEqual([]);
  });

  it('counts twenty concurrent callers once each', async () => {
    const ws = await app.workspace();
    const channel = await ws.channel();
    const clients = await Promise.all(Array.from({ length: 10 }, () => ws.userClient()));

    const answers = await Promise.all(
      [...clients, ...clients].map((client) => client.call('conversations.join', { channel: channel.id })),
    );

    expect(answers.every((answer) => answer.ok)).toBe(true);
    expect(answers.filter((answer) => answer.warning === 'already_in_channel')).toHaveLength(10);
    expect(await ws.memberCount(channel)).toEqual({ counted: 11, rows: 11 });
    expect(await ws.recorded('member_joined_channel')).toHaveLength(10);
    const timestamps = (await ws.recorded('message')).map((event) => event['ts'] as string);
    expect(new Set(timestamps).size).toBe(10);
    expect(timestamps).toEqual([...timestamps].sort());
  });

  it('answers is_archived, also to members', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const [other, own] = [await ws.channel(), await ws.channel({ members: [bot] })];
    for (const channel of [other, own]) {
      await ws.archive(channel);
      expect(await bot.call('conversations.join', { channel: channel.id })).toEqual({
        ok: false,
        error: 'is_archived',
      });
    }
    expect(await recordedKinds(ws)).toEqual([]);
  });

  it('answers method_not_supported_for_channel_type except for public channels, and hides what the caller cannot see', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    expect(await bot.call('conversations.join')).toEqual(missing('channel'));
    await expectUnsupported(ws, bot, 'conversations.join', ['private', 'im', 'mpim']);
    await expectHidden(app, ws, bot, 'conversations.join');
  });

  it('requires channels:join of a bot and channels:write of a user', async () => {
    const ws = await app.workspace();
    await expectScopes(ws, 'bot', 'conversations.join', { public: ['channels:join'] });
    await expectScopes(ws, 'user', 'conversations.join', { public: ['channels:write'] });
  });
});
