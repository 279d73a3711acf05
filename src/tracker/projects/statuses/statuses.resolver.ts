import { WithRelations } from '../../graphql/relations.js';
import { projectStatusFilterRelations } from './statuses.relations.js';
import { Args, Query, Resolver } from '@nestjs/graphql';
import { Db } from '../../../kernel/database/db.js';
import { PageArgs } from '../../graphql/connections.js';
import { LoadersOf, ViewerOf } from '../../graphql/viewer-of.js';
import { Access } from '../../access/access.js';
import type { Loaders } from '../../store/loaders.js';
import { page } from '../../query/page.js';
import type { Viewer } from '../../access/viewer.js';
import { ProjectStatusConnection, ProjectStatusType } from './statuses.types.js';

/** The six statuses of an organization's projects, which never change (docs/reference/tracker.md#organization). */
@Resolver(() => ProjectStatusType)
@WithRelations(projectStatusFilterRelations)
export class StatusesResolver {
  constructor(
    private readonly db: Db,
    private readonly access: Access,
  ) {}

  @Query(() => ProjectStatusType)
  projectStatus(@ViewerOf() viewer: Viewer, @Args('id') id: string) {
    return this.access.projectStatuses.visible(viewer, id);
  }

  @Query(() => ProjectStatusConnection)
  projectStatuses(@LoadersOf() { viewer, now }: Loaders, @Args() args: PageArgs) {
    return page(this.db, 'ProjectStatus', { viewer, now, args });
  }
}
