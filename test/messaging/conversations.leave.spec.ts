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

describe('conversations.leave', () => {
  const app = useApp();

  it('removes the caller, stores the message and sends both events', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const channel = await ws.channel({ members: [ws.admin, bot] });

    expect(await bot.call('conversations.leave', { channel: channel.id })).toEqual({ ok: true });

    expect(await ws.memberCount(channel)).toEqual({ counted: 1, rows: 1 });
    expect((await bot.call('conversations.info', { channel: channel.id })).channel).toMatchObject({ is_member: false });
    const [left, , message] = await ws.recorded();
    expect(left).toEqual({
      type: 'member_left_channel',
      user: bot.userId,
      channel: channel.id,
      channel_type: 'C',
      team: ws.id,
      event_ts: wireTs,
    });
    const { messages } = await (await ws.adminClient()).call('conversations.history', { channel: channel.id });
    expect(messages).toEqual([
      {
        type: 'message',
        subtype: 'channel_leave',
        user: bot.userId,
        text: `<@${bot.userId}> has left the channel`,
        team: ws.id,
        ts: wireTs,
      },
    ]);
    expect(message).toEqual({ ...messages[0], channel: channel.id, channel_type: 'channel', event_ts: messages[0].ts });
  });

  it('works through the official client', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    expect(
      await bot.webClient().conversations.leave({ channel: (await ws.channel({ members: [bot] })).id }),
    ).toMatchObject({ ok: true });
  });

  it('leaves private channels and group messages, which are then hidden', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    for (const type of ['private', 'mpim'] as const) {
      const conversation = await ws.conversation(type, bot);
      expect([type, await bot.call('conversations.leave', { channel: conversation.id })]).toEqual([type, { ok: true }]);
      expect(await bot.call('conversations.info', { channel: conversation.id })).toEqual({
        ok: false,
        error: 'channel_not_found',
      });
    }
    expect((await ws.recorded('member_left_channel')).map((event) => event['channel_type'])).toEqual(['G', 'G']);
    expect((await ws.recorded('message')).map((event) => event['channel_type'])).toEqual(['group', 'mpim']);
  });

  it('answers cant_leave_general, also to callers who are not in it', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    expect(await bot.call('conversations.leave', { channel: ws.general.id })).toEqual({
      ok: false,
      error: 'cant_leave_general',
    });
  });

  it('answers not_in_channel with the documented extra field, before is_archived', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const channel = await ws.channel();
    await ws.archive(channel);
    for (const { id } of [ws.random, channel]) {
      expect(await bot.call('conversations.leave', { channel: id })).toEqual({
        ok: false,
        error: 'not_in_channel',
        not_in_channel: true,
      });
    }
  });

  it('answers is_archived, before last_member', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    for (const isPrivate of [true, false]) {
      const channel = await ws.channel({ isPrivate, members: [bot] });
      await ws.archive(channel);
      expect(await bot.call('conversations.leave', { channel: channel.id })).toEqual({
        ok: false,
        error: 'is_archived',
      });
    }
  });

  it('answers last_member in private conversations only', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const hidden = await ws.channel({ isPrivate: true, members: [bot] });
    const open = await ws.channel({ members: [bot] });
    expect(await bot.call('conversations.leave', { channel: hidden.id })).toEqual({ ok: false, error: 'last_member' });
    expect(await bot.call('conversations.leave', { channel: open.id })).toEqual({ ok: true });
    expect(await ws.memberCount(open)).toEqual({ counted: 0, rows: 0 });
  });

  it('lets one of the last two members stay when both leave a private channel concurrently', async () => {
    const ws = await app.workspace();
    const [ann, bob] = [await ws.userClient(), await ws.userClient()];
    const channel = await ws.channel({ isPrivate: true, members: [ann, bob] });

    const answers = await Promise.all(
      [ann, bob].map((client) => client.call('conversations.leave', { channel: channel.id })),
    );

    expect(answers.map((answer) => answer.error).sort()).toEqual(['last_member', undefined]);
    expect(await ws.memberCount(channel)).toEqual({ counted: 1, rows: 1 });
  });

  it('leaves once when called concurrently', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const channel = await ws.channel({ members: [ws.admin, bot] });
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => bot.call('conversations.leave', { channel: channel.id })),
    );
    expect(answers.filter((answer) => answer.ok)).toHaveLength(1);
    expect(answers.filter((answer) => answer.error === 'not_in_channel')).toHaveLength(4);
    expect(await recordedKinds(ws)).toEqual(['member_left_channel', 'channel_left', 'message/channel_leave']);
    expect(await ws.memberCount(channel)).toEqual({ counted: 1, rows: 1 });
  });

  it('answers method_not_supported_for_channel_type for ims, and hides what the caller cannot see', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    expect(await bot.call('conversations.leave')).toEqual(missing('channel'));
    await expectUnsupported(ws, bot, 'conversations.leave', ['im']);
    await expectHidden(app, ws, bot, 'conversations.leave');
  });

  it('requires the scope of the conversation type', async () => {
    const ws = await app.workspace();
    const others = { private: ['groups:write'], mpim: ['mpim:write'] };
    await expectScopes(ws, 'bot', 'conversations.leave', { public: ['channels:manage', 'channels:write'], ...others });
    await expectScopes(ws, 'user', 'conversations.leave', { public: ['channels:write'], ...others });
  });
});
