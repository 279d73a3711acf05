import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { organizationWithProjects } from '../support/tracker-clients.js';

describe('projectArchive, projectDelete and projectUnarchive', () => {
  const app = useApp();

  it('archive, move to the trash and restore', async () => {
    const { org, client, create } = await organizationWithProjects(app);
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
});
