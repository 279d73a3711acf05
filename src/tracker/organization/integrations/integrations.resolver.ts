import { Injectable } from '@nestjs/common';
import { Resolver } from '@nestjs/graphql';
import { EntityResolver, WithEntity } from '../../entity/resolver.js';
import { EntityNeeds, EntityService } from '../../entity/service.js';
import { derived, page, relationsOf } from '../../graphql/relations.js';
import { page as pageOf } from '../../query/page.js';
import type { Organization } from '../../store/organization.entity.js';
import { organizationById } from '../organization.loaders.js';
import { OrganizationType } from '../organization.types.js';
import { type Integration, integrations } from './integration.entity.js';

@Injectable()
export class IntegrationsService extends EntityService<typeof integrations> {
  constructor(needs: EntityNeeds) {
    super(integrations, needs);
  }
}

/** docs/reference/tracker.md#organization. */
@Resolver(() => integrations.types.Type)
@WithEntity(
  integrations,
  relationsOf<Integration>(() => integrations.types.Type, {
    organization: derived(({ organizationId }, load) => load.by(organizationById, organizationId)),
  }),
  relationsOf<Organization>(() => OrganizationType, {
    integrations: page(
      () => integrations.types.Connection,
      (_organization, { viewer, now }, args, { db }) => pageOf(db, 'Integration', { viewer, now, args }),
    ),
  }),
)
export class IntegrationsResolver extends EntityResolver(integrations) {
  constructor(service: IntegrationsService) {
    super(service);
  }
}
