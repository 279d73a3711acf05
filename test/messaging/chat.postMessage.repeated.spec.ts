import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { bearer, makeSandbox, send } from '../support/sandbox-routes.js';
import { closeReceivers, receiver } from '../support/receiver.js';
import { rest } from '../support/rest-client.js';

// docs/reference/chat.md#messages
describe('chat.postMessage with a client_msg_id', () => {
  const app = useApp();
  closeReceivers();

  it('makes a repeated post the same message, told of once: the answer of the first', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const channel = await ws.channel({ members: [bot] });
    const far = await receiver();
    const admin = await ws.jwtClient({ user: ws.admin });
    const made = await rest(app, 'POST /webhooks/outgoing', {
      token: admin.token,
      body: { url: far.url, events: ['message'], channel: channel.id },
    });
    expect(made.status).toBe(201);
    const post = (text: string, more: object = {}) =>
      bot.call('chat.postMessage', { channel: channel.id, text, client_msg_id: 'of-mine', ...more });
    const metadata = { event_type: 'deployed', event_payload: { to: 'staging' } };
    const first = await post('once', { metadata });
    expect(first).toMatchObject({ ok: true, message: { text: 'once' } });
    expect(await post('again')).toEqual(first);
    const { messages } = await bot.call('conversations.history', { channel: channel.id });
    expect((messages as { text: string }[]).map(({ text }) => text)).toEqual(['once']);
    const another = await bot.call('chat.postMessage', { channel: channel.id, text: 'last' });
    await far.until((all) => all.some(({ body }) => body.includes('last')));
    const heard = far.received.map(({ body }) => (JSON.parse(body) as { event: { ts: string } }).event.ts);
    expect(heard).toEqual([first['ts'], another['ts']]);
  });

  it('counts for its author and conversation only, and in threads', async () => {
    const ws = await app.workspace();
    const [bot, other] = [await ws.bot(), await ws.bot()];
    const [here, there] = [await ws.channel({ members: [bot, other] }), await ws.channel({ members: [bot] })];
    const post = async (client: typeof bot, channel: string, more: object = {}) =>
      (await client.call('chat.postMessage', { channel, text: 'x', client_msg_id: 'the same', ...more }))['ts'];
    const all = [await post(bot, here.id), await post(other, here.id), await post(bot, there.id)];
    expect(new Set(all).size).toBe(3);
    const reply = { thread_ts: all[0], client_msg_id: 'a reply' };
    expect(await post(bot, here.id, reply)).toBe(await post(bot, here.id, reply));
    const { messages } = await bot.call('conversations.replies', { channel: here.id, ts: all[0] });
    expect(messages).toHaveLength(2);
  });

  it('posts once when it is sent several times at once', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const channel = await ws.channel({ members: [bot] });
    const answers = await Promise.all(
      Array.from({ length: 4 }, (_, i) =>
        bot.call('chat.postMessage', { channel: channel.id, text: `try ${i}`, client_msg_id: 'at once' }),
      ),
    );
    expect(new Set(answers.map(({ ts }) => ts as string)).size).toBe(1);
    const { messages } = await bot.call('conversations.history', { channel: channel.id });
    expect(messages).toHaveLength(1);
  });

  it('posts anew when the message is gone: a refused post, a reset', async () => {
    const { body, ctl } = await makeSandbox(app, { channels: [{ name: 'ops', members: ['default-app'] }] });
    const channel = body.credentials.channels.ops as string;
    const post = async (args: object) =>
      (await send(app, 'POST', '/api/chat.postMessage', bearer(body.credentials.bot_token), { channel, ...args })).body;
    expect(await post({ client_msg_id: 'mine' })).toMatchObject({ error: 'no_text' });
    const first = await post({ text: 'a', client_msg_id: 'mine' });
    expect(await post({ text: 'a', client_msg_id: 'mine' })).toEqual(first);
    expect((await send(app, 'POST', '/api/sandboxes/self/reset', ctl, {})).status).toBe(200);
    // timestamps are used again after a reset, so another message may have the one of the first
    expect(await post({ text: 'b' })).toMatchObject({ ok: true });
    expect(await post({ text: 'c', client_msg_id: 'mine' })).toMatchObject({ ok: true, message: { text: 'c' } });
  });
});
