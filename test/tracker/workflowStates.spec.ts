import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { notFound, refusal, unknownReference } from '../support/refusal.js';
import { organizationWithStates } from '../support/tracker-clients.js';

const color = '#112233';

describe('workflow states', () => {
  const app = useApp();

  it('are changed by admins and owners of the team, and read by all with access', async () => {
    const { org, team, state } = await organizationWithStates(app);
    const bob = await org.member();
    const client = bob.client();
    const forbidden = [
      'ForbiddenLinearError',
      'Forbidden - You need to be an admin or an owner of the team ENG to manage it.',
    ];
    const { id } = state('Todo');
    expect(await refusal(client.createWorkflowState({ teamId: team.id, name: 'A', type: 'started', color }))).toEqual(
      forbidden,
    );
    expect(await refusal(client.updateWorkflowState(id, { name: 'A' }))).toEqual(forbidden);
    expect(await refusal(client.archiveWorkflowState(id))).toEqual(forbidden);
    expect((await client.workflowState(id)).name).toBe('Todo');

    const own = await org.newTeam({ key: 'BOB' }, bob.user);
    const made = await client.createWorkflowState({ teamId: own.id, name: 'A', type: 'started', color });
    expect((await client.archiveWorkflowState(made.workflowStateId!)).success).toBe(true);
  });

  it('of a private team are visible to its members only', async () => {
    const { org, client } = await organizationWithStates(app);
    const bob = await org.member();
    const secret = await org.newTeam({ private: true }, bob.user);
    const [hidden] = (await (await bob.client().team(secret.id)).states()).nodes;
    expect(await refusal(client.workflowState(hidden!.id))).toEqual(notFound('WorkflowState'));
    expect(await refusal(client.updateWorkflowState(hidden!.id, { name: 'A' }))).toEqual(notFound('WorkflowState'));
    expect(await refusal(client.archiveWorkflowState(hidden!.id))).toEqual(notFound('WorkflowState'));
    expect(await refusal(client.createWorkflowState({ teamId: secret.id, name: 'A', type: 'started', color }))).toEqual(
      unknownReference('teamId'),
    );
    expect((await client.workflowStates()).nodes).toHaveLength(6);
    expect((await client.workflowStates({ filter: { team: { id: { eq: secret.id } } } })).nodes).toEqual([]);
  });
});
