export * from './issue-relation.entity.js';
export { IssueRelationsResolver } from './issue-relations.resolver.js';
export { IssueRelationsService } from './issue-relations.service.js';
