import { Args, ArgsType, Mutation, Query, Resolver } from '@nestjs/graphql';
import { Db } from '../../../src/kernel/database/db.js';
import { newUuid } from '../../../src/kernel/ids/ids.js';
import { Access, Door } from '../../../src/tracker/access/access.js';
import type { Viewer } from '../../../src/tracker/access/viewer.js';
import { PageArgs } from '../../../src/tracker/graphql/connections.js';
import { OptionalField } from '../../../src/tracker/graphql/fields.js';
import { WithRelations } from '../../../src/tracker/graphql/relations.js';
import { LoadersOf, ViewerOf } from '../../../src/tracker/graphql/viewer-of.js';
import { page } from '../../../src/tracker/query/page.js';
import type { Loaders } from '../../../src/tracker/store/loaders.js';
import { mutate } from '../../../src/tracker/store/mutation.js';
import { insertUnlessTaken } from '../../../src/kernel/database/insert-unless-taken.js';
import { unknownReference } from '../../../src/tracker/values/errors.js';
import { Milestone } from './milestone.entity.js';
import { MilestoneCreateInput, MilestoneFilter } from './milestones.inputs.js';
import { milestoneFilterRelations, milestoneRelations, milestonesOfTeam } from './milestones.relations.js';
import { MilestoneConnection, MilestonePayload, MilestoneType } from './milestones.types.js';

@ArgsType()
class MilestonesArgs extends PageArgs {
  @OptionalField(() => MilestoneFilter) filter?: MilestoneFilter | null;
}

@Resolver(() => MilestoneType)
@WithRelations(milestoneRelations, milestonesOfTeam, milestoneFilterRelations)
export class MilestonesResolver {
  private readonly door: Door<'Milestone'>;

  constructor(
    private readonly db: Db,
    private readonly access: Access,
  ) {
    this.door = new Door(db, 'Milestone');
  }

  @Query(() => MilestoneType)
  milestone(@ViewerOf() viewer: Viewer, @Args('id') id: string) {
    return this.door.visible(viewer, id);
  }

  @Query(() => MilestoneConnection)
  milestones(@LoadersOf() { viewer, now }: Loaders, @Args() args: MilestonesArgs) {
    return page(this.db, 'Milestone', { viewer, now, args });
  }

  @Mutation(() => MilestonePayload)
  milestoneCreate(@ViewerOf() viewer: Viewer, @Args('input') input: MilestoneCreateInput) {
    return mutate(this.db, viewer, async (tx) => {
      const team = await this.access.teams.find(viewer, input.teamId, tx, 'use');
      if (!team) throw unknownReference('teamId');
      const { organizationId } = viewer;
      return { milestone: await insertUnlessTaken(tx, Milestone, { id: newUuid(), organizationId, ...input }) };
    });
  }
}
