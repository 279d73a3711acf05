import { Db } from '../../src/kernel/database/db.js';
import { newHex, newUuid } from '../../src/kernel/ids/ids.js';
import { Issue } from '../../src/tracker/issues/issue.entity.js';
import { Cycle } from '../../src/tracker/teams/cycles/cycle.entity.js';
import { Team } from '../../src/tracker/store/team.entity.js';
import type { OrganizationBuilder } from './tracker.js';

/*
 * Rows as the product would have written them, for specs about other entities: with times in the past, or of other
 * families.
 */

/** An issue of a team (ENG) in its default state. */
export async function insertIssue(
  org: OrganizationBuilder,
  { teamId = org.team.id, ...values }: Partial<Issue> = {},
): Promise<{ id: string; identifier: string }> {
  return org.app.nest.get(Db).write(async (tx) => {
    const hourAgo = new Date(org.app.clock.nowMs() - 3_600_000);
    await tx.sql.increment(Team, { id: teamId }, 'issueCounter', 1);
    const team = await tx.sql.findOneByOrFail(Team, { id: teamId });
    return tx.sql.save(Issue, {
      id: newUuid(),
      organizationId: org.id,
      teamId,
      number: team.issueCounter,
      identifier: `${team.key}-${team.issueCounter}`,
      title: 'Something',
      stateId: team.defaultIssueStateId as string,
      creatorId: org.owner.id,
      createdAt: hourAgo,
      updatedAt: hourAgo,
      ...values,
    });
  });
}

const DAY_MS = 86_400_000;

/** A cycle of a team (ENG), from and to these many days from now. It may overlap others. */
export async function insertCycle(
  org: OrganizationBuilder,
  { from = -7, to = 7, ...values }: { from?: number; to?: number } & Partial<Cycle> = {},
): Promise<{ id: string; number: number }> {
  const now = org.app.clock.nowMs();
  return org.app.nest.get(Db).write(async (tx) => {
    const { teamId = org.team.id } = values;
    await tx.sql.increment(Team, { id: teamId }, 'cycleCounter', 1);
    const team = await tx.sql.findOneByOrFail(Team, { id: teamId });
    return tx.sql.save(Cycle, {
      id: newUuid(),
      organizationId: org.id,
      teamId,
      number: team.cycleCounter,
      name: `Cycle ${newHex(4)}`,
      startsAt: new Date(now + from * DAY_MS),
      endsAt: new Date(now + to * DAY_MS),
      ...values,
    });
  });
}
