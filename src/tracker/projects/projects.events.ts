import type { DomainEvent } from '../../kernel/events/event.js';
import { constantsOf } from '../graphql/constants.js';
import type { News } from '../events/notify.js';
import { type EventAction, trackerEvent } from '../events/tracker-events.js';
import type { User } from '../store/user.entity.js';
import type { Project } from './project.entity.js';
import type { ProjectStatus } from './statuses/project-status.entity.js';
import type { Team } from '../store/team.entity.js';
import { projectUrl, userUrl } from '../values/urls.js';
import type { Viewer } from '../access/viewer.js';
import { ProjectType } from './projects.types.js';

/** Who changed something, when, and the base of its URLs. */
export interface ChangeAuthor {
  viewer: Viewer;
  web: string;
  at: Date;
}

/** What a project's event says about others. */
export interface ProjectSurroundings {
  status: ProjectStatus;
  lead: User | null;
  /** All of them, including those hidden from the caller: they decide who receives the event. */
  teams: readonly Pick<Team, 'id' | 'private'>[];
}

const { completedIssueCountHistory, completedScopeHistory, inProgressScopeHistory, issueCountHistory, scopeHistory } =
  constantsOf(ProjectType);

/**
 * What webhooks and `project.*` events say (docs/reference/tracker-webhooks.md#envelope), but for `status` and `lead`.
 */
function projectData(project: Project, url: string): Record<string, unknown> {
  const { organizationId: _, ...stored } = project;
  return {
    ...stored,
    url,
    issueCountHistory,
    completedIssueCountHistory,
    scopeHistory,
    completedScopeHistory,
    inProgressScopeHistory,
  };
}

/** `before` for updates: the row as it was. */
export function projectEvent(
  author: ChangeAuthor,
  action: EventAction,
  project: Project,
  { status, lead, teams }: ProjectSurroundings,
  before?: Project,
): DomainEvent {
  const { web, viewer } = author;
  const url = projectUrl(web, viewer.urlKey, project);
  return trackerEvent({
    ...author,
    type: 'Project',
    action,
    data: {
      ...projectData(project, url),
      status: { id: status.id, name: status.name, type: status.type, color: status.color },
      lead: lead && {
        id: lead.id,
        name: lead.name,
        email: lead.email,
        url: userUrl(web, viewer.urlKey, lead.displayName),
        avatarUrl: lead.avatarUrl,
      },
    },
    previous: before && projectData(before, url),
    url,
    teams,
  });
}

/** What a new or changed project is to others: those who have become its lead or members. */
export function newsOfProject(author: ChangeAuthor, project: Project, before?: Project): News {
  const { id, name, leadId, memberIds, teamIds } = project;
  const url = projectUrl(author.web, author.viewer.urlKey, project);
  return {
    ...author,
    ids: { projectId: id },
    teamIds,
    url,
    causes: [
      { type: 'projectAddedAsLead', users: leadId === before?.leadId ? [] : [leadId] },
      { type: 'projectAddedAsMember', users: memberIds.filter((one) => !before?.memberIds.includes(one)) },
    ],
    shown: () => ({ project: { id, name, url } }),
  };
}
