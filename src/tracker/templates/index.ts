export * from './template.entity.js';
export { TemplatesResolver } from './templates.resolver.js';
export { TemplatesService } from './templates.service.js';
