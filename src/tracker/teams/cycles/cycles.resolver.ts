import { Resolver } from '@nestjs/graphql';
import { EntityResolver, WithEntity } from '../../entity/resolver.js';
import { cycles } from './cycle.entity.js';
import { cycleRelations } from './cycles.relations.js';
import { CyclesService } from './cycles.service.js';

/** Cycles (docs/reference/tracker.md#cycle). */
@Resolver(() => cycles.types.Type)
@WithEntity(cycles, cycleRelations)
export class CyclesResolver extends EntityResolver(cycles) {
  constructor(service: CyclesService) {
    super(service);
  }
}
