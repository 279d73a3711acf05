import { entityOf, visible } from '../store/define-entity.js';
import { compileFilter, type Filter } from './filter/compile.js';
import { page, type Page, type PageRequest, type Reader } from './page.js';
import { allOf, QueryScope } from './query-scope.js';
import type { Issue } from '../issues/issue.entity.js';

/** The search of `searchIssues` and `issueSearch` (docs/reference/tracker.md#filters). */
export interface SearchTerms {
  /** Matches as a substring of identifier, title or description, ignoring case. */
  term: string;
  includeComments?: boolean | null;
  /** A team's UUID: its issues alone. */
  teamId?: string | null;
}

const pattern = (term: string, scope: QueryScope): string =>
  `lower(${scope.param(`%${term.replace(/[\\%_]/g, (special) => `\\${special}`)}%`, 'text')})`;

function matches({ term, includeComments, teamId }: SearchTerms, alias: string, scope: QueryScope): string {
  const like = pattern(term, scope);
  const own = (a: string): string =>
    `(lower(${a}.title) LIKE ${like} OR lower(${a}.description) LIKE ${like} OR lower(${a}.identifier) LIKE ${like})`;
  const organization = scope.organizationId;
  return allOf([
    // each half by its own index; an OR over both tables would have none
    includeComments
      ? `${alias}.id IN (SELECT x.id FROM issues x WHERE x.organization_id = ${organization} AND ${own('x')}
           UNION SELECT x.issue_id FROM comments x WHERE x.organization_id = ${organization} AND lower(x.body) LIKE ${like})`
      : own(alias),
    teamId ? `${alias}.team_id = ${scope.param(teamId, 'uuid')}` : undefined,
  ]);
}

/** A page of the issues found, those with a hit in the title first, then newest first. */
export function searchIssues(
  on: Reader,
  terms: SearchTerms,
  request: Omit<PageRequest, 'where' | 'leading'>,
): Promise<Page<Issue>> {
  return page(on, 'Issue', {
    ...request,
    where: (alias, scope) => matches(terms, alias, scope),
    leading: {
      name: `title ${terms.term}`,
      keys: (alias, scope) => [
        {
          sql: `(CASE WHEN lower(${alias}.title) LIKE ${pattern(terms.term, scope)} THEN 0 ELSE 1 END)`,
          kind: 'number',
          descending: false,
        },
      ],
    },
  });
}

/** How many issues a search finds in all: `totalCount`. */
export async function countFound(on: Reader, terms: SearchTerms, { viewer, now, args }: PageRequest): Promise<number> {
  const scope = new QueryScope(viewer, now);
  const { table, listed } = entityOf('Issue');
  const condition = allOf([
    visible('Issue', 'i', scope),
    listed?.('i', scope, args),
    matches(terms, 'i', scope),
    compileFilter('Issue', args.filter as Filter | null | undefined, scope, 'i'),
  ]);
  const text = `SELECT count(*)::int AS count FROM ${table} i WHERE ${condition}`;
  const rows = await ('queryText' in on
    ? on.queryText<{ count: number }>(text, scope.values)
    : on.readText<{ count: number }>(text, scope.values));
  return rows[0]?.count ?? 0;
}
