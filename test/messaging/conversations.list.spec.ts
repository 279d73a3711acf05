import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { channelItem, imItem, mpimInfo } from '../support/conversations.js';
import type { ChatClient } from '../support/chat-client.js';
import { unique, type WorkspaceBuilder } from '../support/workspace.js';

const ALL = 'public_channel,private_channel,mpim,im';

describe('conversations.list', () => {
  const app = useApp();

  /** Ids of each page, following the cursors. */
  async function walk(
    client: ChatClient,
    args: Record<string, unknown>,
    between?: (page: number) => Promise<void>,
  ): Promise<string[]> {
    const ids: string[] = [];
    let cursor = '';
    for (let page = 1; ; page++) {
      const answer = await client.call('conversations.list', { ...args, cursor });
      expect(answer.ok).toBe(true);
      ids.push(...answer.channels.map((channel: { id: string }) => channel.id));
      cursor = answer.response_metadata.next_cursor;
      if (cursor === '') return ids;
      await between?.(page);
    }
  }

  const channels = async (ws: WorkspaceBuilder, count: number) => {
    const made = [];
    for (let i = 0; i < count; i++) made.push(await ws.channel());
    return made;
  };

  it('answers the public channels in full, with membership and number of members', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();

    const answer = await bot.webClient().conversations.list();

    expect(answer.ok).toBe(true);
    expect(answer.response_metadata).toMatchObject({ next_cursor: '' });
    const byName = Object.fromEntries((answer.channels ?? []).map((channel) => [channel.name, channel]));
    expect(byName).toEqual({
      // the admin, the default app's bot and this bot
      general: channelItem(ws, ws.general, { is_general: true, num_members: 3 }),
      random: channelItem(ws, ws.random, { is_member: false, num_members: 2 }),
    });
  });

  it('shows private channels, ims and mpims to their members only', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const [ann, bob] = [await ws.user({ name: 'ann' }), await ws.user({ name: 'bob' })];
    const own = await ws.channel({ isPrivate: true, members: [ws.admin, bot] });
    const im = await ws.direct(bot, ann);
    const self = await ws.direct(bot);
    const mpim = await ws.direct(bot, ann, bob);
    // a private channel without the bot
    await ws.channel({ isPrivate: true });
    await ws.direct(ann, bob);
    await ws.direct(ann, bob, ws.admin);

    const { channels: listed } = await bot.call('conversations.list', { types: ['im', 'mpim', 'private_channel'] });

    const botName = await ws.handleOf(bot.userId);
    const expected = [
      channelItem(ws, own, { is_private: true, num_members: 2 }),
      imItem(ws, { id: im.id, user: ann.id }),
      imItem(ws, { id: self.id, user: bot.userId }),
      {
        ...mpimInfo(
          ws,
          { id: mpim.id, creator: bot.userId, names: ['ann', 'bob', botName] },
          { is_frozen: undefined, parent_conversation: undefined, last_read: undefined, num_members: 3 },
        ),
      },
    ];
    expect(listed).toHaveLength(4);
    expect(listed).toEqual(expect.arrayContaining(expected));
  });

  it('shows in an im the other user to each side, and marks a deactivated one', async () => {
    const ws = await app.workspace();
    const [ann, bob] = [await ws.user(), await ws.user()];
    await ws.direct(ann, bob);
    const [asAnn, asBob] = [await ws.userClient({ user: ann }), await ws.userClient({ user: bob })];
    const user = async (client: ChatClient) => (await client.call('conversations.list', { types: 'im' })).channels[0];

    expect(await user(asAnn)).toMatchObject({ user: bob.id, is_user_deleted: false });
    expect(await user(asBob)).toMatchObject({ user: ann.id, is_user_deleted: false });
    await ws.deactivate(bob);
    expect(await user(asAnn)).toMatchObject({ user: bob.id, is_user_deleted: true });
  });

  it('lists public channels without types, and refuses unknown types', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    await ws.channel({ isPrivate: true, members: [bot] });
    expect((await bot.call('conversations.list')).channels).toHaveLength(2);
    expect(
      (await bot.call('conversations.list', { types: ' public_channel , private_channel ' })).channels,
    ).toHaveLength(3);
    for (const types of ['public', 'public_channel,channels', 'IM']) {
      expect(await bot.call('conversations.list', { types })).toEqual({ ok: false, error: 'invalid_types' });
    }
  });

  it('omits archived channels with exclude_archived', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const channel = await ws.channel();
    await ws.archive(channel);
    const find = async (args: object) =>
      (await bot.call('conversations.list', { ...args })).channels.find(
        (item: { id: string }) => item.id === channel.id,
      );

    expect(await find({})).toMatchObject({ is_archived: true });
    expect(await find({ exclude_archived: false })).toMatchObject({ is_archived: true });
    expect(await find({ exclude_archived: 'true' })).toBeUndefined();
  });

  it('pages in the order of created and id, over all types, with any page size', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    await channels(ws, 5);
    await ws.channel({ isPrivate: true, members: [bot] });
    await ws.direct(bot, await ws.user());
    await ws.direct(bot, await ws.user(), await ws.user());
    const all = (await bot.call('conversations.list', { types: ALL })).channels as { id: string; created: number }[];
    const sorted = [...all].sort((a, b) => a.created - b.created || (a.id < b.id ? -1 : 1));

    expect(all).toHaveLength(10);
    expect(all).toEqual(sorted);
    for (const limit of [1, 3, 10]) {
      expect([limit, await walk(bot, { types: ALL, limit })]).toEqual([limit, all.map((item) => item.id)]);
    }
  });

  it('answers each channel once while channels are added and left between the pages', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const own = [];
    for (let i = 0; i < 4; i++) own.push(await ws.channel({ isPrivate: true, members: [ws.admin, bot] }));
    const order = await walk(bot, { types: 'private_channel' });

    const left: string[] = [];
    const seen = await walk(bot, { types: 'private_channel', limit: 1 }, async (page) => {
      // the channel that the cursor points to is gone when the next page is requested
      if (page === 1) {
        left.push(order[1] as string);
        await bot.call('conversations.leave', { channel: order[1] });
      }
      if (page === 2) await ws.channel({ isPrivate: true, name: unique('later') });
    });

    expect(left).toHaveLength(1);
    expect(seen).toEqual(order.filter((id) => !left.includes(id)));
  });

  it('paginates through the official client', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const made = await channels(ws, 3);
    const ids: string[] = [];
    for await (const page of bot.webClient().paginate('conversations.list', { limit: 2 })) {
      ids.push(...(page as unknown as { channels: { id: string }[] }).channels.map((channel) => channel.id));
    }
    expect(ids.sort()).toEqual([ws.general, ws.random, ...made].map((channel) => channel.id).sort());
  });

  it('treats 0 as the default limit, clamps a large one and refuses invalid limits and cursors', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const channel = await ws.channel({ members: [bot] });
    for (const limit of [0, '0', 5000, ''])
      expect((await bot.call('conversations.list', { limit })).channels).toHaveLength(3);
    for (const limit of [-1, 'ten', 1.5]) {
      expect(await bot.call('conversations.list', { limit })).toEqual({ ok: false, error: 'invalid_limit' });
    }
    await ws.join(channel, ws.admin);
    const members = await bot.call('conversations.members', { channel: channel.id, limit: 1 });
    const foreign = members.response_metadata.next_cursor as string;
    const cursors = [
      'nonsense',
      foreign,
      Buffer.from('team:x').toString('base64'),
      Buffer.from('team:1:C01:2').toString('base64'),
    ];
    for (const cursor of cursors) {
      expect([cursor, await bot.call('conversations.list', { cursor })]).toEqual([
        cursor,
        { ok: false, error: 'invalid_cursor' },
      ]);
    }
  });

  it('has 100 channels on a page by default', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    for (const many of [51, 50]) await Promise.all(Array.from({ length: many }, () => ws.channel()));
    const first = await bot.call('conversations.list');
    expect(first.channels).toHaveLength(100);
    const cursor = first.response_metadata.next_cursor as string;
    expect(cursor).toMatch(/^[A-Za-z0-9+/]+=*$/);
    const second = await bot.call('conversations.list', { cursor });
    expect(second.channels).toHaveLength(3);
    expect(second.response_metadata.next_cursor).toBe('');
  });

  it('lists only channels of the own workspace', async () => {
    const [mine, theirs] = [await app.workspace(), await app.workspace()];
    const bot = await mine.bot();
    const foreign = await theirs.channel();
    const { channels: listed } = await bot.call('conversations.list', { types: ALL, limit: 999 });
    expect(listed.map((channel: { id: string }) => channel.id)).not.toContain(foreign.id);
    expect(listed).toHaveLength(2);
  });

  it('requires a scope for each requested type, and names the missing ones', async () => {
    const ws = await app.workspace();
    const needs = { public_channel: 'channels:read', private_channel: 'groups:read', im: 'im:read', mpim: 'mpim:read' };
    for (const [type, scope] of Object.entries(needs)) {
      const bot = await ws.bot({ scopes: [scope] });
      expect((await bot.wire('conversations.list', { types: type })).body).toMatchObject({ ok: true });
    }
    const bot = await ws.bot({ scopes: ['im:read', 'chat:write'] });
    const refused = await bot.wire('conversations.list', { types: 'mpim,im,public_channel' });
    expect(refused.status).toBe(403);
    expect(refused.body).toEqual({
      ok: false,
      error: 'missing_scope',
      needed: 'mpim:read,channels:read',
      provided: 'im:read,chat:write',
    });
    const outsider = await (await ws.bot({ scopes: ['chat:write'] })).wire('conversations.list', { types: 'im' });
    expect(outsider.status).toBe(403);
    expect(outsider.body).toMatchObject({
      needed: 'channels:read,groups:read,im:read,mpim:read',
      provided: 'chat:write',
    });
  });
});
