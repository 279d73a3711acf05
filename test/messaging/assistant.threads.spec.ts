import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { rest } from '../support/rest-client.js';

const refused = (error: string) => ({ ok: false, error });
const prompts = [{ title: 'Do', message: 'do it' }];

describe('assistant.threads', () => {
  const app = useApp();

  const nothing = { loading_messages: [], username: null, icons: null, title: null, prompts: [] };

  const thread = async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const ann = await ws.jwtClient();
    const channel = await ws.channel({ members: [bot, ann] });
    const { ts } = await ann.call('chat.postMessage', { channel: channel.id, text: 'help' });
    const place = { channel_id: channel.id, thread_ts: ts };
    return {
      ws,
      bot,
      ann,
      channel,
      ts,
      set: (method: string, args: object) => bot.call(`assistant.threads.${method}`, { ...place, ...args }),
      reply: (client: typeof bot, text: string) =>
        client.call('chat.postMessage', { channel: channel.id, text, thread_ts: ts }),
      shown: async () => (await rest(app, 'GET /act/screen', { token: ann.token })).body.assistant as object[],
      screenChanges: () => ws.recorded('screen_changed'),
    };
  };

  it('assistant.threads.setStatus is shown until it is cleared or the app posts in the thread', async () => {
    const { bot, ann, channel, ts, set, shown, reply, screenChanges } = await thread();
    const place = { ...nothing, app_id: bot.appId, channel: channel.id, thread_ts: ts };
    const status = { ...place, status: 'is thinking…', loading_messages: ['a'] };
    expect(await set('setStatus', { status: 'is thinking…', loading_messages: ['a'] })).toEqual({ ok: true });
    expect(await shown()).toEqual([status]);
    await reply(ann, 'more');
    expect(await shown()).toEqual([status]);
    expect(await screenChanges()).toEqual([{ app_id: bot.appId }]);
    await reply(bot, 'done');
    expect(await shown()).toEqual([{ ...place, status: '' }]);
    expect(await screenChanges()).toHaveLength(2);
    await reply(bot, 'nothing to clear');
    expect(await screenChanges()).toHaveLength(2);
    await set('setStatus', { status: 'again' });
    expect(await set('setStatus', { status: '' })).toEqual({ ok: true });
    expect(await shown()).toEqual([{ ...place, status: '' }]);
    expect(await screenChanges()).toHaveLength(4);
  });

  it('assistant.threads.setStatus shows another name and icon, which need chat:write.customize', async () => {
    const { ws, channel, ts, set, shown } = await thread();
    await set('setStatus', { status: 'is thinking…', username: 'Brain', icon_emoji: ':brain:' });
    expect(await shown()).toMatchObject([{ username: 'Brain', icons: { emoji: ':brain:' } }]);
    await set('setStatus', { status: 'is thinking…', icon_url: 'https://example.com/i.png' });
    expect(await shown()).toMatchObject([{ username: null, icons: { image_48: 'https://example.com/i.png' } }]);
    const plain = await ws.bot({ scopes: ['chat:write', 'channels:history'] });
    await ws.join(channel, plain);
    const place = { channel_id: channel.id, thread_ts: ts };
    await plain.call('assistant.threads.setStatus', { ...place, status: 'x', username: 'Brain' });
    expect(await shown()).toMatchObject([{ username: null }, { icons: expect.anything() }]);
  });

  it('a status ends after 120 seconds, and people are told', async () => {
    const { bot, channel, ts, set, shown, screenChanges } = await thread();
    await set('setStatus', { status: 'is thinking…' });
    const before = (await screenChanges()).length;
    app.clock.advance(121_000);
    await expect
      .poll(shown, { timeout: 5_000 })
      .toEqual([{ ...nothing, app_id: bot.appId, channel: channel.id, thread_ts: ts, status: '' }]);
    expect(await screenChanges()).toHaveLength(before + 1);
    await set('setStatus', { status: 'again' });
    expect(await shown()).toMatchObject([{ status: 'again' }]);
  });

  it('chat.startStream in the thread ends its status', async () => {
    const { ws, bot, ann, channel, ts, set, shown } = await thread();
    await set('setStatus', { status: 'is thinking…' });
    const recipients = { recipient_user_id: ann.userId, recipient_team_id: ws.id };
    expect(await bot.call('chat.startStream', { channel: channel.id, thread_ts: ts, ...recipients })).toMatchObject({
      ok: true,
    });
    expect(await shown()).toMatchObject([{ status: '' }]);
  });

  it('assistant.threads.setTitle and assistant.threads.setSuggestedPrompts are kept, for a thread or a conversation', async () => {
    const { bot, channel, ts, set, shown, reply } = await thread();
    expect(await set('setTitle', { title: 'Help' })).toEqual({ ok: true });
    expect(await set('setSuggestedPrompts', { prompts, title: 'Try' })).toEqual({ ok: true });
    await reply(bot, 'done');
    const inThread = {
      ...nothing,
      app_id: bot.appId,
      channel: channel.id,
      thread_ts: ts,
      status: '',
      title: 'Help',
      prompts,
    };
    expect(await shown()).toEqual([inThread]);
    expect(await set('setSuggestedPrompts', { prompts, thread_ts: '' })).toEqual({ ok: true });
    expect(await shown()).toEqual([{ ...inThread, thread_ts: null, title: null }, inThread]);
  });

  it('is hidden from callers outside the conversation, and sends no event', async () => {
    const { ws, set } = await thread();
    const before = (await ws.recorded()).length;
    await set('setTitle', { title: 'Help' });
    const other = await ws.jwtClient();
    expect((await rest(app, 'GET /act/screen', { token: other.token })).body.assistant).toEqual([]);
    expect(await ws.recorded()).toHaveLength(before + 1);
  });

  it.each([
    ['setStatus', { status: 'x' }, { loading_messages: Array.from({ length: 11 }, () => 'x') }],
    ['setTitle', { title: 'x' }, { title: null }],
    ['setSuggestedPrompts', { prompts }, { prompts: Array.from({ length: 5 }, () => prompts[0]) }],
  ] as const)('assistant.threads.%s answers each error in the documented order', async (method, args, wrong) => {
    const { set } = await thread();
    expect(await set(method, { channel_id: 'C0NOWHERE01', thread_ts: 'x' })).toMatchObject(
      refused('invalid_arguments'),
    );
    expect(await set(method, { ...args, ...wrong, thread_ts: 'x' })).toMatchObject(refused('invalid_arguments'));
    expect(await set(method, { ...args, channel_id: '' })).toMatchObject(refused('invalid_arguments'));
    if (method !== 'setSuggestedPrompts')
      expect(await set(method, { ...args, thread_ts: '' })).toMatchObject(refused('invalid_arguments'));
    else {
      expect(await set(method, { prompts: [] })).toMatchObject(refused('invalid_arguments'));
      expect(await set(method, { prompts: [{ title: 'x' }] })).toMatchObject(refused('invalid_arguments'));
    }
    expect(await set(method, { ...args, channel_id: 'C0NOWHERE01', thread_ts: 'x' })).toEqual(
      refused('channel_not_found'),
    );
    for (const thread_ts of ['x', '1.5']) {
      expect(await set(method, { ...args, thread_ts })).toEqual(refused('invalid_thread_ts'));
    }
  });

  it('requires assistant:write, or chat:write for the status', async () => {
    const ws = await app.workspace();
    const writer = await ws.bot({ scopes: ['chat:write'] });
    const message = await ws.message({ channel: ws.general });
    const args = { channel_id: ws.general.id, thread_ts: message.ts };
    expect(await writer.call('assistant.threads.setStatus', { ...args, status: 'x' })).toEqual({ ok: true });
    for (const method of ['setTitle', 'setSuggestedPrompts'])
      expect(await writer.call(`assistant.threads.${method}`)).toMatchObject({ needed: 'assistant:write' });
    const mute = await ws.bot({ scopes: [] });
    expect(await mute.call('assistant.threads.setStatus')).toMatchObject({ needed: 'assistant:write,chat:write' });
  });
});
