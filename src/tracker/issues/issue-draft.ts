import { newUuid } from '../../kernel/ids/ids.js';
import { botActorOf } from '../access/bot-actor.js';
import type { Viewer } from '../access/viewer.js';
import { idAlreadyUsed, invalidArgument, unknownReference } from '../values/errors.js';
import type { Creation } from './creation.js';
import type { Issue } from './issue.entity.js';
import type { Facts, StateFacts, FactIds } from './issue-facts.js';
import {
  checkAssignee,
  checkDelegate,
  checkLabels,
  checkMilestone,
  checkReleases,
  checkSubscribers,
  checkTemplate,
  defaultState,
  delegateIn,
  nextChild,
  SORT_STEP,
  timesIn,
  usableCycle,
  usableParent,
  usableProject,
  usableState,
  usableTeam,
} from './issue-rules.js';
import { isTemplated, type IssueCreateInput } from './issues.inputs.js';

/*
 * Builds the row of a new issue from its input: loads the facts that this needs, and applies every rule
 * (docs/reference/tracker.md#issue).
 */

/** References in an input to rows that other calls may lock for long, or an id that another call may take. */
const NAMES_OTHERS = [
  'id',
  'parentId',
  'projectId',
  'projectMilestoneId',
  'cycleId',
  'labelIds',
  'releaseIds',
  'sourceCommentId',
  'subscriberIds',
  'delegateId',
  'templateId',
  'useDefaultTemplate',
  'lastAppliedTemplateId',
] as const;

/** Whether a creation waits for nothing but its team and its organization's counter. */
export const isPlain = ({ input }: Creation): boolean => NAMES_OTHERS.every((field) => input[field] === undefined);

/** The facts that the rules of these creations need. */
export function factIdsOf(creations: readonly Creation[], parentIds: readonly (string | undefined)[]): FactIds {
  const inputs = creations.map(({ input }) => input);
  const all = (idsOf: (input: IssueCreateInput) => string | readonly string[] | undefined): Set<string> =>
    new Set(inputs.flatMap((input) => idsOf(input) ?? []));
  // states and cycles need no lock: archiving one locks its team first
  return {
    team: all(({ teamId }) => teamId),
    state: all(({ stateId }) => stateId),
    // a template's state may be gone
    statesOf: all((input) => (input.stateId === undefined || isTemplated(input) ? input.teamId : undefined)),
    user: all(({ assigneeId, delegateId, subscriberIds = [] }) => [
      ...(assigneeId === undefined ? [] : [assigneeId]),
      ...(delegateId === undefined ? [] : [delegateId]),
      ...subscriberIds,
    ]),
    heldProject: all(({ projectId }) => projectId),
    milestone: all(({ projectMilestoneId }) => projectMilestoneId),
    cycle: all(({ cycleId }) => cycleId),
    heldLabel: all(({ labelIds }) => labelIds),
    comment: all(({ sourceCommentId }) => sourceCommentId),
    template: all(({ lastAppliedTemplateId }) => lastAppliedTemplateId),
    release: all(({ releaseIds }) => releaseIds),
    parent: new Set(parentIds.filter((id) => id !== undefined)),
    taken: all(({ id }) => id),
  };
}

/**
 * One new issue, all its rules checked before anything is taken. Numbers and positions are taken from `facts`, so that
 * the next one of the transaction comes after it.
 */
export function draftOf(
  { viewer, input, now }: Creation,
  parentId: string | undefined,
  facts: Facts,
): { issue: Issue; subscriberIds: string[]; releaseIds: readonly string[] } {
  const id = input.id ?? newUuid();
  if (facts.get('taken', id)) throw idAlreadyUsed('Issue', id);
  const team = usableTeam(facts, input.teamId, viewer);
  // no template gave one
  if (input.title === undefined) throw invalidArgument('title', 'isNotEmpty', 'title should not be empty');
  const state =
    input.stateId === undefined ? defaultState(facts, team) : usableState(facts, input.stateId, team, viewer);
  const delegateId = delegateIn(facts, input) ?? null;
  if (delegateId !== null) checkDelegate(facts, delegateId, team, viewer);
  const assigneeId = assigneeOf(viewer, input.assigneeId === delegateId ? undefined : input.assigneeId, delegateId);
  if (assigneeId !== null && assigneeId !== viewer.userId) checkAssignee(facts, assigneeId, team, viewer);
  const parent = input.parentId === undefined ? undefined : usableParent(facts, parentId, viewer);
  if (input.projectId !== undefined) usableProject(facts, input.projectId, team, viewer);
  if (input.projectMilestoneId !== undefined) {
    checkMilestone(facts, input.projectMilestoneId, input.projectId ?? null, viewer);
  }
  if (input.cycleId !== undefined) usableCycle(facts, input.cycleId, team, viewer);
  const labelIds = input.labelIds ?? [];
  checkLabels(facts, labelIds, [], team, viewer, 'labelIds');
  if (input.subscriberIds) checkSubscribers(facts, input.subscriberIds, viewer);
  if (input.releaseIds) checkReleases(facts, input.releaseIds, viewer, 'releaseIds');
  if (input.sourceCommentId !== undefined && !facts.visible('comment', input.sourceCommentId, viewer)) {
    throw unknownReference('sourceCommentId');
  }
  checkTemplate(facts, input.lastAppliedTemplateId, viewer);
  checkCompletedAt(input, state);

  const number = ++team.issueCounter;
  const sortOrder = input.sortOrder ?? (team.least === null ? 0 : team.least - SORT_STEP);
  team.least = Math.min(team.least ?? sortOrder, sortOrder);
  const subIssueSortOrder = parent ? (input.subIssueSortOrder ?? nextChild(parent)) : null;
  if (parent && subIssueSortOrder !== null) {
    parent.lastChild = Math.max(parent.lastChild ?? subIssueSortOrder, subIssueSortOrder);
  }
  const { organizationId, userId } = viewer;
  const createdAt = input.createdAt ?? now;
  const issue: Issue = {
    id,
    organizationId,
    createdAt,
    updatedAt: createdAt,
    teamId: team.id,
    number,
    identifier: `${team.key}-${number}`,
    previousIdentifiers: [],
    title: input.title,
    description: input.description ?? null,
    priority: input.priority ?? 0,
    estimate: input.estimate ?? null,
    dueDate: input.dueDate ?? null,
    stateId: state.id,
    assigneeId,
    delegateId,
    creatorId: userId,
    projectId: input.projectId ?? null,
    projectMilestoneId: input.projectMilestoneId ?? null,
    cycleId: input.cycleId ?? null,
    parentId: parent?.id ?? null,
    sourceCommentId: input.sourceCommentId ?? null,
    lastAppliedTemplateId: input.lastAppliedTemplateId ?? null,
    labelIds,
    sortOrder,
    prioritySortOrder: input.prioritySortOrder ?? sortOrder,
    subIssueSortOrder,
    ...timesIn(state.type, { startedAt: null }, now, input.completedAt),
    addedToTeamAt: now,
    addedToProjectAt: input.projectId === undefined ? null : now,
    addedToCycleAt: input.cycleId === undefined ? null : now,
    snoozedUntilAt: null,
    snoozedById: null,
    trashed: null,
    archivedAt: null,
    botActor: botActorOf(viewer, input),
  };
  const defaults = [assigneeId, delegateId].filter((one) => one !== null);
  const subscriberIds = [...new Set([userId, ...(input.subscriberIds ?? defaults)])].sort();
  rememberForBatch(facts, viewer, issue, parent?.ancestorIds ?? []);
  return { issue, subscriberIds, releaseIds: input.releaseIds ?? [] };
}

function checkCompletedAt(input: IssueCreateInput, state: StateFacts): void {
  if (input.completedAt === undefined || state.type === 'completed') return;
  throw invalidArgument('completedAt', 'isCompleted', 'completedAt must come with a completed state');
}

/** A person who delegates an issue of nobody becomes its assignee. */
function assigneeOf({ userId, oauth }: Viewer, given: string | undefined, delegateId: string | null): string | null {
  return given ?? (delegateId !== null && oauth?.actor !== 'app' ? userId : null);
}

/** What later issues of the transaction may refer to, and the caller, who was not loaded from the store. */
function rememberForBatch(facts: Facts, viewer: Viewer, issue: Issue, parentAncestorIds: readonly string[]): void {
  const { id, organizationId, teamId, parentId } = issue;
  facts.add('taken', { id, organizationId });
  const ancestorIds = parentId === null ? [] : [parentId, ...parentAncestorIds];
  facts.add('parent', { id, organizationId, teamId, ancestorIds, lastChild: null });
  if (facts.get('user', viewer.userId)) return;
  const { userId, name, displayName, email, avatarUrl } = viewer;
  facts.add('user', {
    id: userId,
    organizationId,
    name,
    displayName,
    email,
    avatarUrl,
    active: true,
    applicationId: null,
    allPublicTeams: true,
    // only shown in events from here on: users who are validated were loaded before
    privateTeamIds: [],
  });
}
