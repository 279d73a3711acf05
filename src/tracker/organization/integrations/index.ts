export * from './integration.entity.js';
export { IntegrationsResolver, IntegrationsService } from './integrations.resolver.js';
