import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';

const refused = (error: string) => ({ ok: false, error });

describe('chat.meMessage', () => {
  const app = useApp();

  it('stores a message with the subtype me_message', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const channel = await ws.channel();
    const say = (args: object) => bot.call('chat.meMessage', { channel: channel.id, text: 'waves', ...args });
    expect(await say({ text: 'x'.repeat(40_001), channel: 'C0NOWHERE01' })).toEqual(refused('msg_too_long'));
    expect(await say({ text: ' ', channel: 'C0NOWHERE01' })).toEqual(refused('no_text'));
    expect(await say({ text: null })).toMatchObject(refused('invalid_arguments'));
    expect(await say({ channel: 'C0NOWHERE01' })).toEqual(refused('channel_not_found'));
    expect(await say({})).toEqual(refused('not_in_channel'));
    await ws.join(channel, bot);
    const { ts } = await say({});
    const [message] = (await bot.call('conversations.history', { channel: channel.id })).messages;
    expect(message).toMatchObject({ subtype: 'me_message', ts, text: 'waves', user: bot.userId });
    expect(await bot.call('search.messages', { query: 'waves' })).toMatchObject({ messages: { total: 1 } });
    await ws.archive(channel);
    expect(await say({})).toEqual(refused('is_archived'));
  });
});
