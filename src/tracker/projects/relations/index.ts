export * from './project-relation.entity.js';
export { ProjectRelationsResolver } from './project-relations.resolver.js';
export { ProjectRelationsService } from './project-relations.service.js';
