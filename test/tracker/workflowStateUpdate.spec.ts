import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { invalidArgument, notFound, refusal } from '../support/refusal.js';
import { organizationWithStates } from '../support/tracker-clients.js';

const UNKNOWN = '5b1d7c1e-6a0b-4a57-9d0a-0c2a9a3f6f10';

describe('workflowStateUpdate', () => {
  const app = useApp();

  it('changes the given fields and records the previous values', async () => {
    const { org, client, state } = await organizationWithStates(app);
    const todo = state('Todo');
    const payload = await todo.update({ name: 'TODO', position: 7, description: 'Next' });
    expect(payload.lastSyncId).toBe(1);
    expect(await payload.workflowState).toMatchObject({
      name: 'TODO',
      position: 7,
      description: 'Next',
      type: 'unstarted',
    });
    expect(await org.recorded()).toMatchObject([
      {
        kind: 'workflowState.updated',
        data: {
          data: { name: 'TODO', position: 7 },
          updatedFrom: { name: 'Todo', position: 1, description: null, updatedAt: todo.updatedAt.toISOString() },
        },
      },
    ]);
    expect((await todo.update({ name: 'TODO', description: 'Next' })).lastSyncId).toBe(1);
    expect((await (await todo.update({ description: null })).workflowState)!.description).toBeUndefined();
    expect(await refusal(todo.update({ name: 'done' }))).toEqual([
      'InvalidInputLinearError',
      'Duplicate state name - The state name "done" is already in use.',
    ]);
    expect(await refusal(todo.update({ color: null }))).toEqual(
      invalidArgument('color should not be null or undefined.'),
    );
    expect(await refusal(client.updateWorkflowState(UNKNOWN, { name: 'X' }))).toEqual(notFound('WorkflowState'));
    expect(await refusal(client.updateWorkflowState('todo', { name: 'X' }))).toEqual(notFound('WorkflowState'));
    expect(
      await org.error(
        'mutation ($id: String!) { workflowStateUpdate(id: $id, input: { type: "started" }) { success } }',
        {
          id: todo.id,
        },
      ),
    ).toMatchObject({ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } });
  });
});
