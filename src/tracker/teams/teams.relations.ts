import { Int } from '@nestjs/graphql';
import { OrganizationType } from '../organization/organization.types.js';
import { UserCollectionFilter, UserFilter } from '../organization/users/users.filters.js';
import { UserSortInput } from '../organization/users/users.sort.js';
import { UserConnection, UserType } from '../organization/users/users.types.js';
import { cycles } from './cycles/cycle.entity.js';
import { WorkflowStateFilter } from './states/states.filters.js';
import { WorkflowStateConnection, WorkflowStateType } from './states/states.types.js';
import { NullableTeamFilter, TeamCollectionFilter, TeamFilter } from './teams.filters.js';
import type { Organization } from '../store/organization.entity.js';
import { templates, templatesOfTeam } from '../templates/template.entity.js';
import { type User, userConnections } from '../store/user.entity.js';
import { page as pageOf } from '../query/page.js';
import {
  TeamConnection,
  TeamMembershipConnection,
  TeamMembershipType,
  TeamType,
  TeamVisibility,
} from './teams.types.js';
import { activeCycleOfTeam } from './cycles/cycles.loaders.js';
import { organizationById } from '../organization/organization.loaders.js';
import { issueCountsOfTeam, viewerMembershipOfTeam } from './teams.loaders.js';
import { always, derived, filterRelations, nullable, page, relationsOf, required } from '../graphql/relations.js';
import type { TeamMembership } from '../store/team-membership.entity.js';
import { type Team, teamConnections } from '../store/team.entity.js';
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
  members: page(() => UserConnection, teamConnections.members, {
    filter: () => UserFilter,
    includeDisabled: () => Boolean,
    sort: () => [UserSortInput],
  }),
  memberships: page(() => TeamMembershipConnection, teamConnections.memberships),
  defaultTemplateForMembers: nullable(
    () => templates.types.Type,
    (team, load) => load.row('Template', team.defaultTemplateForMembersId),
  ),
  defaultTemplateForNonMembers: nullable(
    () => templates.types.Type,
    (team, load) => load.row('Template', team.defaultTemplateForNonMembersId),
  ),
  defaultProjectTemplate: nullable(
    () => templates.types.Type,
    (team, load) => load.row('Template', team.defaultProjectTemplateId),
  ),
  templates: page(() => templates.types.Connection, templatesOfTeam, {
    filter: () => templates.types.NullableFilter,
  }),
  states: page(() => WorkflowStateConnection, teamConnections.states, { filter: () => WorkflowStateFilter }),
  draftWorkflowState: always(() => WorkflowStateType, null),
  markedAsDuplicateWorkflowState: always(() => WorkflowStateType, null),
  mergeWorkflowState: always(() => WorkflowStateType, null),
  mergeableWorkflowState: always(() => WorkflowStateType, null),
  parent: always(() => TeamType, null),
  reviewWorkflowState: always(() => WorkflowStateType, null),
  startWorkflowState: always(() => WorkflowStateType, null),
  triageIssueState: always(() => WorkflowStateType, null),
});

/** The teams of an organization and of a user. */
export const ownersOfTeamsRelations = [
  relationsOf<Organization>(() => OrganizationType, {
    teams: page(
      () => TeamConnection,
      (_organization, { viewer, now }, args, { db }) => pageOf(db, 'Team', { viewer, now, args }),
      { filter: () => TeamFilter },
    ),
  }),
  relationsOf<User>(() => UserType, {
    teams: page(() => TeamConnection, userConnections.teams, { filter: () => TeamFilter }),
    teamMemberships: page(() => TeamMembershipConnection, userConnections.teamMemberships),
  }),
] as const;

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
  members: () => UserCollectionFilter,
  parent: () => NullableTeamFilter,
});

export const teamCollectionFilterRelations = filterRelations(() => [TeamCollectionFilter], {
  parent: () => NullableTeamFilter,
});
