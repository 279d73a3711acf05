import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import {
  expectHidden,
  expectScopes,
  expectUnsupported,
  missing,
  recordedKinds,
  wireTs,
} from '../support/conversations.js';

describe('conversations.archive', () => {
  const app = useApp();

  it('archives, keeps members and history, and sends events for the channel and the message', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const channel = await ws.channel({ members: [ws.admin, bot] });

    expect(await bot.webClient().conversations.archive({ channel: channel.id })).toMatchObject({ ok: true });

    expect((await bot.call('conversations.info', { channel: channel.id })).channel).toMatchObject({
      is_archived: true,
      is_member: true,
    });
    expect(await ws.memberCount(channel)).toEqual({ counted: 2, rows: 2 });
    const [archived, message] = await ws.recorded();
    expect(archived).toEqual({
      type: 'channel_archive',
      channel: channel.id,
      user: bot.userId,
      is_moved: 0,
      event_ts: wireTs,
    });
    const { messages } = await bot.call('conversations.history', { channel: channel.id });
    expect(messages).toEqual([
      {
        type: 'message',
        subtype: 'channel_archive',
        user: bot.userId,
        text: `<@${bot.userId}> archived the channel`,
        team: ws.id,
        ts: wireTs,
      },
    ]);
    expect(message).toEqual({ ...messages[0], channel: channel.id, channel_type: 'channel', event_ts: messages[0].ts });
  });

  it('sends group_archive and a message for a private channel', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const channel = await ws.channel({ isPrivate: true, members: [bot] });
    expect(await bot.call('conversations.archive', { channel: channel.id })).toEqual({ ok: true });
    expect(await recordedKinds(ws)).toEqual(['group_archive', 'message/channel_archive']);
  });

  it('makes every write fail', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const ann = await ws.user();
    const channel = await ws.channel({ members: [bot, ann] });
    await bot.call('conversations.archive', { channel: channel.id });
    const calls: Record<string, object> = {
      'chat.postMessage': { text: 'too late' },
      'conversations.join': {},
      'conversations.leave': {},
      'conversations.invite': { users: ws.admin.id },
      'conversations.kick': { user: ann.id },
      'conversations.rename': { name: 'other' },
      'conversations.setTopic': { topic: 'x' },
      'conversations.setPurpose': { purpose: 'x' },
    };
    for (const [method, args] of Object.entries(calls)) {
      expect([method, await bot.call(method, { ...args, channel: channel.id })]).toEqual([
        method,
        { ok: false, error: 'is_archived' },
      ]);
    }
  });

  it('answers already_archived before any other state error', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const [own, other] = [await ws.channel({ members: [bot] }), await ws.channel()];
    for (const channel of [own, other]) {
      await ws.archive(channel);
      expect(await bot.call('conversations.archive', { channel: channel.id })).toEqual({
        ok: false,
        error: 'already_archived',
      });
    }
  });

  it('archives once when called concurrently', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const channel = await ws.channel({ members: [bot] });
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => bot.call('conversations.archive', { channel: channel.id })),
    );
    expect(answers.filter((answer) => answer.ok)).toHaveLength(1);
    expect(answers.filter((answer) => answer.error === 'already_archived')).toHaveLength(4);
    expect(await recordedKinds(ws)).toEqual(['channel_archive', 'message/channel_archive']);
  });

  it('answers cant_archive_general and not_in_channel', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    expect(await bot.call('conversations.archive', { channel: ws.general.id })).toEqual({
      ok: false,
      error: 'cant_archive_general',
    });
    expect(await bot.call('conversations.archive', { channel: ws.random.id })).toEqual({
      ok: false,
      error: 'not_in_channel',
    });
    expect(await ws.recorded()).toEqual([]);
  });

  it('answers method_not_supported_for_channel_type for ims and mpims, and hides what the caller cannot see', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    expect(await bot.call('conversations.archive')).toEqual(missing('channel'));
    await expectUnsupported(ws, bot, 'conversations.archive', ['im', 'mpim']);
    await expectHidden(app, ws, bot, 'conversations.archive');
  });

  it('requires the scope of the conversation type', async () => {
    const ws = await app.workspace();
    await expectScopes(ws, 'bot', 'conversations.archive', {
      public: ['channels:manage', 'channels:write'],
      private: ['groups:write'],
    });
    await expectScopes(ws, 'user', 'conversations.archive', { public: ['channels:write'], private: ['groups:write'] });
  });
});
