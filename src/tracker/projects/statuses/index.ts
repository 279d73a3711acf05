export * from './project-status.entity.js';
export { ProjectStatusesResolver } from './statuses.resolver.js';
export { ProjectStatusesService } from './statuses.service.js';
