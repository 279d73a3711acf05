export * from './issue-history.entity.js';
export { IssueHistoryResolver } from './issue-history.resolver.js';
