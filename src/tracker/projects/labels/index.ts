export * from './project-label.entity.js';
export { ProjectLabelsResolver } from './project-labels.resolver.js';
export { ProjectLabelsService } from './project-labels.service.js';
