import type { Type } from '@nestjs/common';
import type { Relations } from './graphql/relations.js';
import { commentRelations } from './issues/comments.relations.js';
import { CommentsResolver } from './issues/comments.resolver.js';
import { issueRelations, issueSearchPayloadRelations, issueSearchResultRelations } from './issues/issues.relations.js';
import { IssuesResolver } from './issues/issues.resolver.js';
import { issueLabelRelations } from './issues/labels.relations.js';
import { LabelsResolver } from './issues/labels.resolver.js';
import { organizationRelations } from './organization/organization.relations.js';
import { OrganizationResolver } from './organization/organization.resolver.js';
import { userRelations } from './organization/users.relations.js';
import { UsersResolver } from './organization/users.resolver.js';
import { projectRelations } from './projects/projects.relations.js';
import { ProjectsResolver } from './projects/projects.resolver.js';
import { StatusesResolver } from './projects/statuses.resolver.js';
import { cycleRelations } from './teams/cycles.relations.js';
import { CyclesResolver } from './teams/cycles.resolver.js';
import { workflowStateRelations } from './teams/states.relations.js';
import { StatesResolver } from './teams/states.resolver.js';
import { teamMembershipRelations, teamRelations } from './teams/teams.relations.js';
import { TeamsResolver } from './teams/teams.resolver.js';
import { webhookRelations } from './webhooks/webhooks.relations.js';
import { WebhooksResolver } from './webhooks/webhooks.resolver.js';

/** Every `@Resolver()` class of the tracker: what the schema's root fields come from. Each is a provider of its family's module. */
export const trackerResolvers: Type<unknown>[] = [
  CommentsResolver,
  CyclesResolver,
  IssuesResolver,
  LabelsResolver,
  OrganizationResolver,
  ProjectsResolver,
  StatesResolver,
  StatusesResolver,
  TeamsResolver,
  UsersResolver,
  WebhooksResolver,
];

/** The plain resolvers of every `*.relations.ts`. */
export const trackerRelations: Relations[] = [
  commentRelations,
  cycleRelations,
  issueLabelRelations,
  issueRelations,
  issueSearchPayloadRelations,
  issueSearchResultRelations,
  organizationRelations,
  projectRelations,
  teamMembershipRelations,
  teamRelations,
  userRelations,
  workflowStateRelations,
  webhookRelations,
];
