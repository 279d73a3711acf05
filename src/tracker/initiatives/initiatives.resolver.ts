import { Args, Mutation, Resolver } from '@nestjs/graphql';
import type { Viewer } from '../access/viewer.js';
import { EntityResolver, WithEntity } from '../entity/resolver.js';
import { derived, filterRelations, page, relationsOf } from '../graphql/relations.js';
import { ViewerOf } from '../graphql/viewer-of.js';
import { organizationById } from '../organization/organization.loaders.js';
import type { Project } from '../projects/project.entity.js';
import { ProjectFilter } from '../projects/projects.filters.js';
import { ProjectSortInput } from '../projects/projects.sort.js';
import { ProjectConnection, ProjectType } from '../projects/projects.types.js';
import { initiativeUrl } from '../values/urls.js';
import { type Initiative, initiativeConnections, initiatives, initiativesOfProject } from './initiative.entity.js';
import { lastUpdateOfInitiative, parentOfInitiative } from './initiatives.queries.js';
import { InitiativesService } from './initiatives.service.js';

const { types } = initiatives;

/** docs/reference/tracker.md#initiative. */
@Resolver(() => types.Type)
@WithEntity(
  initiatives,
  relationsOf<Initiative>(() => types.Type, {
    url: derived((initiative, load, _args, { web }) => initiativeUrl(web, load.viewer.urlKey, initiative)),
    organization: derived(({ organizationId }, load) => load.by(organizationById, organizationId)),
    health: derived(async ({ id }, load) => (await load.by(lastUpdateOfInitiative, id))?.health ?? null),
    healthUpdatedAt: derived(async ({ id }, load) => (await load.by(lastUpdateOfInitiative, id))?.createdAt ?? null),
    lastUpdate: derived(({ id }, load) => load.by(lastUpdateOfInitiative, id)),
    parentInitiative: derived(async ({ id }, load) => load.row('Initiative', await load.by(parentOfInitiative, id))),
    subInitiatives: page(() => types.Connection, initiativeConnections.subInitiatives, {
      filter: () => types.Filter,
      sort: () => [types.SortInput],
    }),
    projects: page(
      () => ProjectConnection,
      ({ id }, load, { includeSubInitiatives, ...args }) =>
        load.page(initiativeConnections[includeSubInitiatives === false ? 'ownProjects' : 'projects'], id, args),
      { filter: () => ProjectFilter, includeSubInitiatives: () => Boolean, sort: () => [ProjectSortInput] },
    ),
  }),
  relationsOf<Project>(() => ProjectType, {
    initiatives: page(() => types.Connection, initiativesOfProject),
  }),
  filterRelations(() => ['ProjectFilter', 'NullableProjectFilter', 'ProjectCollectionFilter'], {
    initiatives: () => types.CollectionFilter,
  }),
)
export class InitiativesResolver extends EntityResolver(initiatives) {
  constructor(private readonly own: InitiativesService) {
    super(own);
  }

  @Mutation(() => types.Payload)
  initiativeAddLabel(@ViewerOf() viewer: Viewer, @Args('id') id: string, @Args('labelId') labelId: string) {
    return this.own.addLabel(viewer, id, labelId);
  }

  @Mutation(() => types.Payload)
  initiativeRemoveLabel(@ViewerOf() viewer: Viewer, @Args('id') id: string, @Args('labelId') labelId: string) {
    return this.own.removeLabel(viewer, id, labelId);
  }
}
