import { Resolver } from '@nestjs/graphql';
import { EntityResolver, WithEntity } from '../../entity/resolver.js';
import { projectStatuses } from './project-status.entity.js';
import { ProjectStatusesService } from './statuses.service.js';

/** docs/reference/tracker.md#projectstatus. */
@Resolver(() => projectStatuses.types.Type)
@WithEntity(projectStatuses)
export class ProjectStatusesResolver extends EntityResolver(projectStatuses) {
  constructor(service: ProjectStatusesService) {
    super(service);
  }
}
