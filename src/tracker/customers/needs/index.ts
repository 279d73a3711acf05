export * from './customer-need.entity.js';
export { CustomerNeedsResolver } from './customer-needs.resolver.js';
export { CustomerNeedsService } from './customer-needs.service.js';
