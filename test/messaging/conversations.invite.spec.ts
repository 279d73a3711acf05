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

describe('conversations.invite', () => {
  const app = useApp();

  it('adds users in the given order, with events for each: member, then message, with the inviter', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const channel = await ws.channel({ members: [bot] });
    const [zoe, ann] = [await ws.user({ name: 'zoe' }), await ws.user({ name: 'ann' })];

    const answer = await bot.webClient().conversations.invite({ channel: channel.id, users: `${zoe.id}, ${ann.id}` });

    expect(answer.ok).toBe(true);
    expect(answer.errors).toBeUndefined();
    expect(answer.channel).toEqual(channelInfo(ws, channel, { creator: bot.userId }));
    expect(await ws.memberCount(channel)).toEqual({ counted: 3, rows: 3 });
    expect(await recordedKinds(ws)).toEqual([
      'member_joined_channel',
      'message/channel_join',
      'member_joined_channel',
      'message/channel_join',
    ]);
    const [joined, message, next] = await ws.recorded();
    expect(joined).toEqual({
      type: 'member_joined_channel',
      user: zoe.id,
      channel: channel.id,
      channel_type: 'C',
      team: ws.id,
      inviter: bot.userId,
      event_ts: wireTs,
    });
    expect(next).toMatchObject({ user: ann.id });
    const { messages } = await bot.call('conversations.history', { channel: channel.id });
    const stored = (user: string) => ({
      type: 'message',
      subtype: 'channel_join',
      user,
      text: `<@${user}> has joined the channel`,
      inviter: bot.userId,
      team: ws.id,
      ts: wireTs,
    });
    expect(messages).toEqual([stored(ann.id), stored(zoe.id)]);
    expect(message).toEqual({ ...messages[1], channel: channel.id, channel_type: 'channel', event_ts: messages[1].ts });
  });

  it('invites bots, accepts a JSON array and counts a repeated id once', async () => {
    const ws = await app.workspace();
    const [bot, other] = [await ws.bot(), await ws.bot()];
    const channel = await ws.channel({ isPrivate: true, members: [bot] });
    const answer = await bot.call('conversations.invite', { channel: channel.id, users: [other.userId, other.userId] });
    expect(answer.ok).toBe(true);
    expect(await ws.memberCount(channel)).toEqual({ counted: 2, rows: 2 });
    expect((await ws.recorded('member_joined_channel')).map((event) => event['channel_type'])).toEqual(['G']);
  });

  it('answers for each user the first error that applies', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const other = await app.workspace();
    const channel = await ws.channel({ members: [bot, ws.admin] });
    const gone = await ws.user();
    await ws.join(channel, gone);
    await ws.deactivate(gone);
    for (const [user, error] of [
      [bot.userId, 'cant_invite_self'],
      ['U0NOSUCHUSR', 'user_not_found'],
      ['somebody', 'user_not_found'],
      [other.admin.id, 'user_not_found'],
      [gone.id, 'cant_invite'],
      [ws.admin.id, 'already_in_channel'],
    ]) {
      expect([user, await bot.call('conversations.invite', { channel: channel.id, users: user })]).toEqual([
        user,
        { ok: false, error, errors: [{ user, ok: false, error }] },
      ]);
    }
    expect(await ws.recorded()).toEqual([]);
  });

  it('invites nobody when one user cannot be invited, and lists all of those in the order of users', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const ann = await ws.user();
    const channel = await ws.channel({ members: [bot, ws.admin] });
    const answer = await bot.call('conversations.invite', {
      channel: channel.id,
      users: [ws.admin.id, ann.id, 'U0NOSUCHUSR', bot.userId],
    });
    expect(answer).toEqual({
      ok: false,
      error: 'already_in_channel',
      errors: [
        { user: ws.admin.id, ok: false, error: 'already_in_channel' },
        { user: 'U0NOSUCHUSR', ok: false, error: 'user_not_found' },
        { user: bot.userId, ok: false, error: 'cant_invite_self' },
      ],
    });
    expect(await ws.memberCount(channel)).toEqual({ counted: 2, rows: 2 });
    expect(await ws.recorded()).toEqual([]);
  });

  it('invites the others with force, and reports the rest', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const ann = await ws.user();
    const channel = await ws.channel({ members: [bot, ws.admin] });
    const errors = [
      { user: 'U0NOSUCHUSR', ok: false, error: 'user_not_found' },
      { user: ws.admin.id, ok: false, error: 'already_in_channel' },
    ];
    const args = { channel: channel.id, users: ['U0NOSUCHUSR', ann.id, ws.admin.id], force: true };

    expect(await bot.call('conversations.invite', args)).toEqual({
      ok: true,
      channel: channelInfo(ws, channel, { creator: bot.userId }),
      errors,
    });
    expect(await ws.memberCount(channel)).toEqual({ counted: 3, rows: 3 });
    // now no user is left to invite
    expect(await bot.call('conversations.invite', args)).toEqual({
      ok: false,
      error: 'user_not_found',
      errors: [errors[0], { user: ann.id, ok: false, error: 'already_in_channel' }, errors[1]],
    });
  });

  it('adds a user once when several invite concurrently', async () => {
    const ws = await app.workspace();
    const [ann, bob] = [await ws.userClient(), await ws.userClient()];
    const channel = await ws.channel({ members: [ann, bob] });
    const users = await Promise.all(Array.from({ length: 3 }, () => ws.user()));
    const ids = users.map((user) => user.id);

    const answers = await Promise.all(
      [ann, bob, ann, bob].map((client, i) =>
        client.call('conversations.invite', { channel: channel.id, users: i % 2 ? ids : [...ids].reverse() }),
      ),
    );

    expect(answers.filter((answer) => answer.ok)).toHaveLength(1);
    expect(answers.filter((answer) => answer.error === 'already_in_channel')).toHaveLength(3);
    expect(await ws.memberCount(channel)).toEqual({ counted: 5, rows: 5 });
    expect(await ws.recorded('member_joined_channel')).toHaveLength(3);
  });

  it('invites a hundred users, and refuses more', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const channel = await ws.channel({ members: [bot] });
    const users = [];
    for (let i = 0; i < 100; i++) users.push((await ws.user()).id);
    expect(
      await bot.call('conversations.invite', { channel: 'C0NOSUCHCH1', users: [...users, 'U0NOSUCHUSR'] }),
    ).toEqual({
      ok: false,
      error: 'too_many_users',
    });
    expect(await bot.call('conversations.invite', { channel: channel.id, users })).toMatchObject({ ok: true });
    expect(await ws.memberCount(channel)).toEqual({ counted: 101, rows: 101 });
    const joined = (await ws.recorded('message')).map((event) => event['user']);
    expect(joined).toEqual(users);
  });

  it('checks arguments, then the channel, then the users', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const users = 'U0NOSUCHUSR';
    expect(await bot.call('conversations.invite', { users })).toEqual(missing('channel'));
    for (const nobody of [undefined, '', ',', []]) {
      expect(await bot.call('conversations.invite', { channel: 'C0NOSUCHCH1', users: nobody })).toEqual({
        ok: false,
        error: 'no_user',
      });
    }
    const archived = await ws.channel();
    await ws.archive(archived);
    expect(await bot.call('conversations.invite', { channel: archived.id, users })).toEqual({
      ok: false,
      error: 'is_archived',
    });
    expect(await bot.call('conversations.invite', { channel: ws.random.id, users })).toEqual({
      ok: false,
      error: 'not_in_channel',
    });
    await expectUnsupported(ws, bot, 'conversations.invite', ['im', 'mpim'], { users });
    await expectHidden(app, ws, bot, 'conversations.invite', { users });
  });

  it('requires the scope of the conversation type', async () => {
    const ws = await app.workspace();
    const args = async (channel: { id: string }) => ({ channel: channel.id, users: (await ws.user()).id });
    const groups = ['groups:write.invites', 'groups:write'];
    await expectScopes(
      ws,
      'bot',
      'conversations.invite',
      { public: ['channels:write.invites', 'channels:manage'], private: groups },
      args,
    );
    await expectScopes(
      ws,
      'user',
      'conversations.invite',
      { public: ['channels:write.invites', 'channels:write'], private: groups },
      args,
    );
  });
});
