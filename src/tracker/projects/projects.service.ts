import { Injectable } from '@nestjs/common';
import { In, IsNull } from 'typeorm';
import { Clock } from '../../kernel/clock/clock.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { PublicUrl } from '../../kernel/http/public-url.js';
import { newMark, newUuid } from '../../kernel/ids/ids.js';
import { Access } from '../access/access.js';
import { brokenRule, idAlreadyUsed, teamArchived, unknownReference } from '../values/errors.js';
import { mutate } from '../events/mutation.js';
import { Project } from './project.entity.js';
import { ProjectStatus } from './statuses/project-status.entity.js';
import { Team } from '../store/team.entity.js';
import { differences } from '../store/differences.js';
import { insertUnlessTaken } from '../../kernel/database/insert-unless-taken.js';
import { User } from '../store/user.entity.js';
import type { EventAction } from '../events/tracker-events.js';
import type { Viewer } from '../access/viewer.js';
import { requireTemplate, withProjectTemplate } from './project-templates.js';
import { requireOrder, timesOnEntering } from './project-times.js';
import { tell } from '../events/notify.js';
import { newsOfProject, projectEvent } from './projects.events.js';
import { recordProjectHistory } from './history/project-history.js';
import { ProjectCreateInput, ProjectUpdateInput } from './projects.inputs.js';
import { ProjectLabel } from './labels/project-label.entity.js';
import { requireApplicable } from '../labels/label-rules.js';
import { labelsApplied } from '../labels/labels.queries.js';
import { dropFromIssuesOfOthers, setMembers, setTeams } from './projects.queries.js';
import { isHiddenTeam } from '../store/hidden-teams.js';
import { webFor } from '../values/urls.js';

/** Projects (docs/reference/tracker.md#project). */
@Injectable()
export class ProjectsService {
  constructor(
    private readonly db: Db,
    private readonly access: Access,
    private readonly clock: Clock,
    private readonly publicUrl: PublicUrl,
  ) {}

  create(viewer: Viewer, given: ProjectCreateInput) {
    return mutate(this.db, viewer, async (tx) => {
      const templated = await withProjectTemplate(tx, viewer, this.access, given, this.clock.now());
      const { teamIds, memberIds = [], labelIds = [], ...input } = templated;
      const teams = await this.teams(tx, viewer, teamIds);
      const status = input.statusId
        ? await this.status(tx, viewer, input.statusId)
        : await this.firstStatus(tx, viewer);
      await this.requireUsers(tx, viewer, 'leadId', input.leadId ? [input.leadId] : []);
      await this.requireUsers(tx, viewer, 'memberIds', memberIds);
      await this.requireIssue(tx, viewer, input.convertedFromIssueId);
      await this.requireLabels(tx, viewer, { field: 'labelIds', added: labelIds, kept: [], teamIds });
      // the next one stands in front of this one
      await this.access.organizationForUpdate(tx, viewer);
      const at = this.clock.now();
      const row = await this.insert(tx, {
        ...(await this.nextOrders(tx, viewer)),
        ...input,
        labelIds,
        ...timesOnEntering(status.type, { startedAt: null, completedAt: null, canceledAt: null }, at),
        statusId: status.id,
        organizationId: viewer.organizationId,
        creatorId: viewer.userId,
        createdAt: at,
        updatedAt: at,
      });
      const project = {
        ...row,
        teamIds: teams.map((team) => team.id).toSorted(),
        memberIds: withLead(memberIds, row.leadId),
      };
      await setTeams(tx, project.id, project.teamIds);
      await setMembers(tx, project.id, project.memberIds);
      await labelsApplied(tx, 'project_labels', labelIds, at);
      await this.recordEvent(tx, viewer, at, 'create', project);
      return { project };
    });
  }

  update(viewer: Viewer, id: string, input: ProjectUpdateInput) {
    return mutate(this.db, viewer, async (tx) => {
      const { id: projectId } = await this.access.projects.visible(viewer, id, tx);
      const teams = input.teamIds && (await this.teams(tx, viewer, input.teamIds, projectId));
      const project = await this.hold(tx, viewer, projectId);
      const at = this.clock.now();
      const { trashed, teamIds: _, memberIds, labelIds, ...wanted } = input;
      const change: Partial<Project> = { ...wanted };
      if (input.statusId !== undefined && input.statusId !== project.statusId) {
        const status = await this.status(tx, viewer, input.statusId);
        Object.assign(change, {
          ...timesOnEntering(status.type, project, at, input.completedAt ?? at),
          ...wanted,
        });
      }
      await this.requireUsers(tx, viewer, 'leadId', input.leadId ? [input.leadId] : []);
      await this.requireUsers(tx, viewer, 'memberIds', memberIds ?? []);
      await requireTemplate(tx, viewer, this.access, input.lastAppliedTemplateId);
      requireOrder(project, input);
      if (teams) change.teamIds = withHidden(teams, project, viewer);
      const teamIds = change.teamIds ?? project.teamIds;
      const kept = await keptLabels(tx, viewer, project, teamIds, labelIds);
      const added = labelIds?.filter((one) => !kept.includes(one)) ?? [];
      await this.requireLabels(tx, viewer, { field: 'labelIds', added, kept, teamIds });
      change.labelIds = [...kept, ...added];
      const leadId = input.leadId === undefined ? project.leadId : input.leadId;
      change.memberIds = withLead(memberIds ?? project.memberIds, leadId);
      if (trashed === true) Object.assign(change, trashedAt(project, at));
      else if (trashed !== undefined) Object.assign(change, { trashed: null, archivedAt: null });
      return { project: await this.change(tx, viewer, project, change, at) };
    });
  }

  archive(viewer: Viewer, id: string, trash?: boolean | null) {
    return this.put(viewer, id, (project, at) =>
      trash ? trashedAt(project, at) : { archivedAt: project.archivedAt ?? at },
    );
  }

  unarchive(viewer: Viewer, id: string) {
    return this.put(viewer, id, () => ({ archivedAt: null, trashed: null }));
  }

  addLabel(viewer: Viewer, id: string, labelId: string) {
    return mutate(this.db, viewer, async (tx) => {
      const { id: projectId } = await this.access.projects.visible(viewer, id, tx);
      const project = await this.hold(tx, viewer, projectId);
      const { teamIds, labelIds: kept } = project;
      const label = await this.access.projectLabels.find(viewer, labelId, tx);
      if (!label) throw unknownReference('labelId');
      const added = kept.includes(label.id) ? [] : [label.id];
      await this.requireLabels(tx, viewer, { field: 'labelId', added, kept, teamIds });
      const wanted = { labelIds: [...kept, ...added] };
      return { project: await this.change(tx, viewer, project, wanted, this.clock.now()) };
    });
  }

  removeLabel(viewer: Viewer, id: string, labelId: string) {
    return mutate(this.db, viewer, async (tx) => {
      const { id: projectId } = await this.access.projects.visible(viewer, id, tx);
      const project = await this.hold(tx, viewer, projectId);
      const label = await this.access.projectLabels.find(viewer, labelId, tx);
      if (!label) throw unknownReference('labelId');
      const wanted = { labelIds: project.labelIds.filter((one) => one !== label.id) };
      return { project: await this.change(tx, viewer, project, wanted, this.clock.now()) };
    });
  }

  private put(viewer: Viewer, id: string, wanted: (project: Project, at: Date) => Partial<Project>) {
    return mutate(this.db, viewer, async (tx) => {
      const { id: projectId } = await this.access.projects.visible(viewer, id, tx);
      const project = await this.hold(tx, viewer, projectId);
      const at = this.clock.now();
      return { entity: await this.change(tx, viewer, project, wanted(project, at), at) };
    });
  }

  /** Locked against other changes and against new issues; its teams and members are read after that. */
  private async hold(tx: Tx, viewer: Viewer, projectId: string): Promise<Project> {
    await tx.sql.findOne(Project, { where: { id: projectId }, lock: { mode: 'pessimistic_write' } });
    return this.access.projects.forUpdate(tx, viewer, projectId);
  }

  /** The teams that a caller names for a project. Deleted teams may stay, but cannot be added. */
  private async teams(tx: Tx, viewer: Viewer, teamIds: readonly string[], projectId?: string): Promise<Team[]> {
    const teams = await this.access.teams.findMany(viewer, teamIds, tx, 'use');
    if (teams.length !== teamIds.length) throw unknownReference('teamIds');
    const archived = teams.filter((team) => team.archivedAt !== null);
    if (archived.length > 0) {
      const present = projectId ? await this.access.projects.visible(viewer, projectId, tx) : undefined;
      const refused = archived.find((team) => !present?.teamIds.includes(team.id));
      if (refused) throw teamArchived(refused.key);
    }
    return teams;
  }

  private async status(tx: Tx, viewer: Viewer, statusId: string): Promise<ProjectStatus> {
    const status = await this.access.projectStatuses.find(viewer, statusId, tx, 'use');
    if (!status) throw unknownReference('statusId');
    if (status.archivedAt !== null) throw brokenRule('status is archived', 'An archived status takes no projects.');
    return status;
  }

  /** Where new projects begin. */
  private firstStatus(tx: Tx, { organizationId }: Viewer): Promise<ProjectStatus> {
    const where = { organizationId, type: 'backlog', archivedAt: IsNull() } as const;
    const lock = { mode: 'for_key_share' } as const;
    return tx.sql.findOneOrFail(ProjectStatus, { where, order: { position: 'ASC' }, lock });
  }

  /** Before all others; the first project is at 0. */
  private async nextOrders(tx: Tx, { organizationId }: Viewer) {
    const before = async (order: 'sortOrder' | 'prioritySortOrder'): Promise<number> => {
      const least = await tx.sql.minimum(Project, order, { organizationId });
      return least === null ? 0 : least - 100;
    };
    return { sortOrder: await before('sortOrder'), prioritySortOrder: await before('prioritySortOrder') };
  }

  /** @param field as the caller wrote it. @throws unknownReference, brokenRule */
  private async requireLabels(
    tx: Tx,
    viewer: Viewer,
    { field, added, kept, teamIds }: { field: string; added: string[]; kept: string[]; teamIds: string[] },
  ): Promise<void> {
    if (added.length === 0) return;
    const labels = await this.access.projectLabels.findMany(viewer, added, tx, 'use');
    if (labels.length !== added.length) throw unknownReference(field);
    const present = await tx.sql.findBy(ProjectLabel, { id: In(kept) });
    requireApplicable(labels, present, { kind: 'project', teamIds });
  }

  private async requireUsers(tx: Tx, viewer: Viewer, field: string, ids: readonly string[]): Promise<void> {
    const users = await this.access.users.findMany(viewer, ids, tx);
    if (users.length !== ids.length) throw unknownReference(field);
  }

  private async requireIssue(tx: Tx, viewer: Viewer, id: string | undefined): Promise<void> {
    if (id !== undefined && !(await this.access.issues.find(viewer, id, tx, 'use'))) {
      throw unknownReference('convertedFromIssueId');
    }
  }

  private async insert(tx: Tx, values: Partial<Project>): Promise<Project> {
    for (;;) {
      const row = await insertUnlessTaken(tx, Project, { id: newUuid(), slugId: newMark(12), ...values });
      if (row) return row;
      // otherwise the slug was taken, of which there are 2^48
      if (values.id !== undefined && (await tx.sql.existsBy(Project, { id: values.id })))
        throw idAlreadyUsed('Project', values.id);
    }
  }

  private async change(tx: Tx, viewer: Viewer, project: Project, wanted: Partial<Project>, at: Date): Promise<Project> {
    const change = differences(project, wanted);
    if (Object.keys(change).length === 0) return project;
    const added = change.labelIds?.filter((id) => !project.labelIds.includes(id)) ?? [];
    await labelsApplied(tx, 'project_labels', added, at);
    if (change.memberIds) await setMembers(tx, project.id, change.memberIds);
    if (change.teamIds) {
      await setTeams(tx, project.id, change.teamIds);
      await dropFromIssuesOfOthers(tx, project.id, change.teamIds, at);
    }
    const { teamIds: _teams, memberIds: _members, ...stored } = change;
    await tx.sql.update(Project, { id: project.id }, { ...stored, updatedAt: at });
    const changed = { ...project, ...change, updatedAt: at };
    await recordProjectHistory(tx, project, changed, at);
    if (change.trashed === true) await this.recordEvent(tx, viewer, at, 'remove', project);
    else await this.recordEvent(tx, viewer, at, 'update', changed, project);
    return changed;
  }

  private async recordEvent(
    tx: Tx,
    viewer: Viewer,
    at: Date,
    action: EventAction,
    project: Project,
    before?: Project,
  ): Promise<void> {
    const context = {
      status: await tx.sql.findOneByOrFail(ProjectStatus, { id: project.statusId }),
      lead: project.leadId === null ? null : await tx.sql.findOneBy(User, { id: project.leadId }),
      teams: await tx.sql.find(Team, { where: { id: In(project.teamIds) }, order: { id: 'ASC' } }),
    };
    const author = { viewer, web: webFor(this.publicUrl.base, viewer), at };
    if (action !== 'remove') await tell(tx, [newsOfProject(author, project, before)]);
    tx.record(projectEvent(author, action, project, context, before));
  }
}

/** Moves it to the trash; one that is there already keeps its time. */
const trashedAt = (project: Project, at: Date): Partial<Project> =>
  project.trashed === true ? {} : { trashed: true, archivedAt: at };

/** The lead is a member even if the list omits them (docs/reference/tracker.md#project). */
const withLead = (memberIds: readonly string[], leadId: string | null): string[] =>
  [...new Set(leadId === null ? memberIds : [...memberIds, leadId])].toSorted();

/** A list replaces the teams its writer sees; private teams without the caller are kept. */
const withHidden = (teams: readonly Team[], project: Project, viewer: Viewer): string[] =>
  [...teams.map((team) => team.id), ...project.teamIds.filter((id) => isHiddenTeam(viewer, id))].toSorted();

/** The labels that a project keeps: of its teams, and of those that its writer sees the wanted ones. */
async function keptLabels(
  tx: Tx,
  viewer: Viewer,
  { labelIds }: Project,
  teamIds: readonly string[],
  wanted: readonly string[] = labelIds,
): Promise<string[]> {
  const labels = await tx.sql.findBy(ProjectLabel, { id: In(labelIds) });
  const kept = labels.filter(({ id, teamId }) => {
    if (teamId !== null && !teamIds.includes(teamId)) return false;
    return wanted.includes(id) || (teamId !== null && isHiddenTeam(viewer, teamId));
  });
  return labelIds.filter((id) => kept.some((label) => label.id === id));
}
