/**
 * Everything the tracker holds, one line each: its table, and for an entity with a folder of its own its resolver and
 * service as well. Tables, modules, seeds, exports, changes and events are made of what is named here.
 */
export * from './api-keys/api-key.entity.js';
export * from './documents/index.js';
export * from './customers/index.js';
export * from './external-links/index.js';
export * from './favorites/index.js';
export * from './files/file-content.entity.js';
export * from './files/file.entity.js';
export * from './initiatives/index.js';
export * from './issues/agents/index.js';
export * from './issues/attachments/index.js';
export * from './issues/comments/comment.entity.js';
export * from './issues/history/index.js';
export * from './issues/issue.entity.js';
export * from './issues/labels/issue-label.entity.js';
export * from './issues/needs/index.js';
export * from './issues/reactions/index.js';
export * from './issues/relations/index.js';
export * from './issues/notifications/index.js';
export * from './oauth/oauth-application.entity.js';
export * from './oauth/oauth-authorization.entity.js';
export * from './oauth/oauth-token.entity.js';
export * from './organization/external-users/index.js';
export * from './organization/integrations/index.js';
export * from './organization/organization.entity.js';
export * from './organization/url-key.entity.js';
export * from './organization/users/user.entity.js';
export * from './projects/attachments/index.js';
export * from './projects/history/index.js';
export * from './projects/labels/index.js';
export * from './projects/milestones/index.js';
export * from './projects/project-member.entity.js';
export * from './projects/project-team.entity.js';
export * from './projects/project.entity.js';
export * from './projects/relations/index.js';
export * from './projects/statuses/index.js';
export * from './projects/updates/index.js';
export * from './releases/index.js';
export * from './teams/cycles/index.js';
export * from './teams/memberships/team-membership.entity.js';
export * from './teams/states/workflow-state.entity.js';
export * from './teams/team.entity.js';
export * from './templates/index.js';
export * from './views/index.js';
export * from './webhooks/webhook.entity.js';
