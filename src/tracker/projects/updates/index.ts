export * from './project-update.entity.js';
export { ProjectUpdatesResolver } from './project-updates.resolver.js';
export { ProjectUpdatesService } from './project-updates.service.js';
