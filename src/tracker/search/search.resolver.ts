import { Args, Int, Query, Resolver } from '@nestjs/graphql';
import { Db } from '../../kernel/database/db.js';
import { documents } from '../documents/document.entity.js';
import { PageArgs } from '../graphql/connections.js';
import { nullable, relationsOf, WithRelations } from '../graphql/relations.js';
import { SearchArgs, searchPayloadRelations } from '../graphql/search-payloads.js';
import { LoadersOf } from '../graphql/viewer-of.js';
import { initiatives } from '../initiatives/initiative.entity.js';
import { IssueType } from '../issues/issues.types.js';
import { ProjectType } from '../projects/projects.types.js';
import { type Ranked, type Searched, searchByWords } from '../query/search.js';
import { Searching } from '../query/searching.js';
import type { Loaders } from '../query/loaders.js';
import { invalidArgument } from '../values/errors.js';
import {
  DocumentSearchPayload,
  ProjectSearchPayload,
  SemanticSearchFilters,
  SemanticSearchPayload,
  SemanticSearchResult,
  SemanticSearchResultType,
} from './search.types.js';

const KINDS = {
  document: { entity: 'Document', filter: 'documents' },
  initiative: { entity: 'Initiative', filter: 'initiatives' },
  issue: { entity: 'Issue', filter: 'issues' },
  project: { entity: 'Project', filter: 'projects' },
} as const satisfies Record<SemanticSearchResultType, { entity: Searched; filter: keyof SemanticSearchFilters }>;

const DEFAULT_RESULTS = 20;
const MAX_RESULTS = 100;
const SHORTEST_WORD = 3;
/** More words than that of a query are not looked for. */
const MAX_WORDS = 16;

/** A result with the row that it shows. */
interface Found extends SemanticSearchResult {
  readonly row: object;
}

const shown = (type: keyof typeof KINDS, found: Found): object | null => (found.type === type ? found.row : null);

/** Searches of documents and projects, and by words (docs/reference/tracker.md#search). */
@Resolver(() => SemanticSearchPayload)
@WithRelations(
  searchPayloadRelations(() => DocumentSearchPayload),
  searchPayloadRelations(() => ProjectSearchPayload),
  relationsOf<Found>(() => SemanticSearchResult, {
    document: nullable(
      () => documents.types.Type,
      (found) => shown('document', found),
    ),
    initiative: nullable(
      () => initiatives.types.Type,
      (found) => shown('initiative', found),
    ),
    issue: nullable(
      () => IssueType,
      (found) => shown('issue', found),
    ),
    project: nullable(
      () => ProjectType,
      (found) => shown('project', found),
    ),
  }),
)
export class SearchResolver {
  constructor(
    private readonly db: Db,
    private readonly searching: Searching,
  ) {}

  @Query(() => DocumentSearchPayload)
  searchDocuments(@LoadersOf() load: Loaders, @Args() args: PageArgs, @Args() terms: SearchArgs) {
    return this.searching.find('Document', load, terms, args);
  }

  @Query(() => ProjectSearchPayload)
  searchProjects(@LoadersOf() load: Loaders, @Args() args: PageArgs, @Args() terms: SearchArgs) {
    return this.searching.find('Project', load, terms, args);
  }

  /** No model: by the words of the query, so that a test finds the same each time. */
  @Query(() => SemanticSearchPayload)
  async semanticSearch(
    @LoadersOf() { viewer, now }: Loaders,
    @Args('query') query: string,
    @Args('types', { type: () => [SemanticSearchResultType], nullable: true })
    types?: SemanticSearchResultType[] | null,
    @Args('maxResults', { type: () => Int, nullable: true }) maxResults?: number | null,
    @Args('includeArchived', { type: () => Boolean, nullable: true }) includeArchived?: boolean | null,
    @Args('filters', { type: () => SemanticSearchFilters, nullable: true }) filters?: SemanticSearchFilters | null,
  ): Promise<{ enabled: boolean; results: Found[] }> {
    const most = sizeOf(maxResults);
    const words = wordsOf(query);
    if (words.length === 0) return { enabled: true, results: [] };
    const wanted = new Set(types ?? (Object.keys(KINDS) as SemanticSearchResultType[]));
    const ranked = await Promise.all(
      [...wanted].map(async (type) => {
        const { entity, filter } = KINDS[type];
        const args = { first: most, includeArchived: includeArchived ?? null, filter: filters?.[filter] ?? null };
        const found: Ranked[] = await searchByWords<Searched>(this.db, entity, words, { viewer, now, args });
        return found.map(({ row, score }) => ({ id: row.id, type, row, score }));
      }),
    );
    const best = ranked.flat().sort((a, b) => b.score - a.score || newer(a.row, b.row));
    return { enabled: true, results: best.slice(0, most) };
  }
}

const newer = (a: { createdAt: Date }, b: { createdAt: Date }): number => b.createdAt.getTime() - a.createdAt.getTime();

function sizeOf(maxResults: number | null | undefined): number {
  const size = maxResults ?? DEFAULT_RESULTS;
  if (size < 1) throw invalidArgument('maxResults', 'min', 'maxResults must not be less than 1');
  if (size > MAX_RESULTS) {
    throw invalidArgument('maxResults', 'max', `maxResults must not be greater than ${MAX_RESULTS}`);
  }
  return size;
}

function wordsOf(query: string): string[] {
  const words = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return [...new Set(words.filter(({ length }) => length >= SHORTEST_WORD))].slice(0, MAX_WORDS);
}
