import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import {
  expectHidden,
  expectScopes,
  expectUnsupported,
  missing,
  recordedKinds,
  wireTs,
} from '../support/conversations.js';
import type { ChatClient } from '../support/chat-client.js';

const closed = { ok: true, no_op: true, already_closed: true };

describe('conversations.close', () => {
  const app = useApp();
  const isOpen = async (client: ChatClient, channel: { id: string }): Promise<boolean> =>
    (await client.call('conversations.info', { channel: channel.id })).channel.is_open;

  it('closes an im for the caller alone; opening it again, or any message, shows it again', async () => {
    const ws = await app.workspace();
    const [ann, bob] = [await ws.userClient(), await ws.userClient()];
    const im = await ws.direct(ann, bob);

    expect(await ann.call('conversations.close', { channel: im.id })).toEqual({ ok: true });
    expect(await ann.call('conversations.close', { channel: im.id })).toEqual(closed);
    expect([await isOpen(ann, im), await isOpen(bob, im)]).toEqual([false, true]);
    expect(await ann.call('conversations.open', { users: bob.userId })).toMatchObject({ already_open: true });
    expect(await isOpen(ann, im)).toBe(true);

    await ann.call('conversations.close', { channel: im.id });
    await bob.call('chat.postMessage', { channel: im.id, text: 'still there?' });
    expect(await isOpen(ann, im)).toBe(true);
    const event = { user: ann.userId, channel: im.id, event_ts: wireTs };
    expect(await ws.recorded('im_close')).toEqual([
      { type: 'im_close', ...event },
      { type: 'im_close', ...event },
    ]);
    const opened = { type: 'im_open', ...event };
    expect(await ws.recorded('im_open')).toEqual([opened, opened]);
  });

  it('tells once that a post or a reply opens an im again, just before the message, for each who had closed it', async () => {
    const ws = await app.workspace();
    const [ann, bob] = [await ws.userClient(), await ws.userClient()];
    const im = await ws.direct(ann, bob);
    const { ts } = await bob.call('chat.postMessage', { channel: im.id, text: 'first' });
    await ann.call('conversations.close', { channel: im.id });
    await bob.call('conversations.close', { channel: im.id });
    await bob.call('chat.postMessage', { channel: im.id, text: 'again', thread_ts: ts });
    await bob.call('chat.postMessage', { channel: im.id, text: 'and again' });
    expect((await ws.recorded('im_open')).map(({ user }) => user).sort()).toEqual([ann.userId, bob.userId].sort());
    expect((await recordedKinds(ws)).slice(-6)).toEqual([
      'im_close',
      'im_open',
      'im_open',
      'message',
      'message/message_replied',
      'message',
    ]);
    const mpim = await ws.direct(ann, await ws.user(), await ws.user());
    await ann.call('conversations.close', { channel: mpim.id });
    await ann.call('chat.postMessage', { channel: mpim.id, text: 'together' });
    expect((await recordedKinds(ws)).slice(-3)).toEqual(['group_close', 'group_open', 'message']);
  });

  it('closes an mpim, with the event group_close only', async () => {
    const ws = await app.workspace();
    const ann = await ws.userClient();
    const mpim = await ws.direct(ann, await ws.user(), await ws.user());
    expect(await ann.call('conversations.close', { channel: mpim.id })).toEqual({ ok: true });
    expect(await ann.call('conversations.close', { channel: mpim.id })).toEqual(closed);
    expect(await isOpen(ann, mpim)).toBe(false);
    await ann.call('conversations.open', { channel: mpim.id });
    expect(await isOpen(ann, mpim)).toBe(true);
    expect(await recordedKinds(ws)).toEqual(['group_close', 'group_open']);
  });

  it('answers method_not_supported_for_channel_type for channels, and hides what the caller cannot see', async () => {
    const ws = await app.workspace();
    const ann = await ws.userClient();
    expect(await ann.call('conversations.close')).toEqual(missing('channel'));
    await expectUnsupported(ws, ann, 'conversations.close', ['public', 'private']);
    await expectHidden(app, ws, ann, 'conversations.close');
  });

  it('requires the scope of the conversation type', async () => {
    const ws = await app.workspace();
    for (const kind of ['bot', 'user'] as const) {
      await expectScopes(ws, kind, 'conversations.close', { im: ['im:write'], mpim: ['mpim:write'] });
    }
  });
});
