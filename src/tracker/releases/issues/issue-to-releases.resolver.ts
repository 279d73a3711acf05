import { Args, Mutation, Resolver } from '@nestjs/graphql';
import type { Viewer } from '../../access/viewer.js';
import { EntityResolver, WithEntity } from '../../entity/resolver.js';
import { DeletePayload } from '../../graphql/payloads.js';
import { ViewerOf } from '../../graphql/viewer-of.js';
import { issueReleases } from './issue-to-release.entity.js';
import { IssueToReleasesService } from './issue-to-releases.service.js';

/** docs/reference/tracker.md#release. */
@Resolver(() => issueReleases.types.Type)
@WithEntity(issueReleases)
export class IssueToReleasesResolver extends EntityResolver(issueReleases) {
  constructor(private readonly links: IssueToReleasesService) {
    super(links);
  }

  @Mutation(() => DeletePayload)
  issueToReleaseDeleteByIssueAndRelease(
    @ViewerOf() viewer: Viewer,
    @Args('issueId') issueId: string,
    @Args('releaseId') releaseId: string,
  ) {
    return this.links.deleteByIssueAndRelease(viewer, issueId, releaseId);
  }
}
