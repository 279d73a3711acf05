import { describe, expect, it } from 'vitest';
import { Db } from '../../src/kernel/database/db.js';
import { FURTHER_KINDS } from '../../src/messaging/events/event-names.js';
import { ephemeralSent } from '../../src/messaging/events/chat-events.js';
import { useApp } from '../support/app.js';
import type { ChatClient } from '../support/chat-client.js';
import { listen } from '../support/listener.js';
import { eventually } from '../support/receiver.js';
import type { WorkspaceBuilder } from '../support/workspace.js';

describe('the chat product’s events on sockets (docs/reference/realtime.md#chat)', () => {
  const app = useApp();

  /** Sends an ephemeral message in #general, like an app's answer to a command. */
  const whisper = (ws: WorkspaceBuilder, userId: string, text: string): Promise<void> => {
    const context = {
      tenantId: ws.tenantId,
      workspaceId: ws.id,
      conversation: { id: ws.general.id, type: 'public' as const },
    };
    const open = JSON.stringify({ type: 'message', text }).slice(0, -1);
    const event = ephemeralSent({ ...context, userId, open, ts: '1767225600.000100' });
    return app.nest.get(Db).write(async (tx) => void tx.record(event));
  };

  it('are sent for every kind, as the inner event alone, under its own name', async () => {
    const ws = await app.workspace();
    const admin = await ws.jwtClient({ user: ws.admin });
    const bot = await ws.bot();
    const ann = await ws.user();
    const channel = await ws.channel({ members: [admin, bot] });
    const ear = await listen(admin);

    const { ts } = await bot.call('chat.postMessage', { channel: channel.id, text: 'hello' });
    await bot.call('chat.update', { channel: channel.id, ts, text: 'hello again' });
    await bot.call('reactions.add', { channel: channel.id, timestamp: ts, name: 'tada' });
    await bot.call('reactions.remove', { channel: channel.id, timestamp: ts, name: 'tada' });
    await bot.call('chat.delete', { channel: channel.id, ts });
    await bot.call('conversations.invite', { channel: channel.id, users: ann.id });
    await admin.call('conversations.kick', { channel: channel.id, user: ann.id });
    await admin.call('users.profile.set', { profile: { title: 'Chief' } });
    await admin.call('users.setPresence', { presence: 'away' });
    const made = await admin.call('conversations.create', { name: `new-${channel.name}` });
    await admin.call('conversations.archive', { channel: made.channel.id });
    await eventually(() => ear.heard.length >= 16, 'sixteen events');

    const received = ear.heard.map(({ name, data }) => (data.subtype === undefined ? name : `${name}/${data.subtype}`));
    expect(received).toEqual([
      'message',
      'message/message_changed',
      'reaction_added',
      'reaction_removed',
      'message/message_deleted',
      'member_joined_channel',
      'message/channel_join',
      'member_left_channel',
      'message/channel_leave',
      'user_change',
      'presence_change',
      'channel_created',
      'member_joined_channel',
      'message/channel_join',
      'channel_archive',
      'message/channel_archive',
    ]);
    // the received events equal the recorded ones
    const recorded = await ws.recorded();
    const further: readonly unknown[] = FURTHER_KINDS;
    expect(ear.heard.map(({ data }) => data as unknown)).toEqual(
      recorded.filter(({ type }) => !further.includes(type)),
    );
    expect(ear.heard[0]?.data).toMatchObject({
      type: 'message',
      text: 'hello',
      channel: channel.id,
      channel_type: 'channel',
      ts,
    });
  });

  it('are not sent for conversations of others, other workspaces, nor as message_replied', async () => {
    const [ws, other] = [await app.workspace(), await app.workspace()];
    const [bot, outsider, foreign] = [await ws.bot(), await ws.bot(), await other.bot()];
    const hidden = await ws.channel({ isPrivate: true, members: [bot] });
    const open = await ws.channel({ members: [bot] });
    const shared = await ws.channel({ members: [bot, outsider] });
    const theirs = await other.channel({ members: [foreign] });
    const [member, ear, far] = [await listen(bot), await listen(outsider), await listen(foreign)];

    for (const { id } of [hidden, open]) await bot.call('chat.postMessage', { channel: id, text: 'not for all' });
    const root = await bot.call('chat.postMessage', { channel: shared.id, text: 'root' });
    await bot.call('chat.postMessage', { channel: shared.id, text: 'reply', thread_ts: root.ts });
    await bot.call('chat.postMessage', { channel: shared.id, text: 'end' });
    await foreign.call('chat.postMessage', { channel: theirs.id, text: 'end' });

    await Promise.all([member.until('end'), ear.until('end'), far.until('end')]);
    expect(member.texts).toEqual(['not for all', 'not for all', 'root', 'reply', 'end']);
    expect(ear.texts).toEqual(['root', 'reply', 'end']);
    expect(far.texts).toEqual(['end']);
    expect(new Set([...member.names, ...ear.names])).toEqual(new Set(['message']));
  });

  it('end with a kick: the removal itself is the last event', async () => {
    const ws = await app.workspace();
    const [bot, ann] = [await ws.bot(), await ws.jwtClient()];
    const channel = await ws.channel({ isPrivate: true, members: [bot, ann] });
    const [ear, witness] = [await listen(ann), await listen(bot)];

    await bot.call('chat.postMessage', { channel: channel.id, text: 'before' });
    // recipients are determined when an event is sent
    await ear.until('before');
    await bot.call('conversations.kick', { channel: channel.id, user: ann.userId });
    await bot.call('chat.postMessage', { channel: channel.id, text: 'after' });
    // the recipients are determined before she is a member again
    await witness.until('after');
    await bot.call('conversations.invite', { channel: channel.id, users: ann.userId });
    await bot.call('chat.postMessage', { channel: channel.id, text: 'back' });

    await Promise.all([ear.until('back'), witness.until('back')]);
    expect(ear.heard.map(({ name, data }) => [name, data.subtype ?? data.text ?? data.user])).toEqual([
      ['message', 'before'],
      ['member_left_channel', ann.userId],
      ['member_joined_channel', ann.userId],
      ['message', 'channel_join'],
      ['message', 'back'],
    ]);
    expect(witness.texts).toContain('after');
  });

  it('include direct messages opened after the socket connected', async () => {
    const ws = await app.workspace();
    const [bot, ann, bob] = [await ws.bot(), await ws.jwtClient(), await ws.jwtClient()];
    const [ear, other] = [await listen(ann), await listen(bob)];

    const { channel } = await bot.call('conversations.open', { users: ann.userId });
    await bot.call('chat.postMessage', { channel: channel.id, text: 'psst' });
    await ear.until('psst');
    expect(ear.of('message')[0]).toMatchObject({ channel: channel.id, channel_type: 'im' });

    const group = await bot.call('conversations.open', { users: `${ann.userId},${bob.userId}` });
    await bot.call('chat.postMessage', { channel: group.channel.id, text: 'all of you' });
    await Promise.all([ear.until('all of you'), other.until('all of you')]);
    expect(other.texts).toEqual(['all of you']);
  });

  it('require of app tokens the scope of each kind and type at the time of the event', async () => {
    const ws = await app.workspace();
    const admin = await ws.jwtClient({ user: ws.admin });
    const bot = await ws.bot();
    const readers = await Promise.all(
      [
        ['channels:history'],
        ['groups:history'],
        ['reactions:read'],
        ['channels:read'],
        ['users:read'],
        ['im:history'],
        [],
      ].map((scopes) => ws.tokenOf(bot, scopes)),
    );
    const open = await ws.channel({ members: [admin, bot] });
    const hidden = await ws.channel({ isPrivate: true, members: [admin, bot] });
    const everything = await listen(bot);
    const ears = await Promise.all(readers.map((reader) => listen(reader)));

    const { ts } = await admin.call('chat.postMessage', { channel: open.id, text: 'open' });
    await admin.call('chat.postMessage', { channel: hidden.id, text: 'hidden' });
    await admin.call('reactions.add', { channel: open.id, timestamp: ts, name: 'tada' });
    await admin.call('conversations.invite', { channel: open.id, users: (await ws.user()).id });
    const { channel: dm } = await admin.call('conversations.open', { users: bot.userId });
    await admin.call('chat.postMessage', { channel: dm.id, text: 'direct' });
    await admin.call('users.setPresence', { presence: 'away' });
    // every socket of the user receives this, whatever its scopes
    await whisper(ws, bot.userId, 'end');
    await Promise.all([everything, ...ears].map((ear) => ear.until('end')));

    expect(everything.names).toHaveLength(8);
    expect(ears.map((ear) => ear.heard.slice(0, -1).map(({ name, data }) => data.text ?? name))).toEqual([
      ['open', expect.stringContaining('has joined')],
      ['hidden'],
      ['reaction_added'],
      ['member_joined_channel'],
      ['presence_change'],
      ['direct'],
      [],
    ]);

    // a removed scope has effect from the next event on
    const [reader] = ears as [(typeof ears)[number]];
    await ws.setScopes(readers[0] as ChatClient, ['users:read']);
    await admin.call('chat.postMessage', { channel: open.id, text: 'unheard' });
    await admin.call('users.setPresence', { presence: 'auto' });
    await reader.untilHeard('presence_change');
    expect(reader.texts).not.toContain('unheard');
  });

  it('show e-mail addresses in user_change to those who may see them', async () => {
    const ws = await app.workspace();
    const admin = await ws.jwtClient({ user: ws.admin });
    const bot = await ws.bot({ scopes: ['users:read'] });
    const ears = [
      await listen(admin),
      await listen(bot),
      await listen(await ws.tokenOf(bot, ['users:read', 'users:read.email'])),
    ];
    await admin.call('users.profile.set', { profile: { title: 'Chief' } });
    await Promise.all(ears.map((ear) => ear.untilHeard('user_change')));
    const [jwt, plain, entitled] = ears.map((ear) => ear.of('user_change')[0]);
    expect(jwt.user.profile.email).toBe(`admin@${ws.domain}.example`);
    expect(entitled).toEqual(jwt);
    const { email: _, ...profile } = jwt.user.profile;
    expect(plain).toEqual({ ...jwt, user: { ...jwt.user, profile } });
  });

  it('arrive in the order of the posts, each once, over both transports', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const channel = await ws.channel({ members: [bot] });
    const ears = await Promise.all([
      listen(bot),
      listen(bot, { transports: ['polling'] }),
      listen(bot, { transports: ['polling', 'websocket'] }),
    ]);
    const user = await ws.user();
    const posts = Array.from({ length: 500 }, (_, i) => i);
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        for (let i = posts.shift(); i !== undefined; i = posts.shift())
          await ws.message({ channel, user, text: `post ${i}` });
      }),
    );
    for (const ear of ears) {
      await ear.untilHeard('message', 500);
      const all = ear.of('message').map(({ ts }) => ts as string);
      expect(all).toHaveLength(500);
      expect(all).toEqual([...new Set(all)].toSorted());
    }
  }, 60_000);

  it('include ephemeral messages for their user only', async () => {
    const ws = await app.workspace();
    const ann = await ws.jwtClient();
    const anns = await ws.userClient({ user: { id: ann.userId, name: '' }, scopes: [] });
    const bob = await ws.jwtClient();
    const [one, two, other] = [await listen(ann), await listen(anns), await listen(bob)];
    await whisper(ws, ann.userId, 'only you see this');
    await whisper(ws, bob.userId, 'end');
    await Promise.all([one.until('only you see this'), two.until('only you see this'), other.until('end')]);
    expect(one.heard).toEqual([
      {
        name: 'message',
        data: {
          type: 'message',
          text: 'only you see this',
          is_ephemeral: true,
          channel: ws.general.id,
          channel_type: 'channel',
          ts: '1767225600.000100',
          event_ts: '1767225600.000100',
        },
      },
    ]);
    expect(other.texts).toEqual(['end']);
  });
});
