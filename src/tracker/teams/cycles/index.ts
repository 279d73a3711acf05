export * from './cycle.entity.js';
export { CyclesResolver } from './cycles.resolver.js';
export { CyclesService } from './cycles.service.js';
