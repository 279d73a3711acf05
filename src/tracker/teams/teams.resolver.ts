import { WithRelations } from '../graphql/relations.js';
import {
  teamCollectionFilterRelations,
  teamFilterRelations,
  teamRelations,
  ownersOfTeamsRelations,
} from './teams.relations.js';
import { Args, ArgsType, Mutation, Query, Resolver } from '@nestjs/graphql';
import { Db } from '../../kernel/database/db.js';
import { PageArgs } from '../graphql/connections.js';
import { OptionalField } from '../graphql/fields.js';
import { DeletePayload } from '../graphql/payloads.js';
import { LoadersOf, ViewerOf } from '../graphql/viewer-of.js';
import { Access } from '../access/access.js';
import type { Loaders } from '../query/loaders.js';
import { page } from '../query/page.js';
import type { Viewer } from '../access/viewer.js';
import { TeamFilter } from './teams.filters.js';
import { InheritanceEntityMapping, TeamCreateInput, TeamUpdateInput } from './teams.inputs.js';
import { isOwnedBy } from './teams.queries.js';
import { TeamsService } from './teams.service.js';
import { TeamArchivePayload, TeamConnection, TeamPayload, TeamType } from './teams.types.js';

@ArgsType()
class TeamsArgs extends PageArgs {
  @OptionalField(() => TeamFilter) filter?: TeamFilter | null;
}

/** Teams (docs/reference/tracker.md#team). */
@Resolver(() => TeamType)
@WithRelations(teamCollectionFilterRelations, teamFilterRelations, teamRelations, ...ownersOfTeamsRelations)
export class TeamsResolver {
  constructor(
    private readonly db: Db,
    private readonly access: Access,
    private readonly service: TeamsService,
  ) {}

  @Query(() => TeamType)
  team(@ViewerOf() viewer: Viewer, @Args('id') id: string) {
    return this.access.teams.visible(viewer, id);
  }

  @Query(() => TeamConnection)
  teams(@LoadersOf() { viewer, now }: Loaders, @Args() args: TeamsArgs) {
    return page(this.db, 'Team', { viewer, now, args });
  }

  /** Those on which the caller may call `teamUpdate`. */
  @Query(() => TeamConnection)
  administrableTeams(@LoadersOf() { viewer, now }: Loaders, @Args() args: TeamsArgs) {
    return page(this.db, 'Team', {
      viewer,
      now,
      args,
      where: (team, scope) => (viewer.admin ? undefined : isOwnedBy(team, scope.userId)),
    });
  }

  @Mutation(() => TeamPayload)
  teamCreate(
    @ViewerOf() viewer: Viewer,
    @Args('input') input: TeamCreateInput,
    @Args('copySettingsFromTeamId', { type: () => String, nullable: true }) copySettingsFromTeamId?: string | null,
  ) {
    return this.service.create(viewer, input, copySettingsFromTeamId);
  }

  @Mutation(() => TeamPayload)
  teamUpdate(
    @ViewerOf() viewer: Viewer,
    @Args('id') id: string,
    @Args('input') input: TeamUpdateInput,
    @Args('mapping', { type: () => InheritanceEntityMapping, nullable: true }) _mapping?: InheritanceEntityMapping,
  ) {
    return this.service.update(viewer, id, input);
  }

  @Mutation(() => DeletePayload)
  teamDelete(@ViewerOf() viewer: Viewer, @Args('id') id: string) {
    return this.service.delete(viewer, id);
  }

  @Mutation(() => TeamArchivePayload)
  teamUnarchive(@ViewerOf() viewer: Viewer, @Args('id') id: string) {
    return this.service.unarchive(viewer, id);
  }
}
