import { Int } from '@nestjs/graphql';
import { IssueCollectionFilter, IssueFilter } from '../issues/issues.filters.js';
import { IssueConnection } from '../issues/issues.types.js';
import { IssueLabelFilter } from '../issues/labels/labels.filters.js';
import { IssueLabelConnection } from '../issues/labels/labels.types.js';
import { OrganizationType } from '../organization/organization.types.js';
import { UserCollectionFilter, UserFilter } from '../organization/users/users.filters.js';
import { UserSortInput } from '../organization/users/users.sort.js';
import { UserConnection, UserType } from '../organization/users/users.types.js';
import { ProjectFilter } from '../projects/projects.filters.js';
import { ProjectSortInput } from '../projects/projects.sort.js';
import { ProjectConnection } from '../projects/projects.types.js';
import { cycles } from './cycles/cycle.entity.js';
import { WorkflowStateFilter } from './states/states.filters.js';
import { WorkflowStateConnection, WorkflowStateType } from './states/states.types.js';
import { NullableTeamFilter, TeamCollectionFilter, TeamFilter } from './teams.filters.js';
import { TeamMembershipConnection, TeamMembershipType, TeamType, TeamVisibility } from './teams.types.js';
import { WebhookConnection } from '../webhooks/webhooks.types.js';
import { activeCycleOfTeam } from './cycles/cycles.loaders.js';
import { organizationById } from '../organization/organization.loaders.js';
import { issueCountsOfTeam, viewerMembershipOfTeam } from './teams.loaders.js';
import { always, derived, filterRelations, nullable, page, relationsOf, required } from '../graphql/relations.js';
import { forbidden } from '../values/errors.js';
import type { TeamMembership } from './memberships/team-membership.entity.js';
import { type Team, teamConnections } from './team.entity.js';
import { teamUrl } from '../values/urls.js';

/** Fields of a team that are derived or belong to others (docs/reference/tracker.md#team). */
export const teamRelations = relationsOf<Team>(() => TeamType, {
  displayName: derived((team) => team.name),
  visibility: derived((team) => (team.private ? TeamVisibility.private : TeamVisibility.public)),
  cycleCalenderUrl: derived((team, load, _args, { web }) => `${teamUrl(web, load.viewer.urlKey, team)}/cycles.ics`),
  issueCount: required(
    () => Int,
    async (team, load, { includeArchived }) => {
      const counts = await load.by(issueCountsOfTeam, team.id);
      return includeArchived ? counts.all : counts.live;
    },
    { includeArchived: () => Boolean },
  ),
  activeCycle: nullable(
    () => cycles.types.Type,
    (team, load) => load.by(activeCycleOfTeam, team.id),
  ),
  defaultIssueState: nullable(
    () => WorkflowStateType,
    (team, load) => load.row('WorkflowState', team.defaultIssueStateId),
  ),
  organization: required(
    () => OrganizationType,
    (team, load) => load.by(organizationById, team.organizationId),
  ),
  viewerMembership: nullable(
    () => TeamMembershipType,
    (team, load) => load.by(viewerMembershipOfTeam, team.id),
  ),
  issues: page(() => IssueConnection, teamConnections.issues, {
    filter: () => IssueFilter,
    includeSubTeams: () => Boolean,
  }),
  labels: page(() => IssueLabelConnection, teamConnections.labels, { filter: () => IssueLabelFilter }),
  members: page(() => UserConnection, teamConnections.members, {
    filter: () => UserFilter,
    includeDisabled: () => Boolean,
    sort: () => [UserSortInput],
  }),
  memberships: page(() => TeamMembershipConnection, teamConnections.memberships),
  projects: page(() => ProjectConnection, teamConnections.projects, {
    filter: () => ProjectFilter,
    includeSubTeams: () => Boolean,
    sort: () => [ProjectSortInput],
  }),
  states: page(() => WorkflowStateConnection, teamConnections.states, { filter: () => WorkflowStateFilter }),
  // reading webhooks is for admins too
  webhooks: page(
    () => WebhookConnection,
    (team, load, args) => {
      if (!load.viewer.admin) throw forbidden('You need to be an admin to manage webhooks.');
      return load.page(teamConnections.webhooks, team.id, args);
    },
  ),
  draftWorkflowState: always(() => WorkflowStateType, null),
  markedAsDuplicateWorkflowState: always(() => WorkflowStateType, null),
  mergeWorkflowState: always(() => WorkflowStateType, null),
  mergeableWorkflowState: always(() => WorkflowStateType, null),
  parent: always(() => TeamType, null),
  reviewWorkflowState: always(() => WorkflowStateType, null),
  startWorkflowState: always(() => WorkflowStateType, null),
  triageIssueState: always(() => WorkflowStateType, null),
});

export const teamMembershipRelations = relationsOf<TeamMembership>(() => TeamMembershipType, {
  team: required(
    () => TeamType,
    (membership, load) => load.row('Team', membership.teamId),
  ),
  user: required(
    () => UserType,
    (membership, load) => load.row('User', membership.userId),
  ),
});

export const teamFilterRelations = filterRelations(() => [TeamFilter, NullableTeamFilter], {
  issues: () => IssueCollectionFilter,
  members: () => UserCollectionFilter,
  parent: () => NullableTeamFilter,
});

export const teamCollectionFilterRelations = filterRelations(() => [TeamCollectionFilter], {
  parent: () => NullableTeamFilter,
});
