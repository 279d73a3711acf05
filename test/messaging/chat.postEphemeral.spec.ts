import { describe, expect, it } from 'vitest';
import { EphemeralMessages } from '../../src/messaging/messages/ephemeral-messages.js';
import { useApp } from '../support/app.js';

const refused = (error: string) => ({ ok: false, error });

describe('chat.postEphemeral', () => {
  const app = useApp();

  it('shows a message to one member, keeps it for half an hour, and never lists it in the history', async () => {
    const ws = await app.workspace();
    const [bot, ann] = [await ws.bot(), await ws.userClient()];
    const channel = await ws.channel({ members: [bot, ann] });
    const sent = await bot.call('chat.postEphemeral', {
      channel: `#${channel.name}`,
      user: ann.userId,
      text: 'psst',
      blocks: [{ type: 'section', text: { type: 'mrkdwn', text: 'psst' } }],
    });
    expect(sent).toEqual({ ok: true, message_ts: expect.any(String) });
    expect(await ws.recorded('message')).toEqual([
      expect.objectContaining({
        text: 'psst',
        is_ephemeral: true,
        channel: channel.id,
        ts: sent.message_ts,
        bot_id: bot.botId,
      }),
    ]);
    expect((await ann.call('conversations.history', { channel: channel.id })).messages).toEqual([]);
    for (const [method, args] of [
      ['chat.update', { text: 'x' }],
      ['chat.delete', {}],
    ] as const) {
      expect(await bot.call(method, { channel: channel.id, ts: sent.message_ts, ...args })).toEqual(
        refused('message_not_found'),
      );
    }
    const kept = app.nest.get(EphemeralMessages, { strict: false });
    const [shown] = await kept.ofUser(ws.id, ann.userId);
    expect(shown).toMatchObject({ channel: channel.id, appId: bot.appId });
    expect(JSON.parse(shown?.wire ?? '')).toMatchObject({ text: 'psst', is_ephemeral: true, ts: sent.message_ts });
    expect(await kept.find(ws.id, channel.id, ann.userId, shown?.ts ?? 0)).toEqual(shown);
    app.clock.advance(31 * 60_000);
    expect(await kept.ofUser(ws.id, ann.userId)).toEqual([]);
  });

  it('answers each error in the documented order', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot({ scopes: ['chat:write'] });
    const ann = await ws.userClient();
    const channel = await ws.channel({ members: [ann] });
    const post = (args: object) =>
      bot.call('chat.postEphemeral', { channel: channel.id, user: ann.userId, text: 'x', ...args });
    expect(await post({ user: '', text: '' })).toMatchObject(refused('invalid_arguments'));
    expect(await post({ markdown_text: 'y' })).toMatchObject(refused('markdown_text_conflict'));
    expect(await post({ blocks: [{ type: 'nothing' }] })).toMatchObject(refused('invalid_blocks'));
    const long = [{ type: 'section', text: { type: 'mrkdwn', text: 'x'.repeat(2990) } }];
    for (const [error, args] of [
      ['msg_too_long', { text: undefined, markdown_text: 'x'.repeat(12_001) }],
      ['invalid_blocks_format', { blocks: 'no json' }],
      ['msg_blocks_too_long', { blocks: Array.from({ length: 40 }, () => long[0]) }],
      ['invalid_attachments', { attachments: [1] }],
      ['too_many_attachments', { attachments: Array.from({ length: 101 }, () => ({ text: 'x' })) }],
      ['invalid_metadata_format', { metadata: { event_type: 1 } }],
    ] as const) {
      expect(await post({ ...args, channel: 'C0NOWHERE01' }), error).toMatchObject(refused(error));
    }
    expect(await post({ text: ' ', channel: 'C0NOWHERE01' })).toEqual(refused('no_text'));
    expect(await post({ channel: 'C0NOWHERE01' })).toEqual(refused('channel_not_found'));
    expect(await post({ channel: ann.userId })).toEqual(refused('channel_not_found'));
    expect(await post({ user: 'U0NOBODY001' })).toEqual(refused('not_in_channel'));
    await ws.join(channel, bot);
    const system = await ws.system(channel, ann, 'channel_join');
    for (const user of ['U0NOBODY001', (await ws.user()).id])
      expect(await post({ user, thread_ts: system })).toEqual(refused('user_not_in_channel'));
    expect(await post({ thread_ts: system })).toEqual(refused('cannot_reply_to_message'));
    expect(await post({ thread_ts: '1.5' })).toMatchObject({ ok: true });
    await ws.archive(channel);
    expect(await post({ user: 'U0NOBODY001' })).toEqual(refused('is_archived'));
    const mute = await ws.bot({ scopes: [] });
    expect(await mute.call('chat.postEphemeral')).toMatchObject({ error: 'missing_scope', needed: 'chat:write' });
  });

  it('works through the official client', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const answer = await bot
      .webClient()
      .chat.postEphemeral({ channel: ws.general.id, user: ws.admin.id, text: 'hi', username: 'x' });
    expect(answer.message_ts).toMatch(/^\d{10}\.\d{6}$/);
  });
});
