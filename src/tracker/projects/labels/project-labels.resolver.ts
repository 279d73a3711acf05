import { Args, Mutation, Query, Resolver } from '@nestjs/graphql';
import { Db } from '../../../kernel/database/db.js';
import type { Viewer } from '../../access/viewer.js';
import { WithEntity } from '../../entity/resolver.js';
import { DeletePayload } from '../../graphql/payloads.js';
import { derived, filterRelations, page, relationsOf, required } from '../../graphql/relations.js';
import { LoadersOf, ViewerOf } from '../../graphql/viewer-of.js';
import { LabelGroupType } from '../../labels/label-group.js';
import { organizationById } from '../../organization/organization.loaders.js';
import type { Organization } from '../../store/organization.entity.js';
import { OrganizationType } from '../../organization/organization.types.js';
import { type PageArgs, page as pageOf } from '../../query/page.js';
import type { Loaders } from '../../query/loaders.js';
import { type Project, projectConnections } from '../project.entity.js';
import { ProjectFilter } from '../projects.filters.js';
import { ProjectSortInput } from '../projects.sort.js';
import { ProjectConnection, ProjectType } from '../projects.types.js';
import { type ProjectLabel, projectLabelConnections, projectLabels } from './project-label.entity.js';
import { ProjectLabelsService } from './project-labels.service.js';

const { types } = projectLabels;
type Create = Parameters<ProjectLabelsService['create']>[1];
type Update = Parameters<ProjectLabelsService['update']>[2];

/** docs/reference/tracker.md#projectlabel. */
@Resolver(() => types.Type)
@WithEntity(
  projectLabels,
  relationsOf<ProjectLabel>(() => types.Type, {
    groupType: derived(({ isGroup }) => (isGroup ? LabelGroupType.singleSelect : null)),
    organization: required(
      () => OrganizationType,
      ({ organizationId }, load) => load.by(organizationById, organizationId),
    ),
    projects: page(() => ProjectConnection, projectLabelConnections.projects, {
      filter: () => ProjectFilter,
      sort: () => [ProjectSortInput],
    }),
  }),
  relationsOf<Project>(() => ProjectType, {
    labels: page(() => types.Connection, projectConnections.labels, { filter: () => types.Filter }),
  }),
  relationsOf<Organization>(() => OrganizationType, {
    projectLabels: page(
      () => types.Connection,
      (_organization, { viewer, now }, args, { db }) =>
        pageOf(db, 'ProjectLabel', { viewer, now, args, where: (alias) => `${alias}.team_id IS NULL` }),
      { filter: () => types.Filter },
    ),
  }),
  filterRelations(() => ['ProjectFilter', 'NullableProjectFilter', 'ProjectCollectionFilter'], {
    labels: () => types.CollectionFilter,
  }),
)
export class ProjectLabelsResolver {
  constructor(
    private readonly db: Db,
    private readonly service: ProjectLabelsService,
  ) {}

  @Query(() => types.Type)
  projectLabel(@ViewerOf() viewer: Viewer, @Args('id') id: string) {
    return this.service.door.visible(viewer, id);
  }

  @Query(() => types.Connection)
  projectLabels(@LoadersOf() { viewer, now }: Loaders, @Args({ type: () => types.ListArgs }) args: PageArgs) {
    return pageOf(this.db, 'ProjectLabel', { viewer, now, args });
  }

  @Mutation(() => types.Payload)
  projectLabelCreate(
    @ViewerOf() viewer: Viewer,
    @Args('input', { type: () => types.CreateInput }) input: Create,
    @Args('replaceTeamLabels', { type: () => Boolean, nullable: true }) replaceTeamLabels?: boolean | null,
  ) {
    return this.service.create(viewer, input, replaceTeamLabels === true);
  }

  @Mutation(() => types.Payload)
  projectLabelUpdate(
    @ViewerOf() viewer: Viewer,
    @Args('id') id: string,
    @Args('input', { type: () => types.UpdateInput }) input: Update,
    @Args('replaceTeamLabels', { type: () => Boolean, nullable: true }) replaceTeamLabels?: boolean | null,
  ) {
    return this.service.update(viewer, id, input, replaceTeamLabels === true);
  }

  @Mutation(() => DeletePayload)
  projectLabelDelete(@ViewerOf() viewer: Viewer, @Args('id') id: string) {
    return this.service.delete(viewer, id);
  }

  @Mutation(() => types.Payload)
  projectLabelRetire(@ViewerOf() viewer: Viewer, @Args('id') id: string) {
    return this.service.retire(viewer, id);
  }

  @Mutation(() => types.Payload)
  projectLabelRestore(@ViewerOf() viewer: Viewer, @Args('id') id: string) {
    return this.service.restore(viewer, id);
  }
}
