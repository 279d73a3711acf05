import { CommentFilter } from '../issues/comments/comments.filters.js';
import { CommentConnection } from '../issues/comments/comments.types.js';
import { IssueCollectionFilter, IssueFilter } from '../issues/issues.filters.js';
import { IssueConnection, IssueType } from '../issues/issues.types.js';
import { NullableUserFilter, UserCollectionFilter, UserFilter } from '../organization/users/users.filters.js';
import { UserConnection, UserType } from '../organization/users/users.types.js';
import { NullableProjectFilter, ProjectCollectionFilter, ProjectFilter } from './projects.filters.js';
import { ProjectType } from './projects.types.js';
import { projectStatuses } from './statuses/project-status.entity.js';
import { TeamCollectionFilter, TeamFilter } from '../teams/teams.filters.js';
import { TeamConnection } from '../teams/teams.types.js';
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
  convertedFromIssue: nullable(
    () => IssueType,
    (project, load) => load.row('Issue', project.convertedFromIssueId),
  ),
  comments: page(() => CommentConnection, projectConnections.comments, { filter: () => CommentFilter }),
  issues: page(() => IssueConnection, projectConnections.issues, { filter: () => IssueFilter }),
  members: page(() => UserConnection, projectConnections.members, {
    filter: () => UserFilter,
    includeDisabled: () => Boolean,
  }),
  teams: page(() => TeamConnection, projectConnections.teams, { filter: () => TeamFilter }),
});

export const projectFilterRelations = filterRelations(
  () => [ProjectFilter, NullableProjectFilter, ProjectCollectionFilter],
  {
    accessibleTeams: () => TeamCollectionFilter,
    creator: () => UserFilter,
    issues: () => IssueCollectionFilter,
    lead: () => NullableUserFilter,
    members: () => UserCollectionFilter,
    status: () => projectStatuses.types.Filter,
    nextProjectMilestone: () => projectMilestones.types.Filter,
    completedProjectMilestones: () => projectMilestones.types.CollectionFilter,
  },
);
