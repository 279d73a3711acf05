import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import type { Tx } from '../../kernel/database/db.js';
import { newAlphanumeric, newMark, newUuid } from '../../kernel/ids/ids.js';
import { Project } from '../../tracker/projects/project.entity.js';
import { insertMany } from '../../kernel/database/insert-many.queries.js';
import { INSERT_PROJECT_TEAMS, INSERT_PROJECT_MEMBERS } from '../../tracker/projects/seeds.queries.js';
import { pickColor } from '../../tracker/values/colors.js';
import { INSERT_TRACKER_TARGETS } from '../../tracker/webhooks/seeds.queries.js';
import { Webhook } from '../../tracker/webhooks/webhook.entity.js';
import { TRACKER_DIALECT } from '../../tracker/webhooks/tracker-dialect.js';
import { requireAllInserted, type TrackerNames, type TrackerSeedContext } from './known-tracker.js';
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
  ): Promise<void> {
    if (projects.length === 0) return;
    const now = this.clock.nowMs();
    const teams: [string, string][] = [];
    const members: [string, string][] = [];
    const rows = projects.flatMap((project, i) => {
      const { name } = project;
      if (names.projects.has(name)) return [];
      const teamIds = project.teams.map((key) => names.teams.get(key.toUpperCase()) as string);
      const leadId = project.lead === undefined ? null : (userId(project.lead) as string);
      const memberIds = project.members.map((who) => userId(who) as string);
      const id = project.id ?? newUuid();
      names.projects.set(name, id);
      for (const teamId of teamIds) teams.push([id, teamId]);
      for (const memberId of memberIds) members.push([id, memberId]);
      const at = new Date(now - projects.length + i);
      return [
        {
          id,
          organizationId,
          slugId: newMark(12),
          name,
          description: project.description ?? '',
          content: project.content ?? null,
          color: pickColor(),
          statusId: (names.status(project.status) as { id: string }).id,
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
    await requireAllInserted(insertMany(tx, Project, rows), rows.length, 'tracker.projects');
    if (teams.length > 0) await tx.query(INSERT_PROJECT_TEAMS, columns(teams));
    if (members.length > 0) await tx.query(INSERT_PROJECT_MEMBERS, columns(members));
  }

  /** Returns the objects that refs name. */
  async addWebhooks(
    tx: Tx,
    { organizationId, creatorId }: TrackerSeedContext,
    webhooks: readonly SeedTrackerWebhook[],
    names: TrackerNames,
  ): Promise<Record<string, object>> {
    const refs: Record<string, object> = {};
    const at = this.clock.now();
    const rows = webhooks.map((hook) => {
      const teamId = hook.team === undefined ? null : (names.teams.get(hook.team.toUpperCase()) as string);
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
    if (rows.length === 0) return refs;
    await requireAllInserted(insertMany(tx, Webhook, rows), rows.length, 'tracker.webhooks');
    await tx.query(INSERT_TRACKER_TARGETS, [rows.map(({ id }) => id), TRACKER_DIALECT, organizationId]);
    return refs;
  }
}

/** Pairs as the two lists that `unnest` expects. */
export const columns = (pairs: readonly (readonly [string, string])[]): [string[], string[]] => [
  pairs.map(([one]) => one),
  pairs.map(([, other]) => other),
];
