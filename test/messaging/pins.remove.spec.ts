import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { missing } from '../support/conversations.js';

const refused = (error: string) => ({ ok: false, error });

describe('pins.remove', () => {
  const app = useApp();

  it('is open to every member, unpins the message, and answers whether the item still has pins', async () => {
    const ws = await app.workspace();
    const [bot, ann] = [await ws.bot(), await ws.userClient()];
    const [one, two] = [await ws.message({ channel: ws.general }), await ws.message({ channel: ws.general })];
    for (const { ref } of [one, two]) await ann.call('pins.add', ref);

    expect(await bot.call('pins.remove', one.ref)).toEqual({ ok: true });
    expect(await bot.call('pins.remove', two.ref)).toEqual({ ok: true });

    const history = await bot.call('conversations.history', { channel: ws.general.id });
    expect(history.pin_count).toBe(0);
    for (const message of history.messages) expect(message).not.toHaveProperty('pinned_to');
    const [added] = (await ws.recorded('pin_added')) as { item: { message: object } }[];
    // the message is no longer pinned, so nothing is `pinned_…`
    const { pinned_info: _info, ...told } = added as typeof added & { pinned_info: unknown };
    const { pinned_to: _to, pinned_info: _shown, ...message } = told.item.message as Record<string, unknown>;
    const removed = await ws.recorded('pin_removed');
    expect(removed).toEqual([
      {
        ...told,
        item: { ...told.item, message },
        type: 'pin_removed',
        user: bot.userId,
        pin_count: 1,
        has_pins: true,
        event_ts: expect.any(String),
      },
      expect.objectContaining({ pin_count: 0, has_pins: false, item_user: two.userId }),
    ]);
  });

  it('answers each error in the documented order', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const message = await ws.message();
    const remove = (args: object) => bot.call('pins.remove', { ...message.ref, ...args });

    expect(await remove({ channel: '', timestamp: '' })).toEqual(missing('channel'));
    expect(await remove({ channel: 'C0NOWHERE01', timestamp: '' })).toEqual(refused('no_item_specified'));
    expect(await remove({ channel: 'C0NOWHERE01', timestamp: 'x' })).toEqual(refused('bad_timestamp'));
    expect(await remove({ channel: 'C0NOWHERE01' })).toEqual(refused('channel_not_found'));
    expect(await remove({ timestamp: '1.5' })).toEqual(refused('not_in_channel'));
    await ws.join({ id: message.channel }, bot);
    expect(await remove({ timestamp: '1.5' })).toEqual(refused('message_not_found'));
    expect(await remove({})).toEqual(refused('no_pin'));
    await ws.archive({ id: message.channel });
    expect(await remove({ timestamp: '1.5' })).toEqual(refused('is_archived'));
    expect(await ws.recorded('pin_removed')).toEqual([]);
  });

  it('requires pins:write', async () => {
    const ws = await app.workspace();
    const mute = await ws.bot({ scopes: [] });
    const answer = { ok: false, error: 'missing_scope', needed: 'pins:write', provided: '' };
    expect(await mute.call('pins.remove')).toEqual(answer);
  });
});
