export * from './project-attachment.entity.js';
export { ProjectAttachmentsResolver } from './project-attachments.resolver.js';
