import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { missing, recentSeconds, wireTs } from '../support/conversations.js';

const refused = (error: string) => ({ ok: false, error });

describe('pins.add', () => {
  const app = useApp();

  it('pins a message, marks it as pinned, counts it in the history, and sends an event', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const message = await ws.message({ text: 'runbook' });
    await ws.join({ id: message.channel }, bot);

    expect(await bot.call('pins.add', message.ref)).toEqual({ ok: true });

    const history = await bot.call('conversations.history', { channel: message.channel });
    expect(history.pin_count).toBe(1);
    const pinned = { channel: message.channel, pinned_by: bot.userId, pinned_ts: recentSeconds };
    expect(history.messages[0]).toMatchObject({ pinned_to: [message.channel], pinned_info: pinned });
    const at = history.messages[0].pinned_info.pinned_ts as number;
    expect(await ws.recorded('pin_added')).toEqual([
      {
        type: 'pin_added',
        user: bot.userId,
        channel_id: message.channel,
        item: {
          type: 'message',
          created: at,
          created_by: bot.userId,
          channel: message.channel,
          message: {
            ...history.messages[0],
            permalink: `${app.baseUrl}/archives/${message.channel}/p${message.ts.replace('.', '')}`,
          },
        },
        item_user: message.userId,
        pin_count: 1,
        pinned_info: { ...pinned, pinned_ts: at },
        event_ts: wireTs,
      },
    ]);
  });

  it('pins a reply of a thread, and a bot message without a user', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const parent = await ws.message({ channel: ws.general });
    const reply = await ws.message({ channel: ws.general, threadTs: parent.ts });
    const { ts } = await bot.call('chat.postMessage', { channel: ws.general.id, text: 'x', username: 'deploybot' });

    expect(await bot.call('pins.add', reply.ref)).toEqual({ ok: true });
    expect(await bot.call('pins.add', { channel: ws.general.id, timestamp: ts })).toEqual({ ok: true });

    const [ofReply, ofBot] = await ws.recorded('pin_added');
    expect(ofReply).toMatchObject({
      pin_count: 1,
      item: { message: { thread_ts: parent.ts, permalink: expect.stringContaining(`thread_ts=${parent.ts}`) } },
    });
    expect(ofBot).toMatchObject({ pin_count: 2 });
    expect(ofBot).not.toHaveProperty('item_user');
  });

  it('answers each error in the documented order', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const message = await ws.message();
    const add = (args: object) => bot.call('pins.add', { ...message.ref, ...args });

    expect(await add({ channel: '', timestamp: '' })).toEqual(missing('channel'));
    expect(await add({ channel: 'C0NOWHERE01', timestamp: '' })).toEqual(refused('no_item_specified'));
    expect(await add({ channel: 'C0NOWHERE01', timestamp: 'x' })).toEqual(refused('bad_timestamp'));
    expect(await add({ channel: 'C0NOWHERE01' })).toEqual(refused('channel_not_found'));
    expect(await add({ timestamp: '1.5' })).toEqual(refused('not_in_channel'));
    await ws.join({ id: message.channel }, bot);
    expect(await add({ timestamp: '1.5' })).toEqual(refused('message_not_found'));
    const system = await ws.system({ id: message.channel }, bot, 'channel_join');
    expect(await add({ timestamp: system })).toEqual(refused('not_pinnable'));
    expect(await add({})).toEqual({ ok: true });
    expect(await add({})).toEqual(refused('already_pinned'));
    await ws.archive({ id: message.channel });
    expect(await add({ timestamp: '1.5' })).toEqual(refused('is_archived'));
    expect(await ws.recorded('pin_added')).toHaveLength(1);
  });

  it('does not pin a tombstone, and removes the pin of a deleted message', async () => {
    const ws = await app.workspace();
    const ann = await ws.userClient();
    const channel = await ws.channel({ members: [ann] });
    const say = (args: object) => ann.call('chat.postMessage', { channel: channel.id, text: 'x', ...args });
    const [{ ts: parent }, { ts: plain }] = [await say({}), await say({})];
    await say({ thread_ts: parent });
    for (const ts of [parent, plain]) await ann.call('pins.add', { channel: channel.id, timestamp: ts });
    for (const ts of [parent, plain]) await ann.call('chat.delete', { channel: channel.id, ts });

    expect(await ann.call('pins.list', { channel: channel.id })).toEqual({ ok: true, items: [] });
    expect((await ann.call('conversations.history', { channel: channel.id })).pin_count).toBe(0);
    expect(await ann.call('pins.add', { channel: channel.id, timestamp: parent })).toEqual(refused('not_pinnable'));
    expect(await ws.recorded('pin_removed')).toEqual([]);
  });

  it('answers too_many_pins for the 101st, and already_pinned even then', async () => {
    const ws = await app.workspace();
    const ann = await ws.jwtClient();
    const channel = await ws.channel({ members: [ann] });
    // pins.add allows fewer calls a minute than a channel may have pins
    const people = await Promise.all(Array.from({ length: 5 }, () => ws.jwtClient()));
    await ws.join(channel, ...people);
    const refs = [];
    for (let n = 0; n < 101; n++) refs.push((await ws.message({ channel, user: { id: ann.userId } })).ref);
    // one after the other, as all of them lock the row of the conversation
    for (const [n, ref] of refs.slice(0, 100).entries()) {
      expect(await people[n % people.length]?.call('pins.add', ref)).toEqual({ ok: true });
    }
    expect(await ann.call('pins.add', refs[100] as object as Record<string, unknown>)).toEqual(
      refused('too_many_pins'),
    );
    expect(await ann.call('pins.add', refs[0] as object as Record<string, unknown>)).toEqual(refused('already_pinned'));
    expect((await ann.call('conversations.history', { channel: channel.id })).pin_count).toBe(100);
  });

  it('requires pins:write', async () => {
    const ws = await app.workspace();
    const mute = await ws.bot({ scopes: ['pins:read'] });
    const answer = { ok: false, error: 'missing_scope', needed: 'pins:write', provided: 'pins:read' };
    expect(await mute.call('pins.add')).toEqual(answer);
  });
});
