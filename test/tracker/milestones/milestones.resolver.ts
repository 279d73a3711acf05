import { Resolver } from '@nestjs/graphql';
import { EntityResolver, WithEntity } from '../../../src/tracker/entity/resolver.js';
import { milestones } from './milestone.entity.js';
import { MilestonesService } from './milestones.service.js';

@Resolver(() => milestones.types.Type)
@WithEntity(milestones)
export class MilestonesResolver extends EntityResolver(milestones) {
  constructor(service: MilestonesService) {
    super(service);
  }
}
