import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { invalidArgument, refusal, unknownReference } from '../support/refusal.js';
import { organizationWithStates } from '../support/tracker-clients.js';

const UNKNOWN = '5b1d7c1e-6a0b-4a57-9d0a-0c2a9a3f6f10';
const color = '#112233';

describe('workflowStateCreate', () => {
  const app = useApp();

  it('adds a state after the others of its type', async () => {
    const { org, client, team } = await organizationWithStates(app);
    const payload = await client.createWorkflowState({ teamId: team.id, name: 'In Review', type: 'started', color });
    expect(payload).toMatchObject({ success: true, lastSyncId: 1 });
    const state = (await payload.workflowState)!;
    expect(state).toMatchObject({ name: 'In Review', type: 'started', color, position: 3, teamId: team.id });
    expect([state.description, state.archivedAt]).toEqual([undefined, undefined]);
    expect((await state.team)!.key).toBe('ENG');
    const given = { teamId: team.id, name: 'Soon', type: 'unstarted', color, position: 0.5, description: 'Nearly' };
    expect(await (await client.createWorkflowState(given)).workflowState).toMatchObject(given);
    expect((await org.recorded())[0]).toEqual({
      kind: 'workflowState.created',
      room: `org:${org.id}`,
      syncId: 1,
      data: {
        action: 'create',
        actor: expect.objectContaining({ id: org.owner.id }),
        createdAt: state.createdAt.toISOString(),
        data: {
          id: state.id,
          name: 'In Review',
          type: 'started',
          color,
          position: 3,
          teamId: team.id,
          createdAt: state.createdAt.toISOString(),
          updatedAt: state.createdAt.toISOString(),
        },
        url: `${app.baseUrl}/${org.urlKey}/team/ENG`,
        type: 'WorkflowState',
        organizationId: org.id,
      },
    });
  });

  it.each([
    [
      { type: 'duplicate' },
      'type must be one of the following values: backlog, unstarted, started, completed, canceled.',
    ],
    [{ type: 'triage' }, 'type must be one of the following values: backlog, unstarted, started, completed, canceled.'],
    [{ name: '' }, 'name should not be empty.'],
    [{ name: 'x'.repeat(81) }, 'name must be shorter than or equal to 80 characters.'],
    [{ color: '#12' }, 'color must match /^#[0-9a-fA-F]{6}$/ regular expression.'],
    [{ teamId: 'ENG' }, 'teamId must be a UUID.'],
    [{ id: 'mine' }, 'id must be a UUID.'],
  ])('refuses %j', async (input, sentence) => {
    const { client, team } = await organizationWithStates(app);
    const whole = { teamId: team.id, name: 'A', type: 'started', color, ...input };
    expect(await refusal(client.createWorkflowState(whole))).toEqual(invalidArgument(sentence));
  });

  it('refuses unknown teams, taken names and existing ids', async () => {
    const { org, client, team, state } = await organizationWithStates(app);
    const create = (input: object) =>
      refusal(client.createWorkflowState({ teamId: team.id, name: 'A', type: 'started', color, ...input }));
    const elsewhere = await app.organization();
    expect(await create({ teamId: UNKNOWN })).toEqual(unknownReference('teamId'));
    expect(await create({ teamId: elsewhere.team.id })).toEqual(unknownReference('teamId'));
    expect(await create({ name: 'in PROGRESS' })).toEqual([
      'InvalidInputLinearError',
      'Duplicate state name - The state name "in PROGRESS" is already in use.',
    ]);
    const { id } = state('Todo');
    expect(await create({ id })).toEqual([
      'InvalidInputLinearError',
      `Conflict on insert of WorkflowState - Entity WorkflowState with id ${id} already exists.`,
    ]);
    expect(await org.recorded()).toEqual([]);
  });

  it('gives a name to one of two concurrent calls', async () => {
    const { org, team } = await organizationWithStates(app);
    const answers = await Promise.all(
      ['Review', 'review', 'REVIEW'].map((name) =>
        org.graphql(
          'mutation ($input: WorkflowStateCreateInput!) { workflowStateCreate(input: $input) { workflowState { position } } }',
          { input: { teamId: team.id, name, type: 'started', color } },
        ),
      ),
    );
    expect(answers.flatMap(({ body }) => body.errors?.map(({ message }) => message) ?? [])).toEqual([
      'duplicate state name',
      'duplicate state name',
    ]);
  });

  it('gives states created concurrently different positions', async () => {
    const { org, team } = await organizationWithStates(app);
    const answers = await Promise.all(
      ['A', 'B', 'C'].map((name) =>
        org.data(
          'mutation ($input: WorkflowStateCreateInput!) { workflowStateCreate(input: $input) { workflowState { position } } }',
          { input: { teamId: team.id, name, type: 'started', color } },
        ),
      ),
    );
    const positions = answers.map((data) => data.workflowStateCreate.workflowState.position);
    expect(positions.toSorted()).toEqual([3, 4, 5]);
  });
});
