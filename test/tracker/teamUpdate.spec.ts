import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { invalidArgument, notFound, refusal, unknownReference } from '../support/refusal.js';
import { insertIssue } from '../support/tracker-rows.js';

const UNKNOWN = '5b1d7c1e-6a0b-4a57-9d0a-0c2a9a3f6f10';

describe('teamUpdate', () => {
  const app = useApp();

  it('changes the given fields and records the previous values', async () => {
    const org = await app.organization();
    const client = org.client();
    const before = await client.team('ENG');
    const payload = await before.update({ description: 'Makers', cycleDuration: 4 });
    expect(payload).toMatchObject({ success: true, lastSyncId: 1 });
    const after = (await payload.team)!;
    expect(after).toMatchObject({ name: 'Engineering', description: 'Makers', cycleDuration: 4 });
    expect(after.updatedAt.getTime()).toBeGreaterThan(before.updatedAt.getTime());
    expect(await org.recorded()).toMatchObject([
      {
        kind: 'team.updated',
        syncId: 1,
        data: {
          data: { id: before.id, description: 'Makers' },
          updatedFrom: { description: null, updatedAt: before.updatedAt.toISOString() },
        },
      },
    ]);
    expect(Object.keys((await org.recorded())[0]!.data.updatedFrom)).toHaveLength(2);
  });

  it('changes and records nothing for an unchanged team', async () => {
    const org = await app.organization();
    const before = await org.client().team('ENG');
    const payload = await before.update({ name: before.name, cycleDuration: 2, description: null });
    expect(payload.lastSyncId).toBe(0);
    expect((await payload.team)!.updatedAt).toEqual(before.updatedAt);
    expect(await org.recorded()).toEqual([]);
  });

  it('clears nullable fields', async () => {
    const org = await app.organization();
    const team = await org.client().team('ENG');
    await team.update({ description: 'Makers', icon: 'Robot', autoClosePeriod: 3 });
    const after = (await (await team.update({ description: null, icon: null, autoClosePeriod: null })).team)!;
    expect([after.description, after.icon, after.autoClosePeriod]).toEqual([undefined, undefined, undefined]);
    for (const field of ['name', 'key', 'color', 'private', 'timezone', 'cycleDuration']) {
      expect(await refusal(team.update({ [field]: null }))).toEqual(
        invalidArgument(`${field} should not be null or undefined.`),
      );
    }
  });

  it('renames the issues of the team with its key; their old identifiers still resolve', async () => {
    const org = await app.organization();
    const first = await insertIssue(org, { title: 'One' });
    const second = await insertIssue(org, { title: 'Two' });
    const payload = await org.client().updateTeam('eng', { key: 'dev' });
    expect(payload.lastSyncId).toBe(1);
    expect((await payload.team)!).toMatchObject({
      key: 'DEV',
      cycleCalenderUrl: expect.stringContaining('/team/DEV/'),
    });
    const rows = await issuesOf(org.team.id);
    expect(rows).toEqual([
      { id: first.id, identifier: 'DEV-1', previous: ['ENG-1'], moved: true },
      { id: second.id, identifier: 'DEV-2', previous: ['ENG-2'], moved: true },
    ]);
    expect((await org.recorded()).map(({ kind }) => kind)).toEqual(['team.updated']);

    await org.client().updateTeam('DEV', { key: 'ENG' });
    await org.client().updateTeam('ENG', { key: 'DEV' });
    expect((await issuesOf(org.team.id))[0]).toMatchObject({ identifier: 'DEV-1', previous: ['DEV-1', 'ENG-1'] });
  });

  it('refuses the key of another team and changes nothing', async () => {
    const org = await app.organization();
    await org.newTeam({ key: 'OPS' });
    await insertIssue(org);
    expect(await refusal(org.client().updateTeam('ENG', { key: 'ops', name: 'X' }))).toEqual([
      'InvalidInputLinearError',
      'Duplicate team key - The team key "OPS" is already in use.',
    ]);
    expect(await org.client().team('ENG')).toMatchObject({ name: 'Engineering' });
    expect(await issuesOf(org.team.id)).toMatchObject([{ identifier: 'ENG-1', previous: [] }]);
  });

  it('gives a key to one of two teams', async () => {
    const org = await app.organization();
    const teams = await Promise.all([org.newTeam(), org.newTeam(), org.newTeam()]);
    const answers = await Promise.all(
      teams.map(({ id }) =>
        org.graphql('mutation ($id: String!) { teamUpdate(id: $id, input: { key: "WIN" }) { lastSyncId } }', { id }),
      ),
    );
    expect(answers.flatMap(({ body }) => body.errors?.map(({ message }) => message) ?? [])).toEqual([
      'duplicate team key',
      'duplicate team key',
    ]);
  });

  it('accepts only states of the team', async () => {
    const org = await app.organization();
    const client = org.client();
    const team = await client.team('ENG');
    const other = await client.team((await org.newTeam()).id);
    const todo = (await team.states()).nodes.find(({ name }) => name === 'Todo')!;
    const after = (await (await team.update({ defaultIssueStateId: todo.id, autoCloseStateId: todo.id })).team)!;
    expect([after.defaultIssueStateId, after.autoCloseStateId]).toEqual([todo.id, todo.id]);
    expect(await refusal(other.update({ defaultIssueStateId: todo.id }))).toEqual([
      'InvalidInputLinearError',
      'DefaultIssueStateId for incorrect team - The state "Todo" does not belong to the team.',
    ]);
    expect(await refusal(team.update({ autoCloseStateId: UNKNOWN }))).toEqual(unknownReference('autoCloseStateId'));
    expect((await (await team.update({ defaultIssueStateId: null })).team)!.defaultIssueStateId).toBeUndefined();
  });

  it('is for admins and owners of the team', async () => {
    const org = await app.organization();
    const bob = await org.member();
    const admin = await org.member({ admin: true });
    const own = await org.newTeam({ key: 'BOB' }, bob.user);
    expect(await refusal(bob.client().updateTeam('ENG', { name: 'Mine' }))).toEqual([
      'ForbiddenLinearError',
      'Forbidden - You need to be an admin or an owner of the team ENG to manage it.',
    ]);
    expect((await bob.client().updateTeam(own.id, { name: 'Mine' })).success).toBe(true);
    expect((await admin.client().updateTeam('BOB', { name: 'Theirs' })).success).toBe(true);

    const names = async (caller: typeof bob) =>
      (await caller.client().administrableTeams()).nodes.map(({ key }) => key).toSorted();
    expect(await names(bob)).toEqual(['BOB']);
    expect(await names(admin)).toEqual(['BOB', 'ENG']);
  });

  it('keeps the members of a team that becomes private, and hides it from others', async () => {
    const org = await app.organization();
    const payload = await org.client().updateTeam('ENG', { private: true });
    const carol = await org.member();
    expect((await payload.team)!).toMatchObject({ private: true, visibility: 'private' });
    expect(await refusal(carol.client().team('ENG'))).toEqual(notFound('Team'));
    expect(await refusal(carol.client().updateTeam(org.team.id, { name: 'X' }))).toEqual(notFound('Team'));
    expect((await org.recorded()).at(-1)?.room).toBe(`org:${org.id}/teams/${org.team.id}`);
    const again = (await (await org.client().updateTeam('ENG', { private: false })).team)!;
    expect((await again.members()).nodes.map(({ id }) => id)).toEqual([org.owner.id]);
    expect((await carol.client().team('ENG')).visibility).toBe('public');
  });

  it('does not find teams of another organization', async () => {
    const org = await app.organization();
    const elsewhere = await app.organization();
    for (const id of [elsewhere.team.id, UNKNOWN, 'NOPE', 'not an id']) {
      expect(await refusal(org.client().updateTeam(id, { name: 'X' }))).toEqual(notFound('Team'));
    }
  });

  async function issuesOf(teamId: string) {
    const rows: { id: string; identifier: string; previous: string[]; moved: boolean }[] =
      await app.store.dataSource.query(
        `SELECT id, identifier, previous_identifiers AS previous, updated_at > created_at AS moved
         FROM issues WHERE team_id = $1 ORDER BY number`,
        [teamId],
      );
    return rows;
  }
});
