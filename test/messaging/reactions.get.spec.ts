import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';

const refused = (error: string) => ({ ok: false, error });

describe('reactions.get', () => {
  const app = useApp();

  it('answers the message with its reactions and permalink, also to non-members', async () => {
    const ws = await app.workspace();
    const [bot, ann] = [await ws.bot(), await ws.userClient()];
    const message = await ws.message({ text: 'ship it' });
    await ws.join({ id: message.channel }, ann);
    await ann.call('reactions.add', { ...message.ref, name: 'tada' });

    const { messages } = await ann.call('conversations.history', { channel: message.channel });
    const answer = {
      ok: true,
      type: 'message',
      channel: message.channel,
      message: {
        ...messages[0],
        reactions: [{ name: 'tada', users: [ann.userId], count: 1 }],
        permalink: `${app.baseUrl}/archives/${message.channel}/p${message.ts.replace('.', '')}`,
      },
    };
    expect(await bot.call('reactions.get', { ...message.ref, full: true })).toEqual(answer);
    expect(await bot.webClient().reactions.get(message.ref)).toMatchObject(answer);
  });

  it('answers a message without reactions, and a reply', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const parent = await ws.message({ channel: ws.general });
    const reply = await ws.message({ channel: ws.general, threadTs: parent.ts });
    expect((await bot.call('reactions.get', parent.ref)).message).not.toHaveProperty('reactions');
    expect((await bot.call('reactions.get', reply.ref)).message).toMatchObject({
      ts: reply.ts,
      thread_ts: parent.ts,
      permalink: expect.stringMatching(`thread_ts=${parent.ts}&cid=${ws.general.id}$`),
    });
  });

  it('answers each error in the documented order', async () => {
    const ws = await app.workspace();
    const [bot, ann] = [await ws.bot(), await ws.userClient()];
    const { ts } = await ann.call('chat.postMessage', { channel: ws.general.id, text: 'x' });
    await ann.call('chat.postMessage', { channel: ws.general.id, text: 'reply', thread_ts: ts });
    await ann.call('chat.delete', { channel: ws.general.id, ts });
    const get = (args: object) => bot.call('reactions.get', { channel: ws.general.id, timestamp: ts, ...args });

    expect(await get({ channel: '', timestamp: 'x' })).toEqual(refused('no_item_specified'));
    expect(await get({ channel: 'C0NOWHERE01', timestamp: '' })).toEqual(refused('no_item_specified'));
    expect(await get({ channel: 'C0NOWHERE01', timestamp: 'x' })).toEqual(refused('bad_timestamp'));
    expect(await get({ channel: 'C0NOWHERE01' })).toEqual(refused('channel_not_found'));
    expect(await get({ channel: (await ws.channel({ isPrivate: true })).id })).toEqual(refused('channel_not_found'));
    expect(await get({ timestamp: '1.5' })).toEqual(refused('message_not_found'));
    expect(await get({})).toEqual(refused('message_not_found'));
  });

  it('requires reactions:read', async () => {
    const ws = await app.workspace();
    const mute = await ws.bot({ scopes: [] });
    const answer = { ok: false, error: 'missing_scope', needed: 'reactions:read', provided: '' };
    expect(await mute.call('reactions.get')).toEqual(answer);
  });
});
