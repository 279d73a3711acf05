import { LinearDocument } from '@linear/sdk';
import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { refusal } from '../support/refusal.js';
import { makeSandbox, send } from '../support/sandbox-routes.js';

const { Planned, Started, Paused } = LinearDocument.ProjectStatusType;

describe('statuses of projects', () => {
  const app = useApp();

  it('are made, changed, archived and unarchived by admins, and listed by position', async () => {
    const org = await app.organization();
    const client = org.client();
    const names = async () => (await client.projectStatuses()).nodes.map(({ name }) => name);
    const before = await names();
    expect(before).toEqual(['Backlog', 'Planned', 'In Progress', 'Paused', 'Completed', 'Canceled']);
    const input = { name: 'Shaping', type: Planned, color: '#112233', position: -1, description: 'drawn' };
    const made = (await (await client.createProjectStatus({ ...input, indefinite: true })).status)!;
    expect(made).toMatchObject({ ...input, indefinite: true });
    expect(await names()).toEqual(['Shaping', ...before]);
    expect(await refusal(client.createProjectStatus({ ...input, name: 'shaping' }))).toEqual([
      'InvalidInputLinearError',
      'Duplicate project status name - The project status name "Shaping" is already in use.',
    ]);
    await client.updateProjectStatus(made.id, { name: 'Drawing', position: 100, type: Started });
    expect((await (await client.organization).projectStatuses).map(({ name }) => name)).toEqual([...before, 'Drawing']);
    expect(await org.recorded('projectStatus.updated')).toHaveLength(1);
    await client.archiveProjectStatus(made.id);
    expect(await names()).toEqual(before);
    expect((await client.projectStatuses({ includeArchived: true })).nodes).toHaveLength(7);
    const teamIds = [org.team.id];
    expect((await refusal(client.createProject({ name: 'Q1', teamIds, statusId: made.id })))[1]).toContain(
      'An archived status takes no projects.',
    );
    const again = await client.createProjectStatus({ ...input, name: 'drawing' });
    expect((await refusal(client.unarchiveProjectStatus(made.id)))[1]).toContain('"drawing" is already in use');
    await client.archiveProjectStatus(again.statusId!);
    await client.unarchiveProjectStatus(made.id);
    expect(await names()).toEqual([...before, 'Drawing']);
    const bob = (await org.member()).client();
    for (const call of [
      () => bob.createProjectStatus({ ...input, name: 'Mine' }),
      () => bob.updateProjectStatus(made.id, { name: 'Mine' }),
      () => bob.archiveProjectStatus(made.id),
      () => bob.unarchiveProjectStatus(made.id),
      // one that is archived already
      () => bob.archiveProjectStatus(again.statusId!),
    ]) {
      expect((await refusal(call()))[1]).toContain('You need to be an admin to manage project statuses.');
    }
  });

  it('are not archived with projects or as the last of their type, whose type stays', async () => {
    const org = await app.organization();
    const client = org.client();
    const { nodes } = await client.projectStatuses();
    const paused = nodes.find(({ name }) => name === 'Paused')!;
    expect((await refusal(client.archiveProjectStatus(paused.id)))[1]).toContain('it is the last one of its type');
    expect((await refusal(client.updateProjectStatus(paused.id, { type: Planned })))[1]).toContain(
      'it is the last one of its type',
    );
    const other = (await client.createProjectStatus({ name: 'Held', type: Paused, color: '#112233', position: 9 }))
      .statusId!;
    await client.createProject({ name: 'Q1', teamIds: [org.team.id], statusId: other });
    expect((await refusal(client.archiveProjectStatus(other)))[1]).toContain('there are projects in it');
    await client.archiveProjectStatus(paused.id);
    const filter = { status: { name: { eq: 'Held' }, projects: { length: { eq: 1 } } } };
    expect((await client.projects({ filter })).nodes.map(({ name }) => name)).toEqual(['Q1']);
  });

  it('are seeded, complete those of their name, and are exported without those that every organization has', async () => {
    const statuses = [
      { name: 'Planned', type: 'planned', color: '#112233', position: 1 },
      { name: 'Shaping', type: 'planned', color: '#445566', position: 1.5, indefinite: true },
    ];
    const projects = [{ name: 'Q1', teams: ['ENG'], status: 'Shaping' }];
    const made = await makeSandbox(app, { tracker: { teams: [{ key: 'ENG' }], project_statuses: statuses, projects } });
    const self = (method: string, path: string, body?: object) =>
      send(app, method, `/api/sandboxes/self${path}`, made.ctl, body);
    const { body } = await self('GET', '/seed');
    expect(body.tracker.project_statuses).toEqual(statuses);
    expect(body.tracker.projects[0].status).toBe('Shaping');
    const again = await self('POST', '/seed', {
      tracker: { project_statuses: [{ ...statuses[1], color: '#778899' }] },
    });
    expect(again.status, JSON.stringify(again.body)).toBe(200);
    expect((await self('GET', '/seed')).body.tracker.project_statuses[1].color).toBe('#778899');
  });
});
