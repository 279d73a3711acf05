import { Injectable } from '@nestjs/common';
import type { CreateInputOf } from '../../entity/declare.js';
import { EntityNeeds, EntityService, type Writing } from '../../entity/service.js';
import type { PageArgs } from '../../query/page.js';
import type { Loaders } from '../../query/loaders.js';
import { namesOf, nextPosition, requireUnused, stagesByPosition } from '../customer-stages.js';
import { CustomerStatus, customerStatuses } from './customer-status.entity.js';

/** docs/reference/tracker.md#customer. */
@Injectable()
export class CustomerStatusesService extends EntityService<typeof customerStatuses> {
  constructor(needs: EntityNeeds) {
    super(customerStatuses, needs);
  }

  override list(load: Loaders, args: PageArgs) {
    return stagesByPosition(this.needs, 'CustomerStatus', load, args);
  }

  protected override async filled(
    { tx, viewer }: Writing<CustomerStatus>,
    { name, displayName, position }: CreateInputOf<typeof customerStatuses>,
  ) {
    return {
      ...namesOf(name, displayName),
      position: position ?? (await nextPosition(tx, CustomerStatus, viewer.organizationId)),
    };
  }

  protected override async retire({ tx }: Writing<CustomerStatus>, status: CustomerStatus): Promise<void> {
    await requireUnused(tx, 'statusId', status);
  }
}
