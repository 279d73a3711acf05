import { Args, Mutation, Resolver } from '@nestjs/graphql';
import type { Viewer } from '../../access/viewer.js';
import { ViewerOf } from '../../graphql/viewer-of.js';
import { releases } from '../release.entity.js';
import { ReleaseCompleteInput, ReleaseSyncInput, ReleaseUpdateByPipelineInput } from './release-sync.inputs.js';
import { ReleaseSyncs } from './release-syncs.service.js';

const { types } = releases;

/** docs/reference/tracker.md#releasesync. */
@Resolver()
export class ReleaseSyncsResolver {
  constructor(private readonly syncs: ReleaseSyncs) {}

  @Mutation(() => types.Payload)
  releaseSync(@ViewerOf() viewer: Viewer, @Args('input') { pipelineId, ...input }: ReleaseSyncInput) {
    return this.syncs.sync(viewer, pipelineId, input);
  }

  @Mutation(() => types.Payload)
  releaseComplete(@ViewerOf() viewer: Viewer, @Args('input') { pipelineId, ...input }: ReleaseCompleteInput) {
    return this.syncs.complete(viewer, pipelineId, input);
  }

  @Mutation(() => types.Payload)
  releaseUpdateByPipeline(
    @ViewerOf() viewer: Viewer,
    @Args('input') { pipelineId, ...input }: ReleaseUpdateByPipelineInput,
  ) {
    return this.syncs.update(viewer, pipelineId, input);
  }
}
