import { Resolver } from '@nestjs/graphql';
import { EntityResolver, WithEntity } from '../../entity/resolver.js';
import { CustomerTiersService } from './customer-tiers.service.js';
import { customerTiers } from './customer-tier.entity.js';

/** docs/reference/tracker.md#customer. */
@Resolver(() => customerTiers.types.Type)
@WithEntity(customerTiers)
export class CustomerTiersResolver extends EntityResolver(customerTiers) {
  constructor(service: CustomerTiersService) {
    super(service);
  }
}
