import { Resolver } from '@nestjs/graphql';
import { EntityResolver, WithEntity } from '../../entity/resolver.js';
import { page, relationsOf } from '../../graphql/relations.js';
import { releases } from '../release.entity.js';
import { type ReleaseStage, releaseStages, stageConnections } from './release-stage.entity.js';
import { ReleaseStagesService } from './release-stages.service.js';

const { types } = releaseStages;

/** docs/reference/tracker.md#releasepipeline. */
@Resolver(() => types.Type)
@WithEntity(
  releaseStages,
  relationsOf<ReleaseStage>(() => types.Type, {
    releases: page(() => releases.types.Connection, stageConnections.releases),
  }),
)
export class ReleaseStagesResolver extends EntityResolver(releaseStages) {
  constructor(service: ReleaseStagesService) {
    super(service);
  }
}
