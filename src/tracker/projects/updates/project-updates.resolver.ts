import { Args, InputType, Mutation, Query, Resolver } from '@nestjs/graphql';
import type { Viewer } from '../../access/viewer.js';
import { EntityResolver, WithEntity } from '../../entity/resolver.js';
import { OptionalField } from '../../graphql/fields.js';
import { DateComparator, IDComparator, NumberComparator, StringComparator } from '../../graphql/filters.js';
import { DeletePayload } from '../../graphql/payloads.js';
import { derived, filterRelations, nullable, relationsOf } from '../../graphql/relations.js';
import { DateTime } from '../../graphql/scalars.js';
import { ViewerOf } from '../../graphql/viewer-of.js';
import { isStaleReport } from '../../reports/report-rules.js';
import { projectUpdateUrl, projectUrl } from '../../values/urls.js';
import type { Project } from '../project.entity.js';
import { ProjectType } from '../projects.types.js';
import { type ProjectUpdate, projectUpdates } from './project-update.entity.js';
import { commentCountOfUpdate, lastUpdateOfProject } from './project-updates.queries.js';
import { ProjectUpdatesService } from './project-updates.service.js';

const { types } = projectUpdates;

@InputType({ isAbstract: true })
abstract class ProjectUpdatesConditions {
  @OptionalField(() => IDComparator) id?: IDComparator | null;
  @OptionalField(() => DateComparator) createdAt?: DateComparator | null;
  @OptionalField(() => DateComparator) updatedAt?: DateComparator | null;
  @OptionalField(() => StringComparator) health?: StringComparator | null;
}

@InputType()
class ProjectUpdatesFilter extends ProjectUpdatesConditions {
  @OptionalField(() => [ProjectUpdatesFilter]) and?: ProjectUpdatesFilter[] | null;
  @OptionalField(() => [ProjectUpdatesFilter]) or?: ProjectUpdatesFilter[] | null;
}

@InputType()
class ProjectUpdatesCollectionFilter extends ProjectUpdatesConditions {
  @OptionalField(() => [ProjectUpdatesCollectionFilter]) and?: ProjectUpdatesCollectionFilter[] | null;
  @OptionalField(() => [ProjectUpdatesCollectionFilter]) or?: ProjectUpdatesCollectionFilter[] | null;
  @OptionalField(() => ProjectUpdatesFilter) some?: ProjectUpdatesFilter | null;
  @OptionalField(() => ProjectUpdatesFilter) every?: ProjectUpdatesFilter | null;
  @OptionalField(() => NumberComparator) length?: NumberComparator | null;
}

/** docs/reference/tracker.md#projectupdate. */
@Resolver(() => types.Type)
@WithEntity(
  projectUpdates,
  relationsOf<ProjectUpdate>(() => types.Type, {
    commentCount: derived(({ id }, load) => load.by(commentCountOfUpdate, id)),
    isStale: derived((update, load) =>
      isStaleReport(update, load.now, () => load.by(lastUpdateOfProject, update.projectId)),
    ),
    url: derived(async ({ projectId, slugId }, load, _args, { web }) => {
      const project = await load.row('Project', projectId);
      return project && projectUpdateUrl(projectUrl(web, load.viewer.urlKey, project), slugId);
    }),
  }),
  relationsOf<Project>(() => ProjectType, {
    health: derived(async ({ id }, load) => (await load.by(lastUpdateOfProject, id))?.health ?? null),
    healthUpdatedAt: nullable(
      () => DateTime,
      async ({ id }, load) => (await load.by(lastUpdateOfProject, id))?.createdAt ?? null,
    ),
    lastUpdate: nullable(
      () => types.Type,
      ({ id }, load) => load.by(lastUpdateOfProject, id),
    ),
  }),
  filterRelations(() => ['ProjectFilter', 'NullableProjectFilter', 'ProjectCollectionFilter'], {
    projectUpdates: () => ProjectUpdatesCollectionFilter,
  }),
)
export class ProjectUpdatesResolver extends EntityResolver(projectUpdates) {
  constructor(private readonly updates: ProjectUpdatesService) {
    super(updates);
  }

  /** `projectId` is accepted and ignored. */
  @Query(() => types.Type, { name: 'projectUpdate' })
  override one(
    @ViewerOf() viewer: Viewer,
    @Args('id') id: string,
    @Args('projectId', { type: () => String, nullable: true }) _projectId?: string | null,
  ): unknown {
    return this.updates.one(viewer, id);
  }

  /** Archives it. */
  @Mutation(() => DeletePayload)
  async projectUpdateDelete(@ViewerOf() viewer: Viewer, @Args('id') id: string): Promise<unknown> {
    const { entity, ...mutated } = await this.updates.archive(viewer, id);
    return { entityId: entity.id, ...mutated };
  }
}
