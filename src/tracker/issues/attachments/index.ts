export * from './attachment.entity.js';
export { AttachmentsResolver } from './attachments.resolver.js';
export { AttachmentsService } from './attachments.service.js';
