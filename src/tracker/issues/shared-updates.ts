import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { coalesce } from '../../kernel/database/coalesce.js';
import { Db } from '../../kernel/database/db.js';
import type { DomainEvent, Origin } from '../../kernel/events/event.js';
import { EventLog, queuedFor } from '../../kernel/events/event-log.js';
import { currentCause } from '../../kernel/http/call-context.js';
import { PublicUrl } from '../../kernel/http/public-url.js';
import { isHiddenTeam } from '../access/hidden-teams.js';
import type { Viewer } from '../access/viewer.js';
import { columnsOfEvent, currentSyncId } from '../events/sync.js';
import { differences } from '../store/differences.js';
import { entityOf } from '../store/define-entity.js';
import type { Mutated } from '../store/mutation.js';
import { notFound, TrackerError } from '../values/errors.js';
import { issueEvent, type IssueSnapshot } from './issue-events.js';
import type { FactIds, Facts, IssueFacts, LabelFacts, TeamFacts } from './issue-facts.js';
import { loadFacts } from './issue-facts.queries.js';
import { IssueRevision, factIdsOf, type LabelChange } from './issue-revision.js';
import type { Issue } from './issue.entity.js';
import type { IssueUpdateInput } from './issues.inputs.js';
import { ISSUES_TO_UPDATE, UPDATE_ISSUES } from './shared-updates.queries.js';

/** What an input may name that is locked in further ways: such updates have transactions of their own. */
const LOCKS_OTHERS = ['teamId', 'parentId', 'projectId'] as const;

/**
 * Whether an update locks nothing but its issue, the state, cycle and labels that it names, and its organization's
 * counter.
 */
export const isShared = (input: IssueUpdateInput): boolean => LOCKS_OTHERS.every((field) => input[field] === undefined);

interface Update {
  viewer: Viewer;
  id: string;
  input: IssueUpdateInput;
  /** From the label mutations. */
  labels: LabelChange | undefined;
  now: Date;
  origin: Origin;
}

interface Updated {
  issue: Issue;
  /** Undefined: nothing that an event tells of has changed. */
  syncId?: number;
}

type Outcome = Updated | TrackerError;

type FoundRow = Issue & { n: number; version: string };

/** An issue and what the calls of a batch make of it, one after the other. */
interface Draft {
  readonly before: Issue;
  readonly version: string;
  after: Issue;
  readonly subscribersBefore: readonly string[];
  /** What it enters, which must still take issues when it is written. */
  readonly stateIds: Set<string>;
  readonly cycleIds: Set<string>;
  readonly newLabelIds: Set<string>;
}

interface Entry {
  issueId: string;
  event: DomainEvent;
  origin: Origin;
  updated: Updated;
}

/** What one attempt writes. */
interface Writing {
  tenantId: number;
  drafts: ReadonlyMap<string, Draft>;
  facts: Facts;
  entries: readonly Entry[];
  now: Date;
}

/** `issueUpdate` (docs/reference/tracker.md#issue) without a transaction: concurrent ones share their statements. */
@Injectable()
export class SharedUpdates {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly publicUrl: PublicUrl,
    private readonly events: EventLog,
  ) {}

  /** One batch of an organization at a time: a second one would find its issues changed by the first. */
  private readonly queue = coalesce((updates: Update[]) => this.all(updates), {
    name: 'issues.update',
    max: 64,
    inFlight: 1,
    lane: ({ viewer }) => viewer.organizationId,
    together: ({ id }) => id,
  });

  async update(
    viewer: Viewer,
    id: string,
    input: IssueUpdateInput,
    labels?: LabelChange,
  ): Promise<{ issue: Issue } & Mutated> {
    const origin = { cause: currentCause(), shift: this.clock.shiftMicros };
    const outcome = await this.queue({ viewer, id, input, labels, now: this.clock.now(), origin });
    if (outcome instanceof TrackerError) throw outcome;
    const lastSyncId = outcome.syncId ?? (await currentSyncId(this.db, viewer.organizationId));
    return { issue: outcome.issue, success: true, lastSyncId };
  }

  private async all(updates: readonly Update[]): Promise<Outcome[]> {
    const outcomes = new Map<Update, Outcome>();
    let left = updates;
    while (left.length > 0) {
      for (const [update, outcome] of await this.attempt(left)) outcomes.set(update, outcome);
      // issues that were changed since they were read
      left = left.filter((update) => !outcomes.has(update));
    }
    return updates.map((update) => outcomes.get(update) as Outcome);
  }

  private async attempt(updates: readonly Update[]): Promise<Map<Update, Outcome>> {
    const outcomes = new Map<Update, Outcome>();
    const found = await this.find(updates);
    const issues = new Map<Update, FoundRow>();
    updates.forEach((update, i) => {
      const issue = found.get(i + 1);
      if (issue && !isHiddenTeam(update.viewer, issue.teamId)) issues.set(update, issue);
      else outcomes.set(update, notFound('Issue'));
    });
    if (issues.size === 0) return outcomes;
    const facts = await loadFacts({ query: (s, values) => this.db.read(s, values) }, wantedByAll(issues));
    const drafts = new Map<string, Draft>();
    const entries: Entry[] = [];
    for (const [update, { n: _, version, ...issue }] of issues) {
      const own = facts.get('issue', issue.id);
      // deleted since it was read
      if (!own || !facts.get('team', issue.teamId)) continue;
      const draft = drafts.get(issue.id) ?? {
        before: issue,
        version,
        after: issue,
        subscribersBefore: own.subscriberIds,
        stateIds: new Set<string>(),
        cycleIds: new Set<string>(),
        newLabelIds: new Set<string>(),
      };
      drafts.set(issue.id, draft);
      outcomes.set(update, this.revise(update, draft, facts, entries));
    }
    const { viewer, now } = updates.at(-1) as Update;
    const unchanged = await this.write({ tenantId: viewer.tenantId, drafts, facts, entries, now });
    for (const [update, issue] of issues) {
      const outcome = outcomes.get(update);
      if (outcome && !(outcome instanceof TrackerError) && !unchanged.has(issue.id)) outcomes.delete(update);
    }
    return outcomes;
  }

  /** By the place of its call, from 1. */
  private async find(updates: readonly Update[]): Promise<Map<number, FoundRow>> {
    const lookups = updates.map(({ id, viewer }) => entityOf('Issue').lookup?.(id, viewer));
    const rows = await this.db.read<FoundRow & Record<string, unknown>>(ISSUES_TO_UPDATE, [
      updates[0]?.viewer.organizationId,
      lookups.map((lookup) => (lookup?.by === 'id' ? lookup.value : null)),
      lookups.map((lookup) => (lookup?.by === 'identifier' ? lookup.value : null)),
    ]);
    return new Map(rows.map((row) => [row.n, row]));
  }

  /** Applies one call to what the calls before have made of its issue. */
  private revise(
    { viewer, input, labels, now, origin }: Update,
    draft: Draft,
    facts: Facts,
    entries: Entry[],
  ): Outcome {
    const issue = draft.after;
    const own = facts.get('issue', issue.id) as IssueFacts;
    const team = facts.get('team', issue.teamId) as TeamFacts;
    const { least, most } = team;
    const revision = new IssueRevision(issue, { viewer, now, facts, parentId: undefined });
    try {
      revision.apply(input, labels);
    } catch (error) {
      if (!(error instanceof TrackerError)) throw error;
      // positions that it had taken
      Object.assign(team, { least, most });
      return error;
    }
    const before: IssueSnapshot = { issue, subscriberIds: own.subscriberIds };
    own.subscriberIds = [...revision.subscriberIds];
    if (input.stateId !== undefined) draft.stateIds.add(input.stateId);
    const change = differences(issue, revision.change);
    if (Object.keys(change).length === 0) return { issue };
    if (change.cycleId) draft.cycleIds.add(change.cycleId);
    for (const labelId of revision.newLabelIds) draft.newLabelIds.add(labelId);
    draft.after = { ...issue, ...change, updatedAt: now };
    const event = issueEvent({
      web: this.publicUrl.base,
      viewer,
      action: draft.after.trashed === true && issue.trashed !== true ? 'remove' : 'update',
      at: now,
      facts,
      after: { issue: draft.after, subscriberIds: own.subscriberIds },
      before,
    });
    const updated: Updated = { issue: draft.after };
    entries.push({ issueId: issue.id, event, origin, updated });
    return updated;
  }

  /** Returns the issues that were still as they had been read; only they are written. */
  private async write({ tenantId, drafts, facts, entries, now }: Writing): Promise<Set<string>> {
    const all = [...drafts.values()];
    const subscribersOf = ({ before }: Draft): readonly string[] =>
      (facts.get('issue', before.id) as IssueFacts).subscriberIds;
    const pairs = (of: (draft: Draft) => Iterable<string>) =>
      all.flatMap((draft) => Array.from(of(draft), (id): [string, string] => [draft.before.id, id]));
    const labels = pairs(({ newLabelIds }) => newLabelIds);
    const labelFacts = labels.map(([, id]) => facts.get('label', id) as LabelFacts);
    const added = pairs((draft) => subscribersOf(draft).filter((id) => !draft.subscribersBefore.includes(id)));
    const removed = pairs((draft) => draft.subscribersBefore.filter((id) => !subscribersOf(draft).includes(id)));
    if (entries.length + added.length + removed.length === 0) return new Set(drafts.keys());
    const changes = all.flatMap(({ before, after }) => {
      const change = differences(before, after);
      return Object.keys(change).length === 0 ? [] : [{ ...change, id: before.id }];
    });
    const events = entries.map(({ event }) => columnsOfEvent(event));
    const [row] = await this.db.run<{ unchanged: string[]; queued: string[]; syncIds: Record<string, number> }>(
      UPDATE_ISSUES,
      [
        [...drafts.keys()],
        all.map(({ version }) => version),
        ...columns(pairs(({ stateIds }) => stateIds)),
        JSON.stringify(changes),
        ...columns(added),
        ...columns(removed),
        events.map((event) => event.tenant_id),
        events.map(({ kind }) => kind),
        events.map(({ room }) => room),
        events.map(({ data }) => data),
        entries.map(({ origin }) => origin.cause),
        entries.map(({ origin }) => origin.shift),
        events.map((event) => event.organization_id),
        events.map(({ type }) => type),
        events.map((event) => event.team_ids),
        events.map((event) => event.is_public),
        entries.map(({ issueId }) => issueId),
        ...columns(pairs(({ cycleIds }) => cycleIds)),
        ...columns(labels),
        labelFacts.map(({ teamId }) => teamId),
        labelFacts.map(({ parentId }) => parentId),
        now,
      ],
      // also where nothing but subscribers changes, which no event tells of
      tenantId,
    );
    const { unchanged = [], queued = [], syncIds = {} } = row ?? {};
    entries.forEach(({ updated }, i) => {
      const syncId = syncIds[i + 1];
      if (syncId !== undefined) updated.syncId = syncId;
    });
    if (Object.keys(syncIds).length > 0) this.events.wake(queuedFor(queued));
    return new Set(unchanged);
  }
}

const columns = (pairs: readonly (readonly [string, string])[]): [string[], string[]] => [
  pairs.map(([first]) => first),
  pairs.map(([, second]) => second),
];

/** Nothing is locked by reading it: the state, the cycle and the labels that a call names are when the issue is written. */
function wantedByAll(issues: ReadonlyMap<Update, Issue>): FactIds {
  const wanted: FactIds = {};
  const want = (kind: keyof FactIds, ids: Iterable<string>): void => {
    const known = (wanted[kind] ??= new Set());
    for (const id of ids) known.add(id);
  };
  for (const [{ viewer, input, labels }, issue] of issues) {
    const { heldState = [], heldCycle = [], heldLabel = [], ...others } = factIdsOf([issue], input, { labels }, viewer);
    want('state', heldState);
    want('cycle', heldCycle);
    want('label', heldLabel);
    for (const [kind, ids] of Object.entries(others)) want(kind as keyof FactIds, ids);
  }
  return wanted;
}
