import { Resolver } from '@nestjs/graphql';
import { EntityResolver, WithEntity } from '../../entity/resolver.js';
import { relationsOf, required } from '../../graphql/relations.js';
import { OrganizationType } from '../../organization/organization.types.js';
import type { Organization } from '../../store/organization.entity.js';
import { projectStatuses } from './project-status.entity.js';
import { statusesOfOrganization } from './statuses.loaders.js';
import { ProjectStatusesService } from './statuses.service.js';

/** docs/reference/tracker.md#projectstatus. */
@Resolver(() => projectStatuses.types.Type)
@WithEntity(
  projectStatuses,
  relationsOf<Organization>(() => OrganizationType, {
    projectStatuses: required(
      () => [projectStatuses.types.Type],
      (organization, load) => load.by(statusesOfOrganization, organization.id),
    ),
  }),
)
export class ProjectStatusesResolver extends EntityResolver(projectStatuses) {
  constructor(service: ProjectStatusesService) {
    super(service);
  }
}
