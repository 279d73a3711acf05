import type { Db } from '../../kernel/database/db.js';
import type { ConversationType } from '../store/conversation.entity.js';
import { catchUp } from './catch-up.js';
import { SqlValues } from './sql-values.js';

/* Hand-written: the statement is made for each query, of index ranges that are merged in the database. */

/** A query with all names resolved: the conditions on a message. Lists of ids are never empty when they are set. */
export interface Criteria {
  readonly workspaceId: string;
  /** The caller sees public channels and those they are a member of. */
  readonly userId: string;
  /** Of `in:`, visible ones alone; null: all that the caller sees. */
  readonly conversations: readonly string[] | null;
  readonly notConversations: readonly string[];
  /** User and bot ids; undefined = anybody. */
  readonly authors?: readonly string[] | undefined;
  readonly notAuthors: readonly string[];
  /** Substrings, case-insensitive. */
  readonly terms: readonly string[];
  /** One of the terms is enough, and the score is how many of them there are. Absent: all are needed. */
  readonly matchesAny?: boolean | undefined;
  /** Only in conversations of these types; absent: all. */
  readonly types?: readonly ConversationType[] | undefined;
  /** Only in conversations that are not archived. */
  readonly isActive?: boolean | undefined;
  /** Only what people wrote. */
  readonly byPeople?: boolean | undefined;
  readonly notTerms: readonly string[];
  /** True: with a link; false: without. */
  readonly link?: boolean | undefined;
  /** As in `message_facets`. */
  readonly facets: readonly string[];
  readonly notFacets: readonly string[];
  /** Microseconds, `from` inclusive, `to` exclusive. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly notTimes: readonly { from?: number | undefined; to?: number | undefined }[];
}

/** The part of the matches that is asked for. */
export interface Slice {
  readonly sort: 'score' | 'timestamp';
  readonly direction: 'asc' | 'desc';
  readonly offset: number;
  readonly count: number;
}

export interface Hit {
  readonly channel: string;
  /** Microseconds. */
  readonly ts: number;
  readonly score: number;
}

export interface Hits {
  /** Matches among the candidates, not only those of the slice. */
  readonly total: number;
  readonly hits: readonly Hit[];
}

/** How much one search reads (docs/decisions/search-index.md). */
export interface SearchLimits {
  /** Matches that count: the newest ones (docs/METHODS.md). */
  readonly candidates: number;
  /** Rows of each list that are read first, to estimate how dense the matches are. */
  readonly probeRows: number;
  /**
   * Rows that a walk reads. The one limit that can lose matches: for a query whose terms the text index does not know
   * (one or two letters, punctuation), matches older than these rows of its shortest list are not found.
   */
  readonly walkRows: number;
  /** Rows taken out of the text index before a walk is tried instead. */
  readonly indexRows: number;
}

export const SEARCH_LIMITS: SearchLimits = {
  candidates: 10_000,
  probeRows: 5_000,
  walkRows: 250_000,
  indexRows: 40_000,
};

/** The text of a row of message_search, whether it is in the text index by now or waits for it. */
const TEXT = 'coalesce(waiting, folded) AS folded';

/**
 * `IS TRUE` keeps the planner from making a join of it, which would lose the order of the walk: that would read all its
 * rows and sort them, instead of ending at the last match that counts. Of an array the planner expects few rows, so
 * that it hashes them however many there are.
 */
const IS_VISIBLE = '(s.conversation_id IN (SELECT unnest(ARRAY(SELECT id FROM visible)))) IS TRUE';

/** Ranges of the backlog that one statement takes. */
const RANGES = 20;

/** A walk may read this many times the rows that it needs if matches continue as they began. */
const MARGIN = 1.25;

/** A list of searchable messages, newest first, that holds all matches. */
type List =
  | { kind: 'facet'; facet: string }
  /** Each of these conditions is an index range in order of ts; together they are merged. */
  | { kind: 'ranges'; conditions: (values: SqlValues) => string[] };

interface Found extends Hits {
  /** The list was read to its end, so there is no other match. */
  readonly complete: boolean;
}

/**
 * The newest matches, in the requested order. Frequent matches are found by walking a list from its newest message;
 * rare ones by the text index, which returns them in no order and is therefore only good for few. The newest messages
 * of each list decide which it is.
 */
export async function findCandidates(
  db: Db,
  criteria: Criteria,
  slice: Slice,
  limits: SearchLimits = SEARCH_LIMITS,
): Promise<Hits> {
  const search = new Search(db, criteria, slice, limits);
  let densest: { list: List; found: Found } | undefined;
  for (const list of listsOf(criteria)) {
    const found = await search.walk(list, limits.probeRows);
    if (found.complete) return found;
    if (!densest || found.total > densest.found.total) densest = { list, found };
  }
  const { list, found } = densest!;
  const rowsNeeded = (limits.candidates / found.total) * limits.probeRows;
  if (rowsNeeded <= limits.walkRows / MARGIN) {
    const frequent = await search.walk(list, Math.ceil(rowsNeeded * MARGIN));
    if (frequent.complete) return frequent;
  } else if (rowsNeeded > limits.walkRows && isIndexed(criteria)) {
    const rare = await search.lookUp(limits.indexRows);
    if (rare.complete) return rare;
  }
  const walked = await search.walk(list, limits.walkRows);
  if (walked.complete || !isIndexed(criteria)) return walked;
  // If the frequency changes along the list: slower, and still right.
  return search.lookUp(null);
}

/**
 * What the text index knows of a query: three letters or digits in a row make a trigram. The longest are the most
 * selective.
 */
const indexedTerms = ({ terms, link }: Criteria): string[] =>
  [...terms, ...(link ? ['http'] : [])]
    .filter((term) => /[\p{L}\p{N}]{3}/u.test(term))
    .sort((a, b) => b.length - a.length);

/** Any of several terms is looked for by walking alone. */
const isIndexed = (criteria: Criteria): boolean => !criteria.matchesAny && indexedTerms(criteria).length > 0;

/** The likely shorter ones first. */
function* listsOf({ workspaceId, conversations, authors, facets }: Criteria): Generator<List> {
  for (const facet of facets) yield { kind: 'facet', facet };
  if (conversations) {
    yield {
      kind: 'ranges',
      conditions: (values) => conversations.map((id) => `conversation_id = ${values.add(id, 'text')}`),
    };
  }
  if (authors) {
    yield {
      kind: 'ranges',
      conditions: (values) => {
        const workspace = values.add(workspaceId, 'text');
        return authors.map((id) => `workspace_id = ${workspace} AND author = ${values.add(id, 'text')}`);
      },
    };
  }
  if (!conversations) {
    yield { kind: 'ranges', conditions: (values) => [`workspace_id = ${values.add(workspaceId, 'text')}`] };
  }
}

class Search {
  constructor(
    private readonly db: Db,
    private readonly criteria: Criteria,
    private readonly slice: Slice,
    private readonly limits: SearchLimits,
  ) {}

  /** Reads the newest `rows` of a list. */
  walk(list: List, rows: number): Promise<Found> {
    const values = new SqlValues();
    const limit = values.add(rows, 'int');
    let newest: string;
    let seen: string;
    if (list.kind === 'facet') {
      const range = `FROM message_facets WHERE workspace_id = ${values.add(this.criteria.workspaceId, 'text')}
        AND facet = ${values.add(list.facet, 'text')}${this.time(values, '')}`;
      newest = `SELECT s.conversation_id, s.ts, s.author, ${TEXT} FROM (SELECT conversation_id, ts ${range} ORDER BY ts DESC LIMIT ${limit}) f
        JOIN message_search s USING (conversation_id, ts)`;
      seen = `SELECT FROM (SELECT ${range}) l OFFSET ${limit} LIMIT 1`;
    } else {
      const ranges = list
        .conditions(values)
        .map((condition) => `FROM message_search WHERE ${condition}${this.time(values, '')}`);
      // sorted and limited one by one, so that each is an index read from its end and the whole a merge of them
      const sorted = ranges
        .map((range) => `(SELECT conversation_id, ts, author, ${TEXT} ${range} ORDER BY ts DESC LIMIT ${limit})`)
        .join(' UNION ALL ');
      newest =
        ranges.length === 1 ? sorted.slice(1, -1) : `SELECT * FROM (${sorted}) r ORDER BY ts DESC LIMIT ${limit}`;
      const all = ranges.map((range) => `SELECT ts ${range}`).join(' UNION ALL ');
      seen = `SELECT FROM (${all}) l OFFSET ${limit} LIMIT 1`;
    }
    const found = `SELECT s.conversation_id, s.ts, ${this.score(values)} AS score FROM (${newest}) s
      WHERE ${this.conditions(values)} ORDER BY s.ts DESC LIMIT ${this.limits.candidates}`;
    return this.run(
      `found AS MATERIALIZED (${found}), counted AS MATERIALIZED (SELECT count(*)::int AS total FROM found)`,
      `(total = ${this.limits.candidates} OR NOT EXISTS (${seen}))`,
      values,
    );
  }

  /** Takes all that the text index has for the query, or up to `rows` of it. */
  lookUp(rows: number | null): Promise<Found> {
    const values = new SqlValues();
    const [first, second = `'%'`, third = `'%'`] = indexedTerms(this.criteria).map((term) =>
      this.pattern(values, term),
    );
    const workspace = values.add(this.criteria.workspaceId, 'text');
    const found = `SELECT s.conversation_id, s.ts, ${this.score(values)} AS score FROM matches s
      WHERE ${this.conditions(values)}${this.time(values, 's.')} ORDER BY s.ts DESC LIMIT ${this.limits.candidates}`;
    return this.run(
      `matches AS MATERIALIZED (
         SELECT * FROM search_by_text(${workspace}, ${first}, ${second}, ${third}, ${values.add(rows, 'int')})),
       found AS MATERIALIZED (${found}), counted AS MATERIALIZED (SELECT count(*)::int AS total FROM found)`,
      rows === null ? 'true' : `(SELECT count(*) FROM matches) < ${values.add(rows, 'int')}`,
      values,
    );
  }

  /** The conversations that the caller sees, computed by each statement: there may be tens of thousands. */
  private visible(values: SqlValues): string {
    const { workspaceId, userId, conversations } = this.criteria;
    if (conversations) return 'WITH ';
    const workspace = values.add(workspaceId, 'text');
    return `WITH visible AS MATERIALIZED (
      SELECT id FROM conversations WHERE workspace_id = ${workspace} AND type = 'public'
      UNION ALL
      SELECT c.id FROM members m JOIN conversations c ON c.id = m.conversation_id
      WHERE m.user_id = ${values.add(userId, 'text')} AND c.workspace_id = ${workspace} AND c.type <> 'public'), `;
  }

  private pattern(values: SqlValues, term: string): string {
    return `lower(${values.add(`%${escapeLike(term)}%`, 'text')})`;
  }

  private async run(sources: string, complete: string, values: SqlValues): Promise<Found> {
    const { sort, direction, offset, count } = this.slice;
    const byTs = `ts ${sort === 'timestamp' ? direction : 'desc'}, conversation_id`;
    const order = sort === 'score' ? `score ${direction}, ${byTs}` : byTs;
    const text = `${this.visible(values)}${sources}
       SELECT total, ${complete} AS complete, EXISTS (
         SELECT FROM search_backlog WHERE workspace_id = ${values.add(this.criteria.workspaceId, 'text')}) AS behind, coalesce((
         SELECT json_agg(json_build_object('channel', conversation_id, 'ts', ts, 'score', score) ORDER BY ${order})
         FROM (SELECT * FROM found ORDER BY ${order} OFFSET ${values.add(offset, 'int')} LIMIT ${values.add(count, 'int')}) p), '[]') AS hits
       FROM counted`;
    for (;;) {
      const [row] = await this.db.readText<Found & { behind: boolean; hits: Hit[] }>(text, values.all);
      if (!row!.behind) return row!;
      // of a document that nobody searched yet
      while (await catchUp(this.db, this.criteria.workspaceId, RANGES));
    }
  }

  /** How often the terms occur, at least 1. */
  private score(values: SqlValues): string {
    const { terms } = this.criteria;
    if (terms.length === 0) return '1';
    if (this.criteria.matchesAny) {
      const found = terms.map((term) => `(s.folded LIKE ${this.pattern(values, term)})::int`);
      return `greatest(1, ${found.join(' + ')})`;
    }
    const times = terms.map((term) => {
      const folded = `lower(${values.add(term, 'text')})`;
      return `(octet_length(s.folded) - octet_length(replace(s.folded, ${folded}, ''))) / octet_length(${folded})`;
    });
    return `greatest(1, ${times.join(' + ')})`;
  }

  private time(
    values: SqlValues,
    alias: string,
    range: { from?: number | undefined; to?: number | undefined } = this.criteria,
  ): string {
    const { from, to } = range;
    return (
      (from === undefined ? '' : ` AND ${alias}ts >= ${values.add(from, 'bigint')}`) +
      (to === undefined ? '' : ` AND ${alias}ts < ${values.add(to, 'bigint')}`)
    );
  }

  /** What a row `s` of message_search must be, but for workspace and time, which the lists hold to. */
  private conditions(values: SqlValues): string {
    const {
      conversations,
      notConversations,
      authors,
      notAuthors,
      matchesAny,
      types,
      isActive,
      byPeople,
      terms,
      notTerms,
      link,
      facets,
      notFacets,
      notTimes,
    } = this.criteria;
    const contains = (term: string): string => `s.folded LIKE ${this.pattern(values, term)}`;
    const hasFacet = (facet: string): string =>
      `EXISTS (SELECT FROM message_facets f WHERE f.conversation_id = s.conversation_id AND f.ts = s.ts
         AND f.facet = ${values.add(facet, 'text')})`;
    // most rows are no match, so the terms come first, being as cheap as what follows
    const wanted = matchesAny && terms.length > 0 ? [`(${terms.map(contains).join(' OR ')})`] : terms.map(contains);
    const all = [...wanted, ...notTerms.map((term) => `NOT ${contains(term)}`)];
    all.push(conversations ? `s.conversation_id = ANY(${values.add(conversations, 'text[]')})` : IS_VISIBLE);
    if (notConversations.length > 0) all.push(`s.conversation_id <> ALL(${values.add(notConversations, 'text[]')})`);
    if (authors) all.push(`s.author = ANY(${values.add(authors, 'text[]')})`);
    if (notAuthors.length > 0) all.push(`s.author <> ALL(${values.add(notAuthors, 'text[]')})`);
    if (link !== undefined) all.push(`${link ? '' : 'NOT '}(s.folded LIKE '%http://%' OR s.folded LIKE '%https://%')`);
    all.push(...facets.map(hasFacet), ...notFacets.map((facet) => `NOT ${hasFacet(facet)}`));
    all.push(...notTimes.map((range) => `NOT (true${this.time(values, 's.', range)})`));
    if (types || isActive) {
      const isType = types ? ` AND c.type = ANY(${values.add(types, 'text[]')})` : '';
      all.push(
        `EXISTS (SELECT FROM conversations c WHERE c.id = s.conversation_id${isType}${isActive ? ' AND NOT c.is_archived' : ''})`,
      );
    }
    if (byPeople) {
      const workspace = values.add(this.criteria.workspaceId, 'text');
      all.push(`EXISTS (SELECT FROM users u WHERE u.workspace_id = ${workspace} AND u.id = s.author AND NOT u.is_bot)`);
    }
    return all.join(' AND ');
  }
}

const escapeLike = (text: string): string => text.replace(/[\\%_]/g, '\\$&');
