import { Injectable } from '@nestjs/common';
import { Resolver } from '@nestjs/graphql';
import { EntityResolver, WithEntity } from '../../entity/resolver.js';
import { EntityNeeds, EntityService } from '../../entity/service.js';
import { derived, relationsOf } from '../../graphql/relations.js';
import { organizationById } from '../organization.loaders.js';
import { type ExternalUser, externalUsers } from './external-user.entity.js';

@Injectable()
export class ExternalUsersService extends EntityService<typeof externalUsers> {
  constructor(needs: EntityNeeds) {
    super(externalUsers, needs);
  }
}

/** docs/reference/tracker.md#organization. */
@Resolver(() => externalUsers.types.Type)
@WithEntity(
  externalUsers,
  relationsOf<ExternalUser>(() => externalUsers.types.Type, {
    organization: derived(({ organizationId }, load) => load.by(organizationById, organizationId)),
  }),
)
export class ExternalUsersResolver extends EntityResolver(externalUsers) {
  constructor(service: ExternalUsersService) {
    super(service);
  }
}
