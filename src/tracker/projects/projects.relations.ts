import { NullableUserFilter, UserCollectionFilter, UserFilter } from '../organization/users/users.filters.js';
import { UserConnection, UserType } from '../organization/users/users.types.js';
import { NullableProjectFilter, ProjectCollectionFilter, ProjectFilter } from './projects.filters.js';
import { ProjectSortInput } from './projects.sort.js';
import { ProjectConnection, ProjectType } from './projects.types.js';
import { type Team, teamConnections } from '../store/team.entity.js';
import { templates } from '../templates/template.entity.js';
import { projectStatuses } from './statuses/project-status.entity.js';
import { TeamCollectionFilter, TeamFilter } from '../teams/teams.filters.js';
import { TeamConnection, TeamType } from '../teams/teams.types.js';
import { progressOfProject } from './projects.loaders.js';
import { derived, filterRelations, nullable, page, relationsOf, required } from '../graphql/relations.js';
import { priorityLabel } from '../values/priorities.js';
import { projectMilestones } from './milestones/project-milestone.entity.js';
import { type Project, projectConnections } from './project.entity.js';
import { projectUrl } from '../values/urls.js';

/** Fields of a project that are derived or belong to others (docs/reference/tracker.md#project). */
export const projectRelations = relationsOf<Project>(() => ProjectType, {
  url: derived((project, load, _args, { web }) => projectUrl(web, load.viewer.urlKey, project)),
  state: derived(async (project, load) => (await load.row('ProjectStatus', project.statusId))?.type),
  priorityLabel: derived((project) => priorityLabel(project.priority)),
  scope: derived(async (project, load) => (await load.by(progressOfProject, project.id)).scope),
  progress: derived(async (project, load) => (await load.by(progressOfProject, project.id)).progress),
  status: required(
    () => projectStatuses.types.Type,
    (project, load) => load.row('ProjectStatus', project.statusId),
  ),
  lead: nullable(
    () => UserType,
    (project, load) => load.row('User', project.leadId),
  ),
  creator: nullable(
    () => UserType,
    (project, load) => load.row('User', project.creatorId),
  ),
  lastAppliedTemplate: nullable(
    () => templates.types.Type,
    (project, load) => load.row('Template', project.lastAppliedTemplateId),
  ),
  members: page(() => UserConnection, projectConnections.members, {
    filter: () => UserFilter,
    includeDisabled: () => Boolean,
  }),
  teams: page(() => TeamConnection, projectConnections.teams, { filter: () => TeamFilter }),
});

/** Those of a team. */
export const projectsOfTeamRelations = relationsOf<Team>(() => TeamType, {
  projects: page(() => ProjectConnection, teamConnections.projects, {
    filter: () => ProjectFilter,
    includeSubTeams: () => Boolean,
    sort: () => [ProjectSortInput],
  }),
});

export const projectFilterRelations = filterRelations(
  () => [ProjectFilter, NullableProjectFilter, ProjectCollectionFilter],
  {
    accessibleTeams: () => TeamCollectionFilter,
    creator: () => UserFilter,
    lastAppliedTemplate: () => templates.types.NullableFilter,
    lead: () => NullableUserFilter,
    members: () => UserCollectionFilter,
    status: () => projectStatuses.types.Filter,
    nextProjectMilestone: () => projectMilestones.types.Filter,
    completedProjectMilestones: () => projectMilestones.types.CollectionFilter,
  },
);
