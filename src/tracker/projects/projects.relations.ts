import { relationsOf } from '../graphql/relations.js';
import { priorityLabel } from '../model/priorities.js';
import type { Project } from '../model/rows.js';
import { projectUrl } from '../model/urls.js';

/** Fields of a project that are derived or belong to others (tracker.md b.8). */
export const projectRelations = relationsOf<Project>('Project', {
  url: (project, load, _args, { web }) => projectUrl(web, load.viewer.urlKey, project),
  state: async (project, load) => (await load.projectStatus.load(project.statusId))?.type,
  priorityLabel: (project) => priorityLabel(project.priority),
  scope: async (project, load) => (await load.progressOfProject.load(project.id)).scope,
  progress: async (project, load) => (await load.progressOfProject.load(project.id)).progress,
  status: (project, load) => load.projectStatus.load(project.statusId),
  lead: (project, load) => project.leadId && load.user.load(project.leadId),
  creator: (project, load) => project.creatorId && load.user.load(project.creatorId),
  convertedFromIssue: (project, load) => project.convertedFromIssueId && load.issue.load(project.convertedFromIssueId),
  comments: (project, load, args) => load.page('Project.comments', project.id, args),
  issues: (project, load, args) => load.page('Project.issues', project.id, args),
  members: (project, load, args) => load.page('Project.members', project.id, args),
  teams: (project, load, args) => load.page('Project.teams', project.id, args),
});
