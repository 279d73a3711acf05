import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import type { ChatClient } from '../support/chat-client.js';
import type { TestMessage, WorkspaceBuilder } from '../support/workspace.js';

type Wire = Record<string, unknown> & { ts: string; text: string };

describe('pages of conversations.history', () => {
  const app = useApp();

  const history = (client: ChatClient, channel: { id: string }, args: Record<string, unknown> = {}) =>
    client.call('conversations.history', { channel: channel.id, ...args });
  const texts = (answer: { messages: Wire[] }) => answer.messages.map((message) => message.text);

  /** A channel with messages `m1` (oldest) to `m<count>`, and a bot in it. */
  async function talk(count: number) {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const user = await ws.user();
    const channel = await ws.channel({ members: [user, bot] });
    const messages: TestMessage[] = [];
    for (let i = 1; i <= count; i++) messages.push(await ws.message({ channel, user, text: `m${i}` }));
    return { ws, bot, user, channel, messages, ts: messages.map((message) => message.ts) };
  }

  /** Texts of each page, following the cursors. */
  async function walk(
    client: ChatClient,
    channel: { id: string },
    args: Record<string, unknown>,
    between?: (page: number) => Promise<unknown>,
  ): Promise<string[][]> {
    const pages: string[][] = [];
    for (let cursor = ''; ;) {
      const answer = await history(client, channel, { ...args, cursor });
      pages.push(texts(answer));
      cursor = answer.response_metadata.next_cursor;
      expect(answer.has_more).toBe(cursor !== '');
      if (cursor === '') return pages;
      await between?.(pages.length);
    }
  }

  it('pages into the past with any page size', async () => {
    const { bot, channel } = await talk(7);
    expect(await walk(bot, channel, { limit: 3 })).toEqual([['m7', 'm6', 'm5'], ['m4', 'm3', 'm2'], ['m1']]);
    expect(await walk(bot, channel, { limit: 7 })).toEqual([['m7', 'm6', 'm5', 'm4', 'm3', 'm2', 'm1']]);
    expect((await walk(bot, channel, { limit: 1 })).flat()).toHaveLength(7);
  });

  it('continues at the right place while messages are added, and when the next one is deleted', async () => {
    const { ws, user, channel, ts } = await talk(6);
    const ann = await ws.userClient({ user });
    const pages = await walk(ann, channel, { limit: 2 }, async (page) => {
      await ws.message({ channel, user, text: `late${page}` });
      // the cursor points to m4
      if (page === 1) await ann.call('chat.delete', { channel: channel.id, ts: ts[3] });
    });
    expect(pages).toEqual([['m6', 'm5'], ['m3', 'm2'], ['m1']]);
  });

  it('pages through the official client', async () => {
    const { bot, channel } = await talk(5);
    const seen: (string | undefined)[] = [];
    for await (const page of bot.webClient().paginate('conversations.history', { channel: channel.id, limit: 2 })) {
      seen.push(...(page as unknown as { messages: Wire[] }).messages.map((message) => message.text));
    }
    expect(seen).toEqual(['m5', 'm4', 'm3', 'm2', 'm1']);
  });

  it('has exclusive bounds unless inclusive is set, and echoes them as they were sent', async () => {
    const { bot, channel, ts } = await talk(5);
    const [, second, , fourth] = ts;
    const cases: [Record<string, unknown>, string[]][] = [
      [{ latest: fourth }, ['m3', 'm2', 'm1']],
      [{ latest: fourth, inclusive: true }, ['m4', 'm3', 'm2', 'm1']],
      [{ oldest: second }, ['m5', 'm4', 'm3']],
      [{ oldest: second, inclusive: 'true' }, ['m5', 'm4', 'm3', 'm2']],
      [{ oldest: second, latest: fourth }, ['m3']],
      [{ oldest: second, latest: fourth, inclusive: 1 }, ['m4', 'm3', 'm2']],
      [{ oldest: fourth, latest: second }, []],
      [{ oldest: '0' }, ['m5', 'm4', 'm3', 'm2', 'm1']],
      [{ latest: '9999999999.999999' }, ['m5', 'm4', 'm3', 'm2', 'm1']],
      [{ latest: '0' }, []],
    ];
    for (const [args, expected] of cases) {
      const answer = await history(bot, channel, args);
      expect([args, texts(answer)]).toEqual([args, expected]);
      expect([args, answer.latest, answer.oldest]).toEqual([args, args['latest'], args['oldest']]);
    }
    // a single message, as clients fetch one by its ts
    expect(texts(await history(bot, channel, { latest: fourth, inclusive: true, limit: 1 }))).toEqual(['m4']);
  });

  it('accepts timestamps of any precision, and numbers', async () => {
    const { bot, channel, ts } = await talk(1);
    const [seconds, micros] = (ts[0] as string).split('.') as [string, string];
    const exact = `${seconds}.${micros.replace(/0+$/, '')}`.replace(/\.$/, '');
    expect(texts(await history(bot, channel, { oldest: seconds, inclusive: true }))).toEqual(['m1']);
    expect(texts(await history(bot, channel, { oldest: Number(seconds) - 1 }))).toEqual(['m1']);
    expect(texts(await history(bot, channel, { latest: exact, inclusive: true }))).toEqual(['m1']);
    expect(texts(await history(bot, channel, { latest: exact }))).toEqual([]);
    expect(texts(await history(bot, channel, { latest: Number(seconds) + 1 }))).toEqual(['m1']);
  });

  it('with oldest alone, answers the messages closest to it and pages towards the present', async () => {
    const { ws, bot, user, channel, ts } = await talk(6);
    const pages = await walk(bot, channel, { oldest: ts[0], limit: 2 }, async (page) => {
      if (page === 2) await ws.message({ channel, user, text: 'm7' });
    });
    expect(pages).toEqual([
      ['m3', 'm2'],
      ['m5', 'm4'],
      ['m7', 'm6'],
    ]);
    expect(await walk(bot, channel, { oldest: ts[0], latest: ts[5], limit: 2 })).toEqual([
      ['m5', 'm4'],
      ['m3', 'm2'],
    ]);
  });

  it('has no upper bound without latest: a ts may be ahead of the clock', async () => {
    const { ws, bot, user, channel } = await talk(1);
    app.clock.advance(3_600_000);
    const ahead = await ws.message({ channel, user, text: 'ahead' });
    app.clock.reset();
    await ws.message({ channel, user, text: 'after' });
    expect(Number(ahead.ts)).toBeGreaterThan(Date.now() / 1000 + 3000);
    expect(texts(await history(bot, channel))).toEqual(['after', 'ahead', 'm1']);
  });

  it('has 100 messages by default, and at most 999', async () => {
    const { ws, bot, user, channel } = await talk(0);
    await fill(ws, channel, user, 1001);
    const page = async (limit: unknown) => (await history(bot, channel, { limit })).messages.length;
    expect([await page(undefined), await page(0), await page('250'), await page(5000)]).toEqual([100, 100, 250, 999]);
  });
});

/** Posts many messages of one user, forty at a time, so that no call waits too long for a connection. */
async function fill(ws: WorkspaceBuilder, channel: { id: string }, user: { id: string }, count: number): Promise<void> {
  for (let done = 0; done < count; done += 40) {
    await Promise.all(Array.from({ length: Math.min(40, count - done) }, () => ws.message({ channel, user })));
  }
}
