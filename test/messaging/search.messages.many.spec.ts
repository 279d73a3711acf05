import { describe, expect, it } from 'vitest';
import { Db } from '../../src/kernel/database/db.js';
import {
  findCandidates,
  SEARCH_LIMITS,
  type Criteria,
  type SearchLimits,
} from '../../src/messaging/search/candidates.queries.js';
import { WaitingTexts } from '../../src/messaging/search/waiting-texts.js';
import { useApp } from '../support/app.js';
import type { ChatClient } from '../support/chat-client.js';
import type { WorkspaceBuilder } from '../support/workspace.js';

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

  /** Messages by SQL: far more than the methods could post. `text` is SQL over `g`, the number of the message. */
  async function seed(ws: WorkspaceBuilder, channel: { id: string }, count: number, text: string, author?: string) {
    await app.nest.get(Db).readText(
      `WITH rows AS (
         SELECT 1600000000000000 + g AS ts, ${text} AS text FROM generate_series(1, $1::int) g),
       stored AS (
         INSERT INTO messages (conversation_id, ts, user_id, text, wire)
         SELECT $2, ts, $3, text, '{"type":"message","user":"' || $3 || '","text":' || to_json(text) || ',"team":"' || $4 || '"}' FROM rows)
       INSERT INTO message_search (conversation_id, ts, workspace_id, author, folded)
       SELECT $2, ts, $4, $3, lower(text) FROM rows`,
      [count, channel.id, author ?? ws.admin.id, ws.id],
    );
  }

  it('pages by number and by cursor', async () => {
    const ws = await app.workspace();
    const client = await ws.adminClient();
    await seed(ws, ws.general, 5, `'page ' || g`);
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
    // an empty cursor is none
    expect((await page({ cursor: '' }))[3]).toBeUndefined();
    // clamped
    expect((await page({ count: 1000, page: 1000 }))[2]).toEqual({ count: 100, total: 5, page: 100, pages: 1 });
  });

  it('counts the newest 10,000 matches only', async () => {
    const ws = await app.workspace();
    const client = await ws.adminClient();
    // the oldest message is the best match, and no candidate
    await seed(
      ws,
      ws.general,
      10_500,
      `CASE g WHEN 1 THEN 'word word word' WHEN 400 THEN 'rare word' WHEN 600 THEN 'word word' ELSE 'word ' || g END`,
    );

    const all = await search(client, 'word', { count: 100, page: 100 });
    expect(all.messages.total).toBe(10_000);
    expect(all.messages.paging).toEqual({ count: 100, total: 10_000, page: 100, pages: 100 });
    expect(all.messages.matches).toHaveLength(100);
    expect(all.messages.matches.at(-1).text).toBe('word 501');
    const best = await search(client, 'word');
    expect(best.messages.matches[0]).toMatchObject({ text: 'word word', score: 2 });
    // what satisfies the query counts, not what is newest
    expect(await texts(client, 'rare')).toEqual(['rare word']);
    expect((await search(client, 'in:general')).messages.total).toBe(10_000);
    expect((await search(client, 'from:admin')).messages.total).toBe(10_000);
    expect((await search(client, 'wo in:general from:admin')).messages.total).toBe(10_000);
    expect((await search(client, 'wo -rd')).messages.total).toBe(0);
  });

  describe('over more messages than it looks at', () => {
    const small: SearchLimits = { ...SEARCH_LIMITS, candidates: 20, probeRows: 10, walkRows: 200, indexRows: 30 };
    const newest = { sort: 'timestamp', direction: 'desc', offset: 0, count: 100 } as const;

    async function many(text: string) {
      const ws = await app.workspace();
      await seed(ws, ws.general, 1000, text);
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
        return hits.map(({ ts }) => ts - 1_600_000_000_000_000);
      };
      return Object.assign(find, { workspaceId: ws.id });
    }
    const countdown = (from: number, count: number, step = 1) =>
      Array.from({ length: count }, (_, i) => from - i * step);

    it('finds frequent terms, rare ones, and those that were frequent once', async () => {
      const find = await many(`concat_ws(' ', 'all', CASE WHEN g % 7 = 0 THEN 'often' END,
        CASE WHEN g IN (3, 500) THEN 'seldom' END, CASE WHEN g <= 300 THEN 'once' END, CASE WHEN g <= 25 THEN 'early' END,
        CASE WHEN g > 990 OR g < 5 THEN 'lately' END, CASE WHEN g = 2 THEN 'https://a.example' END)`);
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

    it('finds texts that wait for the text index, and finds them again when they are in it', async () => {
      const find = await many(
        `concat_ws(' ', 'all', CASE WHEN g IN (3, 500) THEN 'seldom' END, CASE WHEN g <= 25 THEN 'early' END)`,
      );
      const { dataSource } = app.store;
      const waiting = `waiting IS NOT NULL AND workspace_id = $1`;
      await dataSource.query(`UPDATE message_search SET waiting = folded, folded = '' WHERE workspace_id = $1`, [
        find.workspaceId,
      ]);
      const count = async (): Promise<number> =>
        (
          await dataSource.query(`SELECT count(*)::int AS n FROM message_search WHERE ${waiting}`, [find.workspaceId])
        )[0].n;
      expect(await count()).toBe(1000);
      for (const left of [1000, 0]) {
        expect(await count()).toBe(left);
        expect(await find({ terms: ['all'] })).toEqual(countdown(1000, 20));
        expect(await find({ terms: ['seldom'] })).toEqual([500, 3]);
        expect(await find({ terms: ['early'] })).toEqual(countdown(25, 20));
        expect(await find({ terms: ['never'] })).toEqual([]);
        await app.nest.get(WaitingTexts, { strict: false }).index();
      }
    });

    it('looks for what the text index does not know among the newest of the shortest list', async () => {
      const find = await many(`CASE g WHEN 900 THEN 'qz new' WHEN 700 THEN 'qz old' ELSE 'all' END`);
      expect(await find({ terms: ['qz'] })).toEqual([900]);
      // a term that the index knows, or a shorter list, finds the older one too
      expect(await find({ terms: ['qz', 'old'] })).toEqual([700]);
      expect(await find({ terms: ['qz'], to: 1_600_000_000_000_000 + 800 })).toEqual([700]);
    });
  });
});
