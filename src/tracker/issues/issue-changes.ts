import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { PublicUrl } from '../../kernel/http/public-url.js';
import { Access } from '../access/access.js';
import { forbidden, notFound } from '../values/errors.js';
import { mutate, type Mutated } from '../events/mutation.js';
import { Issue } from './issue.entity.js';
import { recordHistory } from './history/record-history.js';
import { changeIssueReleases } from './issue-releases.js';
import { changeOf } from './history/issue-history.js';
import { differences } from '../store/differences.js';
import { Team } from '../store/team.entity.js';
import { isUuid } from '../values/uuid.js';
import type { Viewer } from '../access/viewer.js';
import { agentsHearDelegation } from './agents/agent-starts.js';
import { tell } from '../events/notify.js';
import { issueEvent, type IssueSnapshot } from './issue-events.js';
import { ViewNews } from './notifications/view-news.js';
import { newsOfIssue, newsOfUnblocked, type IssueChanged } from './issue-news.js';
import type { Facts, IssueFacts } from './issue-facts.js';
import { holdTeams, loadFacts } from './issue-facts.queries.js';
import { releaseChanges } from './issue-release-changes.js';
import { IssueRevision, factIdsOf, type LabelChange } from './issue-revision.js';
import type { IssueUpdateInput } from './issues.inputs.js';
import { forgetIssue, labelsApplied, queueReparenting, setSubscribers } from './issues.queries.js';
import { webFor } from '../values/urls.js';

/** The changes to an issue. */
interface Request {
  input: IssueUpdateInput;
  archive?: boolean;
  /** From the label mutations. */
  labels?: LabelChange;
}

/** All changes of existing issues (docs/reference/tracker.md#issue). */
@Injectable()
export class IssueChanges {
  constructor(
    private readonly db: Db,
    private readonly access: Access,
    private readonly clock: Clock,
    private readonly publicUrl: PublicUrl,
    private readonly viewNews: ViewNews,
  ) {}

  update(viewer: Viewer, id: string, input: IssueUpdateInput): Promise<{ issue: Issue } & Mutated> {
    return this.one(viewer, id, { input });
  }

  /** One input for all of them, in one transaction. Returns them in the order of `ids`. */
  batchUpdate(viewer: Viewer, ids: readonly string[], input: IssueUpdateInput): Promise<{ issues: Issue[] } & Mutated> {
    return mutate(this.db, viewer, async (tx) => ({
      issues: await this.change(tx, viewer, { input }, async () => {
        const issues = await this.access.issues.findMany(viewer, ids, tx, 'change');
        if (issues.length < new Set(ids).size) throw notFound('Issue');
        return issues;
      }),
    }));
  }

  async archive(viewer: Viewer, id: string, trash: boolean): Promise<{ entity: Issue } & Mutated> {
    const request = trash ? { input: { trashed: true } } : { input: {}, archive: true };
    const { issue, ...mutated } = await this.one(viewer, id, request);
    return { entity: issue, ...mutated };
  }

  async unarchive(viewer: Viewer, id: string): Promise<{ entity: Issue } & Mutated> {
    const { issue, ...mutated } = await this.one(viewer, id, { input: { trashed: null } });
    return { entity: issue, ...mutated };
  }

  /**
   * Deletes permanently, with its comments.
   * @throws forbidden unless the caller is an admin, before the issue is looked up
   */
  deletePermanently(viewer: Viewer, id: string): Promise<{ entity: null } & Mutated> {
    if (!viewer.admin) throw forbidden('You need to be an admin to delete issues permanently.');
    return mutate(this.db, viewer, async (tx) => {
      const now = this.clock.now();
      const issue = await this.access.issues.forUpdate(tx, viewer, id);
      const facts = await loadFacts(tx, factIdsOf([issue], {}, {}, viewer));
      await forgetIssue(tx, issue.id, now);
      await tx.sql.delete(Issue, { id: issue.id });
      const { subscriberIds } = facts.get('issue', issue.id) as IssueFacts;
      const after = { issue, subscriberIds };
      tx.record(
        issueEvent({ web: webFor(this.publicUrl.base, viewer), viewer, action: 'remove', at: now, facts, after }),
      );
      return { entity: null };
    });
  }

  /** Moves an issue to another state of its team, in a transaction of something else. */
  async enter(tx: Tx, viewer: Viewer, id: string, stateId: string): Promise<void> {
    await this.change(tx, viewer, { input: { stateId } }, async () => [
      await this.access.issues.forUpdate(tx, viewer, id),
    ]);
  }

  addLabel(viewer: Viewer, id: string, labelId: string): Promise<{ issue: Issue } & Mutated> {
    return this.one(viewer, id, { input: {}, labels: { added: [labelId], removed: [], field: 'labelId' } });
  }

  removeLabel(viewer: Viewer, id: string, labelId: string): Promise<{ issue: Issue } & Mutated> {
    return this.one(viewer, id, { input: {}, labels: { added: [], removed: [labelId], field: 'labelId' } });
  }

  private one(viewer: Viewer, id: string, request: Request): Promise<{ issue: Issue } & Mutated> {
    return mutate(this.db, viewer, async (tx) => {
      const [issue] = await this.change(tx, viewer, request, async () => [
        await this.access.issues.forUpdate(tx, viewer, id),
      ]);
      return { issue: issue as Issue };
    });
  }

  /** @param hold finds and locks the issues; teams whose counters change are locked before */
  private async change(tx: Tx, viewer: Viewer, request: Request, hold: () => Promise<Issue[]>): Promise<Issue[]> {
    const { input, labels } = request;
    const now = this.clock.now();
    if (input.parentId) await queueReparenting(tx, viewer.organizationId);
    if (input.teamId !== undefined) await holdTeams(tx, [input.teamId], [viewer.organizationId]);
    const issues = await hold();
    const parentId = await this.parentId(tx, viewer, input);
    const facts = await loadFacts(tx, factIdsOf(issues, input, { parentId, labels }, viewer));
    const setting = { web: webFor(this.publicUrl.base, viewer), viewer, at: now };
    const released = await changeIssueReleases(tx, setting, releaseChanges(issues, input, facts, viewer));
    const changes: (IssueChanged & { before: IssueSnapshot })[] = [];
    // one after the other: numbers and positions taken by one are taken for the next
    for (const issue of issues) {
      const revision = new IssueRevision(issue, { viewer, now, facts, parentId });
      revision.apply(input, labels);
      if (request.archive) revision.archive();
      changes.push(await this.store(tx, revision, now, facts));
    }
    await recordHistory(
      tx,
      viewer,
      now,
      changes.map(({ before, after }) => ({
        issueId: after.issue.id,
        change: {
          ...changeOf(before.issue, after.issue),
          ...released.find(({ issueId }) => issueId === after.issue.id)?.change,
        },
      })),
    );
    const news = changes.flatMap((change) => newsOfIssue(setting, change, facts));
    await tell(tx, [...(await this.viewNews.added(tx, news)), ...(await newsOfUnblocked(tx, setting, changes))]);
    for (const change of changes) await this.announce(tx, setting, change, facts);
    if (input.teamId !== undefined) {
      const issueCounter = facts.get('team', input.teamId)?.issueCounter;
      await tx.sql.update(Team, { id: input.teamId }, { issueCounter });
    }
    return changes.map(({ after }) => after.issue);
  }

  private async store(
    tx: Tx,
    revision: IssueRevision,
    now: Date,
    facts: Facts,
  ): Promise<{ before: IssueSnapshot; after: IssueSnapshot }> {
    const { issue, subscriberIds, subscribersChanged, newLabelIds } = revision;
    const before = { issue, subscriberIds: (facts.get('issue', issue.id) as IssueFacts).subscriberIds };
    // subscribers are not part of the issue: no new `updatedAt`, no event (docs/reference/tracker.md#issue)
    if (subscribersChanged) await setSubscribers(tx, issue.id, subscriberIds);
    const change = differences(issue, revision.change);
    if (Object.keys(change).length === 0) return { before, after: { issue, subscriberIds } };
    const values = { ...change, updatedAt: now };
    await tx.sql.update(Issue, { id: issue.id }, values);
    const row = { ...issue, ...values };
    if (newLabelIds.length > 0) await labelsApplied(tx, newLabelIds, now);
    return { before, after: { issue: row, subscriberIds } };
  }

  /** What sockets, webhooks and agents hear of an issue, if it has changed. */
  private async announce(
    tx: Tx,
    setting: { web: string; viewer: Viewer; at: Date },
    { before, after }: IssueChanged & { before: IssueSnapshot },
    facts: Facts,
  ): Promise<void> {
    const { issue } = after;
    if (issue === before.issue) return;
    const isRemoval = issue.trashed === true && before.issue.trashed !== true;
    tx.record(issueEvent({ ...setting, action: isRemoval ? 'remove' : 'update', facts, after, before }));
    const team = facts.get('team', issue.teamId);
    if (team) await agentsHearDelegation(tx, setting, { issue, team }, issue, before.issue);
  }

  /** The UUID of the parent that the input names; undefined for an unknown identifier, which is refused later. */
  private async parentId(tx: Tx, viewer: Viewer, { parentId }: IssueUpdateInput): Promise<string | undefined> {
    if (!parentId || isUuid(parentId)) return parentId ?? undefined;
    return (await this.access.issues.find(viewer, parentId, tx))?.id;
  }
}
