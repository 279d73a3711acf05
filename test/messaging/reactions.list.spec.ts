import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import type { ChatClient } from '../support/chat-client.js';

const refused = (error: string) => ({ ok: false, error });
const none = { next_cursor: '' };

describe('reactions.list', () => {
  const app = useApp();
  const listed = async (client: ChatClient, args: Record<string, unknown> = {}): Promise<string[]> =>
    ((await client.call('reactions.list', args)).items as { message: { ts: string } }[]).map(
      ({ message }) => message.ts,
    );

  it('lists what the caller or another user reacted to, the newest message first, each once', async () => {
    const ws = await app.workspace();
    const [bot, ann] = [await ws.bot(), await ws.userClient()];
    const [one, two] = [await ws.message({ channel: ws.general }), await ws.message({ channel: ws.general })];
    for (const [ref, name] of [
      [two.ref, 'eyes'],
      [one.ref, 'tada'],
      [one.ref, '+1'],
    ] as const)
      await ann.call('reactions.add', { ...ref, name });
    await bot.call('reactions.add', { ...two.ref, name: 'eyes' });

    const { messages } = await ann.call('conversations.history', { channel: ws.general.id });
    const permalink = (ts: string) => `${app.baseUrl}/archives/${ws.general.id}/p${ts.replace('.', '')}`;
    const item = (message: { ts: string }) => ({
      type: 'message',
      channel: ws.general.id,
      message: { ...message, permalink: permalink(message.ts) },
    });
    const hers = { ok: true, items: messages.map(item), response_metadata: none };
    expect(await ann.call('reactions.list')).toEqual(hers);
    expect(await bot.call('reactions.list', { user: ann.userId, full: true })).toEqual(hers);
    expect(await listed(bot)).toEqual([two.ts]);
    expect(await bot.webClient().reactions.list({ user: ann.userId })).toMatchObject({ ok: true });
  });

  it('shows only what the caller may see', async () => {
    const ws = await app.workspace();
    const [ann, bob] = [await ws.userClient(), await ws.userClient()];
    const secret = await ws.channel({ isPrivate: true, members: [ann] });
    const [open, hidden] = [await ws.message({ channel: ws.general }), await ws.message({ channel: secret })];
    for (const { ref } of [open, hidden]) await ann.call('reactions.add', { ...ref, name: 'eyes' });
    expect(await listed(ann)).toEqual([hidden.ts, open.ts]);
    expect(await listed(bob, { user: ann.userId })).toEqual([open.ts]);
  });

  it('pages by cursor, or by page and count with the totals', async () => {
    const ws = await app.workspace();
    const ann = await ws.userClient();
    const all: string[] = [];
    for (let n = 0; n < 5; n++) {
      const message = await ws.message({ channel: ws.general });
      await ann.call('reactions.add', { ...message.ref, name: 'eyes' });
      all.unshift(message.ts);
    }
    const first = await ann.call('reactions.list', { limit: 3 });
    expect(first).not.toHaveProperty('paging');
    expect(await listed(ann, { limit: 3 })).toEqual(all.slice(0, 3));
    const cursor = first.response_metadata.next_cursor as string;
    expect(await listed(ann, { limit: 3, cursor })).toEqual(all.slice(3));

    const second = await ann.call('reactions.list', { count: 2, page: 3 });
    expect(second).toMatchObject({ response_metadata: none, paging: { count: 2, total: 5, page: 3, pages: 3 } });
    expect(second.items.map((item: { message: { ts: string } }) => item.message.ts)).toEqual(all.slice(4));
    expect((await ann.call('reactions.list', { page: 1 })).paging).toEqual({ count: 100, total: 5, page: 1, pages: 1 });
    expect((await ann.call('reactions.list', { count: 1000 })).paging).toMatchObject({ count: 100, page: 1 });
    expect((await (await ws.userClient()).call('reactions.list', { page: 2 })).paging).toEqual({
      count: 100,
      total: 0,
      page: 2,
      pages: 0,
    });
  });

  it('answers invalid_limit, user_not_found and invalid_cursor, in this order', async () => {
    const ws = await app.workspace();
    const ann = await ws.userClient();
    const foreign = await (await app.workspace()).user();
    for (const user of ['U0NOBODY001', 'ann', foreign.id]) {
      expect(await ann.call('reactions.list', { user })).toEqual(refused('user_not_found'));
    }
    const { response_metadata: of } = await ann.call('conversations.list', { limit: 1 });
    for (const cursor of ['x', of.next_cursor]) {
      expect(await ann.call('reactions.list', { cursor })).toEqual(refused('invalid_cursor'));
    }
    const both = { user: 'U0NOBODY001', cursor: 'x' };
    expect(await ann.call('reactions.list', { ...both, limit: -1 })).toEqual(refused('invalid_limit'));
    expect(await ann.call('reactions.list', both)).toEqual(refused('user_not_found'));
  });

  it('requires reactions:read', async () => {
    const ws = await app.workspace();
    const mute = await ws.bot({ scopes: [] });
    const answer = { ok: false, error: 'missing_scope', needed: 'reactions:read', provided: '' };
    expect(await mute.call('reactions.list')).toEqual(answer);
  });
});
