import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestApp } from '../support/app.js';

/** docs/reference/tracker.md#errors */
describe('a violated unique constraint', () => {
  let app: TestApp;
  // a store of its own, with constraints that a later version might add
  beforeAll(async () => {
    app = await TestApp.start({ DATABASE_URL: '', SVC_DATA_DIR: 'memory', SVC_LOG_LEVEL: 'fatal' });
    await app.store.dataSource.query('CREATE UNIQUE INDEX spec_teams ON teams (organization_id, color)');
    await app.store.dataSource.query('CREATE UNIQUE INDEX spec_states ON workflow_states (team_id, description)');
  });
  afterAll(() => app.stop());

  it('is reported by its name: an unknown one is not called a duplicate key or name', async () => {
    const org = await app.organization();
    const other = await org.newTeam({ color: '#111111' });
    const update = (input: string) => `mutation { teamUpdate(id: "${other.id}", input: ${input}) { success } }`;
    expect(await org.error(update('{ key: "ENG" }'))).toMatchObject({ message: expect.stringMatching(/duplicate/i) });
    const { color } = (await org.data(`{ team(id: "${org.team.id}") { color } }`)).team;
    const unknown = await org.error(update(`{ color: "${color}" }`));
    expect(unknown.message).not.toMatch(/duplicate/i);
    expect(unknown.extensions['code']).toBe('INTERNAL_SERVER_ERROR');

    const { nodes } = (await org.data(`{ team(id: "${other.id}") { states { nodes { id name } } } }`)).team.states;
    const change = (id: string, input: string) =>
      `mutation { workflowStateUpdate(id: "${id}", input: ${input}) { success } }`;
    const taken = await org.error(change(nodes[0].id, `{ name: "${nodes[1].name}" }`));
    expect(taken.message).toMatch(/duplicate/i);
    await org.data(change(nodes[0].id, '{ description: "the same" }'));
    const alike = await org.error(change(nodes[1].id, '{ description: "the same" }'));
    expect(alike.message).not.toMatch(/duplicate/i);
  });
});
