import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { refusal } from '../support/refusal.js';
import { organizationWithStates } from '../support/tracker-clients.js';
import { insertIssue } from '../support/tracker-rows.js';

const color = '#112233';

describe('workflowStateArchive', () => {
  const app = useApp();

  it('removes a state from the list and frees its name', async () => {
    const { org, client, team } = await organizationWithStates(app);
    const create = async () =>
      (await (
        await client.createWorkflowState({ teamId: team.id, name: 'Review', type: 'started', color })
      ).workflowState)!;
    const state = await create();
    await insertIssue(org, { stateId: state.id, archivedAt: new Date() });
    const payload = await state.archive();
    expect(payload.lastSyncId).toBe(2);
    expect((await payload.entity)!.archivedAt).toBeInstanceOf(Date);
    expect((await team.states()).nodes).toHaveLength(6);
    expect((await team.states({ includeArchived: true })).nodes).toHaveLength(7);
    expect((await state.archive()).lastSyncId).toBe(2);
    expect((await org.recorded()).at(-1)).toMatchObject({
      kind: 'workflowState.updated',
      data: { data: { archivedAt: expect.any(String) }, updatedFrom: { archivedAt: null } },
    });
    expect((await create()).name).toBe('Review');
  });

  it('refuses states that a team must keep', async () => {
    const { org, client, team, state } = await organizationWithStates(app);
    const refused = async (name: string) => (await refusal(state(name).archive()))[1];
    expect(await refused('Duplicate')).toBe(
      'State is needed - The state "Duplicate" cannot be archived: every team has a state for duplicates.',
    );
    expect(await refused('Backlog')).toBe(
      'State is the default state of the team - The state "Backlog" cannot be archived: it is where new issues of the team go.',
    );
    expect(await refused('Done')).toBe(
      'State is the last one of its type - The state "Done" cannot be archived: it is the last one of its type.',
    );
    await client.createWorkflowState({ teamId: team.id, name: 'Shipped', type: 'completed', color });
    await insertIssue(org, { stateId: state('Done').id });
    expect(await refused('Done')).toBe(
      'State has issues - The state "Done" cannot be archived: there are issues in it.',
    );
  });
});
