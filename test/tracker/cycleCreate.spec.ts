import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { invalidArgument, refusal, unknownReference } from '../support/refusal.js';
import { insertCycle } from '../support/tracker-rows.js';

const UNKNOWN = '5b1d7c1e-6a0b-4a57-9d0a-0c2a9a3f6f10';
const DAY_MS = 86_400_000;
const OVERLAP: [string, string] = ['InvalidInputLinearError', 'Cycle dates overlap with another cycle.'];

describe('cycleCreate', () => {
  const app = useApp();
  const day = (days: number) => new Date(app.clock.nowMs() + days * DAY_MS);

  it('creates a cycle with the next number', async () => {
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

  it('refuses invalid dates, unknown teams and existing ids', async () => {
    const org = await app.organization();
    const client = org.client();
    const create = (input: object) =>
      refusal(client.createCycle({ teamId: org.team.id, startsAt: day(1), endsAt: day(2), ...input }));
    const startsAt = day(1);
    expect(await create({ startsAt, endsAt: startsAt })).toEqual(
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

  it('refuses an overlap, but not adjacent cycles nor an overlap with an archived one', async () => {
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

  it('creates one of several overlapping cycles requested concurrently', async () => {
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
});
