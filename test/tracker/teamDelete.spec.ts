import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { notFound, refusal } from '../support/refusal.js';
import { insertCycle } from '../support/tracker-rows.js';

describe('teamDelete and teamUnarchive', () => {
  const app = useApp();

  it('removes a team with everything in it from lists, and restores it', async () => {
    const org = await app.organization();
    const client = org.client();
    const team = await client.team('ENG');
    await insertCycle(org);
    const lists = async (includeArchived: boolean) => [
      (await client.teams({ includeArchived })).nodes.length,
      (await client.workflowStates({ includeArchived })).nodes.length,
      (await client.cycles({ includeArchived })).nodes.length,
    ];
    expect(await lists(false)).toEqual([1, 6, 1]);

    expect(await team.delete()).toMatchObject({ success: true, entityId: team.id, lastSyncId: 1 });
    expect(await lists(false)).toEqual([0, 0, 0]);
    expect(await lists(true)).toEqual([1, 6, 1]);
    expect((await client.team('ENG')).archivedAt).toBeInstanceOf(Date);
    // deleting it again changes nothing
    expect(await team.delete()).toMatchObject({ entityId: team.id, lastSyncId: 1 });

    const restored = await team.unarchive();
    expect(restored).toMatchObject({ success: true, lastSyncId: 2 });
    expect((await restored.entity)!.archivedAt).toBeUndefined();
    expect(await lists(false)).toEqual([1, 6, 1]);
    expect((await team.unarchive()).lastSyncId).toBe(2);

    expect(await org.recorded()).toMatchObject([
      { kind: 'team.removed', data: { action: 'remove', data: { id: team.id, key: 'ENG' } } },
      { kind: 'team.updated', data: { data: { id: team.id }, updatedFrom: { archivedAt: expect.any(String) } } },
    ]);
    expect((await org.recorded())[0]!.data.data).not.toHaveProperty('archivedAt');
  });

  it('prevents creating anything in a deleted team', async () => {
    const org = await app.organization();
    const client = org.client();
    await client.deleteTeam('ENG');
    const teamId = org.team.id;
    const archived = ['InvalidInputLinearError', 'Team is archived - The team ENG is archived; restore it first.'];
    expect(await refusal(client.createWorkflowState({ teamId, name: 'A', type: 'started', color: '#000000' }))).toEqual(
      archived,
    );
    const startsAt = new Date();
    const endsAt = new Date(Date.now() + 1000);
    expect(await refusal(client.createCycle({ teamId, startsAt, endsAt }))).toEqual(archived);
    expect(await refusal(client.createProject({ teamIds: [teamId], name: 'A' }))).toEqual(archived);
  });

  it('is for admins and owners of the team', async () => {
    const org = await app.organization();
    const bob = (await org.member()).client();
    const forbidden = [
      'ForbiddenLinearError',
      'Forbidden - You need to be an admin or an owner of the team ENG to manage it.',
    ];
    expect(await refusal(bob.deleteTeam('ENG'))).toEqual(forbidden);
    expect(await refusal(bob.unarchiveTeam('ENG'))).toEqual(forbidden);
    const secret = await org.newTeam({ private: true });
    expect(await refusal(bob.deleteTeam(secret.id))).toEqual(notFound('Team'));
    expect(await refusal(bob.unarchiveTeam(secret.id))).toEqual(notFound('Team'));
  });
});
