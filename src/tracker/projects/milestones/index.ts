export * from './project-milestone.entity.js';
export { ProjectMilestonesResolver } from './milestones.resolver.js';
export { ProjectMilestonesService } from './milestones.service.js';
