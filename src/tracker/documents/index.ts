export * from './document.entity.js';
export { DocumentsResolver } from './documents.resolver.js';
export { DocumentsService } from './documents.service.js';
