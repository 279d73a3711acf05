import { Resolver } from '@nestjs/graphql';
import { EntityResolver, WithEntity } from '../../entity/resolver.js';
import { CustomerStatusesService } from './customer-statuses.service.js';
import { customerStatuses } from './customer-status.entity.js';

/** docs/reference/tracker.md#customer. */
@Resolver(() => customerStatuses.types.Type)
@WithEntity(customerStatuses)
export class CustomerStatusesResolver extends EntityResolver(customerStatuses) {
  constructor(service: CustomerStatusesService) {
    super(service);
  }
}
