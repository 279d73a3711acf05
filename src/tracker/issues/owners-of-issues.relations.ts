import { filterRelations, nullable, page, type Relations, relationsOf } from '../graphql/relations.js';
import { NullableUserFilter, UserCollectionFilter, UserFilter } from '../organization/users/users.filters.js';
import { UserType } from '../organization/users/users.types.js';
import {
  milestoneConnections,
  type ProjectMilestone,
  projectMilestones,
} from '../projects/milestones/project-milestone.entity.js';
import { type Project, projectConnections } from '../projects/project.entity.js';
import { NullableProjectFilter, ProjectCollectionFilter, ProjectFilter } from '../projects/projects.filters.js';
import { ProjectType } from '../projects/projects.types.js';
import { type Team, teamConnections } from '../store/team.entity.js';
import { type User, userConnections } from '../store/user.entity.js';
import { type Cycle, cycleConnections, cycles } from '../teams/cycles/cycle.entity.js';
import { WorkflowStateFilter } from '../teams/states/states.filters.js';
import { WorkflowStateType } from '../teams/states/states.types.js';
import { type WorkflowState, workflowStateConnections } from '../teams/states/workflow-state.entity.js';
import { NullableTeamFilter, TeamFilter } from '../teams/teams.filters.js';
import { TeamType } from '../teams/teams.types.js';
import { IssueCollectionFilter, IssueFilter } from './issues.filters.js';
import { IssueConnection, IssueType } from './issues.types.js';

const asked = { filter: () => IssueFilter };
const owned = { issues: () => IssueCollectionFilter };

/** The issues of teams, states, cycles, projects, milestones and users. */
export const ownersOfIssuesRelations: readonly Relations[] = [
  relationsOf<Team>(() => TeamType, {
    issues: page(() => IssueConnection, teamConnections.issues, { ...asked, includeSubTeams: () => Boolean }),
  }),
  relationsOf<WorkflowState>(() => WorkflowStateType, {
    issues: page(() => IssueConnection, workflowStateConnections.issues, asked),
  }),
  relationsOf<Cycle>(() => cycles.types.Type, {
    issues: page(() => IssueConnection, cycleConnections.issues, asked),
    uncompletedIssuesUponClose: page(() => IssueConnection, cycleConnections.uncompletedIssuesUponClose, asked),
  }),
  relationsOf<Project>(() => ProjectType, {
    convertedFromIssue: nullable(
      () => IssueType,
      (project, load) => load.row('Issue', project.convertedFromIssueId),
    ),
    issues: page(() => IssueConnection, projectConnections.issues, asked),
  }),
  relationsOf<ProjectMilestone>(() => projectMilestones.types.Type, {
    issues: page(() => IssueConnection, milestoneConnections.issues, asked),
  }),
  relationsOf<User>(() => UserType, {
    assignedIssues: page(() => IssueConnection, userConnections.assignedIssues, asked),
    createdIssues: page(() => IssueConnection, userConnections.createdIssues, asked),
    delegatedIssues: page(() => IssueConnection, userConnections.delegatedIssues, asked),
  }),
  filterRelations(() => [TeamFilter, NullableTeamFilter], owned),
  filterRelations(() => [WorkflowStateFilter], owned),
  filterRelations(() => [ProjectFilter, NullableProjectFilter, ProjectCollectionFilter], owned),
  filterRelations(() => [UserFilter, NullableUserFilter, UserCollectionFilter], {
    assignedIssues: () => IssueCollectionFilter,
  }),
];
