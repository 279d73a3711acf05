import { WithRelations } from '../../graphql/relations.js';
import { userRelations } from './users.relations.js';
import { Args, ArgsType, Mutation, Query, Resolver } from '@nestjs/graphql';
import { Db } from '../../../kernel/database/db.js';
import { PageArgs } from '../../graphql/connections.js';
import { OptionalField } from '../../graphql/fields.js';
import { LoadersOf, ViewerOf } from '../../graphql/viewer-of.js';
import { Access } from '../../access/access.js';
import type { Loaders } from '../../query/loaders.js';
import type { OrderArgs } from '../../query/order.js';
import { page } from '../../query/page.js';
import type { Viewer } from '../../access/viewer.js';
import { UserFilter } from './users.filters.js';
import { UserUpdateInput } from './users.inputs.js';
import { UsersService } from './users.service.js';
import { UserSortInput } from './users.sort.js';
import { UserAdminPayload, UserConnection, UserPayload, UserRoleType, UserType } from './users.types.js';

@ArgsType()
class UsersArgs extends PageArgs {
  @OptionalField(() => Boolean) includeDisabled?: boolean | null;
  @OptionalField(() => UserFilter) filter?: UserFilter | null;
  @OptionalField(() => [UserSortInput]) sort?: OrderArgs['sort'];
}

/** The users of the caller's organization (docs/reference/tracker.md#user). */
@Resolver(() => UserType)
@WithRelations(userRelations)
export class UsersResolver {
  constructor(
    private readonly db: Db,
    private readonly access: Access,
    private readonly service: UsersService,
  ) {}

  @Query(() => UserType)
  viewer(@ViewerOf() viewer: Viewer) {
    return this.access.users.visible(viewer, viewer.userId);
  }

  @Query(() => UserType)
  user(@ViewerOf() viewer: Viewer, @Args('id') id: string) {
    return this.access.users.visible(viewer, id);
  }

  @Query(() => UserConnection)
  users(@LoadersOf() { viewer, now }: Loaders, @Args() args: UsersArgs) {
    return page(this.db, 'User', { viewer, now, args });
  }

  @Mutation(() => UserPayload)
  userUpdate(@ViewerOf() viewer: Viewer, @Args('id') id: string, @Args('input') input: UserUpdateInput) {
    return this.service.update(viewer, id, input);
  }

  @Mutation(() => UserAdminPayload)
  userChangeRole(
    @ViewerOf() viewer: Viewer,
    @Args('id') id: string,
    @Args('role', { type: () => UserRoleType }) role: UserRoleType,
  ) {
    return this.service.changeRole(viewer, id, role);
  }

  @Mutation(() => UserAdminPayload)
  userSuspend(
    @ViewerOf() viewer: Viewer,
    @Args('id') id: string,
    @Args('forceBypassScimRestrictions', { type: () => Boolean, nullable: true }) _force?: boolean | null,
  ) {
    return this.service.suspend(viewer, id);
  }

  @Mutation(() => UserAdminPayload)
  userUnsuspend(
    @ViewerOf() viewer: Viewer,
    @Args('id') id: string,
    @Args('forceBypassScimRestrictions', { type: () => Boolean, nullable: true }) _force?: boolean | null,
  ) {
    return this.service.unsuspend(viewer, id);
  }
}
