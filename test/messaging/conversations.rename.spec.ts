import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import type { ChatClient } from '../support/chat-client.js';
import {
  channelInfo,
  expectHidden,
  expectScopes,
  expectUnsupported,
  missing,
  recordedKinds,
  unique,
  wireTs,
} from '../support/conversations.js';

describe('conversations.rename', () => {
  const app = useApp();

  it('renames, lists previous names newest first, and posts a message', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const channel = await ws.channel({ name: 'first', members: [bot] });

    await bot.call('conversations.rename', { channel: channel.id, name: 'second' });
    const answer = await bot.webClient().conversations.rename({ channel: channel.id, name: ' third ' });

    const shown = channelInfo(
      ws,
      { id: channel.id, name: 'third' },
      { creator: bot.userId, previous_names: ['second', 'first'] },
    );
    expect(answer.channel).toEqual(shown);
    expect((await bot.call('conversations.info', { channel: channel.id })).channel).toEqual(shown);
    const { messages } = await bot.call('conversations.history', { channel: channel.id });
    expect(messages[0]).toEqual({
      type: 'message',
      subtype: 'channel_name',
      user: bot.userId,
      text: `<@${bot.userId}> has renamed the channel from "second" to "third"`,
      old_name: 'second',
      name: 'third',
      team: ws.id,
      ts: wireTs,
    });
    expect(await recordedKinds(ws)).toEqual([
      'message/channel_name',
      'channel_rename',
      'message/channel_name',
      'channel_rename',
    ]);
    expect((await ws.recorded('message'))[1]).toEqual({
      ...messages[0],
      channel: channel.id,
      channel_type: 'channel',
      event_ts: messages[0].ts,
    });
  });

  it('does nothing for the same name', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const channel = await ws.channel({ members: [bot] });
    const answer = await bot.call('conversations.rename', { channel: channel.id, name: channel.name });
    expect(answer).toEqual({ ok: true, channel: channelInfo(ws, channel, { creator: bot.userId }) });
    expect(await ws.recorded()).toEqual([]);
  });

  it('frees the old name, and can return to it', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const channel = await ws.channel({ name: 'old', members: [bot] });
    await bot.call('conversations.rename', { channel: channel.id, name: 'new' });
    expect((await bot.call('conversations.create', { name: 'old' })).ok).toBe(true);
    expect(await bot.call('conversations.rename', { channel: channel.id, name: 'old' })).toEqual({
      ok: false,
      error: 'name_taken',
    });
    const other = await ws.channel({ name: 'there', members: [bot] });
    await bot.call('conversations.rename', { channel: other.id, name: 'away' });
    expect(
      (await bot.call('conversations.rename', { channel: other.id, name: 'there' })).channel.previous_names,
    ).toEqual(['away', 'there']);
  });

  it('lets only the creator and admins rename', async () => {
    const ws = await app.workspace();
    const ann = await ws.userClient();
    const channel = await ws.channel({ members: [await ws.user(), ann] });
    const rename = (client: ChatClient) =>
      client.call('conversations.rename', { channel: channel.id, name: unique('r') });
    expect(await rename(ann)).toEqual({ ok: false, error: 'not_authorized' });
    for (const role of ['admin', 'owner'] as const) {
      const admin = await ws.userClient({ role });
      expect(await rename(admin)).toEqual({ ok: false, error: 'not_in_channel' });
      await ws.join(channel, { userId: admin.userId });
      expect((await rename(admin)).ok).toBe(true);
    }
  });

  it('gives a name to one of several concurrent renames', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const channels = await Promise.all(Array.from({ length: 6 }, () => ws.channel({ members: [bot] })));
    const answers = await Promise.all(
      channels.map(({ id }) => bot.call('conversations.rename', { channel: id, name: 'contested' })),
    );
    expect(answers.filter((answer) => answer.ok)).toHaveLength(1);
    expect(answers.filter((answer) => answer.error === 'name_taken')).toHaveLength(5);
  });

  it('answers errors in the documented order', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const own = await ws.channel({ members: [bot] });
    const theirs = await ws.channel({ members: [ws.admin, bot] });
    const [archived, hidden] = [await ws.channel(), await ws.channel({ isPrivate: true })];
    await ws.archive(archived);
    const rename = (channel: string, name: string) => bot.call('conversations.rename', { channel, name });
    const refusal = (error: string) => ({ ok: false, error });

    expect(await bot.call('conversations.rename')).toEqual(missing('channel', 'name'));
    expect(await rename('C0NOSUCHCH1', '')).toEqual(refusal('invalid_name_required'));
    expect(await rename('C0NOSUCHCH1', 'a'.repeat(81))).toEqual(refusal('invalid_name_maxlength'));
    expect(await rename('C0NOSUCHCH1', 'Upper')).toEqual(refusal('invalid_name_specials'));
    expect(await rename('C0NOSUCHCH1', '---')).toEqual(refusal('invalid_name_punctuation'));
    expect(await rename('C0NOSUCHCH1', 'here')).toEqual(refusal('invalid_name'));
    expect(await rename(archived.id, 'random')).toEqual(refusal('is_archived'));
    expect(await rename(ws.random.id, 'general')).toEqual(refusal('not_in_channel'));
    expect(await rename(theirs.id, 'general')).toEqual(refusal('not_authorized'));
    expect(await rename(own.id, hidden.name)).toEqual(refusal('name_taken'));
    expect(await rename(own.id, archived.name)).toEqual(refusal('name_taken'));
    expect(await ws.recorded()).toEqual([]);
  });

  it('answers method_not_supported_for_channel_type for ims and mpims, and hides what the caller cannot see', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    await expectUnsupported(ws, bot, 'conversations.rename', ['im', 'mpim'], { name: 'x' });
    await expectHidden(app, ws, bot, 'conversations.rename', { name: 'x' });
  });

  it('requires the scope of the conversation type', async () => {
    const ws = await app.workspace();
    const args = (channel: { id: string }) => ({ channel: channel.id, name: unique('r') });
    await expectScopes(
      ws,
      'bot',
      'conversations.rename',
      { public: ['channels:manage', 'channels:write'], private: ['groups:write'] },
      args,
    );
    await expectScopes(
      ws,
      'user',
      'conversations.rename',
      { public: ['channels:write'], private: ['groups:write'] },
      args,
    );
  });
});
