import { Injectable } from '@nestjs/common';
import { drawnForStatement } from '../../kernel/clock/request-sandbox.js';
import { Clock } from '../../kernel/clock/clock.js';
import type { Tx } from '../../kernel/database/db.js';
import type { Statement } from '../../kernel/database/statement.js';
import { RestError } from '../../kernel/http/http-error.js';
import { newUuid } from '../../kernel/ids/ids.js';
import { TrackerSetup } from '../../tracker/provisioning/setup.js';
import { IssueLabel } from '../../tracker/issues/labels/issue-label.entity.js';
import { Organization } from '../../tracker/store/organization.entity.js';
import { Team } from '../../tracker/store/team.entity.js';
import {
  ProjectStatus as StoredStatus,
  projectStatuses,
} from '../../tracker/projects/statuses/project-status.entity.js';
import { cycles } from '../../tracker/teams/cycles/cycle.entity.js';
import { WorkflowState, type WorkflowStateKind } from '../../tracker/teams/states/workflow-state.entity.js';
import { insertMany } from '../../kernel/database/insert-many.queries.js';
import { pickColor } from '../../tracker/values/colors.js';
import {
  requireAllInserted,
  type ProjectStatus,
  type TrackerNames,
  type State,
  type TrackerSeedContext,
} from './known-tracker.js';
import type { SeededApplication } from './known-objects.js';
import { namedFirst } from './names-in-json.js';
import { SeedApplications } from './seed-applications.js';
import { SeedIssues } from './seed-issues.js';
import { SeedSessions } from './seed-sessions.js';
import { columns, SeedProjects } from './seed-projects.js';
import {
  completedThings,
  mentionedIn,
  plainThings,
  rowsOfThings,
  scopeOf,
  storeThings,
  withinThings,
} from './seed-things.js';
import type { FindNamed, ThingsWithin } from './things-within.js';
import type { SeedThing } from '../../tracker/entity/seed-thing.js';
import { SET_MILESTONES, SET_TEMPLATES, SET_DELEGATES } from '../../tracker/issues/seeds.queries.js';
import { PROJECT_STATUS_NAMES, SET_PROJECT_LABELS } from '../../tracker/projects/seeds.queries.js';
import {
  DELETE_FIRST_TEAM,
  SET_CYCLE_COUNTERS,
  INSERT_TEAM_MEMBERS,
} from '../../tracker/provisioning/seeds.queries.js';
import { SET_STATES } from '../../tracker/teams/seeds.queries.js';
import type { SeedComment, SeedLabel, SeedProject, SeedState, SeedTeam, SeedTracker } from './seed-types.js';

interface Filled {
  readonly teams: Record<string, { id: string }>;
  readonly applications: Record<string, SeededApplication>;
  readonly refs: Record<string, object>;
}

/** A name that issues have for something. */
interface LaterName {
  readonly key: 'milestone' | 'template' | 'delegate';
  /** Takes `[{ id, name }]` and answers those whose name is that of something. */
  readonly set: Statement;
  readonly fault: string;
}
const MILESTONES: LaterName = { key: 'milestone', set: SET_MILESTONES, fault: 'its project has no milestone' };
const TEMPLATES: LaterName = { key: 'template', set: SET_TEMPLATES, fault: 'no template of issues has the name' };
const DELEGATES: LaterName = {
  key: 'delegate',
  set: SET_DELEGATES,
  fault: 'no application that can be assigned has the name',
};

/** Makes the tracker's half of a document in the caller's transaction, without events. */
@Injectable()
export class SeedTrackerHalf {
  constructor(
    private readonly tracker: TrackerSetup,
    private readonly projects: SeedProjects,
    private readonly issues: SeedIssues,
    private readonly applications: SeedApplications,
    private readonly sessions: SeedSessions,
    private readonly clock: Clock,
  ) {}

  /**
   * Faults of things that entities declare are added to `faults`.
   * @param names of what is there; all that the document refers to is there, or it makes it
   * @throws RestError 409 id_taken, with the path
   */
  async fill(
    tx: Tx,
    context: TrackerSeedContext,
    seed: SeedTracker,
    names: TrackerNames,
    faults: string[],
  ): Promise<Filled> {
    const { teams = [], labels, projects, webhooks, things, apps } = seed;
    if (seed.guidance !== undefined)
      await tx.sql.update(Organization, { id: context.organizationId }, { agentGuidance: seed.guidance });
    if (context.isNew && !context.isBare && seed.teams !== undefined)
      await tx.query(DELETE_FIRST_TEAM, [context.organizationId]);
    if (teams.length + labels.length + projects.length + webhooks.length + things.length + apps.length === 0)
      return { teams: {}, applications: {}, refs: {} };
    const statuses = things.filter(({ entity }) => entity === 'ProjectStatus');
    if (context.isBare && projects.length + things.length > 0) {
      names.statuses = await tx.query<ProjectStatus>(PROJECT_STATUS_NAMES, [context.organizationId]);
    }
    await this.addStatuses(tx, context, statuses, names);
    await this.addTeams(tx, context, teams, names);
    for (const { key, guidance: agentGuidance } of teams) {
      if (agentGuidance !== undefined)
        await tx.sql.update(Team, { id: names.teams.get(key) as string }, { agentGuidance });
    }
    await this.addLabels(tx, context, [{ teamId: null, labels }, ...ofTeams(teams, names)], names);
    await this.addStates(tx, context, teams, names);
    const madeCycles = await this.addCycles(tx, context, teams, names);
    await this.projects.add(tx, context, projects, names);
    const refs = await this.issues.add(tx, context, teams, names);
    await this.addThings(tx, context, thingsOf(seed, names), names, faults, madeCycles);
    await this.addLater(tx, teams, names, faults, MILESTONES);
    await this.addLater(tx, teams, names, faults, TEMPLATES);
    if (faults.length === 0) await this.labelProjects(tx, context, projects, names, faults);
    const hooks = await this.projects.addWebhooks(tx, context, webhooks, names);
    const applications = await this.applications.add(tx, context, apps);
    await this.addLater(tx, teams, names, faults, DELEGATES);
    await this.sessions.add(tx, context, teams, names, faults);
    return {
      applications,
      teams: Object.fromEntries(teams.map(({ key }) => [key, { id: names.teams.get(key) as string }])),
      refs: { ...refs, ...hooks },
    };
  }

  /** One with the name of an existing one completes it. */
  private async addStatuses(
    tx: Tx,
    context: TrackerSeedContext,
    statuses: readonly SeedThing[],
    names: TrackerNames,
  ): Promise<void> {
    if (statuses.length === 0) return;
    await names.loadNamed(tx, context.organizationId, projectStatuses);
    // no project of a new sandbox has one yet
    for (const { id, values } of context.isNew ? statuses : []) {
      const known = names.named.get(`ProjectStatus/${String(values['name'])}`);
      if (id === undefined || known === undefined) continue;
      await tx.sql.update(StoredStatus, { id: known }, { id });
      names.named.set(`ProjectStatus/${String(values['name'])}`, id);
    }
    const rows = rowsOfThings(projectStatuses, [{ things: statuses }], this.thingContext(context, names, []));
    await storeThings(tx, projectStatuses, rows);
    names.statuses = await tx.query<ProjectStatus>(PROJECT_STATUS_NAMES, [context.organizationId]);
  }

  /** Each has its states and members. */
  private async addTeams(
    tx: Tx,
    { organizationId, creatorId, userId }: TrackerSeedContext,
    teams: readonly SeedTeam[],
    names: TrackerNames,
  ): Promise<void> {
    const missing = teams
      .filter(({ key }) => !names.teams.has(key))
      .map(({ key, name = key, isPrivate, id = newUuid(), description = null, path }) => ({
        id,
        key,
        name,
        description,
        private: isPrivate,
        path,
      }));
    const made = await this.tracker.addTeams(tx, organizationId, missing, creatorId);
    for (const { id, key, path } of missing) {
      const states = made.get(id);
      if (!states) throw new RestError(409, 'id_taken', undefined, `${path}.id`);
      names.teams.set(key, id);
      names.states.set(id, states);
    }
    const members = teams.flatMap((team) => team.members.map((name) => [names.teams.get(team.key), userId(name)]));
    if (members.length === 0) return;
    const values = [organizationId, ...columns(members as [string, string][]), this.clock.now(), drawnForStatement()];
    await tx.query(INSERT_TEAM_MEMBERS, values);
  }

  private async addLabels(
    tx: Tx,
    { organizationId, creatorId }: TrackerSeedContext,
    groups: readonly { readonly teamId: string | null; readonly labels: readonly SeedLabel[] }[],
    names: TrackerNames,
  ): Promise<void> {
    const at = this.clock.nowMs();
    const rows = groups.flatMap(({ teamId, labels }) =>
      labels.flatMap((label, i) => {
        const key = `${teamId ?? ''}/${label.name.toLowerCase()}`;
        if (names.labels.has(key)) return [];
        const id = label.id ?? newUuid();
        names.labels.set(key, id);
        const when = new Date(at - labels.length + i);
        const { name, description = null, color = pickColor() } = label;
        return [{ id, organizationId, teamId, name, description, color, creatorId, createdAt: when, updatedAt: when }];
      }),
    );
    await requireAllInserted(
      insertMany(tx, IssueLabel, rows),
      rows.length,
      groups.find(({ labels }) => labels[0])?.labels[0]?.path,
    );
  }

  /** A state with the name of an existing one completes it; the others are appended. */
  private async addStates(
    tx: Tx,
    { organizationId }: TrackerSeedContext,
    teams: readonly SeedTeam[],
    names: TrackerNames,
  ): Promise<void> {
    const at = this.clock.now();
    const changed: object[] = [];
    const rows: Partial<WorkflowState>[] = [];
    for (const { key, states } of teams) {
      const teamId = names.teams.get(key) as string;
      const there = names.states.get(teamId) ?? [];
      for (const state of states) {
        const known = there.findIndex(({ name }) => name.toLowerCase() === state.name.toLowerCase());
        if (known !== -1) {
          const before = there[known] as State;
          there[known] = completed(before, state);
          const { id: newId = null, type = null, color = null, description = null } = state;
          changed.push({ id: before.id, new_id: newId, type, color, description });
          continue;
        }
        const row = {
          id: state.id ?? newUuid(),
          organizationId,
          teamId,
          name: state.name,
          type: (state.type ?? 'unstarted') as WorkflowStateKind,
          color: state.color ?? pickColor(),
          description: state.description ?? null,
          position: there.length,
          createdAt: at,
          updatedAt: at,
        };
        rows.push(row);
        there.push(row);
      }
      names.states.set(teamId, there);
    }
    if (changed.length > 0) await tx.query(SET_STATES, [JSON.stringify(changed)]);
    await requireAllInserted(insertMany(tx, WorkflowState, rows), rows.length, 'tracker.teams');
  }

  /** Numbered in their team; one with a number that is there already is that one. Answers their ids by their paths. */
  private async addCycles(
    tx: Tx,
    context: TrackerSeedContext,
    teams: readonly SeedTeam[],
    names: TrackerNames,
  ): Promise<ReadonlyMap<string, string>> {
    const ids = new Map<string, string>();
    const lasts = new Map<string, number>();
    const rows = teams.flatMap(({ key, things }) => {
      const teamId = names.teams.get(key) as string;
      let last = names.lastCycle(teamId);
      const made = rowsOfThings(cycles, [{ things, parentId: teamId }], this.thingContext(context, names, []));
      return made.flatMap((cycle) => {
        const number = (cycle['number'] as number | null) ?? last + 1;
        const known = names.cycles.get(`${teamId}/${number}`);
        ids.set(cycle.path, known ?? cycle.id);
        if (known !== undefined) return [];
        last = Math.max(last, number);
        lasts.set(teamId, last);
        names.cycles.set(`${teamId}/${number}`, cycle.id);
        return [{ ...cycle, number }];
      });
    });
    await storeThings(tx, cycles, rows);
    if (lasts.size > 0) await tx.query(SET_CYCLE_COUNTERS, [[...lasts.keys()], [...lasts.values()]]);
    return ids;
  }

  /**
   * Everything that needs no more than its declaration, once what it may name is there.
   * @param made the ids of what is there already, by the paths of its things
   */
  private async addThings(
    tx: Tx,
    context: TrackerSeedContext,
    lists: readonly ThingsWithin[],
    names: TrackerNames,
    faults: string[],
    made: ReadonlyMap<string, string>,
  ): Promise<void> {
    const at = this.clock.now();
    const some = lists
      .filter(({ things }) => things.length > 0)
      .map((list) => ({ ...list, things: completedThings(list.things, at) }));
    if (some.length === 0) return;
    const ids = new Map<SeedThing, string>();
    for (const thing of some.flatMap(({ things }) => things)) {
      const id = made.get(thing.path);
      if (id !== undefined) ids.set(thing, id);
    }
    const mentioned = mentionedIn(some.flatMap(({ things }) => things));
    const all = [...some, ...some.flatMap(({ things }) => withinThings(things, ids))];
    for (const entity of namedFirst(plainThings(['Cycle', 'ProjectStatus']))) {
      if (!mentioned.has(entity.name)) continue;
      if (entity.seeds.some(({ isFound }) => isFound)) await names.loadNamed(tx, context.organizationId, entity);
      const rows = rowsOfThings(entity, all, { ...this.thingContext(context, names, faults), ids });
      if (faults.length > 0) return;
      for (const row of rows) names.add(entity, row);
      await storeThings(tx, entity, rows);
    }
  }

  /** Projects are there before their labels. */
  private async labelProjects(
    tx: Tx,
    { organizationId }: TrackerSeedContext,
    projects: readonly SeedProject[],
    names: TrackerNames,
    faults: string[],
  ): Promise<void> {
    const labelled = projects.filter(({ labels }) => labels.length > 0);
    if (labelled.length === 0) return;
    const rows = labelled.map(({ name, labels }) => ({ id: names.projects.get(name), names: labels }));
    const set = await tx.query<{ id: string }>(SET_PROJECT_LABELS, [JSON.stringify(rows), organizationId]);
    const known = new Set(set.map(({ id }) => id));
    for (const { name, labels, path } of labelled) {
      if (known.has(names.projects.get(name) as string)) continue;
      faults.push(`${path}.labels: not all of "${labels.join('", "')}" are labels of projects`);
    }
  }

  /** What issues name and that is there after them: they are told its id. */
  private async addLater(
    tx: Tx,
    teams: readonly SeedTeam[],
    names: TrackerNames,
    faults: string[],
    { key, set, fault }: LaterName,
  ): Promise<void> {
    const issues = teams.flatMap((team) => team.issues).filter((issue) => issue[key] !== undefined);
    if (faults.length > 0 || issues.length === 0) return;
    const rows = issues.map((issue) => ({ id: names.issueIds.get(issue), name: issue[key] }));
    const known = new Set((await tx.query<{ id: string }>(set, [JSON.stringify(rows)])).map(({ id }) => id));
    for (const issue of issues) {
      if (known.has(names.issueIds.get(issue) as string)) continue;
      faults.push(`${issue.path}.${key}: ${fault} "${issue[key]}"`);
    }
  }

  private thingContext(seed: TrackerSeedContext, names: TrackerNames, faults: string[]) {
    const find: FindNamed = (entity, name, within) =>
      entity === 'User' ? seed.userId(name) : names.find(entity, name, within.teamId, scopeOf(within));
    return { seed, nowMs: this.clock.nowMs(), find, faults };
  }
}

/** All lists of things, in the order in which they may name each other. */
const thingsOf = ({ teams = [], projects, things }: SeedTracker, names: TrackerNames): ThingsWithin[] => [
  { things },
  ...teams.map((team) => {
    const teamId = names.teams.get(team.key) as string;
    return { things: team.things, parentId: teamId, teamId };
  }),
  ...projects.flatMap((project) => {
    const parentId = names.projects.get(project.name);
    return parentId === undefined ? [] : [{ things: project.things, parentId }];
  }),
  ...teams.flatMap((team) =>
    team.issues.flatMap((issue) => {
      const parentId = names.issueIds.get(issue);
      const teamId = names.teams.get(team.key) as string;
      const comments = issue.comments.flatMap((comment) => [comment, ...comment.replies]);
      const ofComments = comments.map(({ things }, i) => ({
        things,
        parentId: names.commentIds.get(comments[i] as SeedComment) as string,
      }));
      return parentId === undefined ? [] : [{ things: issue.things, parentId, teamId }, ...ofComments];
    }),
  ),
];

const ofTeams = (teams: readonly SeedTeam[], names: TrackerNames) =>
  teams.map(({ key, labels }) => ({ teamId: names.teams.get(key) as string, labels }));

const completed = (before: State, { id, type }: SeedState): State => ({
  ...before,
  id: id ?? before.id,
  type: type ?? before.type,
});
