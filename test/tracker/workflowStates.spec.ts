import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { invalidArgument, notFound, refusal, unknownReference } from '../support/refusal.js';
import { insertIssue } from '../support/tracker-rows.js';

const UNKNOWN = '5b1d7c1e-6a0b-4a57-9d0a-0c2a9a3f6f10';
const color = '#112233';

describe('workflow states', () => {
  const app = useApp();

  async function organization() {
    const org = await app.organization();
    const client = org.client();
    const team = await client.team('ENG');
    const states = (await team.states()).nodes;
    const state = (name: string) => states.find((candidate) => candidate.name === name)!;
    return { org, client, team, state };
  }

  it('workflowStateCreate puts a state behind the others of its type', async () => {
    const { org, client, team } = await organization();
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
  ])('workflowStateCreate refuses %j', async (input, sentence) => {
    const { client, team } = await organization();
    const whole = { teamId: team.id, name: 'A', type: 'started', color, ...input };
    expect(await refusal(client.createWorkflowState(whole))).toEqual(invalidArgument(sentence));
  });

  it('workflowStateCreate refuses unknown teams, names that are taken and ids that exist', async () => {
    const { org, client, team, state } = await organization();
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

  it('lets one of two states win a name', async () => {
    const { org, team } = await organization();
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

  it('gives states created at once different places', async () => {
    const { org, team } = await organization();
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

  it('workflowStateUpdate changes what is given and tells what it was', async () => {
    const { org, client, state } = await organization();
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

  it('workflowStateArchive takes a state out of the list and frees its name', async () => {
    const { org, client, team } = await organization();
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

  it('workflowStateArchive refuses the states a team cannot be without', async () => {
    const { org, client, team, state } = await organization();
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

  it('changes are for admins and owners of the team; reading is for all with access', async () => {
    const { org, team, state } = await organization();
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

  it('a private team keeps its states to its members', async () => {
    const { org, client } = await organization();
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
