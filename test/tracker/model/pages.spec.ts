import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { page, pagesByParent, type PageArgs } from '../../../src/tracker/query/page.js';
import * as rows from '../../../src/tracker/entities.js';
import { deleteRows } from '../../support/rows.js';
import { makeIssues, type MadeIssue, NOW, type Rule, SORTS } from './issue-sorts.js';
import { TestOrganization, useStore } from './tracker-data.js';

describe('pages', () => {
  const store = useStore();
  let { viewer, team, issues } = {} as Awaited<ReturnType<typeof makeIssues>>;

  const issuesPage = (args: PageArgs) => page(store.db, 'Issue', { viewer, now: NOW, args });

  beforeAll(async () => {
    ({ viewer, team, issues } = await makeIssues(store));
  });

  /** The documented order, computed in JavaScript. */
  function expected(rules: Rule[], orderBy: 'createdAt' | 'updatedAt' = 'createdAt'): string[] {
    const all: Rule[] = [
      ...rules,
      { of: ({ row }) => row[orderBy].getTime(), down: true },
      { of: ({ row }) => row.id, down: true },
    ];
    const compare = (a: MadeIssue, b: MadeIssue): number => {
      for (const { of, down, nulls = 'last' } of all) {
        const [x, y] = [of(a), of(b)];
        if (x === y) continue;
        if (x === null) return nulls === 'last' ? 1 : -1;
        if (y === null) return nulls === 'last' ? -1 : 1;
        return x < y === !down ? -1 : 1;
      }
      return 0;
    };
    return [...issues].sort(compare).map(({ row }) => row.id);
  }

  const variants = (['Ascending', 'Descending'] as const).flatMap((order) =>
    (['first', 'last'] as const).map((nulls) => ({ order, nulls })),
  );

  /** All ids, page by page in one direction, in the order of the list. */
  async function walk(args: PageArgs, size: number, direction: 'forward' | 'backward'): Promise<string[]> {
    const ids: string[] = [];
    let cursor: string | null = null;
    for (;;) {
      const got = await issuesPage(
        direction === 'forward' ? { ...args, first: size, after: cursor } : { ...args, last: size, before: cursor },
      );
      const own = got.nodes.map(({ id }) => id);
      if (direction === 'forward') ids.push(...own);
      else ids.unshift(...own);
      const { hasNextPage, hasPreviousPage, endCursor, startCursor } = got.pageInfo;
      expect(direction === 'forward' ? hasPreviousPage : hasNextPage).toBe(cursor !== null);
      if (!(direction === 'forward' ? hasNextPage : hasPreviousPage)) return ids;
      cursor = direction === 'forward' ? endCursor : startCursor;
    }
  }

  it.each(['createdAt', 'updatedAt'] as const)(
    'are sorted by %s, newest first, and complete in either direction',
    async (orderBy) => {
      expect(await walk({ orderBy }, 7, 'forward')).toEqual(expected([], orderBy));
      expect(await walk({ orderBy }, 7, 'backward')).toEqual(expected([], orderBy));
    },
  );

  it.each(SORTS)('sort by %s %j in both directions, nulls at either end', async (key, options, rules) => {
    for (const { order, nulls } of variants) {
      const want = expected(rules({ down: order === 'Descending', nulls }));
      const sort = [{ [key]: { ...options, order, nulls } }];
      expect(await walk({ sort }, 50, 'forward')).toEqual(want);
      expect(await walk({ sort }, 50, 'backward')).toEqual(want);
    }
    expect(await walk({ sort: [{ [key]: options }] }, 11, 'forward')).toEqual(
      expected(rules({ down: false, nulls: 'last' })),
    );
  });

  it('sort by several keys left to right', async () => {
    const want = expected(
      [{ of: ({ row }) => row.estimate, down: true, nulls: 'first' }, { of: ({ row }) => row.title.toLowerCase() }],
      'updatedAt',
    );
    const sort = [{ estimate: { order: 'Descending' as const, nulls: 'first' as const } }, { title: {} }];
    expect(await walk({ sort, orderBy: 'updatedAt' }, 9, 'forward')).toEqual(want);
    expect(await walk({ sort, orderBy: 'updatedAt' }, 9, 'backward')).toEqual(want);
  });

  it('refuse two keys in one sort object', async () => {
    const sort = [{ estimate: {}, title: {} }];
    await expect(issuesPage({ sort })).rejects.toMatchObject({ kind: 'argumentValidation' });
  });

  it('have 50 rows by default, counted from the end when only `before` is given', async () => {
    const want = expected([]);
    expect((await issuesPage({})).nodes.map(({ id }) => id)).toEqual(want.slice(0, 50));
    const at70 = (await issuesPage({ first: 71 })).pageInfo.endCursor;
    expect((await issuesPage({ before: at70 })).nodes.map(({ id }) => id)).toEqual(want.slice(20, 70));
  });

  it('are limited by `first`, then by `last`, and lie between two cursors', async () => {
    const want = expected([]);
    const { edges } = await issuesPage({ first: 100 });
    const [after, before] = [edges[9]!.cursor, edges[30]!.cursor];
    const flags = async (args: PageArgs) => {
      const got = await issuesPage(args);
      const { hasNextPage, hasPreviousPage } = got.pageInfo;
      return { ids: got.nodes.map(({ id }) => id), hasNextPage, hasPreviousPage };
    };
    expect(await flags({ after, before })).toEqual({
      ids: want.slice(10, 30),
      hasNextPage: true,
      hasPreviousPage: true,
    });
    expect(await flags({ after, before, first: 5 })).toMatchObject({ ids: want.slice(10, 15) });
    expect(await flags({ after, before, last: 5 })).toMatchObject({ ids: want.slice(25, 30) });
    expect(await flags({ first: 20, last: 5 })).toEqual({
      ids: want.slice(15, 20),
      hasNextPage: true,
      hasPreviousPage: true,
    });
    expect(await flags({ first: 250, last: 250 })).toEqual({ ids: want, hasNextPage: false, hasPreviousPage: false });
    expect(await flags({ first: 50, after: edges[0]!.cursor, last: 50 })).toMatchObject({ ids: want.slice(1, 51) });
    const end = (await issuesPage({ last: 1 })).pageInfo.endCursor;
    expect(await flags({ after: end })).toEqual({ ids: [], hasNextPage: false, hasPreviousPage: true });
    expect(await flags({ filter: { title: { eq: 'nothing' } } })).toEqual({
      ids: [],
      hasNextPage: false,
      hasPreviousPage: false,
    });
  });

  it('accept a cursor of another sort by its id', async () => {
    const byTime = await issuesPage({ first: 37 });
    const anchor = byTime.nodes.at(-1)!.id;
    const sort = [{ estimate: { nulls: 'first' as const } }];
    const want = expected([{ of: ({ row }) => row.estimate, nulls: 'first' }]);
    const got = await issuesPage({ sort, after: byTime.pageInfo.endCursor, first: 20 });
    expect(got.nodes.map(({ id }) => id)).toEqual(want.slice(want.indexOf(anchor) + 1, want.indexOf(anchor) + 21));
  });

  it.each([
    '',
    'x',
    '%%%',
    Buffer.from('{"k":[],"id":1}').toString('base64url'),
    Buffer.from('null').toString('base64url'),
  ])('refuse %j as a cursor', async (after) => {
    await expect(issuesPage({ after })).rejects.toMatchObject({ presentable: 'after is not a valid cursor.' });
  });

  it('refuse cursors whose values do not fit the sort', async () => {
    const cursor = (k: unknown[]) => Buffer.from(JSON.stringify({ k, id: randomUUID() })).toString('base64url');
    for (const k of [[], [null], [1], [{}], ['2026-13-45T00:00:00.000Z'], ['x'], ['2026-01-01T00:00:00.000Z', 1]]) {
      await expect(issuesPage({ before: cursor(k) })).rejects.toMatchObject({
        presentable: 'before is not a valid cursor.',
      });
    }
    const { nodes } = await issuesPage({ after: cursor(['2026-01-01T00:00:20.000Z']), first: 250 });
    expect(nodes.every(({ createdAt }) => createdAt <= new Date('2026-01-01T00:00:20.000Z'))).toBe(true);
  });

  it('take one statement, with any filter, sort and fitting cursor', async () => {
    const args: PageArgs = {
      sort: [{ cycle: {} }, { title: {} }],
      filter: { team: { key: { eq: team.key } } },
      first: 3,
    };
    const { endCursor } = (await issuesPage(args)).pageInfo;
    const before = store.statements.length;
    await issuesPage({ ...args, after: endCursor });
    expect(store.statements.length - before).toBe(1);
  });

  it('continue after a deleted row, and do not shift when rows are added', async () => {
    const own = await TestOrganization.create(store);
    const me = own.viewer(await own.user());
    const place = await own.team();
    const state = await own.state(place);
    const made: { id: string }[] = [];
    for (let i = 0; i < 6; i++) made.unshift(await own.issue(place, state));
    const ask = (args: PageArgs) => page(store.db, 'Issue', { viewer: me, now: NOW, args });
    const first = await ask({ first: 2 });
    await deleteRows(store, rows.Issue, { id: first.nodes[1]!.id });
    await own.issue(place, state);
    const second = await ask({ first: 2, after: first.pageInfo.endCursor });
    expect(second.nodes.map(({ id }) => id)).toEqual([made[2]!.id, made[3]!.id]);
    expect(second.hasPreviousPage).toBe(true);
  });

  it('give each parent a page of its own in one statement', async () => {
    const own = await TestOrganization.create(store);
    const user = await own.user();
    const me = own.viewer(user);
    const place = await own.team({}, [user]);
    const state = await own.state(place);
    const parents = [await own.issue(place, state), await own.issue(place, state), await own.issue(place, state)];
    const comments: string[][] = [];
    for (const [i, { id: issueId }] of parents.entries()) {
      comments.push([]);
      for (let n = 0; n < i * 2; n++) comments[i]!.unshift((await own.comment({ issueId, userId: user.id })).id);
    }
    const ids = parents.map(({ id }) => id);
    const before = store.statements.length;
    const pages = await pagesByParent(store.db, rows.issueConnections.comments, ids, {
      viewer: me,
      now: NOW,
      args: { first: 3 },
    });
    expect(store.statements.length - before).toBe(1);
    expect(ids.map((id) => pages.get(id)!.nodes.map((node) => node.id))).toEqual([
      [],
      comments[1],
      comments[2]!.slice(0, 3),
    ]);
    expect(ids.map((id) => pages.get(id)!.hasNextPage)).toEqual([false, false, true]);
    const after = pages.get(ids[2]!)!.pageInfo.endCursor;
    const next = await pagesByParent(store.db, rows.issueConnections.comments, ids, {
      viewer: me,
      now: NOW,
      args: { first: 3, after },
    });
    expect(next.get(ids[2]!)!.nodes.map(({ id }) => id)).toEqual(comments[2]!.slice(3));
    expect(next.get(ids[2]!)!.hasPreviousPage).toBe(true);
    expect(next.get(ids[0]!)!.pageInfo).toEqual({
      startCursor: null,
      endCursor: null,
      hasNextPage: false,
      hasPreviousPage: false,
    });
  });

  it('list the labels of an issue in the order in which they were added', async () => {
    const own = await TestOrganization.create(store);
    const me = own.viewer(await own.user());
    const place = await own.team();
    const labels = [await own.label(), await own.label(), await own.label()];
    const labelIds = [labels[1]!.id, labels[2]!.id, labels[0]!.id];
    const issue = await own.issue(place, await own.state(place), { labelIds });
    const ask = async (args: PageArgs) =>
      (await pagesByParent(store.db, rows.issueConnections.labels, [issue.id], { viewer: me, now: NOW, args })).get(
        issue.id,
      )!;
    expect((await ask({})).nodes.map(({ id }) => id)).toEqual(labelIds);
    const { endCursor } = (await ask({ first: 1 })).pageInfo;
    expect((await ask({ after: endCursor })).nodes.map(({ id }) => id)).toEqual(labelIds.slice(1));
    expect((await ask({ last: 1 })).nodes.map(({ id }) => id)).toEqual(labelIds.slice(2));
    const newestFirst = [labels[2]!.id, labels[1]!.id, labels[0]!.id];
    expect((await ask({ orderBy: 'createdAt' })).nodes.map(({ id }) => id)).toEqual(newestFirst);
  });
});
