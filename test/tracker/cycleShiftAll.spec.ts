import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { invalidArgument, notFound, refusal } from '../support/refusal.js';

const brokenRule = (sentence: string): [string, string] => ['InvalidInputLinearError', sentence];
const DAY_MS = 86_400_000;

// docs/reference/tracker.md#cycle
describe('cycleShiftAll and cycleStartUpcomingCycleToday', () => {
  const app = useApp();
  const midnight = () => Math.floor(app.clock.nowMs() / DAY_MS) * DAY_MS;
  const day = (days: number) => new Date(midnight() + days * DAY_MS);

  async function threeCycles() {
    const org = await app.organization();
    const client = org.client();
    const make = async (startsAt: Date, endsAt: Date) =>
      (await (
        await client.createCycle({ teamId: org.team.id, startsAt, endsAt })
      ).cycle)!;
    const made = [await make(day(-7), day(7)), await make(day(7), day(14)), await make(day(14), day(21))];
    const times = () =>
      Promise.all(
        made.map(async ({ id }) => {
          const { startsAt, endsAt } = await client.cycle(id);
          return [startsAt, endsAt].map((time) => (time.getTime() - midnight()) / DAY_MS);
        }),
      );
    return { org, client, ids: made.map(({ id }) => id) as [string, string, string], times };
  }

  it('move a cycle and all later ones, with an event each, and never over an earlier one', async () => {
    const { org, client, ids, times } = await threeCycles();
    const payload = await client.cycleShiftAll({ id: ids[1], daysToShift: 3 });
    expect((await payload.cycle)?.startsAt).toEqual(day(10));
    expect(await times()).toEqual([
      [-7, 7],
      [10, 17],
      [17, 24],
    ]);
    const updated = (await org.recorded()).filter(({ kind }) => kind === 'cycle.updated');
    expect(updated).toHaveLength(2);
    expect(payload.lastSyncId).toBe(5);
    await client.cycleShiftAll({ id: ids[1], daysToShift: -3 });
    const overlap = brokenRule('Cycle dates overlap with another cycle.');
    expect(await refusal(client.cycleShiftAll({ id: ids[1], daysToShift: -1 }))).toEqual(overlap);
    expect(await times()).toEqual([
      [-7, 7],
      [7, 14],
      [14, 21],
    ]);
    expect(await refusal(client.cycleShiftAll({ id: ids[1], daysToShift: 4_000 }))).toEqual(
      invalidArgument('daysToShift must not be greater than 3650.'),
    );
    const foreign = await app.organization();
    expect(await refusal(foreign.client().cycleShiftAll({ id: ids[1], daysToShift: 1 }))).toEqual(notFound('Cycle'));
  });

  it('start an upcoming cycle today, which ends the one under way', async () => {
    const { org, client, ids, times } = await threeCycles();
    const overlap = brokenRule('Cycle dates overlap with another cycle.');
    expect(await refusal(client.cycleStartUpcomingCycleToday(ids[2]))).toEqual(overlap);
    const started = (await (await client.cycleStartUpcomingCycleToday(ids[1])).cycle)!;
    expect([started.startsAt, started.isActive]).toEqual([day(0), true]);
    expect(await times()).toEqual([
      [-7, 0],
      [0, 14],
      [14, 21],
    ]);
    expect((await client.cycle(ids[0])).isPast).toBe(true);
    expect((await (await client.team(org.team.id)).activeCycle)?.id).toBe(ids[1]);
    expect(await refusal(client.cycleStartUpcomingCycleToday(ids[1]))).toEqual(
      brokenRule('Only upcoming cycles can be started.'),
    );
    // the one under way began today
    const again = (await (await client.cycleStartUpcomingCycleToday(ids[2])).cycle)!;
    expect(again.isActive).toBe(true);
    expect((await client.cycle(ids[1])).endsAt).toEqual(again.startsAt);
  });

  it('start where one that ended today has ended', async () => {
    const org = await app.organization();
    const client = org.client();
    if (app.clock.nowMs() - midnight() < 120_000) app.clock.advance(120_000);
    const make = async (startsAt: Date, endsAt: Date) =>
      (await client.createCycle({ teamId: org.team.id, startsAt, endsAt })).cycleId!;
    const ended = new Date(midnight() + 60_000);
    await make(day(-7), ended);
    const next = await make(day(7), day(14));
    const started = (await (await client.cycleStartUpcomingCycleToday(next)).cycle)!;
    expect([started.startsAt, started.isActive]).toEqual([ended, true]);
  });
});
