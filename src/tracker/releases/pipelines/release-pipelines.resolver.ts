import { Args, Mutation, Resolver } from '@nestjs/graphql';
import type { Viewer } from '../../access/viewer.js';
import { EntityResolver, WithEntity } from '../../entity/resolver.js';
import { derived, filterRelations, page, relationsOf } from '../../graphql/relations.js';
import { ViewerOf } from '../../graphql/viewer-of.js';
import type { Team } from '../../store/team.entity.js';
import { TeamConnection, TeamType } from '../../teams/teams.types.js';
import { releasePipelineUrl } from '../../values/urls.js';
import { releases } from '../release.entity.js';
import { releaseStages } from '../stages/release-stage.entity.js';
import {
  pipelineConnections,
  pipelinesOfTeam,
  type ReleasePipeline,
  releasePipelines,
} from './release-pipeline.entity.js';
import { latestNoteOfPipeline, releaseCountOfPipeline } from './release-pipelines.queries.js';
import { ReleasePipelinesService } from './release-pipelines.service.js';

const { types } = releasePipelines;

/** docs/reference/tracker.md#releasepipeline. */
@Resolver(() => types.Type)
@WithEntity(
  releasePipelines,
  relationsOf<ReleasePipeline>(() => types.Type, {
    approximateReleaseCount: derived(({ id }, load) => load.by(releaseCountOfPipeline, id)),
    latestReleaseNote: derived(({ id }, load) => load.by(latestNoteOfPipeline, id)),
    url: derived((pipeline, load, _args, { web }) => releasePipelineUrl(web, load.viewer.urlKey, pipeline)),
    releases: page(() => releases.types.Connection, pipelineConnections.releases, {
      sort: () => [releases.types.SortInput],
    }),
    stages: page(() => releaseStages.types.Connection, pipelineConnections.stages),
    teams: page(() => TeamConnection, pipelineConnections.teams),
  }),
  relationsOf<Team>(() => TeamType, {
    releasePipelines: page(() => types.Connection, pipelinesOfTeam, { filter: () => types.Filter }),
  }),
  filterRelations(() => ['TeamFilter', 'NullableTeamFilter'], { releasePipelines: () => types.CollectionFilter }),
)
export class ReleasePipelinesResolver extends EntityResolver(releasePipelines) {
  constructor(private readonly pipelines: ReleasePipelinesService) {
    super(pipelines);
  }

  /** Into the trash. */
  @Mutation(() => types.ArchivePayload)
  releasePipelineDelete(@ViewerOf() viewer: Viewer, @Args('id') id: string) {
    return this.pipelines.trash(viewer, id);
  }
}
