import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { expectHidden, missing, recentSeconds } from '../support/conversations.js';

describe('pins.list', () => {
  const app = useApp();

  it('lists messages as the history shows them, with their addresses, the newest pin first, also for non-members', async () => {
    const ws = await app.workspace();
    const [bot, ann] = [await ws.bot(), await ws.userClient()];
    const channel = await ws.channel({ members: [ann] });
    expect(await bot.call('pins.list', { channel: channel.id })).toEqual({ ok: true, items: [] });
    const first = await ws.message({ channel, text: 'older, pinned later' });
    const second = await ws.message({ channel, text: 'newer, pinned before' });
    await ann.call('pins.add', second.ref);
    await ann.call('pins.add', first.ref);

    const { messages } = await ann.call('conversations.history', { channel: channel.id });
    const item = (message: { ts: string }) => ({
      type: 'message',
      channel: channel.id,
      created: recentSeconds,
      created_by: ann.userId,
      message: {
        ...message,
        permalink: `${app.baseUrl}/archives/${channel.id}/p${message.ts.replace('.', '')}`,
      },
    });
    expect(await bot.call('pins.list', { channel: channel.id })).toEqual({
      ok: true,
      items: [item(messages[1]), item(messages[0])],
    });
    expect(await bot.webClient().pins.list({ channel: channel.id })).toMatchObject({
      items: [{ message: { ts: first.ts } }, { message: { ts: second.ts } }],
    });
  });

  it('answers invalid_arguments without a channel, and hides what the caller cannot see', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    expect(await bot.call('pins.list')).toEqual(missing('channel'));
    await expectHidden(app, ws, bot, 'pins.list');
  });

  it('requires pins:read', async () => {
    const ws = await app.workspace();
    const mute = await ws.bot({ scopes: ['pins:write'] });
    const answer = { ok: false, error: 'missing_scope', needed: 'pins:read', provided: 'pins:write' };
    expect(await mute.call('pins.list')).toEqual(answer);
  });
});
