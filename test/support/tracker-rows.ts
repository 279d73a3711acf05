import { newHex, newUuid } from '../../src/kernel/ids/ids.js';
import type { Issue } from '../../src/tracker/issues/issue.entity.js';
import type { Cycle } from '../../src/tracker/teams/cycles/cycle.entity.js';
import type { OrganizationBuilder } from './tracker.js';

/*
 * Rows as the product would have written them, for specs about other entities than these: of times gone by, or of
 * families the spec is not about.
 */

/** An issue of a team (ENG) in its default state. */
export async function insertIssue(
  org: OrganizationBuilder,
  { teamId = org.team.id, ...values }: Partial<Issue> = {},
): Promise<{ id: string; identifier: string }> {
  const id = newUuid();
  const [row] = await org.app.store.dataSource.query(
    `WITH counted AS (UPDATE teams SET issue_counter = issue_counter + 1 WHERE id = $3 RETURNING *)
     INSERT INTO issues (id, organization_id, team_id, number, identifier, title, state_id, creator_id, project_id,
       cycle_id, estimate, archived_at, created_at, updated_at)
     SELECT $1, $2, t.id, t.issue_counter, t.key || '-' || t.issue_counter, $4, coalesce($5, t.default_issue_state_id),
       $6, $7, $8, $9, $10, now() - interval '1 hour', now() - interval '1 hour'
     FROM counted t RETURNING id, identifier`,
    [
      id,
      org.id,
      teamId,
      values.title ?? 'Something',
      values.stateId ?? null,
      org.owner.id,
      values.projectId ?? null,
      values.cycleId ?? null,
      values.estimate ?? null,
      values.archivedAt ?? null,
    ],
  );
  return row as { id: string; identifier: string };
}

const DAY_MS = 86_400_000;

/** A cycle of a team (ENG): these many days from now until those. It may overlap others. */
export async function insertCycle(
  org: OrganizationBuilder,
  { from = -7, to = 7, ...values }: { from?: number; to?: number } & Partial<Cycle> = {},
): Promise<{ id: string; number: number }> {
  const now = org.app.clock.nowMs();
  const [row] = await org.app.store.dataSource.query(
    `WITH counted AS (UPDATE teams SET cycle_counter = cycle_counter + 1 WHERE id = $3 RETURNING *)
     INSERT INTO cycles (id, organization_id, team_id, number, name, starts_at, ends_at, completed_at)
     SELECT $1, $2, t.id, t.cycle_counter, $4, $5, $6, $7 FROM counted t RETURNING id, number`,
    [
      newUuid(),
      org.id,
      values.teamId ?? org.team.id,
      values.name ?? `Cycle ${newHex(4)}`,
      new Date(now + from * DAY_MS),
      new Date(now + to * DAY_MS),
      values.completedAt ?? null,
    ],
  );
  return row as { id: string; number: number };
}
