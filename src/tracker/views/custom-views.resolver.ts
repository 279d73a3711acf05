import { Args, Info, Mutation, Resolver } from '@nestjs/graphql';
import type { GraphQLResolveInfo, GraphQLSchema } from 'graphql';
import type { Viewer } from '../access/viewer.js';
import { EntityResolver, WithEntity } from '../entity/resolver.js';
import { derived, page, type RelationResolver, relationsOf } from '../graphql/relations.js';
import { ViewerOf } from '../graphql/viewer-of.js';
import { initiatives } from '../initiatives/initiative.entity.js';
import { IssueFilter } from '../issues/issues.filters.js';
import { IssueSortInput } from '../issues/issues.sort.js';
import { IssueConnection } from '../issues/issues.types.js';
import { organizationById } from '../organization/organization.loaders.js';
import { ProjectFilter } from '../projects/projects.filters.js';
import { ProjectSortInput } from '../projects/projects.sort.js';
import { ProjectConnection } from '../projects/projects.types.js';
import { page as pageOf } from '../query/page.js';
import { type CustomView, customViews } from './custom-view.entity.js';
import { CustomViewsService } from './custom-views.service.js';
import { requireCheap, storedFilter } from '../graphql/stored-filters.js';

const { types } = customViews;

/** What the caller sees of a view's filter and the arguments together; nothing of what the view is no list of. */
const filtered =
  (entity: 'Issue' | 'Project', property: 'filterData' | 'projectFilterData'): RelationResolver<CustomView> =>
  (view, { viewer, now }, args, { db }, { schema }) => {
    const stored = view.modelName === entity ? storedFilter(schema, `${entity}Filter`, property, view[property]) : {};
    const filter = { and: [stored, args.filter ?? {}] };
    const where = view.modelName === entity ? undefined : () => 'FALSE';
    return pageOf(db, entity, { viewer, now, args: { ...args, filter }, ...(where && { where }) });
  };

/** docs/reference/tracker.md#customview. */
@Resolver(() => types.Type)
@WithEntity(
  customViews,
  relationsOf<CustomView>(() => types.Type, {
    filters: derived(({ filterData }) => filterData),
    organization: derived(({ organizationId }, load) => load.by(organizationById, organizationId)),
    issues: page(() => IssueConnection, filtered('Issue', 'filterData'), {
      filter: () => IssueFilter,
      includeSubTeams: () => Boolean,
      sort: () => [IssueSortInput],
    }),
    projects: page(() => ProjectConnection, filtered('Project', 'projectFilterData'), {
      filter: () => ProjectFilter,
      includeSubTeams: () => Boolean,
      sort: () => [ProjectSortInput],
    }),
    initiatives: page(
      () => initiatives.types.Connection,
      (_view, { viewer, now }, args, { db }) => pageOf(db, 'Initiative', { viewer, now, args, where: () => 'FALSE' }),
      { filter: () => initiatives.types.Filter },
    ),
  }),
)
export class CustomViewsResolver extends EntityResolver(customViews) {
  constructor(private readonly own: CustomViewsService) {
    super(own);
  }

  @Mutation(() => types.Payload)
  customViewCreate(
    @ViewerOf() viewer: Viewer,
    @Args('input', { type: () => types.CreateInput }) input: object,
    @Info() { schema }: GraphQLResolveInfo,
  ): unknown {
    requireCheapFilters(schema, input);
    return this.own.create(viewer, input as never);
  }

  @Mutation(() => types.Payload)
  customViewUpdate(
    @ViewerOf() viewer: Viewer,
    @Args('id') id: string,
    @Args('input', { type: () => types.UpdateInput }) input: object,
    @Info() { schema }: GraphQLResolveInfo,
  ): unknown {
    requireCheapFilters(schema, input);
    return this.own.update(viewer, id, input as never);
  }
}

function requireCheapFilters(schema: GraphQLSchema, input: object): void {
  const { filterData, projectFilterData } = input as Partial<CustomView>;
  requireCheap(schema, 'IssueFilter', 'filterData', filterData);
  requireCheap(schema, 'ProjectFilter', 'projectFilterData', projectFilterData);
}
