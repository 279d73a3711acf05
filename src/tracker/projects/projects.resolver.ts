import { WithRelations } from '../graphql/relations.js';
import { projectFilterRelations, projectRelations, projectsOfTeamRelations } from './projects.relations.js';
import { Args, ArgsType, Mutation, Query, Resolver } from '@nestjs/graphql';
import { Db } from '../../kernel/database/db.js';
import { PageArgs } from '../graphql/connections.js';
import { OptionalField } from '../graphql/fields.js';
import { LoadersOf, ViewerOf } from '../graphql/viewer-of.js';
import { Access } from '../access/access.js';
import type { Loaders } from '../query/loaders.js';
import type { OrderArgs } from '../query/order.js';
import { page } from '../query/page.js';
import type { Viewer } from '../access/viewer.js';
import { ProjectFilter } from './projects.filters.js';
import { ProjectCreateInput, ProjectUpdateInput } from './projects.inputs.js';
import { ProjectsService } from './projects.service.js';
import { ProjectSortInput } from './projects.sort.js';
import { ProjectArchivePayload, ProjectConnection, ProjectPayload, ProjectType } from './projects.types.js';

@ArgsType()
class ProjectsArgs extends PageArgs {
  @OptionalField(() => ProjectFilter) filter?: ProjectFilter | null;
  @OptionalField(() => [ProjectSortInput]) sort?: OrderArgs['sort'];
}

/** Accepted and ignored (docs/reference/tracker.md#project). */
@ArgsType()
class ProjectCreateArgs {
  @OptionalField(() => String) aiConversationId?: string | null;
  @OptionalField(() => String) projectDraftId?: string | null;
  @OptionalField(() => String) slackChannelName?: string | null;
}

/** Projects (docs/reference/tracker.md#project). */
@Resolver(() => ProjectType)
@WithRelations(projectFilterRelations, projectRelations, projectsOfTeamRelations)
export class ProjectsResolver {
  constructor(
    private readonly db: Db,
    private readonly access: Access,
    private readonly service: ProjectsService,
  ) {}

  @Query(() => ProjectType)
  project(@ViewerOf() viewer: Viewer, @Args('id') id: string) {
    return this.access.projects.visible(viewer, id);
  }

  @Query(() => ProjectConnection)
  projects(@LoadersOf() { viewer, now }: Loaders, @Args() args: ProjectsArgs) {
    return page(this.db, 'Project', { viewer, now, args });
  }

  @Mutation(() => ProjectPayload)
  projectCreate(
    @ViewerOf() viewer: Viewer,
    @Args('input') input: ProjectCreateInput,
    @Args() _ignored: ProjectCreateArgs,
  ) {
    return this.service.create(viewer, input);
  }

  @Mutation(() => ProjectPayload)
  projectUpdate(@ViewerOf() viewer: Viewer, @Args('id') id: string, @Args('input') input: ProjectUpdateInput) {
    return this.service.update(viewer, id, input);
  }

  @Mutation(() => ProjectArchivePayload)
  projectArchive(
    @ViewerOf() viewer: Viewer,
    @Args('id') id: string,
    @Args('trash', { type: () => Boolean, nullable: true }) trash?: boolean | null,
  ) {
    return this.service.archive(viewer, id, trash);
  }

  @Mutation(() => ProjectArchivePayload)
  projectUnarchive(@ViewerOf() viewer: Viewer, @Args('id') id: string) {
    return this.service.unarchive(viewer, id);
  }

  @Mutation(() => ProjectPayload)
  projectAddLabel(@ViewerOf() viewer: Viewer, @Args('id') id: string, @Args('labelId') labelId: string) {
    return this.service.addLabel(viewer, id, labelId);
  }

  @Mutation(() => ProjectPayload)
  projectRemoveLabel(@ViewerOf() viewer: Viewer, @Args('id') id: string, @Args('labelId') labelId: string) {
    return this.service.removeLabel(viewer, id, labelId);
  }

  /** Into the trash, where it can be taken out again. */
  @Mutation(() => ProjectArchivePayload)
  projectDelete(@ViewerOf() viewer: Viewer, @Args('id') id: string) {
    return this.service.archive(viewer, id, true);
  }
}
