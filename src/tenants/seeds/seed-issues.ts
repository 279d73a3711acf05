import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import type { Tx } from '../../kernel/database/db.js';
import { newUuid } from '../../kernel/ids/ids.js';
import { Comment } from '../../tracker/issues/comments/comment.entity.js';
import { Issue } from '../../tracker/issues/issue.entity.js';
import { insertMany } from '../../kernel/database/insert-many.queries.js';
import { requireAllInserted, type TrackerNames, type TrackerSeedContext } from './known-tracker.js';
import { columns } from './seed-projects.js';
import { ISSUE_COUNTERS, SET_COUNTERS, SUBSCRIBE } from './seed-tracker.queries.js';
import type { SeedIssue, SeedTeam } from './seed-types.js';

/** Rows per statement. */
const AT_ONCE = 5_000;

/** Collected from all teams before anything is stored. */
class IssueRows {
  readonly issues: (Partial<Issue> & { id: string })[] = [];
  readonly comments: Partial<Comment>[] = [];
  readonly subscribers: [string, string][] = [];
  readonly byRef = new Map<string, string>();
  readonly refs: Record<string, { id: string; identifier: string }> = {};
  /** Each with the path and the ref of its parent. */
  readonly children: { readonly row: Partial<Issue>; readonly parent: string; readonly path: string }[] = [];
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
    faults: string[],
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
        faults,
      );
      lasts.set(idOf(team), last);
    }
    for (const { row, parent, path } of gathered.children) {
      const parentId = gathered.byRef.get(parent);
      if (parentId === undefined) faults.push(`${path}.parent: no issue has the ref "${parent}"`);
      else row.parentId = parentId;
    }
    for (const path of cyclesAmong(gathered.children)) faults.push(`${path}.parent: must not be an issue below it`);
    if (faults.length > 0) return {};
    await this.store(tx, gathered);
    await tx.query(SET_COUNTERS, [[...lasts.keys()], [...lasts.values()]]);
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
    await tx.query(SUBSCRIBE, columns(subscribers));
  }

  /** Returns the last number that was assigned. */
  private gather(
    seedContext: TrackerSeedContext,
    { team: { key, issues }, teamId, last }: { team: SeedTeam; teamId: string; last: number },
    names: TrackerNames,
    gathered: IssueRows,
    faults: string[],
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
      const row = rowOf(seedContext, { teamId, issue, names, at, order: -i }, faults);
      if (!row) continue;
      const { id, creatorId, assigneeId } = row;
      const stored: Partial<Issue> & { id: string } = { ...row, number, identifier, parentId: null };
      gathered.issues.push(stored);
      gathered.subscribers.push([id, creatorId]);
      if (assigneeId !== null) gathered.subscribers.push([id, assigneeId]);
      names.issueIds.set(issue, id);
      names.issues.set(identifier, id);
      if (issue.ref !== undefined) {
        names.issues.set(issue.ref, id);
        gathered.byRef.set(issue.ref, id);
        gathered.refs[issue.ref] = { id, identifier };
      }
      if (issue.parent !== undefined) gathered.children.push({ row: stored, parent: issue.parent, path: issue.path });
      addComments(seedContext, { id, issue, at }, gathered, faults);
    }
    return issues.reduce((highest, { number }) => Math.max(highest, number ?? 0), next);
  }
}

function addComments(
  { organizationId, userId: idOf }: TrackerSeedContext,
  { id: issueId, issue, at }: { id: string; issue: SeedIssue; at: Date },
  gathered: IssueRows,
  faults: string[],
): void {
  for (const [k, comment] of issue.comments.entries()) {
    const userId = idOf(comment.as);
    if (userId === undefined) {
      faults.push(`${comment.path}.as: no user has the name "${comment.as}"`);
      continue;
    }
    const when = new Date(comment.at === undefined ? at.getTime() + k + 1 : comment.at / 1000);
    const values = { id: comment.id ?? newUuid(), organizationId, issueId, userId, body: comment.body };
    gathered.comments.push({ ...values, createdAt: when, updatedAt: when });
    gathered.subscribers.push([issueId, userId]);
  }
}

/** Undefined if one of its names is unknown. */
function rowOf(
  { organizationId, creatorId, userId }: TrackerSeedContext,
  context: { teamId: string; issue: SeedIssue; names: TrackerNames; at: Date; order: number },
  faults: string[],
) {
  const { teamId, issue, names, at, order } = context;
  const before = faults.length;
  const named = <T>(name: T | undefined, find: (name: T) => string | undefined, field: string, what: string) => {
    if (name === undefined) return null;
    const id = find(name);
    if (id === undefined) faults.push(`${issue.path}.${field}: no ${what} "${String(name)}"`);
    return id ?? null;
  };
  const state = names.state(teamId, issue.state);
  if (!state) faults.push(`${issue.path}.state: no state has the name "${issue.state}"`);
  const assigneeId = named(issue.assignee, userId, 'assignee', 'user has the name');
  const author = named(issue.as, userId, 'as', 'user has the name') ?? creatorId;
  const projectId = named(issue.project, (name) => names.projects.get(name), 'project', 'project has the name');
  const cycleOf = (number: number): string | undefined => names.cycles.get(`${teamId}/${number}`);
  const cycleId = named(issue.cycle, cycleOf, 'cycle', 'cycle of the team has the number');
  const labelIds = issue.labels.flatMap((name, k) => {
    const id = names.label(teamId, name);
    if (id === undefined) faults.push(`${issue.path}.labels[${k}]: no label has the name "${name}"`);
    return id ?? [];
  });
  if (!state || faults.length > before) return undefined;
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
    creatorId: author,
    projectId,
    cycleId,
    labelIds,
    previousIdentifiers: [],
    sortOrder: order,
    prioritySortOrder: order,
    startedAt: ['started', 'completed'].includes(state.type) ? at : null,
    completedAt: state.type === 'completed' ? at : null,
    canceledAt: ['canceled', 'duplicate'].includes(state.type) ? at : null,
    addedToTeamAt: at,
    addedToProjectAt: projectId === null ? null : at,
    addedToCycleAt: cycleId === null ? null : at,
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

/** Paths of issues that are their own ancestors. */
function cyclesAmong(children: IssueRows['children']): string[] {
  const byId = new Map(children.map((child) => [child.row.id, child]));
  const good = new Set<string | undefined>();
  return children.flatMap(({ row, path }) => {
    const seen = new Set<string | undefined>();
    let id: string | null | undefined = row.id;
    while (id && byId.has(id) && !good.has(id) && !seen.has(id)) {
      seen.add(id);
      id = byId.get(id)?.row.parentId;
    }
    const isCircle = id !== undefined && id !== null && seen.has(id);
    if (!isCircle) for (const one of seen) good.add(one);
    return isCircle ? [path] : [];
  });
}
