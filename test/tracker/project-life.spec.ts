import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { invalidArgument, notFound, refusal } from '../support/refusal.js';
import { insertIssue } from '../support/tracker-rows.js';

const UNKNOWN = '5b1d7c1e-6a0b-4a57-9d0a-0c2a9a3f6f10';

describe('the life of a project', () => {
  const app = useApp();

  async function organization() {
    const org = await app.organization();
    const client = org.client();
    const { nodes: statuses } = await client.projectStatuses();
    const status = (name: string) => statuses.find((candidate) => candidate.name === name)!.id;
    const create = async (input: object = {}) =>
      (await (
        await client.createProject({ name: 'Launch', teamIds: [org.team.id], ...input })
      ).project)!;
    return { org, client, status, create };
  }

  it('sets and clears the moments of its status', async () => {
    const { client, status, create } = await organization();
    const { id } = await create();
    const enter = async (name: string, more: object = {}) => {
      const project = (await (await client.updateProject(id, { statusId: status(name), ...more })).project)!;
      return [project.state, ...[project.startedAt, project.completedAt, project.canceledAt].map((at) => !!at)];
    };
    expect(await enter('In Progress')).toEqual(['started', true, false, false]);
    const started = (await client.project(id)).startedAt;
    expect(await enter('Paused')).toEqual(['paused', true, false, false]);
    expect(await enter('Completed')).toEqual(['completed', true, true, false]);
    expect((await client.project(id)).startedAt).toEqual(started);
    expect(await enter('Canceled')).toEqual(['canceled', true, false, true]);
    expect(await enter('Planned')).toEqual(['planned', false, false, false]);
    expect(await enter('Completed')).toEqual(['completed', true, true, false]);
    const completedAt = new Date('2026-01-01T00:00:00Z');
    await enter('Backlog');
    expect(await enter('Completed', { completedAt })).toEqual(['completed', true, true, false]);
    // nothing said when it started
    expect(await client.project(id)).toMatchObject({ completedAt, startedAt: completedAt });
    // the status it has already: nothing is entered
    const before = await client.project(id);
    expect((await client.updateProject(id, { statusId: status('Completed') })).lastSyncId).toBe(9);
    expect(await client.project(id)).toMatchObject({ updatedAt: before.updatedAt, completedAt });
  });

  it('keeps its lead among its members', async () => {
    const { org, client, create } = await organization();
    const [bob, carol] = [(await org.member()).user, (await org.member()).user];
    const { id } = await create({ memberIds: [carol.id] });
    const members = async (input: object) => {
      const project = (await (await client.updateProject(id, input)).project)!;
      return (await project.members()).nodes.map((member) => member.id).toSorted();
    };
    expect(await members({ leadId: bob.id })).toEqual([bob.id, carol.id].toSorted());
    expect(await members({ memberIds: [] })).toEqual([bob.id]);
    expect((await org.recorded()).at(-1)!.data.updatedFrom).toMatchObject({
      memberIds: [bob.id, carol.id].toSorted(),
    });
    expect(await members({ leadId: null })).toEqual([bob.id]);
    expect(await members({ memberIds: [carol.id] })).toEqual([carol.id]);
    expect((await client.project(id)).leadId).toBeUndefined();
  });

  it('drops issues of a team that leaves it', async () => {
    const { org, client, create } = await organization();
    const team = await org.newTeam();
    const { id: projectId } = await create({ teamIds: [org.team.id, team.id] });
    const stays = await insertIssue(org, { projectId });
    const goes = await insertIssue(org, { projectId, teamId: team.id });
    const payload = await client.updateProject(projectId, { teamIds: [org.team.id] });
    expect(payload.lastSyncId).toBe(2);
    expect((await (await payload.project)!.teams()).nodes.map(({ key }) => key)).toEqual(['ENG']);
    const rows: { id: string; projectId: string; moved: boolean }[] = await app.store.dataSource.query(
      'SELECT id, project_id AS "projectId", updated_at > created_at AS moved FROM issues WHERE id = ANY($1)',
      [[stays.id, goes.id]],
    );
    expect(rows.toSorted((a) => (a.id === stays.id ? -1 : 1))).toEqual([
      { id: stays.id, projectId, moved: false },
      { id: goes.id, projectId: null, moved: true },
    ]);
    expect((await org.recorded()).at(-1)!.data.updatedFrom.teamIds).toEqual([org.team.id, team.id].toSorted());
    expect(await refusal(client.updateProject(projectId, { teamIds: [] }))).toEqual(
      invalidArgument('teamIds should not be empty.'),
    );
  });

  it('measures scope and progress in points', async () => {
    const { org, client, create } = await organization();
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

  it('goes to the archive, to the trash and back', async () => {
    const { org, client, create } = await organization();
    const project = await create();
    const archived = await project.archive();
    expect(archived.lastSyncId).toBe(2);
    expect((await archived.entity)!).toMatchObject({ archivedAt: expect.any(Date) });
    expect((await archived.entity)!.trashed).toBeUndefined();
    expect((await project.archive()).lastSyncId).toBe(2);
    expect((await client.projects()).nodes).toEqual([]);
    expect((await client.projects({ includeArchived: true })).nodes).toHaveLength(1);
    const back = (await (await project.unarchive()).entity)!;
    expect(back.archivedAt).toBeUndefined();
    expect((await project.unarchive()).lastSyncId).toBe(3);

    const deleted = await project.delete();
    expect((await deleted.entity)!).toMatchObject({ trashed: true, archivedAt: expect.any(Date) });
    expect((await project.delete()).lastSyncId).toBe(4);
    const restored = (await (await client.updateProject(project.id, { trashed: false })).project)!;
    expect([restored.trashed, restored.archivedAt]).toEqual([undefined, undefined]);
    await project.archive({ trash: true });
    await project.unarchive();
    await client.updateProject(project.id, { trashed: true });
    const events = await org.recorded();
    expect(events.map(({ kind }) => kind)).toEqual([
      'project.created',
      'project.updated',
      'project.updated',
      'project.removed',
      'project.updated',
      'project.removed',
      'project.updated',
      'project.removed',
    ]);
    const removed = events[3]!.data;
    expect(removed).not.toHaveProperty('updatedFrom');
    expect(removed.data).not.toHaveProperty('archivedAt');
    expect(removed.data).not.toHaveProperty('trashed');
  });

  it('is seen through any of its teams', async () => {
    const { org, client } = await organization();
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
    // a list replaces what its writer sees: the team nobody told Ada of stays
    const other = await org.newTeam();
    await client.updateProject(shared.id, { teamIds: [other.id] });
    const all = (await (await bob.client().project(shared.id)).teams()).nodes.map(({ id }) => id);
    expect(all.toSorted()).toEqual([secret.id, other.id].toSorted());
  });

  it('sorts and filters', async () => {
    const { client, status, create } = await organization();
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

  it('has six statuses to choose from', async () => {
    const { org, client, status } = await organization();
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

  it('stands in front of those created before it, also when many are at once', async () => {
    const { org } = await organization();
    const answers = await Promise.all(
      Array.from({ length: 5 }, () =>
        org.data(
          'mutation ($input: ProjectCreateInput!) { projectCreate(input: $input) { lastSyncId project { sortOrder } } }',
          { input: { name: 'P', teamIds: [org.team.id] } },
        ),
      ),
    );
    const made = answers.map(({ projectCreate }) => [projectCreate.lastSyncId, projectCreate.project.sortOrder]);
    expect(made.toSorted(([a], [b]) => a - b)).toEqual([
      [1, 0],
      [2, -100],
      [3, -200],
      [4, -300],
      [5, -400],
    ]);
  });
});
