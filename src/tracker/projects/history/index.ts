export * from './project-history.entity.js';
export { ProjectHistoryResolver } from './project-history.resolver.js';
