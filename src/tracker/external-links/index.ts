export * from './external-link.entity.js';
export { ExternalLinksResolver } from './external-links.resolver.js';
export { ExternalLinksService } from './external-links.service.js';
