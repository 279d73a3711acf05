import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { invalidArgument, refusal } from '../support/refusal.js';
import { organizationWithProjects } from '../support/tracker-clients.js';
import { insertIssue } from '../support/tracker-rows.js';

describe('projectUpdate', () => {
  const app = useApp();

  it('changes the given fields and records the previous values', async () => {
    const { org, client, create } = await organizationWithProjects(app);
    const project = await create({ content: 'Long', targetDate: '2026-04-30' });
    const payload = await client.updateProject(project.slugId, { name: 'Landing', content: null, priority: 1 });
    expect(payload).toMatchObject({ success: true, lastSyncId: 2 });
    const after = (await payload.project)!;
    expect(after).toMatchObject({ name: 'Landing', priority: 1, priorityLabel: 'Urgent', targetDate: '2026-04-30' });
    expect(after.url).toBe(`${app.baseUrl}/${org.urlKey}/project/landing-${project.slugId}`);
    expect(after.content).toBeUndefined();
    const event = (await org.recorded()).at(-1)!;
    expect(event).toMatchObject({ kind: 'project.updated', data: { url: after.url } });
    expect(event.data.updatedFrom).toEqual({
      name: 'Launch',
      content: 'Long',
      priority: 0,
      updatedAt: project.updatedAt.toISOString(),
    });
    const same = { name: 'Landing', teamIds: [org.team.id], memberIds: [], priority: 1, trashed: null };
    expect(await client.updateProject(project.id, same)).toMatchObject({ success: true, lastSyncId: 2 });
    expect((await client.project(project.id)).updatedAt).toEqual(after.updatedAt);
    expect((await (await client.updateProject(project.id, { priority: null })).project)!.priority).toBe(0);
    for (const field of ['name', 'description', 'color', 'statusId', 'teamIds', 'memberIds', 'sortOrder']) {
      expect(await refusal(client.updateProject(project.id, { [field]: null }))).toEqual(
        invalidArgument(`${field} should not be null or undefined.`),
      );
    }
  });

  it('compares a changed date with the stored other date', async () => {
    const { client, create } = await organizationWithProjects(app);
    const { id } = await create({ startDate: '2026-02-01', targetDate: '2026-03-01' });
    expect(await refusal(client.updateProject(id, { targetDate: '2026-01-31' }))).toEqual(
      invalidArgument('minimal allowed date for targetDate is 2026-02-01.'),
    );
    expect(await refusal(client.updateProject(id, { startDate: '2026-03-02' }))).toEqual(
      invalidArgument('maximal allowed date for startDate is 2026-03-01.'),
    );
    const after = (await (await client.updateProject(id, { startDate: null, targetDate: '2025-01-01' })).project)!;
    expect([after.startDate, after.targetDate]).toEqual([undefined, '2025-01-01']);
  });

  it('sets and clears the dates of its status', async () => {
    const { client, status, create } = await organizationWithProjects(app);
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
    // without a start of its own, the project starts when it is completed
    expect(await client.project(id)).toMatchObject({ completedAt, startedAt: completedAt });
    // the status is unchanged, so no date changes
    const before = await client.project(id);
    expect((await client.updateProject(id, { statusId: status('Completed') })).lastSyncId).toBe(9);
    expect(await client.project(id)).toMatchObject({ updatedAt: before.updatedAt, completedAt });
  });

  it('keeps its lead among its members', async () => {
    const { org, client, create } = await organizationWithProjects(app);
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

  it('removes the issues of a team that leaves it', async () => {
    const { org, client, create } = await organizationWithProjects(app);
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
});
