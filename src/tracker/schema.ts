import { type GraphQLSchema, isObjectType } from 'graphql';
import { attachConstants } from './graphql/constants.js';
import * as connections from './graphql/connections.js';
import * as comparators from './graphql/filters.js';
import * as payloads from './graphql/payloads.js';
import * as references from './graphql/references.types.js';
import { type AddedFields, attachRelations, extendWith, type Relations } from './graphql/relations.js';
import { bindClock, type Now } from './graphql/scalars.js';
import { guardArguments } from './graphql/validate.js';
import * as commentFilters from './issues/comments.filters.js';
import * as commentInputs from './issues/comments.inputs.js';
import { commentFields, commentFilterKeys } from './issues/comments.relations.graphql.js';
import * as comments from './issues/comments.types.js';
import * as issueFilters from './issues/issues.filters.js';
import * as issueInputs from './issues/issues.inputs.js';
import {
  issueFields,
  issueFilterKeys,
  issueSearchResultFields,
  issueSharedAccessFields,
} from './issues/issues.relations.graphql.js';
import * as issueSort from './issues/issues.sort.js';
import * as issues from './issues/issues.types.js';
import * as labelFilters from './issues/labels.filters.js';
import * as labelInputs from './issues/labels.inputs.js';
import { issueLabelFields, issueLabelFilterKeys } from './issues/labels.relations.graphql.js';
import * as labels from './issues/labels.types.js';
import * as organizationInputs from './organization/organization.inputs.js';
import { organizationFields } from './organization/organization.relations.graphql.js';
import * as organization from './organization/organization.types.js';
import * as userFilters from './organization/users.filters.js';
import * as userInputs from './organization/users.inputs.js';
import { userFields, userFilterKeys } from './organization/users.relations.graphql.js';
import * as userSort from './organization/users.sort.js';
import * as users from './organization/users.types.js';
import * as projectFilters from './projects/projects.filters.js';
import * as projectInputs from './projects/projects.inputs.js';
import { projectFields, projectFilterKeys } from './projects/projects.relations.graphql.js';
import * as projectSort from './projects/projects.sort.js';
import * as projects from './projects/projects.types.js';
import * as statusFilters from './projects/statuses.filters.js';
import { projectStatusFilterKeys } from './projects/statuses.relations.graphql.js';
import * as statuses from './projects/statuses.types.js';
import * as cycleFilters from './teams/cycles.filters.js';
import * as cycleInputs from './teams/cycles.inputs.js';
import { cycleFields, cycleFilterKeys } from './teams/cycles.relations.graphql.js';
import * as cycles from './teams/cycles.types.js';
import * as stateFilters from './teams/states.filters.js';
import * as stateInputs from './teams/states.inputs.js';
import { workflowStateFields, workflowStateFilterKeys } from './teams/states.relations.graphql.js';
import * as states from './teams/states.types.js';
import * as teamFilters from './teams/teams.filters.js';
import * as teamInputs from './teams/teams.inputs.js';
import {
  teamCollectionFilterKeys,
  teamFields,
  teamFilterKeys,
  teamMembershipFields,
} from './teams/teams.relations.graphql.js';
import * as teams from './teams/teams.types.js';
import * as webhookInputs from './webhooks/webhooks.inputs.js';
import { webhookFields } from './webhooks/webhooks.relations.graphql.js';
import * as webhooks from './webhooks/webhooks.types.js';

const files: Record<string, unknown>[] = [
  connections,
  comparators,
  payloads,
  references,
  issues,
  issueInputs,
  issueFilters,
  issueSort,
  comments,
  commentInputs,
  commentFilters,
  labels,
  labelInputs,
  labelFilters,
  teams,
  teamInputs,
  teamFilters,
  states,
  stateInputs,
  stateFilters,
  cycles,
  cycleInputs,
  cycleFilters,
  projects,
  projectInputs,
  projectFilters,
  projectSort,
  statuses,
  statusFilters,
  organization,
  organizationInputs,
  users,
  userInputs,
  userFilters,
  userSort,
  webhooks,
  webhookInputs,
];

/**
 * Every type class of the tracker, for Nest's `buildSchemaOptions.orphanedTypes`: many are named by added fields alone,
 * and those are added after Nest has built its schema.
 */
export const trackerTypes = [
  connections.PaginationOrderBy,
  ...files.flatMap((file) => Object.values(file).filter((value) => typeof value === 'function')),
];

/** The relation fields and filter keys of all entities. */
export const trackerAddedFields: readonly AddedFields[] = [
  ...references.referenceFields,
  issueFields,
  issueSearchResultFields,
  issueSharedAccessFields,
  issueFilterKeys,
  commentFields,
  commentFilterKeys,
  issueLabelFields,
  issueLabelFilterKeys,
  teamFields,
  teamMembershipFields,
  teamFilterKeys,
  teamCollectionFilterKeys,
  workflowStateFields,
  workflowStateFilterKeys,
  cycleFields,
  cycleFilterKeys,
  projectFields,
  projectFilterKeys,
  projectStatusFilterKeys,
  organizationFields,
  userFields,
  userFilterKeys,
  webhookFields,
];

/** Fields with one value on every object, by type. */
export const trackerConstants = {
  Comment: comments.commentConstants,
  Cycle: cycles.cycleConstants,
  Issue: issues.issueConstants,
  IssueSearchPayload: issues.issueSearchPayloadConstants,
  IssueSearchResult: issues.issueSearchResultConstants,
  IssueSharedAccess: issues.issueSharedAccessConstants,
  Organization: organization.organizationConstants,
  Project: projects.projectConstants,
  ProjectStatus: statuses.projectStatusConstants,
  Team: teams.teamConstants,
  TeamMembership: teams.teamMembershipConstants,
  User: users.userConstants,
};

/** Adds what tracker types say about each other to a schema of Nest's, without any behaviour: enough to print it. */
export function withRelationFields(schema: GraphQLSchema): GraphQLSchema {
  return extendWith(schema, trackerAddedFields);
}

/**
 * The whole tracker schema out of the one Nest built from the resolvers and `trackerTypes`; Nest's `transformSchema`.
 * Relation fields are added and resolved, constants answered, arguments checked before any resolver runs, and durations
 * counted from `now`.
 */
export function finishTrackerSchema(
  nestSchema: GraphQLSchema,
  { relations = [], now = () => new Date() }: { relations?: readonly Relations[]; now?: Now } = {},
): GraphQLSchema {
  const schema = withRelationFields(nestSchema);
  readPlainFieldsDirectly(schema);
  attachConstants(schema, trackerConstants);
  attachRelations(schema, trackerAddedFields, relations);
  bindClock(schema, now);
  guardArguments(schema, now);
  return schema;
}

/** Nest gives every declared field a resolver that only reads a property; without it, executors read it themselves. */
function readPlainFieldsDirectly(schema: GraphQLSchema): void {
  const roots = [schema.getQueryType(), schema.getMutationType()].map((type) => type?.name);
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__') || roots.includes(type.name)) continue;
    for (const field of Object.values(type.getFields())) field.resolve = undefined;
  }
}
