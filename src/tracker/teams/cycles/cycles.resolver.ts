import { WithRelations } from '../../graphql/relations.js';
import { cycleFilterRelations, cycleRelations } from './cycles.relations.js';
import { Args, ArgsType, Mutation, Query, Resolver } from '@nestjs/graphql';
import { Db } from '../../../kernel/database/db.js';
import { PageArgs } from '../../graphql/connections.js';
import { OptionalField } from '../../graphql/fields.js';
import { LoadersOf, ViewerOf } from '../../graphql/viewer-of.js';
import { Access } from '../../access/access.js';
import type { Loaders } from '../../store/loaders.js';
import { page } from '../../query/page.js';
import type { Viewer } from '../../access/viewer.js';
import { CycleFilter } from './cycles.filters.js';
import { CycleCreateInput, CycleUpdateInput } from './cycles.inputs.js';
import { CyclesService } from './cycles.service.js';
import { CycleArchivePayload, CycleConnection, CyclePayload, CycleType } from './cycles.types.js';

@ArgsType()
class CyclesArgs extends PageArgs {
  @OptionalField(() => CycleFilter) filter?: CycleFilter | null;
}

/** Cycles (docs/reference/tracker.md#cycle). */
@Resolver(() => CycleType)
@WithRelations(cycleFilterRelations, cycleRelations)
export class CyclesResolver {
  constructor(
    private readonly db: Db,
    private readonly access: Access,
    private readonly service: CyclesService,
  ) {}

  @Query(() => CycleType)
  cycle(@ViewerOf() viewer: Viewer, @Args('id') id: string) {
    return this.access.cycles.visible(viewer, id);
  }

  @Query(() => CycleConnection)
  cycles(@LoadersOf() { viewer, now }: Loaders, @Args() args: CyclesArgs) {
    return page(this.db, 'Cycle', { viewer, now, args });
  }

  @Mutation(() => CyclePayload)
  cycleCreate(@ViewerOf() viewer: Viewer, @Args('input') input: CycleCreateInput) {
    return this.service.create(viewer, input);
  }

  @Mutation(() => CyclePayload)
  cycleUpdate(@ViewerOf() viewer: Viewer, @Args('id') id: string, @Args('input') input: CycleUpdateInput) {
    return this.service.update(viewer, id, input);
  }

  @Mutation(() => CycleArchivePayload)
  cycleArchive(@ViewerOf() viewer: Viewer, @Args('id') id: string) {
    return this.service.archive(viewer, id);
  }
}
