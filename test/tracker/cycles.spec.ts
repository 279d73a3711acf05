import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { invalidArgument, notFound, refusal, unknownReference } from '../support/refusal.js';
import { insertCycle, insertIssue } from '../support/tracker-rows.js';

const UNKNOWN = '5b1d7c1e-6a0b-4a57-9d0a-0c2a9a3f6f10';
const DAY_MS = 86_400_000;
const OVERLAP: [string, string] = ['InvalidInputLinearError', 'Cycle dates overlap with another cycle.'];

describe('cycles', () => {
  const app = useApp();
  const day = (days: number) => new Date(app.clock.nowMs() + days * DAY_MS);

  it('cycleCreate makes a cycle with the next number', async () => {
    const org = await app.organization();
    const client = org.client();
    const [startsAt, endsAt] = [day(-1), day(13)];
    const payload = await client.createCycle({ teamId: org.team.id, startsAt, endsAt, name: 'Hardening' });
    expect(payload).toMatchObject({ success: true, lastSyncId: 1 });
    const cycle = (await payload.cycle)!;
    expect(cycle).toMatchObject({
      number: 1,
      name: 'Hardening',
      startsAt,
      endsAt,
      isActive: true,
      isFuture: false,
      isPast: false,
      isNext: false,
      isPrevious: false,
      progress: 0,
      teamId: org.team.id,
      issueCountHistory: [],
      scopeHistory: [],
    });
    expect([cycle.description, cycle.completedAt, cycle.archivedAt]).toEqual([undefined, undefined, undefined]);
    expect((await cycle.uncompletedIssuesUponClose()).nodes).toEqual([]);
    const next = await client.createCycle({ teamId: org.team.id, startsAt: endsAt, endsAt: day(20) });
    expect((await next.cycle)!).toMatchObject({ number: 2, isNext: true, isFuture: true });
    expect((await (await client.team('ENG')).activeCycle)!.id).toBe(cycle.id);
    expect((await org.recorded())[0]).toEqual({
      kind: 'cycle.created',
      room: `org:${org.id}`,
      syncId: 1,
      data: {
        action: 'create',
        actor: expect.objectContaining({ id: org.owner.id }),
        createdAt: cycle.createdAt.toISOString(),
        data: {
          id: cycle.id,
          createdAt: cycle.createdAt.toISOString(),
          updatedAt: cycle.createdAt.toISOString(),
          number: 1,
          name: 'Hardening',
          startsAt: startsAt.toISOString(),
          endsAt: endsAt.toISOString(),
          teamId: org.team.id,
          uncompletedIssuesUponCloseIds: [],
          issueCountHistory: [],
          completedIssueCountHistory: [],
          scopeHistory: [],
          completedScopeHistory: [],
          inProgressScopeHistory: [],
        },
        url: `${app.baseUrl}/${org.urlKey}/team/ENG/cycle/1`,
        type: 'Cycle',
        organizationId: org.id,
      },
    });
  });

  it('cycleCreate refuses dates that make no cycle, unknown teams and ids that exist', async () => {
    const org = await app.organization();
    const client = org.client();
    const create = (input: object) =>
      refusal(client.createCycle({ teamId: org.team.id, startsAt: day(1), endsAt: day(2), ...input }));
    const [startsAt, endsAt] = [day(1), day(1)];
    expect(await create({ startsAt, endsAt })).toEqual(
      invalidArgument(`minimal allowed date for endsAt is ${startsAt.toISOString()}.`),
    );
    expect(await create({ startsAt, completedAt: day(0) })).toEqual(
      invalidArgument(`minimal allowed date for completedAt is ${startsAt.toISOString()}.`),
    );
    expect(await create({ name: 'x'.repeat(81) })).toEqual(
      invalidArgument('name must be shorter than or equal to 80 characters.'),
    );
    expect(await create({ teamId: 'ENG' })).toEqual(invalidArgument('teamId must be a UUID.'));
    expect(await create({ teamId: UNKNOWN })).toEqual(unknownReference('teamId'));
    expect(await create({ teamId: (await app.organization()).team.id })).toEqual(unknownReference('teamId'));
    const bob = await org.member();
    const secret = await org.newTeam({ private: true }, bob.user);
    expect(await create({ teamId: secret.id })).toEqual(unknownReference('teamId'));
    const { id } = await insertCycle(org);
    expect(await create({ id })).toEqual([
      'InvalidInputLinearError',
      `Conflict on insert of Cycle - Entity Cycle with id ${id} already exists.`,
    ]);
    expect(await org.recorded()).toEqual([]);
  });

  it('refuses an overlap, not touching ends, and not an archived cycle', async () => {
    const org = await app.organization();
    const client = org.client();
    const teamId = org.team.id;
    const [startsAt, endsAt] = [day(10), day(20)];
    const first = await client.createCycle({ teamId, startsAt, endsAt });
    for (const [from, to] of [
      [9, 11],
      [19, 21],
      [12, 13],
      [5, 25],
    ] as const) {
      expect(await refusal(client.createCycle({ teamId, startsAt: day(from), endsAt: day(to) }))).toEqual(OVERLAP);
    }
    const touching = await client.createCycle({ teamId, startsAt: endsAt, endsAt: day(30) });
    expect((await touching.cycle)!.number).toBe(2);
    const other = await org.newTeam();
    expect((await client.createCycle({ teamId: other.id, startsAt, endsAt })).success).toBe(true);
    expect(await refusal((await touching.cycle)!.update({ startsAt: day(19) }))).toEqual(OVERLAP);
    await (await first.cycle)!.archive();
    const again = await client.createCycle({ teamId, startsAt, endsAt });
    expect((await again.cycle)!.number).toBe(3);
  });

  it('lets one of several overlapping cycles created at once win', async () => {
    const org = await app.organization();
    const answers = await Promise.all(
      Array.from({ length: 5 }, () =>
        org.graphql(
          'mutation ($input: CycleCreateInput!) { cycleCreate(input: $input) { cycle { number } lastSyncId } }',
          { input: { teamId: org.team.id, startsAt: day(1), endsAt: day(2) } },
        ),
      ),
    );
    const errors = answers.flatMap(({ body }) => body.errors ?? []);
    expect(errors).toHaveLength(4);
    expect(errors[0]!.extensions).toMatchObject({
      code: 'INPUT_ERROR',
      userPresentableMessage: 'Cycle dates overlap with another cycle.',
    });
    expect(answers.find(({ body }) => body.data)?.body.data.cycleCreate).toEqual({
      cycle: { number: 1 },
      lastSyncId: 1,
    });
  });

  it('derives its flags from the clock and the other cycles', async () => {
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

  it('measures progress in points and names what was left at its close', async () => {
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

  it('cycleUpdate changes what is given and tells what it was', async () => {
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

  it('a completion before the end moves the end', async () => {
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

  it('cycleArchive lets its issues go', async () => {
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

  it('is found by its UUID, by those who see its team', async () => {
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
