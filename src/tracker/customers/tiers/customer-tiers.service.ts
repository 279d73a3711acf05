import { Injectable } from '@nestjs/common';
import type { CreateInputOf } from '../../entity/declare.js';
import { EntityNeeds, EntityService, type Writing } from '../../entity/service.js';
import type { PageArgs } from '../../query/page.js';
import type { Loaders } from '../../query/loaders.js';
import { namesOf, nextPosition, requireUnused, stagesByPosition } from '../customer-stages.js';
import { CustomerTier, customerTiers } from './customer-tier.entity.js';

/** docs/reference/tracker.md#customer. */
@Injectable()
export class CustomerTiersService extends EntityService<typeof customerTiers> {
  constructor(needs: EntityNeeds) {
    super(customerTiers, needs);
  }

  override list(load: Loaders, args: PageArgs) {
    return stagesByPosition(this.needs, 'CustomerTier', load, args);
  }

  protected override async filled(
    { tx, viewer }: Writing<CustomerTier>,
    { name, displayName, position }: CreateInputOf<typeof customerTiers>,
  ) {
    return {
      ...namesOf(name, displayName),
      position: position ?? (await nextPosition(tx, CustomerTier, viewer.organizationId)),
    };
  }

  protected override async retire({ tx }: Writing<CustomerTier>, tier: CustomerTier): Promise<void> {
    await requireUnused(tx, 'tierId', tier);
  }
}
