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

const refused = (error: string) => ({ ok: false, error });

describe('conversations.unarchive', () => {
  const app = useApp();

  it('reopens the channel to its members, and sends events for the channel and the message', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const channel = await ws.channel({ members: [ws.admin, bot] });
    await ws.archive(channel);

    expect(await bot.webClient().conversations.unarchive({ channel: channel.id })).toMatchObject({ ok: true });

    expect((await bot.call('conversations.info', { channel: channel.id })).channel).toMatchObject({
      is_archived: false,
      is_member: true,
    });
    expect(await ws.memberCount(channel)).toEqual({ counted: 2, rows: 2 });
    const { messages } = await bot.call('conversations.history', { channel: channel.id });
    expect(messages).toEqual([
      {
        type: 'message',
        subtype: 'channel_unarchive',
        user: bot.userId,
        text: `<@${bot.userId}> un-archived the channel`,
        team: ws.id,
        ts: wireTs,
      },
    ]);
    expect(await ws.recorded()).toEqual([
      { type: 'channel_unarchive', channel: channel.id, user: bot.userId, event_ts: wireTs },
      { ...messages[0], channel: channel.id, channel_type: 'channel', event_ts: messages[0].ts },
    ]);
    expect(await bot.call('chat.postMessage', { channel: channel.id, text: 'again' })).toMatchObject({ ok: true });
  });

  it('sends group_unarchive for a private channel', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const channel = await ws.channel({ isPrivate: true, members: [bot] });
    await ws.archive(channel);
    expect(await bot.call('conversations.unarchive', { channel: channel.id })).toEqual({ ok: true });
    expect(await recordedKinds(ws)).toEqual(['group_unarchive', 'message/channel_unarchive']);
    expect((await ws.recorded('group_unarchive'))[0]).toEqual({
      type: 'group_unarchive',
      channel: channel.id,
      actor_id: bot.userId,
      event_ts: wireTs,
    });
  });

  it('answers not_archived before not_in_channel', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const [own, other] = [await ws.channel({ members: [bot] }), await ws.channel()];
    const unarchive = (channel: { id: string }) => bot.call('conversations.unarchive', { channel: channel.id });
    expect(await unarchive(own)).toEqual(refused('not_archived'));
    expect(await unarchive(other)).toEqual(refused('not_archived'));
    await ws.archive(other);
    expect(await unarchive(other)).toEqual(refused('not_in_channel'));
    expect(await ws.recorded()).toEqual([]);
  });

  it('answers method_not_supported_for_channel_type for ims and mpims, and hides what the caller cannot see', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    expect(await bot.call('conversations.unarchive')).toEqual(missing('channel'));
    await expectUnsupported(ws, bot, 'conversations.unarchive', ['im', 'mpim']);
    await expectHidden(app, ws, bot, 'conversations.unarchive');
  });

  it('requires the scope of the conversation type, as conversations.archive does', async () => {
    const ws = await app.workspace();
    const archived = async (conversation: { id: string }) => {
      await ws.archive(conversation);
      return { channel: conversation.id };
    };
    const bot = { public: ['channels:manage', 'channels:write'], private: ['groups:write'] };
    await expectScopes(ws, 'bot', 'conversations.unarchive', bot, archived);
    const user = { public: ['channels:write'], private: ['groups:write'] };
    await expectScopes(ws, 'user', 'conversations.unarchive', user, archived);
  });
});
