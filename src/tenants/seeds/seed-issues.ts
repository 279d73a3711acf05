import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import type { Tx } from '../../kernel/database/db.js';
import { newUuid } from '../../kernel/ids/ids.js';
import { Comment } from '../../tracker/issues/comments/comment.entity.js';
import { Issue } from '../../tracker/issues/issue.entity.js';
import { insertMany } from '../../kernel/database/insert-many.queries.js';
import { INSERT_SUBSCRIBERS } from '../../tracker/issues/seeds.queries.js';
import { ISSUE_COUNTERS, SET_ISSUE_COUNTERS } from '../../tracker/provisioning/seeds.queries.js';
import { requireAllInserted, type State, type TrackerNames, type TrackerSeedContext } from './known-tracker.js';
import { columns } from './seed-projects.js';
import type { SeedComment, SeedIssue, SeedTeam } from './seed-types.js';

/** Rows per statement. */
const AT_ONCE = 5_000;

/** Collected from all teams before anything is stored. */
class IssueRows {
  readonly issues: (Partial<Issue> & { id: string })[] = [];
  readonly comments: Partial<Comment>[] = [];
  readonly subscribers: [string, string][] = [];
  readonly byRef = new Map<string, string>();
  readonly refs: Record<string, { id: string; identifier: string }> = {};
  /** Each with the ref of its parent. */
  readonly children: { readonly row: Partial<Issue>; readonly parent: string }[] = [];
}

/** Issues of a document, with their comments and subscribers. */
@Injectable()
export class SeedIssues {
  constructor(private readonly clock: Clock) {}

  /** Returns the objects that refs name. */
  async add(
    tx: Tx,
    seedContext: TrackerSeedContext,
    teams: readonly SeedTeam[],
    names: TrackerNames,
  ): Promise<Record<string, object>> {
    const gathered = new IssueRows();
    const busy = teams.filter(({ issues }) => issues.length > 0);
    if (busy.length === 0) return {};
    const idOf = ({ key }: SeedTeam): string => names.teams.get(key) as string;
    const counters = seedContext.isBare
      ? []
      : await tx.query<{ id: string; last: number }>(ISSUE_COUNTERS, [busy.map(idOf)]);
    const lasts = new Map(counters.map(({ id, last }) => [id, last]));
    for (const team of busy) {
      const last = this.gather(
        seedContext,
        { team, teamId: idOf(team), last: lasts.get(idOf(team)) ?? 0 },
        names,
        gathered,
      );
      lasts.set(idOf(team), last);
    }
    for (const { row, parent } of gathered.children) row.parentId = gathered.byRef.get(parent) as string;
    await this.store(tx, gathered);
    await tx.query(SET_ISSUE_COUNTERS, [[...lasts.keys()], [...lasts.values()]]);
    return gathered.refs;
  }

  private async store(tx: Tx, { issues, comments, subscribers, children }: IssueRows): Promise<void> {
    // a parent is inserted by the same statement as its children, or by an earlier one
    const rows = children.length === 0 ? issues : parentsFirst(issues);
    for (let from = 0; from < rows.length; from += AT_ONCE) {
      const part = rows.slice(from, from + AT_ONCE);
      await requireAllInserted(insertMany(tx, Issue, part), part.length, 'tracker.teams');
    }
    for (let from = 0; from < comments.length; from += AT_ONCE) {
      const part = comments.slice(from, from + AT_ONCE);
      await requireAllInserted(insertMany(tx, Comment, part), part.length, 'tracker.teams');
    }
    await tx.query(INSERT_SUBSCRIBERS, columns(subscribers));
  }

  /** Returns the last number that was assigned. */
  private gather(
    seedContext: TrackerSeedContext,
    { team: { key, issues }, teamId, last }: { team: SeedTeam; teamId: string; last: number },
    names: TrackerNames,
    gathered: IssueRows,
  ): number {
    const fixed = new Set(issues.map(({ number }) => number));
    const base = this.clock.nowMs() - issues.length;
    let next = last;
    for (const [i, issue] of issues.entries()) {
      let { number } = issue;
      if (number === undefined) {
        do next += 1;
        while (fixed.has(next));
        number = next;
      }
      const identifier = `${key}-${number}`;
      const at = new Date(issue.at === undefined ? base + i : issue.at / 1000);
      const row = rowOf(seedContext, { teamId, issue, names, at, order: -i });
      const { id, creatorId, assigneeId } = row;
      const stored: Partial<Issue> & { id: string } = { ...row, number, identifier, parentId: null };
      gathered.issues.push(stored);
      gathered.subscribers.push([id, creatorId]);
      if (assigneeId !== null) gathered.subscribers.push([id, assigneeId]);
      for (const name of issue.subscribers) gathered.subscribers.push([id, seedContext.userId(name) as string]);
      names.issueIds.set(issue, id);
      names.issues.set(identifier, id);
      if (issue.ref !== undefined) {
        names.issues.set(issue.ref, id);
        gathered.byRef.set(issue.ref, id);
        gathered.refs[issue.ref] = { id, identifier };
      }
      if (issue.parent !== undefined) gathered.children.push({ row: stored, parent: issue.parent });
      addComments(seedContext, { id, issue, at }, names, gathered);
    }
    return issues.reduce((highest, { number }) => Math.max(highest, number ?? 0), next);
  }
}

function addComments(
  { organizationId, userId: idOf }: TrackerSeedContext,
  { id: issueId, issue, at }: { id: string; issue: SeedIssue; at: Date },
  names: TrackerNames,
  gathered: IssueRows,
): void {
  const add = (comment: SeedComment, place: number, parentId: string | null): void => {
    const userId = idOf(comment.as) as string;
    const when = new Date(comment.at === undefined ? at.getTime() + place : comment.at / 1000);
    const id = comment.id ?? newUuid();
    const resolvingUserId = comment.resolved === undefined ? null : (idOf(comment.resolved) as string);
    const values = { id, organizationId, issueId, parentId, userId, body: comment.body, resolvingUserId };
    const resolvedAt = resolvingUserId === null ? null : when;
    gathered.comments.push({ ...values, resolvedAt, createdAt: when, updatedAt: when });
    gathered.subscribers.push([issueId, userId]);
    names.commentIds.set(comment, id);
    for (const [k, reply] of comment.replies.entries()) add(reply, place + k + 1, id);
  };
  for (const [k, comment] of issue.comments.entries()) add(comment, k + 1, null);
}

function rowOf(
  { organizationId, creatorId, userId }: TrackerSeedContext,
  context: { teamId: string; issue: SeedIssue; names: TrackerNames; at: Date; order: number },
) {
  const { teamId, issue, names, at, order } = context;
  const state = names.state(teamId, issue.state) as State;
  const named = <T>(name: T | undefined, find: (name: T) => string | undefined): string | null =>
    name === undefined ? null : (find(name) as string);
  const assigneeId = named(issue.assignee, userId);
  const projectId = named(issue.project, (name) => names.projects.get(name));
  const cycleId = named(issue.cycle, (number) => names.cycles.get(`${teamId}/${number}`));
  return {
    id: issue.id ?? newUuid(),
    organizationId,
    teamId,
    title: issue.title,
    description: issue.description ?? null,
    priority: issue.priority,
    estimate: issue.estimate ?? null,
    dueDate: issue.dueDate ?? null,
    stateId: state.id,
    assigneeId,
    creatorId: named(issue.as, userId) ?? creatorId,
    projectId,
    cycleId,
    labelIds: issue.labels.map((name) => names.label(teamId, name) as string),
    previousIdentifiers: [],
    sortOrder: order,
    prioritySortOrder: order,
    startedAt: ['started', 'completed'].includes(state.type) ? at : null,
    completedAt: state.type === 'completed' ? at : null,
    canceledAt: ['canceled', 'duplicate'].includes(state.type) ? at : null,
    addedToTeamAt: at,
    addedToProjectAt: projectId === null ? null : at,
    addedToCycleAt: cycleId === null ? null : at,
    archivedAt: issue.isArchived ? at : null,
    createdAt: at,
    updatedAt: at,
  };
}

/** Each after its parent; there are no cycles. */
function parentsFirst<R extends { id: string; parentId?: string | null }>(rows: readonly R[]): R[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const sorted = new Set<R>();
  for (const row of rows) {
    const line: R[] = [];
    for (let one: R | undefined = row; one && !sorted.has(one); one = byId.get(one.parentId ?? '')) line.push(one);
    for (const one of line.toReversed()) sorted.add(one);
  }
  return [...sorted];
}
