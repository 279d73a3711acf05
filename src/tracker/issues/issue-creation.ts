import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { drawnForEvent, ownIds } from '../../kernel/clock/request-sandbox.js';
import { coalesce, wasRolledBack } from '../../kernel/database/coalesce.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import type { Origin, Recorded } from '../../kernel/events/event.js';
import { currentCause } from '../../kernel/http/call-context.js';
import { PublicUrl } from '../../kernel/http/public-url.js';
import { Access } from '../access/access.js';
import { idAlreadyUsed, TrackerError } from '../values/errors.js';
import { mutate, type Mutated } from '../events/mutation.js';
import { Issue } from './issue.entity.js';
import { isUuid } from '../values/uuid.js';
import type { Viewer } from '../access/viewer.js';
import { agentsHearDelegation } from './agents/agent-starts.js';
import { changeIssueReleases } from './issue-releases.js';
import { tell } from '../events/notify.js';
import { issueEvent } from './issue-events.js';
import { ViewNews } from './notifications/view-news.js';
import { newsOfIssue } from './issue-news.js';
import type { Creation } from './creation.js';
import { draftOf, isPlain, factIdsOf } from './issue-draft.js';
import type { Facts, TeamFacts } from './issue-facts.js';
import { holdTeams, loadFacts } from './issue-facts.queries.js';
import { applyTemplates, withoutGone } from './issue-templates.js';
import type { IssueCreateInput } from './issues.inputs.js';
import { INSERT_ISSUES } from './issues.queries.js';
import { webFor } from '../values/urls.js';

interface Created {
  issue: Issue;
  subscriberIds: string[];
  releaseIds: readonly string[];
  recorded: Recorded;
}

/**
 * Creations of one organization that may wait in the shared transaction; further ones use transactions of their own.
 */
const MAX_IN_SHARED_QUEUE = 4;

const UNIQUE_VIOLATION = '23505';

/** An issue changes nothing of who its organization's callers are. */
const KEEPS_CALLERS = { keeps: 'callers' } as const;

/** `issueCreate` and `issueBatchCreate` (docs/reference/tracker.md#issue). */
@Injectable()
export class IssueCreation {
  /** The number of running creations of an organization in the shared transaction, and in its own. */
  private readonly inSharedQueue = new Map<string, number>();
  private readonly inOwnQueue = new Map<string, number>();

  constructor(
    private readonly db: Db,
    private readonly access: Access,
    private readonly clock: Clock,
    private readonly publicUrl: PublicUrl,
    private readonly viewNews: ViewNews,
  ) {}

  async create(viewer: Viewer, input: IssueCreateInput): Promise<{ issue: Issue } & Mutated> {
    const creation = { viewer, input, now: this.clock.now(), origin: this.origin };
    // ids that are derived from a call are made in its context
    const outcome = ownIds()
      ? ((await this.createBatch([creation]))[0] as Created | TrackerError)
      : ((await this.createInSharedQueue(creation)) ?? (await this.createInOwnQueue(creation)));
    if (outcome instanceof TrackerError) throw outcome;
    return { issue: outcome.issue, success: true, lastSyncId: outcome.recorded.syncId };
  }

  /** All of them or none. */
  async batchCreate(viewer: Viewer, inputs: readonly IssueCreateInput[]): Promise<{ issues: Issue[] } & Mutated> {
    const now = this.clock.now();
    const creations = inputs.map((input) => ({ viewer, input, now, origin: this.origin }));
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
      throw taken === undefined ? error : idAlreadyUsed('Issue', taken);
    }
  }

  private get origin(): Origin {
    return { cause: currentCause(), shift: this.clock.shiftMicros, draw: drawnForEvent() };
  }

  /**
   * Calls of different organizations share a transaction: twenty that create one issue each cost hardly more than one
   * that creates twenty. Undefined when nothing was done: no other organization calls, this one uses its own queue, as its
   * calls wait for something slow, or the shared transaction was refused.
   */
  private async createInSharedQueue(creation: Creation): Promise<Created | TrackerError | undefined> {
    const { organizationId } = creation.viewer;
    const isBusy =
      this.inOwnQueue.has(organizationId) || (this.inSharedQueue.get(organizationId) ?? 0) >= MAX_IN_SHARED_QUEUE;
    if (isBusy || this.isAlone(organizationId) || !isPlain(creation)) return undefined;
    return counted(this.inSharedQueue, organizationId, () => this.sharedQueue(creation));
  }

  /** In two queues a lone organization would wait for itself. */
  private isAlone(organizationId: string): boolean {
    const own = Number(this.inSharedQueue.has(organizationId)) + Number(this.inOwnQueue.has(organizationId));
    return this.inSharedQueue.size + this.inOwnQueue.size === own;
  }

  /**
   * Concurrent calls of an organization share a transaction: one that is refused does not affect the others. One
   * transaction at a time, since a second would only wait for the first one's counters; each organization has its own,
   * so that none waits for another's locks.
   */
  private createInOwnQueue(creation: Creation): Promise<Created | TrackerError> {
    return counted(this.inOwnQueue, creation.viewer.organizationId, () => this.ownQueue(creation));
  }

  private readonly sharedQueue = coalesce((batch: Creation[]) => this.createShared(batch), {
    name: 'issues.create',
    max: 64,
    inFlight: 1,
  });

  private readonly ownQueue = coalesce((batch: Creation[]) => this.createBatch(batch), {
    name: 'issues.create',
    max: 64,
    inFlight: 1,
    lane: ({ viewer }) => viewer.organizationId,
  });

  /** Creations of several organizations, all of them or none. */
  private async createShared(creations: Creation[]): Promise<(Created | TrackerError | undefined)[]> {
    try {
      return await this.db.write(async (tx) => {
        return this.createAll(tx, creations, { waitsShortly: true }).catch(toBeCreatedInOwnQueue);
      }, KEEPS_CALLERS);
    } catch (error) {
      if (error instanceof ToBeCreatedInOwnQueue || wasRolledBack(error)) return creations.map(() => undefined);
      throw error;
    }
  }

  private async createBatch(creations: Creation[]): Promise<(Created | TrackerError)[]> {
    try {
      return await this.db.write((tx) => this.createAll(tx, creations), KEEPS_CALLERS);
    } catch (error) {
      // two concurrent calls with one id; of several creations each is retried by itself
      const taken = takenId(error);
      if (creations.length === 1 && taken !== undefined) return [idAlreadyUsed('Issue', taken)];
      throw error;
    }
  }

  private async createAll(
    tx: Tx,
    given: readonly Creation[],
    options?: { waitsShortly: boolean },
  ): Promise<(Created | TrackerError)[]> {
    const teamIds = given.map(({ input }) => input.teamId);
    const organizationIds = given.map(({ viewer }) => viewer.organizationId);
    await holdTeams(tx, teamIds, organizationIds, options);
    const applied = await applyTemplates(tx, this.access, given);
    const creations = applied.map((one, i) => (one instanceof TrackerError ? (given[i] as Creation) : one));
    const parentIds = await this.parentIds(tx, creations);
    const facts = await loadFacts(tx, factIdsOf(creations, parentIds));
    const outcomes = creations.map((creation, i): Created | TrackerError => {
      const refused = applied[i];
      if (refused instanceof TrackerError) return refused;
      try {
        const draft = draftOf(withoutGone(creation, facts, parentIds[i]), parentIds[i], facts);
        return { ...draft, recorded: { id: 0, syncId: 0 } };
      } catch (error) {
        if (error instanceof TrackerError) return error;
        throw error;
      }
    });
    const isMade = (outcome: Created | TrackerError): outcome is Created => !(outcome instanceof TrackerError);
    const made = outcomes.filter(isMade);
    if (made.length > 0) await this.insert(tx, made, facts, (creations.at(-1) as Creation).now);
    const news = outcomes.flatMap((outcome, i) => {
      const { viewer, now: at, origin } = creations[i] as Creation;
      const setting = { web: webFor(this.publicUrl.base, viewer), viewer, at, origin };
      return isMade(outcome) ? newsOfIssue(setting, { after: outcome }, facts) : [];
    });
    await tell(tx, await this.viewNews.added(tx, news));
    for (const [i, outcome] of outcomes.entries()) {
      if (!isMade(outcome)) continue;
      const { viewer, now, origin } = creations[i] as Creation;
      await tx.causedBy(origin, () => this.release(tx, viewer, now, outcome, facts));
      const event = issueEvent({
        web: webFor(this.publicUrl.base, viewer),
        viewer,
        action: 'create',
        at: now,
        facts,
        after: outcome,
      });
      outcome.recorded = tx.record(event, origin);
      const { issue } = outcome;
      const setting = { web: webFor(this.publicUrl.base, viewer), viewer, at: now };
      const team = facts.get('team', issue.teamId);
      if (team) await tx.causedBy(origin, () => agentsHearDelegation(tx, setting, { issue, team }, issue));
    }
    return outcomes;
  }

  private async insert(tx: Tx, made: readonly Created[], facts: Facts, at: Date): Promise<void> {
    const teams = [...new Set(made.map(({ issue }) => issue.teamId))].map((id) => facts.get('team', id) as TeamFacts);
    await tx.query(INSERT_ISSUES, [
      JSON.stringify(made.map(({ issue }) => issue)),
      teams.map(({ id }) => id),
      teams.map(({ issueCounter }) => issueCounter),
      [...new Set(made.flatMap(({ issue }) => issue.labelIds))],
      at,
      made.flatMap(({ issue, subscriberIds }) => subscriberIds.map(() => issue.id)),
      made.flatMap(({ subscriberIds }) => subscriberIds),
    ]);
  }

  /** Its releases, which the event of its making shows. */
  private async release(
    tx: Tx,
    viewer: Viewer,
    at: Date,
    { issue, releaseIds, subscriberIds }: Created,
    facts: Facts,
  ): Promise<void> {
    if (releaseIds.length === 0) return;
    const { id: issueId, organizationId } = issue;
    const added = releaseIds.map((releaseId) => ({ issueId, releaseId }));
    const web = webFor(this.publicUrl.base, viewer);
    await changeIssueReleases(tx, { web, viewer, at }, { added, removed: [] });
    const releases = releaseIds.flatMap((id) => facts.get('release', id) ?? []);
    facts.add('issue', { id: issueId, organizationId, subscriberIds, height: 0, reactions: [], releases });
  }

  /** For each creation its parent's UUID. An unknown identifier is left out, and refused later. */
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

/** what blocked one organization must not delay the others: each creation is then made by itself */
class ToBeCreatedInOwnQueue extends Error {}
const toBeCreatedInOwnQueue = (error: unknown): never => {
  throw wasRolledBack(error) ? new ToBeCreatedInOwnQueue() : error;
};

async function counted<T>(counts: Map<string, number>, key: string, work: () => Promise<T>): Promise<T> {
  counts.set(key, (counts.get(key) ?? 0) + 1);
  try {
    return await work();
  } finally {
    const left = (counts.get(key) ?? 1) - 1;
    if (left > 0) counts.set(key, left);
    else counts.delete(key);
  }
}

/** The id that another transaction assigned to an issue meanwhile, if that is why the store refused. */
function takenId(error: unknown): string | undefined {
  const { code, constraint, detail = '' } = error as { code?: string; constraint?: string; detail?: string };
  if (code !== UNIQUE_VIOLATION || constraint !== 'issues_pkey') return undefined;
  return /\(([0-9a-f-]{36})\)/.exec(detail)?.[1];
}
