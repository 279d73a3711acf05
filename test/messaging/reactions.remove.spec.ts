import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';

describe('reactions.remove', () => {
  const app = useApp();

  it("removes the caller's own reaction, and with the last user the name", async () => {
    const ws = await app.workspace();
    const [bot, ann] = [await ws.bot(), await ws.userClient()];
    const message = await ws.message();
    await ws.join({ id: message.channel }, bot, ann);
    for (const client of [bot, ann]) await client.call('reactions.add', { ...message.ref, name: 'tada' });
    await ann.call('reactions.add', { ...message.ref, name: 'eyes' });

    expect(await bot.call('reactions.remove', { ...message.ref, name: 'tada' })).toEqual({ ok: true });
    const reactions = async () =>
      (await ann.call('conversations.history', { channel: message.channel })).messages[0].reactions;
    expect(await reactions()).toEqual([
      { name: 'tada', users: [ann.userId], count: 1 },
      { name: 'eyes', users: [ann.userId], count: 1 },
    ]);
    await ann.call('reactions.remove', { ...message.ref, name: 'tada' });
    expect(await reactions()).toEqual([{ name: 'eyes', users: [ann.userId], count: 1 }]);
    await ann.call('reactions.remove', { ...message.ref, name: 'eyes' });
    expect(await reactions()).toBeUndefined();

    expect(await ws.recorded('reaction_removed')).toEqual([
      {
        type: 'reaction_removed',
        user: bot.userId,
        reaction: 'tada',
        item_user: message.userId,
        item: { type: 'message', channel: message.channel, ts: message.ts },
        event_ts: expect.any(String),
      },
      expect.objectContaining({ user: ann.userId, reaction: 'tada' }),
      expect.objectContaining({ user: ann.userId, reaction: 'eyes' }),
    ]);
  });

  it('removes a reaction once, even with concurrent calls', async () => {
    const ws = await app.workspace();
    const [bot, ann] = [await ws.bot(), await ws.userClient()];
    const message = await ws.message();
    await ws.join({ id: message.channel }, bot, ann);
    for (const client of [bot, ann]) await client.call('reactions.add', { ...message.ref, name: 'tada' });
    const answers = await Promise.all(
      [bot, bot, ann, bot].map(
        (client) => client.call('reactions.remove', { ...message.ref, name: 'tada' }) as Promise<{ error?: string }>,
      ),
    );
    expect(answers.map(({ error }) => error ?? 'ok').sort()).toEqual(['no_reaction', 'no_reaction', 'ok', 'ok']);
    expect(await ws.recorded('reaction_removed')).toHaveLength(2);
  });

  it('answers each error in the documented order', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const ann = await ws.userClient();
    const message = await ws.message();
    await ws.join({ id: message.channel }, ann);
    await ann.call('reactions.add', { ...message.ref, name: 'tada' });
    const call = (args: object) =>
      bot.call('reactions.remove', { ...message.ref, name: 'tada', ...args }) as Promise<object>;
    const refused = (error: string) => ({ ok: false, error });

    expect(await call({ channel: '', file: 'F123' })).toEqual(refused('no_item_specified'));
    expect(await call({ name: '', timestamp: 'x' })).toMatchObject(refused('invalid_arguments'));
    expect(await call({ name: ':tada:', timestamp: 'x' })).toEqual(refused('invalid_name'));
    expect(await call({ timestamp: 'x', channel: 'C0NOWHERE01' })).toEqual(refused('bad_timestamp'));
    expect(await call({ channel: 'C0NOWHERE01' })).toEqual(refused('channel_not_found'));
    expect(await call({})).toEqual(refused('not_in_channel'));
    await ws.join({ id: message.channel }, bot);
    expect(await call({ timestamp: '1.5' })).toEqual(refused('message_not_found'));
    expect(await call({})).toEqual(refused('no_reaction'));
    await ws.archive({ id: message.channel });
    expect(await call({})).toEqual(refused('is_archived'));
    expect(await ws.recorded('reaction_removed')).toEqual([]);
  });

  it('requires reactions:write', async () => {
    const ws = await app.workspace();
    const mute = await ws.bot({ scopes: [] });
    expect(await mute.call('reactions.remove', {})).toEqual({
      ok: false,
      error: 'missing_scope',
      needed: 'reactions:write',
      provided: '',
    });
  });
});
