import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { invalidArgument, refusal } from '../support/refusal.js';
import { insertCycle, insertIssue } from '../support/tracker-rows.js';

const DAY_MS = 86_400_000;

describe('cycleUpdate and cycleArchive', () => {
  const app = useApp();
  const day = (days: number) => new Date(app.clock.nowMs() + days * DAY_MS);

  it('changes the given fields and records the previous values', async () => {
    const org = await app.organization();
    const { id } = await insertCycle(org, { name: 'First' });
    const cycle = await org.client().cycle(id);
    const payload = await cycle.update({ name: null, description: 'Calm' });
    expect(payload.lastSyncId).toBe(1);
    const after = (await payload.cycle)!;
    expect([after.name, after.description]).toEqual([undefined, 'Calm']);
    expect(await org.recorded()).toMatchObject([
      {
        kind: 'cycle.updated',
        data: {
          data: { id, description: 'Calm' },
          updatedFrom: { name: 'First', description: null, updatedAt: cycle.updatedAt.toISOString() },
        },
      },
    ]);
    const same = { description: 'Calm', startsAt: cycle.startsAt };
    expect(await cycle.update(same)).toMatchObject({ success: true, lastSyncId: 1 });
    expect(await org.recorded()).toHaveLength(1);
    expect(await refusal(cycle.update({ startsAt: null }))).toEqual(
      invalidArgument('startsAt should not be null or undefined.'),
    );
    expect(await refusal(cycle.update({ endsAt: cycle.startsAt }))).toEqual(
      invalidArgument(`minimal allowed date for endsAt is ${cycle.startsAt.toISOString()}.`),
    );
    expect(await refusal(cycle.update({ startsAt: cycle.endsAt }))).toEqual(
      invalidArgument(`maximal allowed date for startsAt is ${cycle.endsAt.toISOString()}.`),
    );
  });

  it('moves the end to a completion before it', async () => {
    const org = await app.organization();
    const { id } = await insertCycle(org, { from: -7, to: 7 });
    const cycle = await org.client().cycle(id);
    const completedAt = day(-1);
    const after = (await (await cycle.update({ completedAt })).cycle)!;
    expect(after).toMatchObject({ completedAt, endsAt: completedAt, isActive: false, isPast: true });
    expect(await org.recorded()).toMatchObject([
      { data: { updatedFrom: { completedAt: null, endsAt: cycle.endsAt.toISOString() } } },
    ]);
    const open = (await (await cycle.update({ completedAt: null, endsAt: day(5) })).cycle)!;
    expect(open.completedAt).toBeUndefined();
    expect(open.isActive).toBe(true);
    expect(await refusal(cycle.update({ completedAt: day(-8) }))).toEqual(
      invalidArgument(`minimal allowed date for completedAt is ${cycle.startsAt.toISOString()}.`),
    );
  });

  it('removes the cycle from its issues on cycleArchive', async () => {
    const org = await app.organization();
    const { id } = await insertCycle(org);
    const issue = await insertIssue(org, { cycleId: id });
    await insertIssue(org, { cycleId: id, archivedAt: new Date() });
    const cycle = await org.client().cycle(id);
    const payload = await cycle.archive();
    expect(payload.lastSyncId).toBe(1);
    expect((await payload.entity)!.archivedAt).toBeInstanceOf(Date);
    const rows: object[] = await app.store.dataSource.query(
      'SELECT cycle_id, updated_at > created_at AS moved FROM issues WHERE team_id = $1 AND (id = $2 OR archived_at IS NOT NULL)',
      [org.team.id, issue.id],
    );
    expect(rows).toEqual([
      { cycle_id: null, moved: true },
      { cycle_id: null, moved: true },
    ]);
    expect((await org.client().cycles()).nodes).toEqual([]);
    expect((await org.client().cycles({ includeArchived: true })).nodes).toHaveLength(1);
    expect((await cycle.archive()).lastSyncId).toBe(1);
    expect((await org.recorded()).map(({ kind }) => kind)).toEqual(['cycle.updated']);
  });
});
