import { describe, expect, it } from 'vitest';
import { Member } from '../../src/messaging/store/member.entity.js';
import { useApp } from '../support/app.js';
import type { ChatClient } from '../support/chat-client.js';
import {
  expectHidden,
  expectScopes,
  expectUnsupported,
  missing,
  recordedKinds,
  wireTs,
} from '../support/conversations.js';
import { onPostgres } from '../support/databases.js';
import { lockRow, overlap } from '../support/overlap.js';
import { closeReceivers, eventually, receiver } from '../support/receiver.js';
import { callRest } from '../support/rest-call.js';

describe('conversations.kick', () => {
  const app = useApp();
  closeReceivers();

  it('removes a user, and posts the message as the removed user', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const ann = await ws.user();
    const channel = await ws.channel({ members: [bot, ann] });

    expect(await bot.call('conversations.kick', { channel: channel.id, user: ann.id })).toEqual({
      ok: true,
      errors: {},
    });

    expect(await ws.memberCount(channel)).toEqual({ counted: 1, rows: 1 });
    const [left, , message] = await ws.recorded();
    expect(left).toEqual({
      type: 'member_left_channel',
      user: ann.id,
      channel: channel.id,
      channel_type: 'C',
      team: ws.id,
      event_ts: wireTs,
    });
    const { messages } = await bot.call('conversations.history', { channel: channel.id });
    expect(messages).toEqual([
      {
        type: 'message',
        subtype: 'channel_leave',
        user: ann.id,
        text: `<@${ann.id}> was removed from the channel`,
        team: ws.id,
        ts: wireTs,
      },
    ]);
    expect(message).toEqual({ ...messages[0], channel: channel.id, channel_type: 'channel', event_ts: messages[0].ts });
  });

  it('removes bots and deactivated users, through the official client too', async () => {
    const ws = await app.workspace();
    const [bot, other] = [await ws.bot(), await ws.bot()];
    const gone = await ws.user();
    const channel = await ws.channel({ isPrivate: true, members: [bot, other, gone] });
    await ws.deactivate(gone);
    for (const user of [other.userId, gone.id]) {
      expect(await bot.webClient().conversations.kick({ channel: channel.id, user })).toMatchObject({ ok: true });
    }
    expect(await other.call('conversations.info', { channel: channel.id })).toEqual({
      ok: false,
      error: 'channel_not_found',
    });
  });

  it('removes a user once when several kick concurrently', async () => {
    const ws = await app.workspace();
    const [ann, bob] = [await ws.userClient(), await ws.userClient()];
    const eve = await ws.user();
    const channel = await ws.channel({ members: [ann, bob, eve] });
    const answers = await Promise.all(
      [ann, bob, ann, bob].map((client) => client.call('conversations.kick', { channel: channel.id, user: eve.id })),
    );
    expect(answers.filter((answer) => answer.ok)).toHaveLength(1);
    expect(answers.filter((answer) => answer.error === 'not_in_channel')).toHaveLength(3);
    expect(await recordedKinds(ws)).toEqual(['member_left_channel', 'channel_left', 'message/channel_leave']);
    expect(await ws.memberCount(channel)).toEqual({ counted: 2, rows: 2 });
  });

  it('lets one of two users who kick each other stay', async () => {
    const ws = await app.workspace();
    const [ann, bob] = [await ws.userClient(), await ws.userClient()];
    const channel = await ws.channel({ members: [ann, bob] });
    const answers = await Promise.all([
      ann.call('conversations.kick', { channel: channel.id, user: bob.userId }),
      bob.call('conversations.kick', { channel: channel.id, user: ann.userId }),
    ]);
    expect(answers.map((answer) => answer.error).sort()).toEqual(['not_in_channel', undefined]);
    expect(await ws.memberCount(channel)).toEqual({ counted: 1, rows: 1 });
  });

  describe.skipIf(onPostgres !== '')(`with a concurrent post${onPostgres}`, () => {
    /** Both run concurrently: the kick holds the lock of the channel, and the post waits for it. */
    const kickAndPost = (channel: string, kick: () => Promise<unknown>, poster: ChatClient, kicked: string) =>
      overlap(
        app.store.dataSource,
        (entities) => lockRow(entities, Member, { conversationId: channel, userId: kicked }),
        kick,
        () => poster.call('chat.postMessage', { channel, text: 'just in time?' }),
      );

    it('refuses the post of the kicked user', async () => {
      const ws = await app.workspace();
      const [bot, ann] = [await ws.bot(), await ws.userClient()];
      const channel = await ws.channel({ members: [bot, ann] });
      const kick = () => bot.call('conversations.kick', { channel: channel.id, user: ann.userId });
      expect(await kickAndPost(channel.id, kick, ann, ann.userId)).toEqual([
        { ok: true, errors: {} },
        { ok: false, error: 'not_in_channel' },
      ]);
      expect(await recordedKinds(ws)).toEqual(['member_left_channel', 'channel_left', 'message/channel_leave']);
    });

    it('sends the kicked user no event of a later post', async () => {
      const ws = await app.workspace();
      const [bot, ann, leaver] = [await ws.bot(), await ws.userClient(), await ws.bot()];
      const channel = await ws.channel({ members: [bot, ann, leaver] });
      await ws.join(ws.general, ann);
      const end = await receiver();
      await callRest(app, 'POST', '/api/events/subscribe', {
        token: leaver.token,
        body: { url: end.url, events: ['message', 'member_left_channel'] },
      });
      const kick = () => bot.call('conversations.kick', { channel: channel.id, user: leaver.userId });
      const [, posted] = await kickAndPost(channel.id, kick, ann, leaver.userId);
      expect(posted).toMatchObject({ ok: true });
      await ann.call('chat.postMessage', { channel: ws.general.id, text: 'the last one' });
      const received = (): { type: string; text?: string }[] =>
        end.received.flatMap(({ body }) => (JSON.parse(body) as { event?: { type: string } }).event ?? []);
      await eventually(() => received().some(({ text }) => text === 'the last one'), 'the last one');
      expect(received().map(({ type, text }) => text ?? type)).toEqual(['member_left_channel', 'the last one']);
    });
  });

  it('answers errors in the documented order', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const other = await app.workspace();
    const channel = await ws.channel({ members: [bot] });
    const archived = await ws.channel({ members: [bot] });
    await ws.archive(archived);
    const kick = (id: string, user: string) => bot.call('conversations.kick', { channel: id, user });
    const refusal = (error: string) => ({ ok: false, error });

    expect(await bot.call('conversations.kick')).toEqual(missing('channel', 'user'));
    expect(await kick(ws.general.id, 'U0NOSUCHUSR')).toEqual(refusal('cant_kick_from_general'));
    expect(await kick(ws.general.id, bot.userId)).toEqual(refusal('cant_kick_from_general'));
    expect(await kick(channel.id, 'U0NOSUCHUSR')).toEqual(refusal('user_not_found'));
    expect(await kick(channel.id, other.admin.id)).toEqual(refusal('user_not_found'));
    expect(await kick(archived.id, bot.userId)).toEqual(refusal('cant_kick_self'));
    expect(await kick(archived.id, ws.admin.id)).toEqual(refusal('is_archived'));
    expect(await kick(channel.id, ws.admin.id)).toEqual(refusal('not_in_channel'));
    // the caller is not a member
    expect(await kick(ws.random.id, ws.admin.id)).toEqual(refusal('not_in_channel'));
    expect(await ws.recorded()).toEqual([]);
  });

  it('answers method_not_supported_for_channel_type for ims and mpims, and hides what the caller cannot see', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    await expectUnsupported(ws, bot, 'conversations.kick', ['im', 'mpim'], { user: ws.admin.id });
    await expectHidden(app, ws, bot, 'conversations.kick', { user: ws.admin.id });
  });

  it('requires the scope of the conversation type', async () => {
    const ws = await app.workspace();
    const args = async (channel: { id: string }) => {
      const user = await ws.user();
      await ws.join(channel, user);
      return { channel: channel.id, user: user.id };
    };
    await expectScopes(
      ws,
      'bot',
      'conversations.kick',
      { public: ['channels:manage', 'channels:write'], private: ['groups:write'] },
      args,
    );
    await expectScopes(
      ws,
      'user',
      'conversations.kick',
      { public: ['channels:write'], private: ['groups:write'] },
      args,
    );
  });
});
