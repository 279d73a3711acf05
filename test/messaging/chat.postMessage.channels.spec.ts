import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { DEFAULT_BOT_SCOPES } from '../../src/messaging/provisioning/default-scopes.js';
import { posting } from '../support/posting.js';

const without = (...scopes: string[]): string[] => DEFAULT_BOT_SCOPES.filter((scope) => !scopes.includes(scope));
const refused = (error: string) => ({ ok: false, error });

describe('the channel argument of chat.postMessage', () => {
  const app = useApp();

  it('accepts an id, #name or name', async () => {
    const { ws, bot, channel } = await posting(app);
    const room = await ws.channel({ members: [bot], isPrivate: true, name: 'straße' });
    for (const name of [channel.id, `#${channel.name}`, channel.name]) {
      expect(await bot.call('chat.postMessage', { channel: name, text: 'x' })).toMatchObject({
        ok: true,
        channel: channel.id,
      });
    }
    expect(await bot.call('chat.postMessage', { channel: '#straße', text: 'x' })).toMatchObject({ channel: room.id });
  });

  it('opens the DM with a user id once', async () => {
    const { ws, bot, ann } = await posting(app);
    const answers = await Promise.all(
      [1, 2, 3].map((i) => bot.call('chat.postMessage', { channel: ann.userId, text: `t${i}` })),
    );
    const [{ channel }] = answers;
    expect(channel).toMatch(/^D0/);
    expect(answers.map((answer) => answer.channel)).toEqual([channel, channel, channel]);
    // both users share the same conversation
    expect((await ann.call('chat.postMessage', { channel: bot.userId, text: 'hi' })).channel).toBe(channel);
    const { messages } = await ann.call('conversations.history', { channel });
    expect(messages).toHaveLength(4);
    expect((await ws.recorded('message')).every((event) => event['channel_type'] === 'im')).toBe(true);
    const self = await ann.call('chat.postMessage', { channel: ann.userId, text: 'note' });
    expect(self.channel).not.toBe(channel);
  });

  it('requires membership of a public channel, unless a bot has chat:write.public', async () => {
    const { ws } = await posting(app);
    const room = await ws.channel();
    const args = { channel: room.id, text: 'x' };
    expect(await (await ws.bot()).call('chat.postMessage', args)).toMatchObject({ ok: true });
    for (const client of [
      await ws.bot({ scopes: without('chat:write.public') }),
      await ws.userClient(),
      await ws.jwtClient({ user: await ws.user() }),
    ]) {
      expect(await client.call('chat.postMessage', args)).toEqual(refused('not_in_channel'));
    }
    expect(await ws.recorded('member_joined_channel')).toEqual([]);
  });

  it('answers channel_not_found for what the caller may not see', async () => {
    const { ws, bot, ann } = await posting(app);
    const other = await app.workspace();
    const hidden = await ws.channel({ isPrivate: true });
    const { channel: dm } = await ann.call('chat.postMessage', { channel: ws.admin.id, text: 'psst' });
    const gone = await ws.user();
    await ws.deactivate(gone);
    const targets = [
      hidden.id,
      `#${hidden.name}`,
      dm,
      other.general.id,
      other.admin.id,
      gone.id,
      `#${ws.general.id}`,
      'U0NOBODY001',
      'C0NOWHERE01',
      'nowhere',
      '#',
      '@admin',
    ];
    for (const channel of targets)
      expect(await bot.call('chat.postMessage', { channel, text: 'x' }), channel).toEqual(refused('channel_not_found'));
    const admin = await ws.adminClient();
    expect(await admin.call('chat.postMessage', { channel: hidden.id, text: 'x' })).toMatchObject({ ok: true });
  });

  it('answers cannot_dm_bot between bots', async () => {
    const { ws, bot, ann } = await posting(app);
    const other = await ws.bot();
    for (const channel of [other.userId, bot.userId]) {
      expect(await bot.call('chat.postMessage', { channel, text: 'x' })).toEqual(refused('cannot_dm_bot'));
    }
    expect(await ann.call('chat.postMessage', { channel: other.userId, text: 'x' })).toMatchObject({ ok: true });
  });

  it('answers is_archived before not_in_channel', async () => {
    const { ws, bot, ann, channel } = await posting(app);
    const room = await ws.channel();
    await ws.archive(channel);
    await ws.archive(room);
    expect(await bot.call('chat.postMessage', { channel: channel.id, text: 'x' })).toEqual(refused('is_archived'));
    expect(await ann.call('chat.postMessage', { channel: `#${room.name}`, text: 'x', thread_ts: '1.0' })).toEqual(
      refused('is_archived'),
    );
    expect(await ws.recorded()).toEqual([]);
  });
});
