import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { expectHidden, expectScopes, missing } from '../support/conversations.js';
import type { TestUser } from '../support/workspace.js';

describe('conversations.members', () => {
  const app = useApp();

  it('lists members in the order in which they joined, bots included', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const channel = await ws.channel();
    const ann = await ws.user();
    await ws.join(channel, ann);
    await ws.join(channel, bot);

    const answer = await bot.webClient().conversations.members({ channel: channel.id });

    expect(answer.ok).toBe(true);
    expect(answer.members).toEqual([ws.admin.id, ann.id, bot.userId]);
    expect(answer.response_metadata).toMatchObject({ next_cursor: '' });
  });

  it('orders members who joined together by id, and pages through them', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const users: TestUser[] = [];
    for (let i = 0; i < 5; i++) users.push(await ws.user());
    const channel = await ws.channel({ members: users });
    const sorted = users.map((user) => user.id).sort();
    for (const limit of [1, 2, 5, 0, 9999]) {
      const seen: string[] = [];
      let cursor = '';
      do {
        const page = await bot.call('conversations.members', { channel: channel.id, limit, cursor });
        expect(page.members.length).toBeLessThanOrEqual(limit || 100);
        seen.push(...page.members);
        cursor = page.response_metadata.next_cursor;
      } while (cursor !== '');
      expect([limit, seen]).toEqual([limit, sorted]);
    }
  });

  it('continues at the right place when the member that the cursor points to has left, and lists later members', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const users: TestUser[] = [];
    for (let i = 0; i < 4; i++) users.push(await ws.user());
    const channel = await ws.channel({ members: users });
    const sorted = users.map((user) => user.id).sort();
    const first = await bot.call('conversations.members', { channel: channel.id, limit: 2 });
    const gone = users.find((user) => user.id === sorted[2]) as TestUser;
    await (await ws.userClient({ user: gone })).call('conversations.leave', { channel: channel.id });
    const late = await ws.user();
    await ws.join(channel, late);

    const second = await bot.call('conversations.members', {
      channel: channel.id,
      limit: 2,
      cursor: first.response_metadata.next_cursor,
    });

    expect(first.members).toEqual(sorted.slice(0, 2));
    expect(second.members).toEqual([sorted[3], late.id]);
    expect(second.response_metadata.next_cursor).toBe('');
  });

  it('refuses bad arguments in the documented order', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const channel = ws.general.id;
    expect(await bot.call('conversations.members', { limit: -1 })).toEqual(missing('channel'));
    expect(await bot.call('conversations.members', { channel, limit: -1, cursor: 'x' })).toEqual({
      ok: false,
      error: 'invalid_limit',
    });
    const foreign = Buffer.from('next_ts:1767225600000100').toString('base64');
    for (const cursor of ['x', foreign, Buffer.from('user_id:U0ADMINUSER').toString('base64').slice(1)]) {
      expect(await bot.call('conversations.members', { channel: 'C0NOSUCHCH1', cursor })).toEqual({
        ok: false,
        error: 'invalid_cursor',
      });
    }
  });

  it('answers channel_not_found for what the caller cannot see', async () => {
    const ws = await app.workspace();
    await expectHidden(app, ws, await ws.bot(), 'conversations.members');
  });

  it('requires the scope of the conversation type', async () => {
    const ws = await app.workspace();
    const rule = { public: ['channels:read'], private: ['groups:read'], im: ['im:read'], mpim: ['mpim:read'] };
    await expectScopes(ws, 'bot', 'conversations.members', rule);
    await expectScopes(ws, 'user', 'conversations.members', rule);
  });
});
