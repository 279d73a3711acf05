import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { coalesce } from '../../kernel/database/coalesce.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { statement } from '../../kernel/database/statement.js';
import type { Recorded } from '../../kernel/events/event.js';
import { PublicUrl } from '../../kernel/http/public-url.js';
import { newUuid } from '../../kernel/ids/ids.js';
import { Access } from '../access/access.js';
import { idTaken, invalidArgument, TrackerError, unknownReference } from '../values/errors.js';
import { mutate, type Mutated } from '../store/mutation.js';
import { Issue } from './issue.entity.js';
import { storedColumns } from '../../kernel/database/columns.js';
import { isUuid } from '../values/uuid.js';
import type { Viewer } from '../access/viewer.js';
import { issueEvent } from './issue-events.js';
import { holdTeams, loadFacts, type Facts, type StateFacts, type TeamFacts, type Wanted } from './issue-facts.js';
import {
  checkAssignee,
  checkLabels,
  checkSubscribers,
  defaultState,
  nextChild,
  SORT_STEP,
  timesIn,
  usableCycle,
  usableParent,
  usableProject,
  usableState,
  usableTeam,
} from './issue-rules.js';
import type { IssueCreateInput } from './issues.inputs.js';

interface Creation {
  viewer: Viewer;
  input: IssueCreateInput;
  now: Date;
}

interface Created {
  issue: Issue;
  subscriberIds: string[];
  recorded: Recorded;
}

interface Lane {
  create: (creation: Creation) => Promise<Created | TrackerError>;
  waiting: number;
}

/** The table's columns as those of a JSON record with the row's properties. */
const stored = [...storedColumns(Issue)];
const RECORD = stored.map(([name, { cast }]) => `"${name}" ${cast}`).join(', ');

/**
 * New issues with all that comes with them: the teams' counters, which are held already; when their labels were last
 * applied, in the order of ids as others hold labels too; and those who follow them.
 */
const INSERT = statement(
  'tracker_insert_issues',
  `WITH counters AS (
     UPDATE teams t SET issue_counter = c.counter FROM unnest($2::uuid[], $3::int[]) AS c (id, counter) WHERE t.id = c.id),
   labels AS (
     UPDATE issue_labels l SET last_applied_at = $5::timestamptz
     FROM (SELECT x.id FROM issue_labels x WHERE x.id = ANY($4::uuid[]) ORDER BY x.id FOR NO KEY UPDATE) held
     WHERE l.id = held.id),
   subscribers AS (
     INSERT INTO issue_subscribers (issue_id, user_id) SELECT * FROM unnest($6::uuid[], $7::uuid[]))
   INSERT INTO issues (${stored.map(([, { column }]) => column).join(', ')})
   SELECT ${stored.map(([name]) => `r."${name}"`).join(', ')} FROM json_to_recordset($1::json) AS r (${RECORD})`,
);

const UNIQUE_VIOLATION = '23505';

/** `issueCreate` and `issueBatchCreate` (docs/reference/tracker.md#issue). */
@Injectable()
export class IssueCreation {
  /** By organization, while calls of it wait. */
  private readonly lanes = new Map<string, Lane>();

  constructor(
    private readonly db: Db,
    private readonly access: Access,
    private readonly clock: Clock,
    private readonly publicUrl: PublicUrl,
  ) {}

  async create(viewer: Viewer, input: IssueCreateInput): Promise<{ issue: Issue } & Mutated> {
    const outcome = await this.inLane({ viewer, input, now: this.clock.now() });
    if (outcome instanceof TrackerError) throw outcome;
    return { issue: outcome.issue, success: true, lastSyncId: outcome.recorded.syncId };
  }

  /** All of them or none. */
  async batchCreate(viewer: Viewer, inputs: readonly IssueCreateInput[]): Promise<{ issues: Issue[] } & Mutated> {
    const now = this.clock.now();
    const creations = inputs.map((input) => ({ viewer, input, now }));
    try {
      return await mutate(this.db, viewer, async (tx) => {
        const issues = (await this.createAll(tx, creations)).map((outcome) => {
          if (outcome instanceof TrackerError) throw outcome;
          return outcome.issue;
        });
        return { issues };
      });
    } catch (error) {
      const taken = takenId(error);
      throw taken === undefined ? error : idTaken('Issue', taken);
    }
  }

  /**
   * Concurrent calls of an organization share a transaction: one that is refused does not
   * hinder the others. One transaction at a time, since a second would only wait for the first one's counters; each
   * organization by itself, so that nobody waits for what another one holds.
   */
  private async inLane(creation: Creation): Promise<Created | TrackerError> {
    const { organizationId } = creation.viewer;
    let lane = this.lanes.get(organizationId);
    if (!lane) {
      const options = { name: 'issues.create', max: 64, inFlight: 1 };
      lane = { create: coalesce((batch: Creation[]) => this.createBatch(batch), options), waiting: 0 };
      this.lanes.set(organizationId, lane);
    }
    lane.waiting++;
    try {
      return await lane.create(creation);
    } finally {
      if (--lane.waiting === 0) this.lanes.delete(organizationId);
    }
  }

  private async createBatch(creations: Creation[]): Promise<(Created | TrackerError)[]> {
    try {
      return await this.db.write((tx) => this.createAll(tx, creations));
    } catch (error) {
      // two calls with one id at once; of several creations each is tried again by itself
      const taken = takenId(error);
      if (creations.length === 1 && taken !== undefined) return [idTaken('Issue', taken)];
      throw error;
    }
  }

  private async createAll(tx: Tx, creations: readonly Creation[]): Promise<(Created | TrackerError)[]> {
    await holdTeams(
      tx,
      creations.map(({ input }) => input.teamId),
      creations.map(({ viewer }) => viewer.organizationId),
    );
    const parentIds = await this.parentIds(tx, creations);
    const facts = await loadFacts(tx, wantedBy(creations, parentIds));
    const outcomes = creations.map((creation, i): Created | TrackerError => {
      try {
        const draft = draftOf(creation, parentIds[i], facts);
        return { ...draft, recorded: { id: 0, syncId: 0 } };
      } catch (error) {
        if (error instanceof TrackerError) return error;
        throw error;
      }
    });
    const isMade = (outcome: Created | TrackerError): outcome is Created => !(outcome instanceof TrackerError);
    const made = outcomes.filter(isMade);
    if (made.length > 0) await this.insert(tx, made, facts);
    outcomes.forEach((outcome, i) => {
      if (!isMade(outcome)) return;
      const { viewer, now } = creations[i] as Creation;
      const event = issueEvent({
        web: this.publicUrl.base,
        viewer,
        action: 'create',
        at: now,
        facts,
        after: outcome,
      });
      outcome.recorded = tx.record(event);
    });
    return outcomes;
  }

  private async insert(tx: Tx, made: readonly Created[], facts: Facts): Promise<void> {
    const teams = [...new Set(made.map(({ issue }) => issue.teamId))].map((id) => facts.get('team', id) as TeamFacts);
    await tx.query(INSERT, [
      JSON.stringify(made.map(({ issue }) => issue)),
      teams.map(({ id }) => id),
      teams.map(({ issueCounter }) => issueCounter),
      [...new Set(made.flatMap(({ issue }) => issue.labelIds))],
      this.clock.now(),
      made.flatMap(({ issue, subscriberIds }) => subscriberIds.map(() => issue.id)),
      made.flatMap(({ subscriberIds }) => subscriberIds),
    ]);
  }

  /** Of each creation: its parent's UUID. An identifier that stands for nothing leaves it out, to be refused in its turn. */
  private async parentIds(tx: Tx, creations: readonly Creation[]): Promise<(string | undefined)[]> {
    const ids: (string | undefined)[] = [];
    for (const { viewer, input } of creations) {
      const { parentId } = input;
      const isPlain = parentId === undefined || isUuid(parentId);
      ids.push(isPlain ? parentId : (await this.access.issues.find(viewer, parentId, tx))?.id);
    }
    return ids;
  }
}

/** The id that another transaction gave to an issue meanwhile, where that is what the store refused. */
function takenId(error: unknown): string | undefined {
  const { code, constraint, detail = '' } = error as { code?: string; constraint?: string; detail?: string };
  if (code !== UNIQUE_VIOLATION || constraint !== 'issues_pkey') return undefined;
  return /\(([0-9a-f-]{36})\)/.exec(detail)?.[1];
}

function wantedBy(creations: readonly Creation[], parentIds: readonly (string | undefined)[]): Wanted {
  const inputs = creations.map(({ input }) => input);
  const all = (idsOf: (input: IssueCreateInput) => string | readonly string[] | undefined): Set<string> =>
    new Set(inputs.flatMap((input) => idsOf(input) ?? []));
  // states and cycles are safe: whoever archives one holds its team first
  return {
    team: all(({ teamId }) => teamId),
    state: all(({ stateId }) => stateId),
    statesOf: all(({ stateId, teamId }) => (stateId === undefined ? teamId : undefined)),
    user: all(({ assigneeId, subscriberIds = [] }) => [
      ...(assigneeId === undefined ? [] : [assigneeId]),
      ...subscriberIds,
    ]),
    heldProject: all(({ projectId }) => projectId),
    cycle: all(({ cycleId }) => cycleId),
    heldLabel: all(({ labelIds }) => labelIds),
    comment: all(({ sourceCommentId }) => sourceCommentId),
    parent: new Set(parentIds.filter((id) => id !== undefined)),
    taken: all(({ id }) => id),
  };
}

/**
 * One new issue, its rules checked in full before anything is taken. Numbers and places are taken from `facts`, so that
 * the next one of the transaction comes after it.
 */
function draftOf(
  { viewer, input, now }: Creation,
  parentId: string | undefined,
  facts: Facts,
): { issue: Issue; subscriberIds: string[] } {
  const id = input.id ?? newUuid();
  if (facts.get('taken', id)) throw idTaken('Issue', id);
  const team = usableTeam(facts, input.teamId, viewer);
  const state =
    input.stateId === undefined ? defaultState(facts, team) : usableState(facts, input.stateId, team, viewer);
  if (input.assigneeId !== undefined) checkAssignee(facts, input.assigneeId, team, viewer);
  const parent = input.parentId === undefined ? undefined : usableParent(facts, parentId, viewer);
  if (input.projectId !== undefined) usableProject(facts, input.projectId, team, viewer);
  if (input.cycleId !== undefined) usableCycle(facts, input.cycleId, team, viewer);
  const labelIds = input.labelIds ?? [];
  checkLabels(facts, labelIds, [], team, viewer, 'labelIds');
  if (input.subscriberIds) checkSubscribers(facts, input.subscriberIds, viewer);
  if (input.sourceCommentId !== undefined && !facts.visible('comment', input.sourceCommentId, viewer)) {
    throw unknownReference('sourceCommentId');
  }
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
    title: input.title as string,
    description: input.description ?? null,
    priority: input.priority ?? 0,
    estimate: input.estimate ?? null,
    dueDate: input.dueDate ?? null,
    stateId: state.id,
    assigneeId: input.assigneeId ?? null,
    creatorId: userId,
    projectId: input.projectId ?? null,
    cycleId: input.cycleId ?? null,
    parentId: parent?.id ?? null,
    sourceCommentId: input.sourceCommentId ?? null,
    labelIds,
    sortOrder,
    prioritySortOrder: input.prioritySortOrder ?? sortOrder,
    subIssueSortOrder,
    ...timesIn(state.type, { startedAt: null }, now, input.completedAt),
    addedToTeamAt: now,
    addedToProjectAt: input.projectId === undefined ? null : now,
    addedToCycleAt: input.cycleId === undefined ? null : now,
    trashed: null,
    archivedAt: null,
  };
  const defaults = input.assigneeId === undefined ? [] : [input.assigneeId];
  const subscriberIds = [...new Set([userId, ...(input.subscriberIds ?? defaults)])].sort();
  tellOthers(facts, viewer, issue, parent?.ancestorIds ?? []);
  return { issue, subscriberIds };
}

function checkCompletedAt(input: IssueCreateInput, state: StateFacts): void {
  if (input.completedAt === undefined || state.type === 'completed') return;
  throw invalidArgument('completedAt', 'isCompleted', 'completedAt must come with a completed state');
}

/** What later issues of the transaction may refer to, and the caller, whom the store was not asked for. */
function tellOthers(facts: Facts, viewer: Viewer, issue: Issue, parentAncestorIds: readonly string[]): void {
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
    // only told of from here on, not judged: one who is judged was asked for
    privateTeamIds: [],
  });
}
