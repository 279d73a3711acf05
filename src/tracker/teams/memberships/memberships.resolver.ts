import { Args, Mutation, ObjectType, Query, Resolver } from '@nestjs/graphql';
import { Db } from '../../../kernel/database/db.js';
import { Access } from '../../access/access.js';
import type { Viewer } from '../../access/viewer.js';
import { PageArgs } from '../../graphql/connections.js';
import { OptionalField } from '../../graphql/fields.js';
import { DeletePayload, MutationPayload } from '../../graphql/payloads.js';
import { WithRelations } from '../../graphql/relations.js';
import { LoadersOf, ViewerOf } from '../../graphql/viewer-of.js';
import { page } from '../../query/page.js';
import type { Loaders } from '../../query/loaders.js';
import { teamMembershipRelations } from '../teams.relations.js';
import { TeamMembershipConnection, TeamMembershipType } from '../teams.types.js';
import { TeamMembershipCreateInput, TeamMembershipUpdateInput } from './memberships.inputs.js';
import { MembershipsService } from './memberships.service.js';

@ObjectType()
class TeamMembershipPayload extends MutationPayload {
  @OptionalField(() => TeamMembershipType) teamMembership?: TeamMembershipType | null;
}

/** docs/reference/tracker.md#teammembership. */
@Resolver(() => TeamMembershipType)
@WithRelations(teamMembershipRelations)
export class MembershipsResolver {
  constructor(
    private readonly db: Db,
    private readonly access: Access,
    private readonly service: MembershipsService,
  ) {}

  @Query(() => TeamMembershipType)
  teamMembership(@ViewerOf() viewer: Viewer, @Args('id') id: string) {
    return this.access.memberships.visible(viewer, id);
  }

  @Query(() => TeamMembershipConnection)
  teamMemberships(@LoadersOf() { viewer, now }: Loaders, @Args() args: PageArgs) {
    return page(this.db, 'TeamMembership', { viewer, now, args });
  }

  @Mutation(() => TeamMembershipPayload)
  teamMembershipCreate(@ViewerOf() viewer: Viewer, @Args('input') input: TeamMembershipCreateInput) {
    return this.service.create(viewer, input);
  }

  @Mutation(() => TeamMembershipPayload)
  teamMembershipUpdate(
    @ViewerOf() viewer: Viewer,
    @Args('id') id: string,
    @Args('input') input: TeamMembershipUpdateInput,
  ) {
    return this.service.update(viewer, id, input);
  }

  /** `alsoLeaveParentTeams` is accepted and without effect, as there are no sub-teams. */
  @Mutation(() => DeletePayload)
  teamMembershipDelete(
    @ViewerOf() viewer: Viewer,
    @Args('id') id: string,
    @Args('alsoLeaveParentTeams', { type: () => Boolean, nullable: true }) _alsoLeaveParentTeams?: boolean | null,
  ) {
    return this.service.delete(viewer, id);
  }
}
