import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import type { ChatClient } from '../support/chat-client.js';

const divider = [{ type: 'divider', block_id: 'd' }];
const attachment = [{ text: 'more', id: 1, fallback: 'more' }];

describe('chat.update', () => {
  const app = useApp();
  const refused = (error: string) => ({ ok: false, error });

  /** A bot with a message of this content in a channel of its own. */
  async function posted(content: object = { text: 'old' }) {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const channel = await ws.channel({ members: [bot] });
    const { ts, message } = await bot.call('chat.postMessage', { channel: channel.id, ...content });
    const update = (args: object, by: ChatClient = bot) => by.call('chat.update', { channel: channel.id, ts, ...args });
    return { ws, bot, channel, ts: ts as string, message, update };
  }

  it('replaces the text, marks the message as edited, and sends an event with the old and the new message', async () => {
    const { ws, bot, channel, ts, message, update } = await posted();

    const answer = await update({ text: 'new' });

    const changed = {
      ...message,
      text: 'new',
      edited: { user: bot.botId, ts: expect.stringMatching(/^\d{10}\.000000$/) },
    };
    expect(answer).toEqual({ ok: true, channel: channel.id, ts, text: 'new', message: changed });
    const { messages } = await bot.call('conversations.history', { channel: channel.id });
    expect(messages).toEqual([answer.message]);
    const [, event] = await ws.recorded('message');
    expect(event).toEqual({
      type: 'message',
      subtype: 'message_changed',
      hidden: true,
      channel: channel.id,
      channel_type: 'channel',
      ts: expect.any(String),
      event_ts: event?.['ts'],
      message: answer.message,
      previous_message: message,
    });
    // no message gets the ts of the event
    const next = await bot.call('chat.postMessage', { channel: channel.id, text: 'next' });
    expect(next.ts > (event?.['ts'] as string)).toBe(true);
  });

  it('works through the official client, and by markdown_text', async () => {
    const { bot, channel, ts } = await posted();
    const answer = await bot.webClient().chat.update({ channel: channel.id, ts, markdown_text: '# new' });
    expect(answer).toMatchObject({ ok: true, text: '*new*', message: { text: '*new*' } });
  });

  it('removes old blocks when only a text is given, and keeps them otherwise', async () => {
    const { update } = await posted({ text: 'old', blocks: divider, attachments: attachment });
    expect((await update({ metadata: { event_type: 'x', event_payload: {} } })).message).toMatchObject({
      text: 'old',
      blocks: divider,
      attachments: attachment,
    });
    expect(
      (await update({ text: 'new', blocks: [{ type: 'divider', block_id: 'e' }] })).message.blocks[0].block_id,
    ).toBe('e');
    const plain = (await update({ text: 'newer' })).message;
    expect(plain).not.toHaveProperty('blocks');
    expect(plain.attachments).toEqual(attachment);
    expect((await update({ attachments: [] })).message).not.toHaveProperty('attachments');
    expect((await update({ blocks: divider })).message).toMatchObject({ text: 'newer', blocks: divider });
    expect((await update({ blocks: '[]' })).message).not.toHaveProperty('blocks');
  });

  it('keeps metadata when it is absent, and removes it with {}', async () => {
    const metadata = { event_type: 'build', event_payload: { id: 1 } };
    const { ws, bot, channel, update } = await posted({ text: 'old', metadata });
    const stored = async () =>
      (await bot.call('conversations.history', { channel: channel.id, include_all_metadata: true })).messages[0]
        .metadata;
    expect((await update({ text: 'new' })).message).not.toHaveProperty('metadata');
    expect(await stored()).toEqual(metadata);
    const [, changed] = await ws.recorded('message');
    expect(changed).toMatchObject({ message: { metadata }, previous_message: { metadata } });
    const other = { ...metadata, event_type: 'other' };
    expect((await update({ metadata: other })).message.metadata).toEqual(other);
    expect(await stored()).toMatchObject({ event_type: 'other' });
    await update({ metadata: {} });
    expect(await stored()).toBeUndefined();
  });

  it('turns a reply into a broadcast', async () => {
    const { bot, channel, ts } = await posted();
    const reply = await bot.call('chat.postMessage', { channel: channel.id, text: 'reply', thread_ts: ts });
    const answer = await bot.call('chat.update', { channel: channel.id, ts: reply.ts, reply_broadcast: true });
    expect(answer.message).toMatchObject({
      subtype: 'thread_broadcast',
      text: 'reply',
      thread_ts: ts,
      root: { ts, reply_count: 1 },
    });
    const { messages } = await bot.call('conversations.history', { channel: channel.id });
    expect(messages.map((message: { ts: string }) => message.ts)).toEqual([reply.ts, ts]);
    expect(messages[0]).toEqual(answer.message);
  });

  it('lets users change only their own messages', async () => {
    const ws = await app.workspace();
    const user = await ws.user();
    const [ann, annJwt, bot, admin] = [
      await ws.userClient({ user }),
      await ws.jwtClient({ user }),
      await ws.bot(),
      await ws.adminClient(),
    ];
    const channel = await ws.channel({ members: [user, bot, ws.admin] });
    const own = await ann.call('chat.postMessage', { channel: channel.id, text: 'mine' });
    const bots = await bot.call('chat.postMessage', { channel: channel.id, text: 'mine', username: 'x' });
    const by = (client: ChatClient, ts: string) => client.call('chat.update', { channel: channel.id, ts, text: 'new' });

    expect((await by(ann, own.ts)).message.edited.user).toBe(user.id);
    expect(await by(annJwt, own.ts)).toMatchObject({ ok: true });
    expect((await by(bot, bots.ts)).message).toMatchObject({
      subtype: 'bot_message',
      username: 'x',
      edited: { user: bot.botId },
    });
    for (const [client, ts] of [
      [bot, own.ts],
      [admin, own.ts],
      [admin, bots.ts],
      [ann, bots.ts],
      [await ws.bot(), bots.ts],
    ] as const) {
      expect(await by(client, ts)).toEqual(refused('cant_update_message'));
    }
  });

  it('answers each error in the documented order', async () => {
    const { ws, bot, channel, ts, update } = await posted();
    const hidden = await ws.channel({ isPrivate: true });
    expect(await update({ ts: '', text: 'x'.repeat(4001) })).toMatchObject({
      error: 'invalid_arguments',
      response_metadata: { messages: ['[ERROR] missing required field: ts'] },
    });
    expect(await update({ text: 'x'.repeat(4001) })).toEqual(refused('msg_too_long'));
    expect(await update({ markdown_text: 'a', text: 'b' })).toEqual(refused('markdown_text_conflict'));
    expect(await update({ blocks: [{ type: 'x' }] })).toMatchObject(refused('invalid_blocks'));
    expect(await update({ blocks: '{' })).toEqual(refused('invalid_blocks_format'));
    expect(await update({ attachments: 5 })).toEqual(refused('invalid_attachments'));
    expect(await update({ metadata: { a: 1 } })).toEqual(refused('invalid_metadata_format'));
    expect(await update({})).toEqual(refused('no_text'));
    expect(await update({ text: ' ', channel: 'C0NOWHERE01' })).toEqual(refused('no_text'));
    expect(await update({ text: 'x', channel: '#general' })).toEqual(refused('channel_not_found'));
    expect(await update({ text: 'x', channel: hidden.id })).toEqual(refused('channel_not_found'));
    expect(await update({ text: 'x', ts: '1.0' })).toEqual(refused('message_not_found'));
    expect(await update({ text: 'x', ts: 'yesterday' })).toEqual(refused('message_not_found'));
    expect(await update({ text: 'x', reply_broadcast: true })).toEqual(refused('cant_broadcast_message'));
    // the message would be left without content
    expect(await update({ text: '', metadata: {} })).toEqual(refused('no_text'));
    expect(await update({ text: '', blocks: [] })).toEqual(refused('no_text'));
    await ws.archive(channel);
    expect(await update({ text: 'x', ts: '1.0' })).toEqual(refused('is_inactive'));
    expect(await ws.recorded('message')).toHaveLength(1);
    const { messages } = await bot.call('conversations.history', { channel: channel.id });
    expect(messages[0]).toMatchObject({ ts, text: 'old' });
    expect(messages[0]).not.toHaveProperty('edited');
  });

  it('applies one of two concurrent changes completely', async () => {
    const { bot, channel, update } = await posted();
    await Promise.all(
      [1, 2, 3, 4].map((i) => update({ text: `t${i}`, blocks: [{ type: 'divider', block_id: `b${i}` }] })),
    );
    const { messages } = await bot.call('conversations.history', { channel: channel.id });
    expect(messages[0].blocks[0].block_id).toBe(messages[0].text.replace('t', 'b'));
  });
});
