export * from './customer.entity.js';
export { CustomersResolver } from './customers.resolver.js';
export { CustomersService } from './customers.service.js';
export * from './statuses/customer-status.entity.js';
export { CustomerStatusesResolver } from './statuses/customer-statuses.resolver.js';
export { CustomerStatusesService } from './statuses/customer-statuses.service.js';
export * from './tiers/customer-tier.entity.js';
export { CustomerTiersResolver } from './tiers/customer-tiers.resolver.js';
export { CustomerTiersService } from './tiers/customer-tiers.service.js';
