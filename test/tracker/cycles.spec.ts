import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { notFound, refusal } from '../support/refusal.js';
import { insertCycle, insertIssue } from '../support/tracker-rows.js';

const UNKNOWN = '5b1d7c1e-6a0b-4a57-9d0a-0c2a9a3f6f10';
const DAY_MS = 86_400_000;

describe('cycles', () => {
  const app = useApp();
  const day = (days: number) => new Date(app.clock.nowMs() + days * DAY_MS);

  it('derive their flags from the clock and the other cycles', async () => {
    const org = await app.organization();
    await insertCycle(org, { name: 'long gone', from: -40, to: -30 });
    await insertCycle(org, { name: 'last', from: -30, to: -10 });
    await insertCycle(org, { name: 'now', from: -1, to: 10 });
    await insertCycle(org, { name: 'cut', from: -9, to: -2, completedAt: day(-5) });
    await insertCycle(org, { name: 'soon', from: 10, to: 20 });
    await insertCycle(org, { name: 'later', from: 20, to: 30 });
    const { nodes } = await org.client().cycles();
    const flags = nodes.map((cycle) => [
      cycle.name,
      ...(['isActive', 'isFuture', 'isNext', 'isPast', 'isPrevious'] as const).filter((flag) => cycle[flag]),
    ]);
    expect(flags.toSorted()).toEqual([
      ['cut', 'isPast', 'isPrevious'],
      ['last', 'isPast'],
      ['later', 'isFuture'],
      ['long gone', 'isPast'],
      ['now', 'isActive'],
      ['soon', 'isFuture', 'isNext'],
    ]);
    const last = nodes.find(({ name }) => name === 'last')!;
    expect(last.completedAt).toEqual(last.endsAt);
    for (const [flag, names] of [
      ['isActive', ['now']],
      ['isNext', ['soon']],
      ['isPrevious', ['cut']],
      ['isFuture', ['later', 'soon']],
      ['isPast', ['cut', 'last', 'long gone']],
    ] as const) {
      const found = (await org.client().cycles({ filter: { [flag]: { eq: true } } })).nodes;
      expect(found.map(({ name }) => name).toSorted(), flag).toEqual(names);
    }
    app.clock.advance(9.5 * DAY_MS);
    app.clock.advance(1 * DAY_MS);
    expect((await (await org.client().team('ENG')).activeCycle)!.name).toBe('soon');
  });

  it('measure progress in points, and list the issues that were open when the cycle closed', async () => {
    const org = await app.organization();
    const client = org.client();
    const states = (await (await client.team('ENG')).states()).nodes;
    const state = (name: string) => states.find((candidate) => candidate.name === name)!.id;
    const { id: cycleId } = await insertCycle(org, { from: -20, to: -5 });
    const issue = (name: string, estimate?: number, more = {}) =>
      insertIssue(org, { cycleId, stateId: state(name), estimate: estimate ?? null, ...more });
    const done = await issue('Done', 3);
    const doing = await issue('In Progress', 4);
    const todo = await issue('Todo');
    await issue('Canceled', 100);
    await issue('Duplicate', 100);
    await issue('Todo', 100, { archivedAt: new Date() });
    const cycle = await client.cycle(cycleId);
    expect(cycle.progress).toBe((3 + 0.25 * 4) / 8);
    const { cycle: listed } = await org.data(
      'query ($id: String!) { cycle(id: $id) { uncompletedIssuesUponClose { nodes { id } } issues { nodes { id } } } }',
      { id: cycleId },
    );
    const idsOf = ({ nodes }: { nodes: { id: string }[] }): string[] => nodes.map(({ id }) => id);
    const left = idsOf(listed.uncompletedIssuesUponClose);
    expect(left.toSorted()).toEqual([doing.id, todo.id].toSorted());
    expect(idsOf(listed.issues)).toHaveLength(5);
    expect(idsOf(listed.issues)).toContain(done.id);

    await cycle.update({ name: 'Closed' });
    const [event] = await org.recorded('cycle.updated');
    expect(event!.data.data.uncompletedIssuesUponCloseIds.toSorted()).toEqual(left.toSorted());
    expect(event!.data.data.completedAt).toBe(cycle.endsAt.toISOString());
    expect(Object.keys(event!.data.updatedFrom).toSorted()).toEqual(['name', 'updatedAt']);
  });

  it('are found by UUID, by viewers of the team', async () => {
    const org = await app.organization();
    const bob = await org.member();
    const { id } = await insertCycle(org);
    expect((await bob.client().updateCycle(id, { name: 'Bob was here' })).success).toBe(true);
    const secret = await org.newTeam({ private: true }, bob.user);
    const hidden = await insertCycle(org, { teamId: secret.id });
    const elsewhere = await app.organization();
    const foreign = await insertCycle(elsewhere);
    for (const unknown of [hidden.id, foreign.id, UNKNOWN, '1']) {
      expect(await refusal(org.client().cycle(unknown))).toEqual(notFound('Cycle'));
      expect(await refusal(org.client().updateCycle(unknown, { name: 'X' }))).toEqual(notFound('Cycle'));
      expect(await refusal(org.client().archiveCycle(unknown))).toEqual(notFound('Cycle'));
    }
    expect((await org.client().cycles()).nodes.map((cycle) => cycle.id)).toEqual([id]);
    await bob.client().updateCycle(hidden.id, { name: 'Quiet' });
    expect((await org.recorded()).at(-1)?.room).toBe(`org:${org.id}/teams/${secret.id}`);
  });
});
