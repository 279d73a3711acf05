export * from './milestone.entity.js';
export { MilestonesResolver } from './milestones.resolver.js';
export { MilestonesService } from './milestones.service.js';
