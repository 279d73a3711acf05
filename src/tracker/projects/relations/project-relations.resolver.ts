import { Resolver } from '@nestjs/graphql';
import { EntityResolver, WithEntity } from '../../entity/resolver.js';
import { projectRelationships } from './project-relation.entity.js';
import { ProjectRelationsService } from './project-relations.service.js';

/** docs/reference/tracker.md#projectrelation. */
@Resolver(() => projectRelationships.types.Type)
@WithEntity(projectRelationships)
export class ProjectRelationsResolver extends EntityResolver(projectRelationships) {
  constructor(service: ProjectRelationsService) {
    super(service);
  }
}
