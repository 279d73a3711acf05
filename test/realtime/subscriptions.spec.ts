import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { listen } from '../support/listener.js';

const notFound = { ok: false, error: 'channel_not_found' };

describe('subscribe and unsubscribe', () => {
  const app = useApp();

  it('join and leave the room of a public channel without membership', async () => {
    const ws = await app.workspace();
    const [bot, reader] = [await ws.bot(), await ws.jwtClient()];
    const [channel, own] = [await ws.channel({ members: [bot] }), await ws.channel({ members: [bot, reader] })];
    const ear = await listen(reader);
    const say = (text: string, to = channel) => bot.call('chat.postMessage', { channel: to.id, text });

    await say('unheard');
    expect(await ear.ask('subscribe', { channel: channel.id })).toEqual({ ok: true });
    await say('heard');
    await ear.until('heard');
    expect(await ear.ask('unsubscribe', { channel: channel.id })).toEqual({ ok: true });
    await say('unheard too');
    await say('end', own);
    await ear.until('end');
    expect(ear.texts).toEqual(['heard', 'end']);
  });

  it('end with a kick, and a member receives events again after joining anew', async () => {
    const ws = await app.workspace();
    const [bot, ann] = [await ws.bot(), await ws.jwtClient()];
    const [channel, own] = [await ws.channel({ members: [bot, ann] }), await ws.channel({ members: [bot, ann] })];
    const [ear, witness] = [await listen(ann), await listen(bot)];
    const say = (text: string, to = channel) => bot.call('chat.postMessage', { channel: to.id, text });
    expect(await ear.ask('subscribe', { channel: channel.id })).toEqual({ ok: true });
    await bot.call('conversations.kick', { channel: channel.id, user: ann.userId });
    await say('unheard');
    // recipients are determined when an event is sent
    await witness.until('unheard');
    await ann.call('conversations.join', { channel: channel.id });
    await say('back');
    await ear.until('back');
    expect(await ear.ask('unsubscribe', { channel: channel.id })).toEqual({ ok: true });
    await say('left the room');
    await say('end', own);
    await ear.until('end');
    expect(ear.texts).not.toContain('unheard');
    expect(ear.texts).not.toContain('left the room');
  });

  it('answer channel_not_found for an invisible channel, and for malformed values', async () => {
    const [ws, other] = [await app.workspace(), await app.workspace()];
    const bot = await ws.bot();
    const hidden = await ws.channel({ isPrivate: true });
    const ear = await listen(bot);
    for (const body of [
      { channel: hidden.id },
      { channel: other.general.id },
      { channel: 'C0NOSUCHONE' },
      { channel: 'general' },
      { channel: ['C0NOSUCHONE'] },
      { channel: { $gt: '' } },
      {},
      [],
      null,
      'C0NOSUCHONE',
      7,
    ]) {
      for (const name of ['subscribe', 'unsubscribe']) {
        expect(await ear.ask(name, body), JSON.stringify(body)).toEqual(notFound);
      }
    }
    expect(await ear.ask('subscribe')).toEqual(notFound);
    expect(await ear.ask('subscribe', 1, 2, 3)).toEqual(notFound);
  });

  it('answer missing_scope to an app token without channels:history', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot({ scopes: ['groups:history', 'channels:read'] });
    const ear = await listen(bot);
    expect(await ear.ask('subscribe', { channel: ws.general.id })).toEqual({ ok: false, error: 'missing_scope' });
    expect(await ear.ask('unsubscribe', { channel: ws.general.id })).toEqual({ ok: true });
  });

  it('tolerate malicious clients: no acknowledgement, unknown names, huge frames, floods', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const ear = await listen(bot);
    ear.socket.emit('subscribe', { channel: ws.general.id });
    ear.socket.emit('subscribe');
    ear.socket.emit('message', { text: 'I am the server' });
    ear.socket.emit('__proto__', { polluted: true });
    expect(await ear.ask('subscribe', { channel: ws.general.id })).toEqual({ ok: true });
    expect(ear.heard).toEqual([]);

    const [big, loud] = [await listen(bot), await listen(bot)];
    big.socket.emit('subscribe', { channel: 'C'.repeat(1_000_000) });
    for (let i = 0; i < 1_500; i++) loud.socket.emit('subscribe', { channel: '' });
    await Promise.all([big.end(), loud.end()]);
    expect(ear.ended).toBeUndefined();
    expect(await bot.call('auth.test')).toMatchObject({ ok: true });
  });
});
