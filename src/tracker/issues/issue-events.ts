import type { DomainEvent } from '../../kernel/events/event.js';
import { priorityLabel } from '../values/priorities.js';
import { type Issue, snoozeOf } from './issue.entity.js';
import { reactionDataOf } from '../reactions/reaction-data.js';
import { trackerEvent, type EventAction } from '../events/tracker-events.js';
import { userData } from '../events/user-data.js';
import { issueUrl, projectUrl } from '../values/urls.js';
import type { Viewer } from '../access/viewer.js';
import type { CycleFacts, Facts, ShownRelease } from './issue-facts.js';

/** An issue and its subscribers, as an event shows them. */
export interface IssueSnapshot {
  issue: Issue;
  subscriberIds: readonly string[];
}

interface IssueChange {
  web: string;
  viewer: Viewer;
  action: EventAction;
  at: Date;
  /** All objects that the issue refers to, before and after. */
  facts: Facts;
  after: IssueSnapshot;
  before?: IssueSnapshot;
}

/** The event of an issue (docs/reference/tracker-webhooks.md#envelope), to be given to `tx.record`. */
export function issueEvent({ web, viewer, action, at, facts, after, before }: IssueChange): DomainEvent {
  const teamIds = new Set([after.issue.teamId, ...(before ? [before.issue.teamId] : [])]);
  // others than those who see the pipeline may hear of the issue
  const isTold = (release: ShownRelease): boolean =>
    release.isPublic || [...teamIds].every((id) => release.teamIds?.includes(id));
  const dataOf = (from: IssueSnapshot): Record<string, unknown> => ({
    ...issueData(web, viewer.urlKey, from, facts),
    releases: (facts.get('issue', from.issue.id)?.releases ?? []).filter(isTold).map(releaseData),
    snoozedUntilAt: snoozeOf(from.issue, at).snoozedUntilAt,
  });
  const shown = action === 'remove' && before ? before : after;
  return trackerEvent({
    web,
    viewer,
    type: 'Issue',
    action,
    data: dataOf(shown),
    previous: action === 'update' && before ? dataOf(before) : undefined,
    url: issueUrl(web, viewer.urlKey, shown.issue),
    at,
    teams: [...teamIds].flatMap((id) => facts.get('team', id) ?? []),
  });
}

function issueData(
  web: string,
  urlKey: string,
  { issue, subscriberIds }: IssueSnapshot,
  facts: Facts,
): Record<string, unknown> {
  const team = facts.get('team', issue.teamId);
  const state = facts.get('state', issue.stateId);
  const project = facts.get('project', issue.projectId);
  return {
    id: issue.id,
    createdAt: issue.createdAt,
    updatedAt: issue.updatedAt,
    archivedAt: issue.archivedAt,
    number: issue.number,
    identifier: issue.identifier,
    previousIdentifiers: issue.previousIdentifiers,
    title: issue.title,
    description: issue.description,
    priority: issue.priority,
    priorityLabel: priorityLabel(issue.priority),
    estimate: issue.estimate,
    dueDate: issue.dueDate,
    sortOrder: issue.sortOrder,
    prioritySortOrder: issue.prioritySortOrder,
    subIssueSortOrder: issue.subIssueSortOrder,
    startedAt: issue.startedAt,
    completedAt: issue.completedAt,
    canceledAt: issue.canceledAt,
    addedToTeamAt: issue.addedToTeamAt,
    addedToProjectAt: issue.addedToProjectAt,
    addedToCycleAt: issue.addedToCycleAt,
    trashed: issue.trashed,
    url: issueUrl(web, urlKey, issue),
    teamId: issue.teamId,
    stateId: issue.stateId,
    assigneeId: issue.assigneeId,
    delegateId: issue.delegateId,
    creatorId: issue.creatorId,
    projectId: issue.projectId,
    projectMilestoneId: issue.projectMilestoneId,
    cycleId: issue.cycleId,
    parentId: issue.parentId,
    sourceCommentId: issue.sourceCommentId,
    lastAppliedTemplateId: issue.lastAppliedTemplateId,
    labelIds: issue.labelIds,
    subscriberIds,
    reactionData: reactionDataOf(facts.get('issue', issue.id)?.reactions ?? []),
    botActor: issue.botActor,
    team: team && { id: team.id, key: team.key, name: team.name },
    state: state && { id: state.id, name: state.name, type: state.type, color: state.color },
    assignee: userData(web, urlKey, facts.get('user', issue.assigneeId)),
    delegate: userData(web, urlKey, facts.get('user', issue.delegateId)),
    creator: userData(web, urlKey, facts.get('user', issue.creatorId)),
    project: project && { id: project.id, name: project.name, url: projectUrl(web, urlKey, project) },
    cycle: cycleData(facts.get('cycle', issue.cycleId)),
    labels: issue.labelIds.flatMap((id) => {
      const label = facts.get('label', id);
      if (!label) return [];
      const { name, color, parentId } = label;
      return [{ id, name, color, ...(parentId !== null && { parentId }) }];
    }),
  };
}

function releaseData({ id, name, version, completedAt, stage }: ShownRelease): object {
  return {
    id,
    name,
    ...(version !== null && { version }),
    ...(completedAt !== null && { completedAt: new Date(completedAt) }),
    stage,
  };
}

function cycleData(cycle: CycleFacts | undefined): object | undefined {
  if (!cycle) return undefined;
  const { id, number, name, startsAt, endsAt } = cycle;
  return { id, number, name, startsAt: new Date(startsAt), endsAt: new Date(endsAt) };
}
