import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';

const refused = (error: string) => ({ ok: false, error });

describe('chat.scheduleMessage, chat.scheduledMessages.list, chat.deleteScheduledMessage', () => {
  const app = useApp();
  const soon = (seconds = 60): number => app.clock.nowSeconds() + seconds;

  it('posts at its time, once, with the identity of its caller; afterwards it is no longer listed', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const postAt = soon();
    const scheduled = await bot.call('chat.scheduleMessage', {
      channel: '#general',
      text: 'later',
      post_at: postAt,
      metadata: { event_type: 'e', event_payload: {} },
    });
    expect(scheduled).toMatchObject({
      channel: ws.general.id,
      post_at: postAt,
      message: {
        type: 'message',
        text: 'later',
        user: bot.userId,
        bot_id: bot.botId,
        is_bot: true,
        team: ws.id,
        metadata: { event_type: 'e', event_payload: {} },
      },
    });
    expect(scheduled.message).not.toHaveProperty('ts');
    const item = {
      id: scheduled.scheduled_message_id,
      channel_id: ws.general.id,
      post_at: postAt,
      date_created: expect.any(Number),
      text: 'later',
    };
    const list = async () => (await bot.call('chat.scheduledMessages.list')).scheduled_messages;
    expect(await list()).toEqual([item]);
    expect((await (await ws.userClient()).call('chat.scheduledMessages.list')).scheduled_messages).toEqual([]);
    app.clock.advance(61_000);
    await expect.poll(list, { timeout: 5_000 }).toEqual([]);
    const history = await bot.call('conversations.history', { channel: ws.general.id, include_all_metadata: true });
    expect(history.messages).toEqual([
      expect.objectContaining({ text: 'later', bot_id: bot.botId, metadata: { event_type: 'e', event_payload: {} } }),
    ]);
    expect(await ws.recorded('message')).toHaveLength(1);
    expect(await bot.call('search.messages', { query: 'later' })).toMatchObject({ messages: { total: 1 } });
  });

  it('posts a reply, and discards what can no longer be posted', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const [thread, gone] = [await ws.channel({ members: [bot] }), await ws.channel({ members: [bot] })];
    const { ts } = await bot.call('chat.postMessage', { channel: thread.id, text: 'parent' });
    const at = { post_at: soon() };
    await bot.call('chat.scheduleMessage', { channel: thread.id, text: 'reply', thread_ts: ts, ...at });
    await bot.call('chat.scheduleMessage', { channel: gone.id, text: 'never', ...at });
    await ws.archive(gone);
    app.clock.advance(61_000);
    await expect
      .poll(async () => (await bot.call('chat.scheduledMessages.list')).scheduled_messages, { timeout: 5_000 })
      .toEqual([]);
    expect((await bot.call('conversations.replies', { channel: thread.id, ts })).messages).toHaveLength(2);
    expect((await bot.call('conversations.history', { channel: gone.id })).messages).toEqual([]);
  });

  it('answers each error in the documented order', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot({ scopes: ['chat:write'] });
    const channel = await ws.channel();
    const schedule = (args: object) =>
      bot.call('chat.scheduleMessage', { channel: channel.id, text: 'x', post_at: soon(), ...args });
    const day = 86_400;
    expect(await schedule({ post_at: '', text: '' })).toMatchObject(refused('invalid_arguments'));
    expect(await schedule({ markdown_text: 'y' })).toMatchObject(refused('markdown_text_conflict'));
    const long = [{ type: 'section', text: { type: 'mrkdwn', text: 'x'.repeat(2990) } }];
    // another app makes these calls, as they exceed the rate tier of one app
    const other = await ws.bot();
    for (const [error, args] of [
      ['invalid_blocks', { blocks: [{ type: 'nothing' }] }],
      ['msg_too_long', { text: undefined, markdown_text: 'x'.repeat(12_001) }],
      ['invalid_blocks_format', { blocks: 'no json' }],
      ['msg_blocks_too_long', { blocks: Array.from({ length: 40 }, () => long[0]) }],
      ['invalid_attachments', { attachments: [1] }],
      ['too_many_attachments', { attachments: Array.from({ length: 101 }, () => ({ text: 'x' })) }],
      ['invalid_metadata_format', { metadata: { event_type: 1 } }],
    ] as const) {
      const sent = { channel: channel.id, text: 'x', post_at: 'soon', ...args };
      expect(await other.call('chat.scheduleMessage', sent), error).toMatchObject(refused(error));
    }
    expect(await schedule({ post_at: 'soon', text: ' ' })).toEqual(refused('invalid_time'));
    expect(await schedule({ post_at: 1.5 })).toEqual(refused('invalid_time'));
    expect(await schedule({ post_at: soon(0), text: ' ' })).toEqual(refused('time_in_past'));
    expect(await schedule({ post_at: soon(120 * day + 5), text: ' ' })).toEqual(refused('time_too_far'));
    expect(await schedule({ text: ' ', channel: 'C0NOWHERE01' })).toEqual(refused('no_text'));
    expect(await schedule({ channel: 'C0NOWHERE01' })).toEqual(refused('channel_not_found'));
    expect(await schedule({ channel: ws.defaultApp.botUserId })).toEqual(refused('cannot_dm_bot'));
    expect(await schedule({})).toEqual(refused('not_in_channel'));
    await ws.join(channel, bot);
    const system = await ws.system(channel, bot, 'channel_join');
    expect(await schedule({ thread_ts: system })).toEqual(refused('cannot_reply_to_message'));
    const at = soon(3600);
    for (let i = 0; i < 30; i++) expect(await schedule({ post_at: at + i * 10 })).toMatchObject({ ok: true });
    expect(await schedule({ post_at: at + 100, thread_ts: system })).toEqual(refused('cannot_reply_to_message'));
    expect(await schedule({ post_at: at + 100 })).toEqual(refused('restricted_too_many'));
    expect(await schedule({ post_at: at + 4000 })).toMatchObject({ ok: true });
    await ws.archive(channel);
    expect(await schedule({})).toEqual(refused('is_archived'));
  });

  it("lists pages by time and within bounds; deletes only the app's own messages of the channel", async () => {
    const ws = await app.workspace();
    const [bot, other] = [await ws.bot(), await ws.bot()];
    const base = soon(1000);
    const ids: string[] = [];
    for (const i of [2, 0, 1]) {
      const { scheduled_message_id: id } = await bot.call('chat.scheduleMessage', {
        channel: ws.general.id,
        text: `n${i}`,
        post_at: base + i,
      });
      ids[i] = id;
    }
    const list = async (args: Record<string, unknown>) => {
      const answer = await bot.call('chat.scheduledMessages.list', args);
      return (answer.scheduled_messages as { id: string }[]).map(({ id }) => id);
    };
    expect(await list({})).toEqual(ids);
    expect(await list({ oldest: base + 1, latest: base + 1 })).toEqual([ids[1]]);
    expect(await list({ channel: ws.random.id })).toEqual([]);
    const page = await bot.call('chat.scheduledMessages.list', { limit: 2 });
    expect(await list({ limit: 2, cursor: page.response_metadata.next_cursor })).toEqual([ids[2]]);
    const answer = (args: object) => bot.call('chat.scheduledMessages.list', { ...args });
    expect(await answer({ channel: 'general', cursor: 'x' })).toEqual(refused('invalid_channel'));
    expect(await answer({ channel: 'C0NOWHERE01', cursor: 'x' })).toEqual(refused('invalid_cursor'));
    expect(await answer({ channel: 'C0NOWHERE01' })).toEqual(refused('channel_not_found'));

    const remove = (client: typeof bot, args: object = {}) =>
      client.call('chat.deleteScheduledMessage', { channel: ws.general.id, scheduled_message_id: ids[0], ...args });
    expect(await remove(bot, { scheduled_message_id: '' })).toMatchObject(refused('invalid_arguments'));
    expect(await remove(bot, { channel: 'C0NOWHERE01' })).toEqual(refused('channel_not_found'));
    const unknown = refused('invalid_scheduled_message_id');
    expect(await remove(bot, { channel: ws.random.id })).toEqual(unknown);
    expect(await remove(other)).toEqual(unknown);
    expect(await remove(bot)).toEqual({ ok: true });
    expect(await remove(bot)).toEqual(unknown);
  });
});
