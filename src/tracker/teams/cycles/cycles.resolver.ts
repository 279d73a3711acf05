import { Args, Mutation, Resolver } from '@nestjs/graphql';
import type { Viewer } from '../../access/viewer.js';
import { EntityResolver, WithEntity } from '../../entity/resolver.js';
import { ViewerOf } from '../../graphql/viewer-of.js';
import { cycles } from './cycle.entity.js';
import { CycleShiftAllInput } from './cycles.inputs.js';
import { cycleRelations } from './cycles.relations.js';
import { CyclesService } from './cycles.service.js';

/** Cycles (docs/reference/tracker.md#cycle). */
@Resolver(() => cycles.types.Type)
@WithEntity(cycles, cycleRelations)
export class CyclesResolver extends EntityResolver(cycles) {
  constructor(private readonly cycles: CyclesService) {
    super(cycles);
  }

  @Mutation(() => cycles.types.Payload)
  cycleShiftAll(@ViewerOf() viewer: Viewer, @Args('input') { id, daysToShift }: CycleShiftAllInput) {
    return this.cycles.shiftAll(viewer, id, daysToShift);
  }

  @Mutation(() => cycles.types.Payload)
  cycleStartUpcomingCycleToday(@ViewerOf() viewer: Viewer, @Args('id') id: string) {
    return this.cycles.startToday(viewer, id);
  }
}
