import { IsNull, Not } from 'typeorm';
import { describe, expect, it } from 'vitest';
import { Db } from '../../src/kernel/database/db.js';
import {
  findCandidates,
  SEARCH_LIMITS,
  type Criteria,
  type SearchLimits,
} from '../../src/messaging/search/candidates.queries.js';
import { WaitingTexts } from '../../src/messaging/search/waiting-texts.js';
import { SearchableMessage } from '../../src/messaging/messages/searchable-message.entity.js';
import { Message } from '../../src/messaging/store/message.entity.js';
import { useApp } from '../support/app.js';
import type { ChatClient } from '../support/chat-client.js';
import { changeRows, insertRows, rowsOf } from '../support/rows.js';
import type { WorkspaceBuilder } from '../support/workspace.js';

const FIRST_TS = 1_600_000_000_000_000;

/** The words of a message by its number. */
const wordsWhere =
  (words: Record<string, (n: number) => boolean>) =>
  (n: number): string =>
    Object.keys(words)
      .filter((word) => words[word]?.(n))
      .join(' ');

describe('search.messages over many messages', () => {
  const app = useApp();

  const search = (client: ChatClient, query: string, args: object = {}) =>
    client.call('search.messages', { query, ...args });
  const texts = async (client: ChatClient, query: string, args: object = {}): Promise<string[]> => {
    const { ok, messages } = await search(client, query, { count: 100, ...args });
    expect(ok).toBe(true);
    expect(messages.total).toBe(messages.matches.length);
    return (messages.matches as { text: string }[]).map(({ text }) => text);
  };

  /** Stores far more messages of the admin in #general than the API could post, a microsecond apart. */
  async function seed(ws: WorkspaceBuilder, count: number, textOf: (n: number) => string): Promise<void> {
    const user = ws.admin.id;
    const messages = Array.from({ length: count }, (_, i) => {
      const text = textOf(i + 1);
      const wire = JSON.stringify({ type: 'message', user, text, team: ws.id });
      return { conversationId: ws.general.id, ts: FIRST_TS + i + 1, userId: user, text, wire };
    });
    await insertRows(app.store, Message, messages);
    const searchable = { workspaceId: ws.id, author: user };
    await insertRows(
      app.store,
      SearchableMessage,
      messages.map(({ conversationId, ts, text }) => ({
        conversationId,
        ts,
        ...searchable,
        folded: text.toLowerCase(),
      })),
    );
  }

  it('pages by number and by cursor', async () => {
    const ws = await app.workspace();
    const client = await ws.adminClient();
    await seed(ws, 5, (n) => `page ${n}`);
    const page = async (args: object) => {
      const { messages, response_metadata } = await search(client, 'page', { count: 2, ...args });
      const found = (messages.matches as { text: string }[]).map(({ text }) => text.slice(5)).join('');
      return [found, messages.pagination, messages.paging, response_metadata?.next_cursor] as const;
    };
    expect(await page({})).toEqual([
      '54',
      { total_count: 5, page: 1, per_page: 2, page_count: 3, first: 1, last: 2 },
      { count: 2, total: 5, page: 1, pages: 3 },
      undefined,
    ]);
    expect((await page({ page: 2 }))[0]).toBe('32');
    expect(await page({ page: 3 })).toEqual([
      '1',
      { total_count: 5, page: 3, per_page: 2, page_count: 3, first: 5, last: 5 },
      { count: 2, total: 5, page: 3, pages: 3 },
      undefined,
    ]);
    expect((await page({ page: 4 })).slice(0, 2)).toEqual([
      '',
      { total_count: 5, page: 4, per_page: 2, page_count: 3, first: 0, last: 0 },
    ]);

    const first = await page({ cursor: '*' });
    const second = await page({ cursor: first[3] });
    const third = await page({ cursor: second[3] });
    expect([first[0], second[0], third[0]]).toEqual(['54', '32', '1']);
    expect(Buffer.from(first[3] as string, 'base64').toString()).toBe('page:2');
    expect(third[3]).toBe('');
    const far = Buffer.from(`page:${Number.MAX_SAFE_INTEGER}`).toString('base64');
    expect((await page({ cursor: far }))[0]).toBe('');
    // an empty cursor selects paging by number
    expect((await page({ cursor: '' }))[3]).toBeUndefined();
    // clamped
    expect((await page({ count: 1000, page: 1000 }))[2]).toEqual({ count: 100, total: 5, page: 100, pages: 1 });
  });

  it('counts only the newest 10,000 matches', async () => {
    const ws = await app.workspace();
    const client = await ws.adminClient();
    // the oldest message would score highest, but is beyond the limit
    const others: Record<number, string> = { 1: 'word word word', 400: 'rare word', 600: 'word word' };
    await seed(ws, 10_500, (n) => others[n] ?? `word ${n}`);

    const all = await search(client, 'word', { count: 100, page: 100 });
    expect(all.messages.total).toBe(10_000);
    expect(all.messages.paging).toEqual({ count: 100, total: 10_000, page: 100, pages: 100 });
    expect(all.messages.matches).toHaveLength(100);
    expect(all.messages.matches.at(-1).text).toBe('word 501');
    const best = await search(client, 'word');
    expect(best.messages.matches[0]).toMatchObject({ text: 'word word', score: 2 });
    // the limit counts matches of the query, not messages
    expect(await texts(client, 'rare')).toEqual(['rare word']);
    expect((await search(client, 'in:general')).messages.total).toBe(10_000);
    expect((await search(client, 'from:admin')).messages.total).toBe(10_000);
    expect((await search(client, 'wo in:general from:admin')).messages.total).toBe(10_000);
    expect((await search(client, 'wo -rd')).messages.total).toBe(0);
  });

  describe('over more messages than it examines', () => {
    const small: SearchLimits = { ...SEARCH_LIMITS, candidates: 20, probeRows: 10, walkRows: 200, indexRows: 30 };
    const newest = { sort: 'timestamp', direction: 'desc', offset: 0, count: 100 } as const;

    async function many(textOf: (n: number) => string) {
      const ws = await app.workspace();
      await seed(ws, 1000, textOf);
      const everything: Criteria = {
        workspaceId: ws.id,
        userId: ws.admin.id,
        conversations: null,
        notConversations: [],
        notAuthors: [],
        terms: [],
        notTerms: [],
        facets: [],
        notFacets: [],
        notTimes: [],
      };
      const find = async (criteria: Partial<Criteria>) => {
        const { total, hits } = await findCandidates(app.nest.get(Db), { ...everything, ...criteria }, newest, small);
        expect(hits).toHaveLength(total);
        return hits.map(({ ts }) => ts - FIRST_TS);
      };
      return Object.assign(find, { workspaceId: ws.id });
    }
    const countdown = (from: number, count: number, step = 1) =>
      Array.from({ length: count }, (_, i) => from - i * step);

    it('finds frequent and rare terms, and terms that used to be frequent', async () => {
      const find = await many(
        wordsWhere({
          all: () => true,
          often: (n) => n % 7 === 0,
          seldom: (n) => n === 3 || n === 500,
          once: (n) => n <= 300,
          early: (n) => n <= 25,
          lately: (n) => n > 990 || n < 5,
          'https://a.example': (n) => n === 2,
        }),
      );
      expect(await find({ terms: ['all'] })).toEqual(countdown(1000, 20));
      expect(await find({ terms: ['often'] })).toEqual(countdown(994, 20, 7));
      expect(await find({ terms: ['seldom'] })).toEqual([500, 3]);
      expect(await find({ terms: ['once'] })).toEqual(countdown(300, 20));
      expect(await find({ terms: ['early'] })).toEqual(countdown(25, 20));
      expect(await find({ terms: ['lately'] })).toEqual([...countdown(1000, 10), 4, 3, 2, 1]);
      expect(await find({ terms: ['never'] })).toEqual([]);
      expect(await find({ link: true })).toEqual([2]);
      expect(await find({ terms: ['all'], notTerms: ['often'], to: 1_600_000_000_000_010 })).toEqual([
        9, 8, 6, 5, 4, 3, 2, 1,
      ]);
    });

    it('finds texts before and after they enter the text index', async () => {
      const find = await many(
        wordsWhere({ all: () => true, seldom: (n) => n === 3 || n === 500, early: (n) => n <= 25 }),
      );
      const { workspaceId } = find;
      const finds = async (): Promise<void> => {
        expect(await find({ terms: ['all'] })).toEqual(countdown(1000, 20));
        expect(await find({ terms: ['seldom'] })).toEqual([500, 3]);
        expect(await find({ terms: ['early'] })).toEqual(countdown(25, 20));
        expect(await find({ terms: ['never'] })).toEqual([]);
      };
      const waiting = async (): Promise<number> =>
        (await rowsOf(app.store, SearchableMessage, { workspaceId, waiting: Not(IsNull()) })).length;
      const wait = async (): Promise<number> => {
        const indexed = { workspaceId, waiting: IsNull() };
        await changeRows(app.store, SearchableMessage, indexed, { waiting: () => 'folded', folded: '' });
        return waiting();
      };
      // the background task may have indexed some between the two
      await expect.poll(wait, { timeout: 10_000 }).toBe(1000);
      await finds();
      await app.nest.get(WaitingTexts, { strict: false }).index();
      await expect.poll(waiting, { timeout: 10_000 }).toBe(0);
      await finds();
    });

    it('looks for terms that the text index does not know among the newest messages of the shortest list', async () => {
      const others: Record<number, string> = { 900: 'qz new', 700: 'qz old' };
      const find = await many((n) => others[n] ?? 'all');
      expect(await find({ terms: ['qz'] })).toEqual([900]);
      // a term in the index, or a shorter list, finds the older message too
      expect(await find({ terms: ['qz', 'old'] })).toEqual([700]);
      expect(await find({ terms: ['qz'], to: 1_600_000_000_000_000 + 800 })).toEqual([700]);
    });
  });
});
