import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { channelInfo, expectHidden, expectScopes, imInfo, missing, mpimInfo } from '../support/conversations.js';

describe('conversations.info', () => {
  const app = useApp();

  it('shows a public channel in full to a member', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const answer = await bot.webClient().conversations.info({ channel: ws.general.id });
    expect(answer.ok).toBe(true);
    expect(answer.channel).toEqual(channelInfo(ws, ws.general, { is_general: true }));
  });

  it('shows a public channel to others without last_read, and adds the requested fields', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const answer = await bot.call('conversations.info', {
      channel: ws.random.id,
      include_num_members: 'true',
      include_locale: 1,
    });
    expect(answer).toEqual({
      ok: true,
      channel: channelInfo(ws, ws.random, { is_member: false, last_read: undefined, num_members: 2, locale: 'en-US' }),
    });
  });

  it('shows private and archived channels to their members', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const channel = await ws.channel({ isPrivate: true, members: [bot] });
    await ws.archive(channel);
    expect((await bot.call('conversations.info', { channel: channel.id })).channel).toEqual(
      channelInfo(ws, channel, { is_private: true, is_archived: true, creator: bot.userId }),
    );
  });

  it('shows an im with its latest message, or null', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const ann = await ws.user();
    const im = await ws.direct(bot, ann);
    expect((await bot.call('conversations.info', { channel: im.id })).channel).toEqual(
      imInfo(ws, { id: im.id, user: ann.id }),
    );

    await bot.call('chat.postMessage', { channel: im.id, text: 'first' });
    const { message } = await bot.call('chat.postMessage', { channel: im.id, text: 'second', blocks: [] });
    await bot.call('chat.postMessage', { channel: im.id, text: 'a reply', thread_ts: message.ts });

    const { channel } = await bot.call('conversations.info', { channel: im.id, include_num_members: true });
    expect(channel).toEqual(
      imInfo(
        ws,
        { id: im.id, user: ann.id },
        { latest: expect.objectContaining({ ...message, reply_count: 1, subscribed: true }), num_members: 2 },
      ),
    );
  });

  it('shows in an im the other user, in a self-DM the caller, and marks a deactivated user', async () => {
    const ws = await app.workspace();
    const [ann, bob] = [await ws.user(), await ws.user()];
    const [asAnn, asBob] = [await ws.userClient({ user: ann }), await ws.userClient({ user: bob })];
    const im = await ws.direct(ann, bob);
    const self = await ws.direct(ann);
    expect((await asBob.call('conversations.info', { channel: im.id })).channel.user).toBe(ann.id);
    expect((await asAnn.call('conversations.info', { channel: self.id })).channel.user).toBe(ann.id);
    await ws.deactivate(bob);
    expect((await asAnn.call('conversations.info', { channel: im.id })).channel).toMatchObject({
      user: bob.id,
      is_user_deleted: true,
    });
  });

  it('shows a group message with the names of its members, sorted', async () => {
    const ws = await app.workspace();
    const [zoe, bob, ann] = [
      await ws.user({ name: 'zoe' }),
      await ws.user({ name: 'bob' }),
      await ws.user({ name: 'ann' }),
    ];
    const client = await ws.userClient({ user: zoe });
    const mpim = await ws.direct(zoe, bob, ann);
    expect((await client.call('conversations.info', { channel: mpim.id })).channel).toEqual(
      mpimInfo(ws, { id: mpim.id, creator: zoe.id, names: ['ann', 'bob', 'zoe'] }),
    );
  });

  it('answers channel_not_found for what the caller cannot see, also to an admin', async () => {
    const ws = await app.workspace();
    expect(await (await ws.bot()).call('conversations.info')).toEqual(missing('channel'));
    await expectHidden(app, ws, await ws.bot(), 'conversations.info');
    const admin = await ws.adminClient();
    const hidden = await ws.channel({ isPrivate: true, members: [await ws.user()] });
    expect(await admin.call('conversations.info', { channel: hidden.id })).toEqual({
      ok: false,
      error: 'channel_not_found',
    });
  });

  it('hides a channel before its scope is checked', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot({ scopes: ['channels:read'] });
    const hidden = await ws.channel({ isPrivate: true });
    expect(await bot.call('conversations.info', { channel: hidden.id })).toEqual({
      ok: false,
      error: 'channel_not_found',
    });
  });

  it('requires the scope of the conversation type', async () => {
    const ws = await app.workspace();
    const rule = { public: ['channels:read'], private: ['groups:read'], im: ['im:read'], mpim: ['mpim:read'] };
    await expectScopes(ws, 'bot', 'conversations.info', rule);
    await expectScopes(ws, 'user', 'conversations.info', rule);
  });
});
