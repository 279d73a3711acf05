import { Injectable } from '@nestjs/common';
import { Like } from 'typeorm';
import { Clock } from '../../kernel/clock/clock.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { PublicUrl } from '../../kernel/http/public-url.js';
import { Access } from '../access/access.js';
import { brokenRule, duplicate, idAlreadyUsed, unknownReference } from '../values/errors.js';
import { mutate } from '../events/mutation.js';
import { Team } from '../store/team.entity.js';
import { TrackerSetup } from '../provisioning/setup.js';
import { differences } from '../store/differences.js';
import type { Viewer } from '../access/viewer.js';
import { requireAdministrator } from './team-administration.js';
import { requireOwnTemplates } from './team-templates.js';
import { freeKey, keyBase } from './team-keys.js';
import { teamEvent } from './teams.events.js';
import { TeamCreateInput, TeamUpdateInput } from './teams.inputs.js';
import { renameIssues } from './teams.queries.js';
import { webFor } from '../values/urls.js';

/** What `copySettingsFromTeamId` copies (docs/reference/tracker.md#team). */
const COPIED = [
  'timezone',
  'cyclesEnabled',
  'cycleDuration',
  'cycleStartDay',
  'cycleCooldownTime',
  'upcomingCycleCount',
  'cycleIssueAutoAssignStarted',
  'cycleIssueAutoAssignCompleted',
  'cycleLockToActive',
  'issueEstimationType',
  'issueEstimationAllowZero',
  'issueEstimationExtended',
  'defaultIssueEstimate',
  'autoArchivePeriod',
  'autoClosePeriod',
  'autoCloseParentIssues',
  'autoCloseChildIssues',
  'setIssueSortOrderOnStateChange',
  'groupIssueHistory',
] as const satisfies readonly (keyof Team)[];

/** Teams (docs/reference/tracker.md#team). */
@Injectable()
export class TeamsService {
  constructor(
    private readonly db: Db,
    private readonly access: Access,
    private readonly setup: TrackerSetup,
    private readonly clock: Clock,
    private readonly publicUrl: PublicUrl,
  ) {}

  create(viewer: Viewer, input: TeamCreateInput, copySettingsFromTeamId?: string | null) {
    return mutate(this.db, viewer, async (tx) => {
      const settings = copySettingsFromTeamId ? await this.settingsOf(tx, viewer, copySettingsFromTeamId) : {};
      await this.requireOwnState(tx, viewer, 'autoCloseStateId', input.autoCloseStateId);
      await requireOwnTemplates(tx, viewer, this.access, input);
      // a concurrent join waits, so that the members are all users
      await this.access.organizationForUpdate(tx, viewer);
      const team = await this.insert(tx, viewer, { ...settings, ...input });
      tx.record(teamEvent(this.changeAuthor(viewer, team.createdAt), 'create', team));
      return { team };
    });
  }

  update(viewer: Viewer, id: string, input: TeamUpdateInput) {
    return mutate(this.db, viewer, async (tx) => {
      const team = await this.forAdministration(tx, viewer, id);
      await this.requireOwnState(tx, viewer, 'defaultIssueStateId', input.defaultIssueStateId, team);
      await this.requireOwnState(tx, viewer, 'autoCloseStateId', input.autoCloseStateId, team);
      await requireOwnTemplates(tx, viewer, this.access, input, team.id);
      return { team: await this.change(tx, viewer, team, input) };
    });
  }

  delete(viewer: Viewer, id: string) {
    return mutate(this.db, viewer, async (tx) => {
      const team = await this.forAdministration(tx, viewer, id);
      if (team.archivedAt === null) {
        const at = this.clock.now();
        await tx.sql.update(Team, { id: team.id }, { archivedAt: at, updatedAt: at });
        tx.record(teamEvent(this.changeAuthor(viewer, at), 'remove', team));
      }
      return { entityId: team.id };
    });
  }

  unarchive(viewer: Viewer, id: string) {
    return mutate(this.db, viewer, async (tx) => {
      const team = await this.forAdministration(tx, viewer, id);
      return { entity: await this.change(tx, viewer, team, { archivedAt: null }) };
    });
  }

  private changeAuthor(viewer: Viewer, at: Date) {
    return { viewer, web: webFor(this.publicUrl.base, viewer), at };
  }

  private async forAdministration(tx: Tx, viewer: Viewer, id: string): Promise<Team> {
    const team = await this.access.teams.forUpdate(tx, viewer, id);
    await requireAdministrator(tx, viewer, team);
    return team;
  }

  private async settingsOf(tx: Tx, viewer: Viewer, teamId: string): Promise<Partial<Team>> {
    const team = await this.access.teams.find(viewer, teamId, tx);
    if (!team) throw unknownReference('copySettingsFromTeamId');
    return Object.fromEntries(COPIED.map((name) => [name, team[name]]));
  }

  /** A reference to one of the team's own states; a new team has none yet. */
  private async requireOwnState(
    tx: Tx,
    viewer: Viewer,
    field: 'defaultIssueStateId' | 'autoCloseStateId',
    stateId: string | null | undefined,
    team?: Team,
  ): Promise<void> {
    if (stateId === null || stateId === undefined) return;
    const state = await this.access.states.find(viewer, stateId, tx, 'use');
    if (!state) throw unknownReference(field);
    if (state.teamId !== team?.id) {
      throw brokenRule(`${field} for incorrect team`, `The state "${state.name}" does not belong to the team.`);
    }
    if (state.archivedAt !== null && state.id !== team[field]) {
      throw brokenRule(`${field} is archived`, `The state "${state.name}" is archived.`);
    }
  }

  /** The unique keys decide a race; a generated key yields to a requested one. */
  private async insert(tx: Tx, viewer: Viewer, input: Partial<Team> & Pick<Team, 'name'>): Promise<Team> {
    const { organizationId, userId } = viewer;
    const base = keyBase(input.name);
    const taken = input.key === undefined ? await this.keysLike(tx, organizationId, base) : new Set<string>();
    for (;;) {
      const key = input.key ?? freeKey(base, taken);
      const team = await this.setup.createTeam(tx, { ...input, organizationId, key }, userId);
      if (team) return team;
      if (input.id !== undefined && (await tx.sql.existsBy(Team, { id: input.id })))
        throw idAlreadyUsed('Team', input.id);
      if (input.key !== undefined) throw duplicate('team key', input.key);
      taken.add(key);
    }
  }

  /** The keys with this prefix (letters) of the organization's teams, archived ones too. */
  private async keysLike(tx: Tx, organizationId: string, base: string): Promise<Set<string>> {
    const where = { organizationId, key: Like(`${base}%`) };
    const teams = await tx.sql.find(Team, { select: { id: true, key: true }, where });
    return new Set(teams.map(({ key }) => key));
  }

  private async change(tx: Tx, viewer: Viewer, team: Team, wanted: Partial<Team>): Promise<Team> {
    const change = differences(team, wanted);
    if (Object.keys(change).length === 0) return team;
    const at = this.clock.now();
    const values = { ...change, updatedAt: at };
    await tx.sql.update(Team, { id: team.id }, values).catch((error: unknown) => {
      if ((error as { constraint?: unknown }).constraint === 'teams_key')
        throw duplicate('team key', String(change.key));
      throw error;
    });
    if (change.key !== undefined) await renameIssues(tx, team.id, change.key, at);
    const changed = { ...team, ...values };
    tx.record(teamEvent(this.changeAuthor(viewer, at), 'update', changed, team));
    return changed;
  }
}
