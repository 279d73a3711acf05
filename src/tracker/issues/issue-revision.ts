import { unknownReference } from '../values/errors.js';
import type { Issue } from './issue.entity.js';
import type { Viewer } from '../access/viewer.js';
import type { FactIds, Facts, IssueFacts, StateFacts, TeamFacts } from './issue-facts.js';
import {
  checkAssignee,
  checkDelegate,
  checkLabels,
  checkMilestone,
  checkSubscribers,
  checkTemplate,
  correspondingState,
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
import type { IssueUpdateInput } from './issues.inputs.js';

/** Labels to add and remove. `field` is the name that errors use. */
export interface LabelChange {
  added: readonly string[];
  removed: readonly string[];
  field: string;
}

interface Setting {
  viewer: Viewer;
  now: Date;
  facts: Facts;
  /** The UUID of the parent the input names. */
  parentId: string | undefined;
}

/** Fields without rules of their own. */
const PLAIN = [
  'title',
  'description',
  'priority',
  'estimate',
  'dueDate',
  'sortOrder',
  'prioritySortOrder',
  'lastAppliedTemplateId',
] as const;

/**
 * Applies an update to one issue, before anything is written. A move to another team comes first; team-scoped values
 * are then validated against the team the issue ends up in (docs/reference/tracker.md#issue).
 */
export class IssueRevision {
  /** New values; some may equal the old ones. */
  readonly change: Partial<Issue> = {};
  subscriberIds: readonly string[];
  subscribersChanged = false;
  newLabelIds: readonly string[] = [];
  private team: TeamFacts;

  constructor(
    readonly issue: Issue,
    private readonly setting: Setting,
  ) {
    this.subscriberIds = this.own.subscriberIds;
    this.team = setting.facts.get('team', issue.teamId) as TeamFacts;
  }

  private get own(): IssueFacts {
    return this.setting.facts.get('issue', this.issue.id) as IssueFacts;
  }

  apply(input: IssueUpdateInput, labels?: LabelChange): void {
    for (const field of PLAIN) {
      if (input[field] !== undefined) Object.assign(this.change, { [field]: input[field] });
    }
    if (input.teamId !== undefined) this.move(input.teamId, input);
    else if (input.stateId !== undefined) {
      const state = usableState(this.setting.facts, input.stateId, this.team, this.setting.viewer);
      this.enter(state, input.sortOrder !== undefined);
    }
    checkTemplate(this.setting.facts, input.lastAppliedTemplateId, this.setting.viewer);
    this.assign(input);
    this.snooze(input);
    this.setParent(input);
    this.file(input);
    this.label(input, labels);
    if (input.trashed !== undefined) this.trash(input.trashed);
    this.follow(input);
  }

  /** An archived issue keeps its time. */
  archive(): void {
    if (this.issue.archivedAt === null) this.change.archivedAt = this.setting.now;
  }

  private trash(trashed: boolean | null): void {
    if (!trashed) Object.assign(this.change, { trashed: null, archivedAt: null });
    else if (this.issue.trashed !== true) Object.assign(this.change, { trashed: true, archivedAt: this.setting.now });
  }

  private move(teamId: string, input: IssueUpdateInput): void {
    const { facts, viewer, now } = this.setting;
    const { issue } = this;
    const isSame = teamId === issue.teamId;
    const team = isSame ? this.team : usableTeam(facts, teamId, viewer);
    const from = facts.get('state', issue.stateId);
    this.team = team;
    if (isSame) {
      if (input.stateId !== undefined)
        this.enter(usableState(facts, input.stateId, team, viewer), 'sortOrder' in input);
      return;
    }
    const state =
      input.stateId === undefined
        ? correspondingState(facts, team, from)
        : usableState(facts, input.stateId, team, viewer);
    const number = ++team.issueCounter;
    const project = facts.get('project', issue.projectId);
    Object.assign(this.change, {
      teamId: team.id,
      number,
      identifier: `${team.key}-${number}`,
      previousIdentifiers: [...issue.previousIdentifiers, issue.identifier],
      addedToTeamAt: now,
      cycleId: null,
      addedToCycleAt: null,
      labelIds: issue.labelIds.filter((id) => {
        const label = facts.get('label', id);
        return !label || label.teamId === null || label.teamId === team.id;
      }),
      ...(project && !project.teamIds.includes(team.id) && { projectId: null, addedToProjectAt: null }),
    } satisfies Partial<Issue>);
    this.enter(state, true);
  }

  private enter(state: StateFacts, keepsPlace: boolean): void {
    const { facts, now } = this.setting;
    const { issue, team } = this;
    if (state.id === issue.stateId) return;
    this.change.stateId = state.id;
    if (state.type !== facts.get('state', issue.stateId)?.type)
      Object.assign(this.change, timesIn(state.type, issue, now));
    if (keepsPlace) return;
    const place = team.setIssueSortOrderOnStateChange;
    if (place === 'first' && team.least !== null) this.change.sortOrder = team.least -= SORT_STEP;
    if (place === 'last' && team.most !== null) this.change.sortOrder = team.most += SORT_STEP;
  }

  private assign(input: IssueUpdateInput): void {
    const { facts, viewer } = this.setting;
    const { issue, team } = this;
    const delegateId = delegateIn(facts, input);
    const assigneeId = input.assigneeId === delegateId && delegateId !== null ? undefined : input.assigneeId;
    if (assigneeId !== undefined && assigneeId !== issue.assigneeId) {
      if (assigneeId !== null) checkAssignee(facts, assigneeId, team, viewer);
      this.change.assigneeId = assigneeId;
    }
    if (delegateId === undefined || delegateId === issue.delegateId) return;
    if (delegateId !== null) checkDelegate(facts, delegateId, team, viewer);
    this.change.delegateId = delegateId;
    // a person who delegates an issue of nobody becomes its assignee
    const isAssigned = (assigneeId ?? issue.assigneeId) !== null;
    if (delegateId !== null && !isAssigned && viewer.oauth?.actor !== 'app') this.change.assigneeId = viewer.userId;
  }

  private snooze({ snoozedUntilAt, snoozedById }: IssueUpdateInput): void {
    const { facts, viewer } = this.setting;
    if (snoozedById !== undefined && !facts.visible('user', snoozedById, viewer)) throw unknownReference('snoozedById');
    if (snoozedUntilAt === null) Object.assign(this.change, { snoozedUntilAt, snoozedById: null });
    else if (snoozedUntilAt !== undefined) {
      Object.assign(this.change, { snoozedUntilAt, snoozedById: snoozedById ?? viewer.userId });
    } else if (snoozedById !== undefined && this.issue.snoozedUntilAt !== null) this.change.snoozedById = snoozedById;
  }

  private setParent(input: IssueUpdateInput): void {
    const { facts, viewer, parentId } = this.setting;
    if (input.parentId === null) {
      Object.assign(this.change, { parentId: null, subIssueSortOrder: null });
      return;
    }
    if (input.parentId !== undefined && parentId !== this.issue.parentId) {
      const parent = usableParent(facts, parentId, viewer, this.own);
      this.change.parentId = parent.id;
      const place = input.subIssueSortOrder ?? nextChild(parent);
      this.change.subIssueSortOrder = place;
      parent.lastChild = Math.max(parent.lastChild ?? place, place);
    } else if (input.subIssueSortOrder !== undefined && this.issue.parentId !== null) {
      this.change.subIssueSortOrder = input.subIssueSortOrder;
    }
  }

  /** Adds it to a project and a cycle, or removes it. Its current ones are not validated again, unless it has moved. */
  private file({ projectId, projectMilestoneId, cycleId }: IssueUpdateInput): void {
    const { facts, viewer, now } = this.setting;
    const { change, issue, team } = this;
    const { projectId: project, cycleId: cycle } = { ...issue, ...change };
    if (projectId && (projectId !== project || team.id !== issue.teamId)) usableProject(facts, projectId, team, viewer);
    if (projectId !== undefined && projectId !== project) {
      Object.assign(change, { projectId, addedToProjectAt: projectId === null ? null : now });
    }
    const current = change.projectId === undefined ? issue.projectId : change.projectId;
    if (projectMilestoneId) checkMilestone(facts, projectMilestoneId, current, viewer);
    // a milestone does not follow to another project
    if (projectMilestoneId !== undefined) change.projectMilestoneId = projectMilestoneId;
    else if (current !== issue.projectId) change.projectMilestoneId = null;
    if (cycleId && cycleId !== cycle) usableCycle(facts, cycleId, team, viewer);
    if (cycleId !== undefined && cycleId !== cycle) {
      Object.assign(change, { cycleId, addedToCycleAt: cycleId === null ? null : now });
    }
  }

  private label(input: IssueUpdateInput, single: LabelChange | undefined): void {
    const { facts, viewer } = this.setting;
    const present = this.change.labelIds ?? this.issue.labelIds;
    let kept = present;
    let added: readonly string[] = [];
    let field = 'labelIds';
    if (input.labelIds !== undefined) {
      const given = input.labelIds;
      kept = present.filter((id) => given.includes(id));
      added = given;
    } else {
      const removed = single?.removed ?? input.removedLabelIds ?? [];
      field = single?.field ?? 'removedLabelIds';
      if (!removed.every((id) => facts.visible('label', id, viewer))) throw unknownReference(field);
      kept = present.filter((id) => !removed.includes(id));
      added = (single?.added ?? input.addedLabelIds ?? []).filter((id) => !removed.includes(id));
      field = single?.field ?? 'addedLabelIds';
    }
    this.newLabelIds = added.filter((id) => !kept.includes(id));
    checkLabels(facts, this.newLabelIds, kept, this.team, viewer, field);
    const next = [...kept, ...this.newLabelIds];
    // a moved issue lost labels already, and may only get them back in another order if they are named
    if (next.join() !== this.issue.labelIds.join()) this.change.labelIds = next;
  }

  /** The assignee and the delegate become subscribers, unless the caller sets the subscribers. */
  private follow(input: IssueUpdateInput): void {
    const { facts, viewer } = this.setting;
    if (input.subscriberIds) checkSubscribers(facts, input.subscriberIds, viewer);
    const { assigneeId, delegateId } = this.change;
    const next = input.subscriberIds ?? [...this.subscriberIds, ...[assigneeId, delegateId].filter(isText)];
    const sorted = [...new Set(next)].sort();
    this.subscribersChanged = sorted.join() !== this.subscriberIds.join();
    this.subscriberIds = sorted;
  }
}

const isText = (id: string | null | undefined): id is string => typeof id === 'string';

/** What the issues refer to, for their events, and what the input refers to. */
export function factIdsOf(
  issues: readonly Issue[],
  input: IssueUpdateInput,
  extra: { parentId?: string | undefined; labels?: LabelChange | undefined },
  viewer: Viewer,
): FactIds {
  const { teamId, stateId, assigneeId, delegateId, snoozedById, projectId, cycleId, subscriberIds = [] } = input;
  const own = (...ids: (string | null | undefined)[]): Set<string> =>
    new Set(ids.filter((id) => typeof id === 'string'));
  return {
    issue: own(...issues.map(({ id }) => id)),
    team: own(teamId, ...issues.map((issue) => issue.teamId)),
    state: own(...issues.map((issue) => issue.stateId)),
    heldState: own(stateId),
    statesOf: own(stateId === undefined ? teamId : undefined),
    user: own(
      viewer.userId,
      assigneeId,
      delegateId,
      snoozedById,
      ...subscriberIds,
      ...issues.flatMap((issue) => [issue.assigneeId, issue.delegateId, issue.creatorId]),
    ),
    project: own(...issues.map((issue) => issue.projectId)),
    // a move to another team checks whether its project belongs to that team as well
    heldProject: own(projectId, ...(teamId === undefined ? [] : issues.map((issue) => issue.projectId))),
    milestone: own(input.projectMilestoneId),
    cycle: own(...issues.map((issue) => issue.cycleId)),
    heldCycle: own(cycleId),
    label: own(
      ...(input.removedLabelIds ?? []),
      ...(extra.labels?.removed ?? []),
      ...issues.flatMap((issue) => issue.labelIds),
    ),
    release: own(...(input.releaseIds ?? []), ...(input.addedReleaseIds ?? []), ...(input.removedReleaseIds ?? [])),
    heldLabel: own(...(input.labelIds ?? []), ...(input.addedLabelIds ?? []), ...(extra.labels?.added ?? [])),
    parent: own(extra.parentId),
    template: own(input.lastAppliedTemplateId),
  };
}
