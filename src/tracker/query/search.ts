import { entityOf, visible } from '../store/define-entity.js';
import type { EntityRows } from '../store/entity-rows.js';
import { compileFilter, type Filter } from './filter/compile.js';
import { page, type Page, type PageRequest, type Reader } from './page.js';
import { allOf, QueryScope } from '../store/query-scope.js';

/*
 * Tables of other rooms: comments, cycles, initiative_to_projects, issues, project_teams. A search is narrowed by what
 * the kinds of things hang on.
 */

/** What is searched by text. */
export type Searched = 'Document' | 'Initiative' | 'Issue' | 'Project';

/** A search for one term, such as that of `searchIssues` (docs/reference/tracker.md#search). */
export interface SearchTerms {
  /** Matches as a substring of the texts, ignoring case. */
  term: string;
  includeComments?: boolean | null;
  /** A team's UUID: what belongs to it alone. */
  teamId?: string | null;
}

/** What a search finds; the total is only counted when it is selected. */
export interface SearchPage {
  readonly found: Pick<Page<object>, 'nodes' | 'edges' | 'pageInfo'>;
  readonly count: () => Promise<number>;
}

interface SearchedTexts {
  readonly title: string;
  /** The other columns that are searched. */
  readonly further: readonly string[];
  /** The longest of them, for searches by words. */
  readonly body: readonly string[];
  /** How comments refer to it. */
  readonly comments: string;
  /** As SQL: that it belongs to the team. */
  readonly ofTeam: (alias: string, teamId: string) => string;
}

const inProject = (projectId: string, teamId: string): string =>
  `EXISTS (SELECT 1 FROM project_teams x WHERE x.project_id = ${projectId} AND x.team_id = ${teamId})`;

const TEXTS: Readonly<Record<Searched, SearchedTexts>> = {
  Document: {
    title: 'title',
    further: ['content'],
    body: ['content'],
    comments: 'document_content_id',
    ofTeam: (a, team) =>
      `(${a}.team_id = ${team} OR ${inProject(`${a}.project_id`, team)}
        OR EXISTS (SELECT 1 FROM issues x WHERE x.id = ${a}.issue_id AND x.team_id = ${team})
        OR EXISTS (SELECT 1 FROM cycles x WHERE x.id = ${a}.cycle_id AND x.team_id = ${team}))`,
  },
  Initiative: {
    title: 'name',
    further: ['description', 'content'],
    body: ['description', 'content'],
    comments: 'initiative_id',
    ofTeam: (a, team) =>
      `EXISTS (SELECT 1 FROM initiative_to_projects o WHERE o.initiative_id = ${a}.id AND ${inProject('o.project_id', team)})`,
  },
  Issue: {
    title: 'title',
    further: ['description', 'identifier'],
    body: ['description'],
    comments: 'issue_id',
    ofTeam: (a, team) => `${a}.team_id = ${team}`,
  },
  Project: {
    title: 'name',
    further: ['description', 'content'],
    body: ['description', 'content'],
    comments: 'project_id',
    ofTeam: (a, team) => inProject(`${a}.id`, team),
  },
};

/** As SQL: what a text that contains the term is like, in lower case. */
export const pattern = (term: string, scope: QueryScope): string =>
  `lower(${scope.param(`%${term.replace(/[\\%_]/g, (special) => `\\${special}`)}%`, 'text')})`;

/** That one of the columns contains what the pattern says. */
export const contains = (alias: string, columns: readonly string[], like: string): string =>
  `(${columns.map((column) => `lower(${alias}.${column}) LIKE ${like}`).join(' OR ')})`;

function matches(entity: Searched, terms: SearchTerms, alias: string, scope: QueryScope): string {
  const { term, includeComments, teamId } = terms;
  const { title, further, comments, ofTeam } = TEXTS[entity];
  const { table } = entityOf(entity);
  const like = pattern(term, scope);
  const own = (a: string): string => contains(a, [title, ...further], like);
  const organization = scope.organizationId;
  return allOf([
    // each half by its own index; an OR over both tables would have none
    includeComments
      ? `${alias}.id IN (SELECT x.id FROM ${table} x WHERE x.organization_id = ${organization} AND ${own('x')}
           UNION SELECT x.${comments} FROM comments x WHERE x.organization_id = ${organization} AND lower(x.body) LIKE ${like})`
      : own(alias),
    teamId ? ofTeam(alias, scope.param(teamId, 'uuid')) : undefined,
  ]);
}

/** A page of what is found, those with a hit in the title first, then newest first. */
export function search<K extends Searched>(
  on: Reader,
  entity: K,
  terms: SearchTerms,
  request: Omit<PageRequest, 'where' | 'leading'>,
): Promise<Page<EntityRows[K]>> {
  return page(on, entity, {
    ...request,
    where: (alias, scope) => matches(entity, terms, alias, scope),
    leading: {
      name: `title ${terms.term}`,
      keys: (alias, scope) => [
        {
          sql: `(CASE WHEN ${contains(alias, [TEXTS[entity].title], pattern(terms.term, scope))} THEN 0 ELSE 1 END)`,
          kind: 'number',
          descending: false,
        },
      ],
    },
  });
}

/** How many a search finds in all: `totalCount`. */
export async function countFound(
  on: Reader,
  entity: Searched,
  terms: SearchTerms,
  { viewer, now, args }: PageRequest,
): Promise<number> {
  const scope = new QueryScope(viewer, now);
  const { table, listed } = entityOf(entity);
  const condition = allOf([
    visible(entity, 'i', scope),
    listed?.('i', scope, args),
    matches(entity, terms, 'i', scope),
    compileFilter(entity, args.filter as Filter | null | undefined, scope, 'i'),
  ]);
  const text = `SELECT count(*)::int AS count FROM ${table} i WHERE ${condition}`;
  const rows = await ('queryText' in on
    ? on.queryText<{ count: number }>(text, scope.values)
    : on.readText<{ count: number }>(text, scope.values));
  return rows[0]?.count ?? 0;
}

/** A word found in the title counts this much, one found in the body counts 1. */
const TITLE_SCORE = 3;

/** As SQL: how well something fits the words. */
function scoreOf(entity: Searched, words: readonly string[], alias: string, scope: QueryScope): string {
  const { title, body } = TEXTS[entity];
  const parts = words.map((word) => {
    const like = pattern(word, scope);
    return `(CASE WHEN ${contains(alias, [title], like)} THEN ${TITLE_SCORE} ELSE 0 END
      + CASE WHEN ${contains(alias, body, like)} THEN 1 ELSE 0 END)`;
  });
  return parts.join(' + ');
}

/** A row that has some of the words. */
export interface Ranked<K extends Searched = Searched> {
  readonly entity: K;
  readonly row: EntityRows[K];
  readonly score: number;
}

/** The best of one kind for the words, best first, then newest. */
export async function searchByWords<K extends Searched>(
  on: Reader,
  entity: K,
  words: readonly string[],
  request: Omit<PageRequest, 'where' | 'leading'>,
): Promise<Ranked<K>[]> {
  const { title, body } = TEXTS[entity];
  const { nodes } = await page(on, entity, {
    ...request,
    where: (alias, scope) =>
      `(${words.map((word) => contains(alias, [title, ...body], pattern(word, scope))).join(' OR ')})`,
    leading: {
      name: `words ${words.join(' ')}`,
      keys: (alias, scope) => [{ sql: `(${scoreOf(entity, words, alias, scope)})`, kind: 'number', descending: true }],
    },
  });
  return nodes.map((row) => ({ entity, row, score: scoreIn(row, { title, body }, words) }));
}

function scoreIn(
  row: object,
  { title, body }: Pick<SearchedTexts, 'title' | 'body'>,
  words: readonly string[],
): number {
  const textOf = (column: string): string => String((row as Record<string, unknown>)[column] ?? '').toLowerCase();
  const [heading, texts] = [textOf(title), body.map(textOf)];
  return words.reduce(
    (sum, word) =>
      sum + (heading.includes(word) ? TITLE_SCORE : 0) + (texts.some((text) => text.includes(word)) ? 1 : 0),
    0,
  );
}
