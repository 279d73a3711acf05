import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import type { Tx } from '../../kernel/database/db.js';
import { newAlphanumeric, newHex, newUuid } from '../../kernel/ids/ids.js';
import { Project } from '../../tracker/projects/project.entity.js';
import { insertMany } from '../../kernel/database/insert-many.queries.js';
import { pickColor } from '../../tracker/values/colors.js';
import { Webhook } from '../../tracker/webhooks/webhook.entity.js';
import { TRACKER_DIALECT } from '../../tracker/webhooks/tracker-dialect.js';
import { WEBHOOK_RESOURCE_TYPES } from '../../tracker/webhooks/webhooks.inputs.js';
import { requireAllInserted, type TrackerNames, type TrackerSeedContext } from './known-tracker.js';
import { PROJECT_MEMBERS, PROJECT_TEAMS, STATUSES, TARGETS } from './seed-tracker.queries.js';
import type { SeedProject, SeedTrackerWebhook } from './seed-types.js';

/** Projects and webhooks of an organization. */
@Injectable()
export class SeedProjects {
  constructor(private readonly clock: Clock) {}

  async add(
    tx: Tx,
    { organizationId, creatorId, userId }: TrackerSeedContext,
    projects: readonly SeedProject[],
    names: TrackerNames,
    faults: string[],
  ): Promise<void> {
    if (projects.length === 0) return;
    const statuses = await tx.query<{ id: string; name: string }>(STATUSES, [organizationId]);
    const now = this.clock.nowMs();
    const teams: [string, string][] = [];
    const members: [string, string][] = [];
    const rows = projects.flatMap((project, i) => {
      const { path, name } = project;
      const status =
        project.status === undefined
          ? statuses[0]
          : statuses.find((one) => one.name.toLowerCase() === project.status?.toLowerCase());
      if (!status) faults.push(`${path}.status: no status has the name "${project.status}"`);
      const teamIds = project.teams.flatMap((key, k) => {
        const id = names.teams.get(key.toUpperCase());
        if (id === undefined) faults.push(`${path}.teams[${k}]: no team has the key "${key}"`);
        return id ?? [];
      });
      const person = (who: string, at: string): string[] => {
        const id = userId(who);
        if (id === undefined) faults.push(`${at}: no user has the name "${who}"`);
        return id === undefined ? [] : [id];
      };
      const [leadId = null] = project.lead === undefined ? [] : person(project.lead, `${path}.lead`);
      const memberIds = project.members.flatMap((who, k) => person(who, `${path}.members[${k}]`));
      if (!status || names.projects.has(name)) return [];
      const id = project.id ?? newUuid();
      names.projects.set(name, id);
      for (const teamId of teamIds) teams.push([id, teamId]);
      for (const memberId of memberIds) members.push([id, memberId]);
      const at = new Date(now - projects.length + i);
      return [
        {
          id,
          organizationId,
          slugId: newHex(12),
          name,
          description: project.description ?? '',
          content: project.content ?? null,
          color: pickColor(),
          statusId: status.id,
          priority: project.priority,
          sortOrder: -i,
          prioritySortOrder: -i,
          leadId,
          creatorId,
          startDate: project.startDate ?? null,
          targetDate: project.targetDate ?? null,
          createdAt: at,
          updatedAt: at,
        },
      ];
    });
    if (faults.length > 0) return;
    await requireAllInserted(insertMany(tx, Project, rows), rows.length, 'tracker.projects');
    if (teams.length > 0) await tx.query(PROJECT_TEAMS, columns(teams));
    if (members.length > 0) await tx.query(PROJECT_MEMBERS, columns(members));
  }

  /** Returns the objects that refs name. */
  async addWebhooks(
    tx: Tx,
    { organizationId, creatorId }: TrackerSeedContext,
    webhooks: readonly SeedTrackerWebhook[],
    names: TrackerNames,
    faults: string[],
  ): Promise<Record<string, object>> {
    const refs: Record<string, object> = {};
    const at = this.clock.now();
    const rows = webhooks.map((hook) => {
      const teamId = hook.team === undefined ? null : (names.teams.get(hook.team.toUpperCase()) ?? null);
      if (hook.team !== undefined && teamId === null) {
        faults.push(`${hook.path}.team: no team has the key "${hook.team}"`);
      }
      for (const [i, type] of hook.resourceTypes.entries()) {
        if (WEBHOOK_RESOURCE_TYPES.includes(type)) continue;
        faults.push(`${hook.path}.resource_types[${i}]: no such type "${type}"`);
      }
      const id = hook.id ?? newUuid();
      const secret = hook.secret ?? `svc_wh_${newAlphanumeric(40)}`;
      const { url, label = null, resourceTypes, ref } = hook;
      if (ref !== undefined) refs[ref] = { id, url, secret };
      const values = { id, organizationId, url, label, resourceTypes: [...resourceTypes], teamId, creatorId };
      const sealed = tx.secrets.seal(secret);
      return {
        ...values,
        secret: sealed,
        allPublicTeams: teamId === null,
        enabled: true,
        createdAt: at,
        updatedAt: at,
      };
    });
    if (faults.length > 0 || rows.length === 0) return refs;
    await requireAllInserted(insertMany(tx, Webhook, rows), rows.length, 'tracker.webhooks');
    await tx.query(TARGETS, [rows.map(({ id }) => id), TRACKER_DIALECT, organizationId]);
    return refs;
  }
}

/** Pairs as the two lists that `unnest` expects. */
export const columns = (pairs: readonly (readonly [string, string])[]): [string[], string[]] => [
  pairs.map(([one]) => one),
  pairs.map(([, other]) => other),
];
