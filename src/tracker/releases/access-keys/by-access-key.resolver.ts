import { Args, Int, Mutation, Query, Resolver } from '@nestjs/graphql';
import { Door } from '../../access/access.js';
import type { Viewer } from '../../access/viewer.js';
import { EntityNeeds } from '../../entity/service.js';
import { derived, relationsOf, WithRelations } from '../../graphql/relations.js';
import { LoadersOf, ViewerOf } from '../../graphql/viewer-of.js';
import type { Loaders } from '../../query/loaders.js';
import { forbidden, invalidArgument } from '../../values/errors.js';
import { releaseUrl } from '../../values/urls.js';
import type { Release } from '../release.entity.js';
import { pipelineConnections } from '../pipelines/release-pipeline.entity.js';
import {
  ReleaseCompleteInputBase,
  ReleaseSyncInputBase,
  ReleaseUpdateByPipelineInputBase,
} from '../sync/release-sync.inputs.js';
import { ReleaseSyncs } from '../sync/release-syncs.service.js';
import { AccessKeyRelease, AccessKeyReleasePayload, AccessKeyReleasePipeline } from './by-access-key.types.js';

const SHOWN = 10;
const SHOWN_MAX = 250;

/** What the key of a pipeline opens (docs/reference/tracker.md#release-access-keys). */
@Resolver()
@WithRelations(
  relationsOf<Release>(() => AccessKeyRelease, {
    stage: derived(({ stageId }, load) => load.row('ReleaseStage', stageId)),
    url: derived((release, load, _args, { web }) => releaseUrl(web, load.viewer.urlKey, release)),
  }),
)
export class ByAccessKeyResolver {
  private readonly pipelines: Door<'ReleasePipeline'>;

  constructor(
    needs: EntityNeeds,
    private readonly syncs: ReleaseSyncs,
  ) {
    this.pipelines = new Door(needs.db, 'ReleasePipeline');
  }

  @Query(() => AccessKeyReleasePipeline)
  releasePipelineByAccessKey(@ViewerOf() viewer: Viewer) {
    return this.pipelines.visible(viewer, pipelineOf(viewer));
  }

  @Query(() => AccessKeyRelease, { nullable: true })
  async latestReleaseByAccessKey(@ViewerOf() viewer: Viewer, @LoadersOf() load: Loaders) {
    return (await newest(viewer, load, 1))[0] ?? null;
  }

  /** @param limit 1 to 250, by default 10 */
  @Query(() => [AccessKeyRelease])
  recentReleasesByAccessKey(
    @ViewerOf() viewer: Viewer,
    @LoadersOf() load: Loaders,
    @Args('limit', { type: () => Int, nullable: true }) limit?: number | null,
  ) {
    const shown = limit ?? SHOWN;
    if (shown < 1) throw invalidArgument('limit', 'min', 'limit must not be less than 1');
    if (shown > SHOWN_MAX) throw invalidArgument('limit', 'max', `limit must not be greater than ${SHOWN_MAX}`);
    return newest(viewer, load, shown);
  }

  @Mutation(() => AccessKeyReleasePayload)
  releaseSyncByAccessKey(@ViewerOf() viewer: Viewer, @Args('input') input: ReleaseSyncInputBase) {
    return this.syncs.sync(viewer, pipelineOf(viewer), input);
  }

  @Mutation(() => AccessKeyReleasePayload)
  releaseCompleteByAccessKey(@ViewerOf() viewer: Viewer, @Args('input') input: ReleaseCompleteInputBase) {
    return this.syncs.complete(viewer, pipelineOf(viewer), input);
  }

  @Mutation(() => AccessKeyReleasePayload)
  releaseUpdateByPipelineByAccessKey(
    @ViewerOf() viewer: Viewer,
    @Args('input') input: ReleaseUpdateByPipelineInputBase,
  ) {
    return this.syncs.update(viewer, pipelineOf(viewer), input);
  }
}

/** @throws forbidden without such a key, which the edge refuses before */
function pipelineOf({ releaseKey }: Viewer): string {
  if (!releaseKey) throw forbidden('You need the access key of a release pipeline to access this operation.');
  return releaseKey.pipelineId;
}

const newest = async (viewer: Viewer, load: Loaders, first: number): Promise<Release[]> =>
  (await load.page(pipelineConnections.releases, pipelineOf(viewer), { first })).nodes;
