import { Resolver } from '@nestjs/graphql';
import { EntityResolver, WithEntity } from '../../entity/resolver.js';
import { initiativeRelationships } from './initiative-relation.entity.js';
import { InitiativeRelationsService } from './initiative-relations.service.js';

/** docs/reference/tracker.md#initiativerelation. */
@Resolver(() => initiativeRelationships.types.Type)
@WithEntity(initiativeRelationships)
export class InitiativeRelationsResolver extends EntityResolver(initiativeRelationships) {
  constructor(service: InitiativeRelationsService) {
    super(service);
  }
}
