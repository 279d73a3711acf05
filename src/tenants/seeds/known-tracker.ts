import type { Tx } from '../../kernel/database/db.js';
import { RestError } from '../../kernel/http/http-error.js';
import type { EntityKey } from '../../tracker/store/entity-rows.js';
import { PROJECT_STATUSES } from '../../tracker/values/project-statuses.js';
import type { SeedComment, SeedIssue } from './seed-types.js';
import type { Declared } from '../../tracker/entity/declare.js';
import { namedThings } from '../../tracker/entity/seeds.queries.js';
import { LABEL_NAMES } from '../../tracker/issues/seeds.queries.js';
import { PROJECT_NAMES, PROJECT_STATUS_NAMES } from '../../tracker/projects/seeds.queries.js';
import { TEAM_KEYS } from '../../tracker/provisioning/seeds.queries.js';
import { STATES_OF_TEAMS, CYCLES_OF_TEAMS } from '../../tracker/teams/seeds.queries.js';

/** The organization that a document fills, and its people. */
export interface TrackerSeedContext {
  readonly organizationId: string;
  /** The author of everything that names none. */
  readonly creatorId: string;
  /** Undefined: the name is unknown. */
  readonly userId: (name: string) => string | undefined;
  /** A new sandbox: the teams of the document replace the existing one. */
  readonly isNew: boolean;
  /** It has people only: there are no teams to replace. */
  readonly isBare: boolean;
}

export interface State {
  readonly id: string;
  readonly name: string;
  readonly type: string;
}

/** The time of a cycle. */
export interface Span {
  readonly startsAt: Date;
  readonly endsAt: Date;
}

interface StoredCycle extends Span {
  readonly id: string;
  readonly teamId: string;
  readonly number: number;
  readonly isArchived: boolean;
}

export type ProjectStatus = { readonly id: string; readonly name: string };

/** All objects that can be found by name while a document is filled in. */
export class TrackerNames {
  readonly teams = new Map<string, string>();
  readonly states = new Map<string, State[]>();
  /** By team and name in lower case; those of the organization without a team. */
  readonly labels = new Map<string, string>();
  /** By team and number. */
  readonly cycles = new Map<string, string>();
  /** Of the cycles of a team that are there and not archived. */
  readonly spans = new Map<string, Span[]>();
  readonly projects = new Map<string, string>();
  /** Issues of the document, by their refs and identifiers, and all of them by what they were read as. */
  readonly issues = new Map<string, string>();
  readonly issueIds = new Map<SeedIssue, string>();
  readonly commentIds = new Map<SeedComment, string>();
  /** Things of the document by kind and name. */
  readonly named = new Map<string, string>();
  /** Of projects, by their order; the ids of a new organization are not known. */
  statuses: readonly ProjectStatus[] = PROJECT_STATUSES.map(([name]) => ({
    id: '',
    name,
  }));

  /** What a new organization begins with. @param hasTeam whether the team ENG is there, as a document brings no other */
  static ofNew(hasTeam: boolean): TrackerNames {
    const names = new TrackerNames();
    if (hasTeam) names.teams.set('ENG', '');
    return names;
  }

  /** @param keys of the teams that a document names */
  static async load(tx: Tx, organizationId: string, keys: readonly string[]): Promise<TrackerNames> {
    const names = new TrackerNames();
    for (const { id, key } of await tx.query<{ id: string; key: string }>(TEAM_KEYS, [organizationId])) {
      names.teams.set(key, id);
    }
    const labels = await tx.query<{ id: string; teamId: string | null; name: string }>(LABEL_NAMES, [organizationId]);
    for (const { id, teamId, name } of labels) names.labels.set(`${teamId ?? ''}/${name.toLowerCase()}`, id);
    for (const { id, name } of await tx.query<{ id: string; name: string }>(PROJECT_NAMES, [organizationId])) {
      names.projects.set(name, id);
    }
    names.statuses = await tx.query<ProjectStatus>(PROJECT_STATUS_NAMES, [organizationId]);
    await names.loadOfTeams(
      tx,
      keys.flatMap((key) => names.teams.get(key) ?? []),
    );
    return names;
  }

  /** Their states and cycles. */
  private async loadOfTeams(tx: Tx, teamIds: readonly string[]): Promise<void> {
    if (teamIds.length === 0) return;
    for (const state of await tx.query<State & { teamId: string }>(STATES_OF_TEAMS, [teamIds])) {
      this.states.set(state.teamId, [...(this.states.get(state.teamId) ?? []), state]);
    }
    for (const cycle of await tx.query<StoredCycle & Record<string, unknown>>(CYCLES_OF_TEAMS, [teamIds])) {
      const { id, teamId, number, isArchived } = cycle;
      this.cycles.set(`${teamId}/${number}`, id);
      if (!isArchived) this.spans.set(teamId, [...(this.spans.get(teamId) ?? []), cycle]);
    }
  }

  /** Those that are there of a kind that documents find by name. */
  async loadNamed(tx: Tx, organizationId: string, entity: Declared): Promise<void> {
    for (const { id, name } of await tx.query<{ id: string; name: string }>(namedThings(entity), [organizationId])) {
      this.named.set(`${entity.name}/${name}`, id);
    }
  }

  label(teamId: string, name: string): string | undefined {
    return this.labels.get(`${teamId}/${name.toLowerCase()}`) ?? this.labels.get(`/${name.toLowerCase()}`);
  }

  state(teamId: string, name: string | undefined): State | undefined {
    const states = this.states.get(teamId) ?? [];
    return name === undefined ? states[0] : states.find((one) => one.name.toLowerCase() === name.toLowerCase());
  }

  /** By its name, also within what it is in, where others of its kind may have the same. */
  add({ name: entity, seeds }: Declared, row: Readonly<Record<string, unknown>> & { id: string }): void {
    const { id, name } = row;
    if (typeof name !== 'string') return;
    this.named.set(`${entity}/${name}`, id);
    for (const { under } of seeds) {
      const parent = under === undefined ? undefined : row[under];
      if (typeof parent === 'string') this.named.set(`${entity}/${parent}/${name}`, id);
    }
  }

  /** By the name that a document has for it. @param scope the ids of what names it is within, the nearest first */
  find(entity: EntityKey, name: string, teamId: string | undefined, scope: readonly string[] = []): string | undefined {
    switch (entity) {
      case 'Team':
        return this.teams.get(name.toUpperCase());
      case 'Project':
        return this.projects.get(name);
      case 'Issue':
        return this.issues.get(name);
      case 'IssueLabel':
        return this.label(teamId ?? '', name);
      case 'WorkflowState':
        return teamId === undefined ? undefined : this.state(teamId, name)?.id;
      case 'Cycle':
        return this.cycles.get(`${teamId}/${name}`);
      case 'ProjectStatus':
        return this.named.get(`ProjectStatus/${name}`) ?? this.status(name)?.id;
      default: {
        const nearest = scope.find((parent) => this.named.has(`${entity}/${parent}/${name}`));
        return this.named.get(nearest === undefined ? `${entity}/${name}` : `${entity}/${nearest}/${name}`);
      }
    }
  }

  /** The first one where none is named. */
  status(name: string | undefined): { readonly id: string } | undefined {
    if (name === undefined) return this.statuses[0];
    return this.statuses.find((one) => one.name.toLowerCase() === name.toLowerCase());
  }

  lastCycle(teamId: string): number {
    let last = 0;
    for (const key of this.cycles.keys()) {
      if (key.startsWith(`${teamId}/`)) last = Math.max(last, Number(key.slice(teamId.length + 1)));
    }
    return last;
  }
}

/** @throws RestError 409 id_taken when a unique key conflicts */
export async function requireAllInserted(
  inserted: Promise<number>,
  wanted: number,
  path: string | undefined,
): Promise<void> {
  if ((await inserted) !== wanted) throw new RestError(409, 'id_taken', undefined, path);
}
