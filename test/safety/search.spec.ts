import { afterEach, describe, expect, it, vi } from 'vitest';
import { Db } from '../../src/kernel/database/db.js';
import { newId } from '../../src/kernel/ids/ids.js';
import { Conversation } from '../../src/messaging/store/conversation.entity.js';
import { useApp } from '../support/app.js';
import { insertRows } from '../support/rows.js';

describe('search.messages', () => {
  const app = useApp();
  afterEach(() => vi.restoreAllMocks());

  it('transfers no list of all visible conversations from and to the database', async () => {
    const ws = await app.workspace();
    const client = await ws.userClient({ user: ws.admin });
    const channel = { workspaceId: ws.id, type: 'public', creatorId: ws.admin.id } as const;
    await insertRows(
      app.store,
      Conversation,
      Array.from({ length: 5_000 }, (_, n) => {
        return { ...channel, id: newId('C'), name: `many-${n}`, createdAt: n, updatedAt: n };
      }),
    );
    await ws.message({ channel: ws.general, text: 'a needle in the hay' });
    // the largest statement, as background tasks send only small ones; a list of 5,000 ids would exceed 50,000 bytes
    let bytes = 0;
    const db = app.nest.get(Db);
    for (const name of ['read', 'readText'] as const) {
      const real = db[name].bind(db) as (...args: unknown[]) => Promise<never[]>;
      vi.spyOn(db, name).mockImplementation(async (...args: unknown[]) => {
        const rows = await real(...args);
        bytes = Math.max(bytes, JSON.stringify([args[1], rows]).length);
        return rows;
      });
    }
    const { messages } = await client.call('search.messages', { query: 'needle' });
    expect(messages.total).toBe(1);
    expect(bytes).toBeLessThan(20_000);
    const named = await client.call('search.messages', { query: 'needle in:many-17' });
    expect(named.messages.total).toBe(0);
  });

  it('accepts at most 20 terms and modifiers: invalid_arguments', async () => {
    const ws = await app.workspace();
    const client = await ws.userClient({ user: ws.admin });
    const words = (count: number): string => Array.from({ length: count }, (_, i) => `w${i}`).join(' ');
    expect(await client.call('search.messages', { query: words(20) })).toMatchObject({ ok: true });
    expect(await client.call('search.messages', { query: words(21) })).toMatchObject({
      ok: false,
      error: 'invalid_arguments',
    });
    expect(await client.call('search.messages', { query: `${words(20)} has:link` })).toMatchObject({ ok: false });
  });

  it('highlights at most 200 matches in 40,000 characters of a message, and yields to other calls in between', async () => {
    const ws = await app.workspace();
    const client = await ws.userClient({ user: ws.admin });
    for (let i = 0; i < 20; i++) await ws.message({ channel: ws.general, text: 'e '.repeat(2_000) });
    let longest = 0;
    let last = performance.now();
    const timer = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 1);
    const { messages } = await client.call('search.messages', { query: 'e', highlight: true, count: 100 });
    clearInterval(timer);
    expect(messages.matches).toHaveLength(20);
    for (const { text } of messages.matches as { text: string }[]) {
      expect(text.split('\ue000').length - 1).toBeLessThanOrEqual(200);
      expect(text.split('\ue000').length - 1).toBeGreaterThan(0);
    }
    // a generous bound: a regression blocks for a second
    expect(longest).toBeLessThan(500);
  });
});
