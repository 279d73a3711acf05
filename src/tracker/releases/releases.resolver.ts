import { Args, Int, Mutation, Query, Resolver } from '@nestjs/graphql';
import type { Viewer } from '../access/viewer.js';
import { EntityResolver, WithEntity } from '../entity/resolver.js';
import { derived, filterRelations, page, relationsOf, required } from '../graphql/relations.js';
import { LoadersOf, ViewerOf } from '../graphql/viewer-of.js';
import type { Issue } from '../issues/issue.entity.js';
import { IssueFilter } from '../issues/issues.filters.js';
import { IssueConnection, IssueType } from '../issues/issues.types.js';
import type { Loaders } from '../query/loaders.js';
import { releaseUrl } from '../values/urls.js';
import { type Release, releaseConnections, releases, releasesOfIssue } from './release.entity.js';
import { issueCountsOfRelease, notesOfRelease } from './releases.queries.js';
import { ReleasesService } from './releases.service.js';

const { types } = releases;

/** docs/reference/tracker.md#release. */
@Resolver(() => types.Type)
@WithEntity(
  releases,
  relationsOf<Release>(() => types.Type, {
    url: derived((release, load, _args, { web }) => releaseUrl(web, load.viewer.urlKey, release)),
    currentProgress: derived(() => ({})),
    progressHistory: derived(() => ({})),
    releaseNotes: derived(({ id }, load) => load.by(notesOfRelease, id)),
    issues: page(() => IssueConnection, releaseConnections.issues, { filter: () => IssueFilter }),
    issueCount: required(
      () => Int,
      async ({ id }, load, { includeArchived }) => {
        const counts = await load.by(issueCountsOfRelease, id);
        return includeArchived ? counts.all : counts.live;
      },
      { includeArchived: () => Boolean },
    ),
  }),
  relationsOf<Issue>(() => IssueType, {
    releases: page(() => types.Connection, releasesOfIssue, { filter: () => types.Filter }),
  }),
  filterRelations(() => ['IssueFilter', 'NullableIssueFilter', 'IssueCollectionFilter'], {
    releases: () => types.CollectionFilter,
  }),
)
export class ReleasesResolver extends EntityResolver(releases) {
  constructor(private readonly releases: ReleasesService) {
    super(releases);
  }

  @Query(() => [types.Type])
  releaseSearch(
    @LoadersOf() load: Loaders,
    @Args('filter', { type: () => types.Filter, nullable: true }) filter?: object | null,
    @Args('first', { type: () => Int, nullable: true }) first?: number | null,
    @Args('term', { type: () => String, nullable: true }) term?: string | null,
  ) {
    return this.releases.search(load, term, { filter: filter ?? null, first: first ?? null });
  }

  /** Into the trash. */
  @Mutation(() => types.ArchivePayload)
  releaseDelete(@ViewerOf() viewer: Viewer, @Args('id') id: string) {
    return this.releases.trash(viewer, id);
  }
}
