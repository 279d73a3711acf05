import { brokenRule, teamArchived, milestoneDiscrepancy, teamDiscrepancy, unknownReference } from '../values/errors.js';
import { requireApplicable } from '../labels/label-rules.js';
import type { Issue } from './issue.entity.js';
import type { WorkflowStateKind } from '../teams/states/workflow-state.entity.js';
import type { Viewer } from '../access/viewer.js';
import type { CycleFacts, Facts, ParentFacts, ProjectFacts, StateFacts, TeamFacts } from './issue-facts.js';

/** An issue without a parent is on the first level (docs/reference/tracker.md#issue). */
const LEVELS = 10;

export const SORT_STEP = 100;

/** The team a caller names, to create or move an issue into. */
export function usableTeam(facts: Facts, id: string, viewer: Viewer): TeamFacts {
  const team = facts.visible('team', id, viewer);
  if (!team) throw unknownReference('teamId');
  if (team.isArchived) throw teamArchived(team.key);
  return team;
}

/** The default state of a new issue (docs/reference/tracker.md#issue). */
export function defaultState(facts: Facts, team: TeamFacts): StateFacts {
  const states = facts.usableStates(team.id);
  const state =
    states.find(({ id }) => id === team.defaultIssueStateId) ??
    states.find(({ type }) => type === 'backlog') ??
    states[0];
  if (!state) throw new Error(`team ${team.id} has no state`);
  return state;
}

/** The state of an issue moved from another team without naming one (docs/reference/tracker.md#issue). */
export function correspondingState(facts: Facts, team: TeamFacts, from: StateFacts | undefined): StateFacts {
  const states = facts.usableStates(team.id);
  const name = from?.name.toLowerCase();
  return (
    states.find((state) => state.name.toLowerCase() === name) ??
    states.find((state) => state.type === from?.type) ??
    defaultState(facts, team)
  );
}

export function usableState(facts: Facts, id: string, team: TeamFacts, viewer: Viewer): StateFacts {
  const state = facts.visible('state', id, viewer);
  if (!state) throw unknownReference('stateId');
  if (state.teamId !== team.id) throw teamDiscrepancy();
  if (state.isArchived) throw brokenRule('state is archived', 'An archived state takes no issues.');
  return state;
}

export function usableCycle(facts: Facts, id: string, team: TeamFacts, viewer: Viewer): CycleFacts {
  const cycle = facts.visible('cycle', id, viewer);
  if (!cycle) throw unknownReference('cycleId');
  if (cycle.teamId !== team.id) throw teamDiscrepancy();
  if (cycle.isArchived) throw brokenRule('cycle is archived', 'An archived cycle takes no issues.');
  return cycle;
}

export function usableProject(facts: Facts, id: string, team: TeamFacts, viewer: Viewer): ProjectFacts {
  const project = facts.visible('project', id, viewer);
  if (!project) throw unknownReference('projectId');
  if (!project.teamIds.includes(team.id)) throw teamDiscrepancy();
  return project;
}

/** @param projectId of the issue */
export function checkMilestone(facts: Facts, id: string, projectId: string | null, viewer: Viewer): void {
  const milestone = facts.visible('milestone', id, viewer);
  if (!milestone) throw unknownReference('projectMilestoneId');
  if (milestone.projectId !== projectId) throw milestoneDiscrepancy();
}

/** Who can be assigned: active, and in a private team one of its members. */
export function checkAssignee(facts: Facts, id: string, team: TeamFacts, viewer: Viewer): void {
  const user = facts.visible('user', id, viewer);
  const isMember = user && (!team.private || user.privateTeamIds.includes(team.id));
  if (!user?.active || !isMember) throw unknownReference('assigneeId');
}

/** The application's own user that an input delegates an issue to. `assigneeId` may name it as well. */
export function delegateIn(
  facts: Facts,
  { assigneeId, delegateId }: { assigneeId?: string | null; delegateId?: string | null },
): string | null | undefined {
  if (delegateId !== undefined || !assigneeId) return delegateId;
  return facts.get('user', assigneeId)?.applicationId ? assigneeId : undefined;
}

/** Who can be delegated to: the user of an application that may be assigned, and sees the team. */
export function checkDelegate(facts: Facts, id: string, team: TeamFacts, viewer: Viewer): void {
  const user = facts.visible('user', id, viewer);
  if (!user) throw unknownReference('delegateId');
  const seesTeam = (!team.private && user.allPublicTeams) || user.privateTeamIds.includes(team.id);
  if (user.applicationId === null || !user.active || !seesTeam) throw brokenRule('user is not assignable');
}

export function checkSubscribers(facts: Facts, ids: readonly string[], viewer: Viewer): void {
  if (!ids.every((id) => facts.visible('user', id, viewer))) throw unknownReference('subscriberIds');
}

/** @param field as the caller wrote it */
export function checkReleases(facts: Facts, ids: readonly string[], viewer: Viewer, field: string): void {
  if (!ids.every((id) => facts.visible('release', id, viewer))) throw unknownReference(field);
}

/** @param issue the future child; none when it is being created */
export function usableParent(
  facts: Facts,
  id: string | undefined,
  viewer: Viewer,
  issue?: { id: string; height: number },
): ParentFacts {
  const parent = id === undefined ? undefined : facts.visible('parent', id, viewer);
  if (!parent) throw unknownReference('parentId');
  if (issue && (parent.id === issue.id || parent.ancestorIds.includes(issue.id))) {
    throw brokenRule('parentId makes a cycle', 'An issue cannot be a sub-issue of itself or of its own sub-issues.');
  }
  // the parent's ancestors, the parent, the issue, and what is below it
  if (parent.ancestorIds.length + 2 + (issue?.height ?? 0) > LEVELS) {
    throw brokenRule('parentId is nested too deep', `Sub-issues can be nested at most ${LEVELS} levels deep.`);
  }
  return parent;
}

/** After the last one of the same parent. */
export const nextChild = (parent: ParentFacts): number =>
  parent.lastChild === null ? 0 : parent.lastChild + SORT_STEP;

/**
 * Validates the labels a caller puts on an issue of the team. `present` are those it keeps, which are not validated but
 * count for "one of a group".
 * @param field as the caller wrote it: `labelIds`, `addedLabelIds`, `labelId`
 */
export function checkLabels(
  facts: Facts,
  added: readonly string[],
  present: readonly string[],
  team: TeamFacts,
  viewer: Viewer,
  field: string,
): void {
  const labels = added.map((id) => facts.visible('label', id, viewer));
  if (!labels.every((label) => label !== undefined)) throw unknownReference(field);
  const kept = present.flatMap((id) => facts.get('label', id) ?? []);
  requireApplicable(labels, kept, { kind: 'issue', teamIds: [team.id] });
}

type StateTimes = Pick<Issue, 'startedAt' | 'completedAt' | 'canceledAt'>;

/**
 * The three times after entering a state of this type (docs/reference/tracker.md#issue).
 * @param completedAt if one was given
 */
export function timesIn(
  type: WorkflowStateKind,
  before: Pick<StateTimes, 'startedAt'>,
  now: Date,
  completedAt: Date = now,
): StateTimes {
  switch (type) {
    case 'backlog':
    case 'unstarted':
      return { startedAt: null, completedAt: null, canceledAt: null };
    case 'started':
      return { startedAt: before.startedAt ?? now, completedAt: null, canceledAt: null };
    case 'completed':
      return { startedAt: before.startedAt ?? completedAt, completedAt, canceledAt: null };
    case 'canceled':
    case 'duplicate':
      return { startedAt: before.startedAt, completedAt: null, canceledAt: now };
  }
}

/** The template that an issue says it was made from. @throws unknownReference */
export function checkTemplate(facts: Facts, id: string | null | undefined, viewer: Viewer): void {
  if (typeof id === 'string' && !facts.visible('template', id, viewer)) throw unknownReference('lastAppliedTemplateId');
}
