import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { notFound, refusal } from '../support/refusal.js';
import { organizationWithProjects } from '../support/tracker-clients.js';
import { insertIssue } from '../support/tracker-rows.js';

const UNKNOWN = '5b1d7c1e-6a0b-4a57-9d0a-0c2a9a3f6f10';

describe('projects', () => {
  const app = useApp();

  it('measure scope and progress in points', async () => {
    const { org, client, create } = await organizationWithProjects(app);
    const states = (await (await client.team('ENG')).states()).nodes;
    const { id: projectId } = await create();
    const issue = (name: string, estimate?: number, more = {}) =>
      insertIssue(org, {
        projectId,
        stateId: states.find((state) => state.name === name)!.id,
        estimate: estimate ?? null,
        ...more,
      });
    await issue('Done', 2);
    await issue('In Progress', 4);
    await issue('Backlog');
    await issue('Canceled', 50);
    await issue('Todo', 50, { archivedAt: new Date() });
    expect(await client.project(projectId)).toMatchObject({ scope: 7, progress: 3 / 7 });
    await client.updateTeam('ENG', { defaultIssueEstimate: 2 });
    expect(await client.project(projectId)).toMatchObject({ scope: 8, progress: 3 / 8 });
  });

  it('are visible through any of their teams', async () => {
    const { org, client } = await organizationWithProjects(app);
    const bob = await org.member();
    const secret = await org.newTeam({ private: true }, bob.user);
    const make = async (teamIds: string[]) =>
      (await (
        await bob.client().createProject({ name: 'Hush', teamIds })
      ).project)!;
    const hidden = await make([secret.id]);
    const shared = await make([secret.id, org.team.id]);
    expect((await org.recorded()).map(({ room }) => room)).toEqual([
      `org:${org.id}/teams/${secret.id}`,
      `org:${org.id}`,
    ]);
    for (const id of [hidden.id, hidden.slugId, UNKNOWN, 'launch']) {
      expect(await refusal(client.project(id))).toEqual(notFound('Project'));
      expect(await refusal(client.updateProject(id, { name: 'X' }))).toEqual(notFound('Project'));
      expect(await refusal(client.deleteProject(id))).toEqual(notFound('Project'));
    }
    expect((await client.projects()).nodes.map(({ id }) => id)).toEqual([shared.id]);
    const seen = await client.project(shared.id);
    expect((await seen.teams()).nodes.map(({ key }) => key)).toEqual(['ENG']);
    // teamIds replaces the teams that the caller sees, and keeps the hidden one
    const other = await org.newTeam();
    await client.updateProject(shared.id, { teamIds: [other.id] });
    const all = (await (await bob.client().project(shared.id)).teams()).nodes.map(({ id }) => id);
    expect(all.toSorted()).toEqual([secret.id, other.id].toSorted());
  });

  it('are sorted and filtered', async () => {
    const { client, status, create } = await organizationWithProjects(app);
    await create({ name: 'b', priority: 1, statusId: status('Completed'), targetDate: '2026-05-01' });
    await create({ name: 'A', priority: 4 });
    await create({ name: 'c', targetDate: '2026-04-01' });
    const names = async (variables: Parameters<typeof client.projects>[0]) =>
      (await client.projects(variables)).nodes.map(({ name }) => name);
    expect(await names({})).toEqual(['c', 'A', 'b']);
    expect(await names({ sort: [{ name: {} }] })).toEqual(['A', 'b', 'c']);
    expect(await names({ sort: [{ targetDate: {} }] })).toEqual(['c', 'b', 'A']);
    expect(await names({ filter: { state: { eq: 'completed' } } })).toEqual(['b']);
    expect(await names({ filter: { priority: { gt: 0 } }, sort: [{ name: {} }] })).toEqual(['A', 'b']);
  });

  it('have six statuses to choose from', async () => {
    const { org, client, status } = await organizationWithProjects(app);
    const { nodes } = await client.projectStatuses();
    expect(nodes.map(({ position, name, type, color }) => [position, name, type, color]).toSorted()).toEqual([
      [0, 'Backlog', 'backlog', '#bec2c8'],
      [1, 'Planned', 'planned', '#e2e2e2'],
      [2, 'In Progress', 'started', '#f2c94c'],
      [3, 'Paused', 'paused', '#95a2b3'],
      [4, 'Completed', 'completed', '#5e6ad2'],
      [5, 'Canceled', 'canceled', '#95a2b3'],
    ]);
    expect(await client.projectStatus(status('Paused'))).toMatchObject({ name: 'Paused', indefinite: false });
    const foreign = await app.organization();
    const [status0] = (await foreign.client().projectStatuses()).nodes;
    expect(await refusal(org.client().projectStatus(status0!.id))).toEqual(notFound('ProjectStatus'));
  });
});
