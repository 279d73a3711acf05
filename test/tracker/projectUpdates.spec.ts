import { LinearDocument } from '@linear/sdk';
import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { refusal } from '../support/refusal.js';
import { builds } from '../support/tracker-issues.js';

const { AtRisk, OffTrack } = LinearDocument.ProjectUpdateHealthType;

describe('updates of projects', () => {
  const app = useApp();

  it('say the health of their project, by the newest that is not archived', async () => {
    const org = await app.organization();
    const project = await builds(org).project();
    const client = org.client();
    const create = async (input: object) => {
      app.clock.advance(1000);
      return (await (
        await client.createProjectUpdate({ projectId: project.id, ...input })
      ).projectUpdate)!;
    };
    const health = async () =>
      (
        await org.data('query ($id: String!) { project(id: $id) { health healthUpdatedAt lastUpdate { body } } }', {
          id: project.id,
        })
      ).project;
    expect(await health()).toEqual({ health: null, healthUpdatedAt: null, lastUpdate: null });
    const first = await create({ body: 'Begun' });
    expect(first).toMatchObject({ health: 'onTrack', isStale: false, commentCount: 0 });
    expect(first.url).toContain(`/updates#project-update-${first.slugId}`);
    const second = await create({ health: AtRisk });
    expect(second.body).toBe('');
    expect((await create({ body: 'Still' })).health).toBe('atRisk');
    expect(await health()).toMatchObject({ health: 'atRisk', lastUpdate: { body: 'Still' } });
    expect((await client.projects({ filter: { health: { eq: 'atRisk' } } })).nodes).toHaveLength(1);
    const filter = { projectUpdates: { some: { health: { eq: 'onTrack' } } } };
    expect((await client.projects({ filter })).nodes).toHaveLength(1);
    expect((await refusal(client.createProjectUpdate({ projectId: project.id })))[1]).toContain(
      'body or health must be defined',
    );
    expect((await refusal(client.createProjectUpdate({ projectId: project.id, body: ' ' })))[1]).toContain(
      'body or health must be defined',
    );
    await client.updateProjectUpdate(second.id, { body: 'Hm', health: OffTrack });
    expect((await client.projectUpdate(second.id)).editedAt).toBeInstanceOf(Date);
    const bob = await org.member();
    expect((await refusal(bob.client().updateProjectUpdate(second.id, { body: 'Mine' })))[1]).toContain('your own');
    const [newest] = (await client.projectUpdates()).nodes;
    await client.deleteProjectUpdate(newest!.id);
    expect(await health()).toMatchObject({ health: 'offTrack', lastUpdate: { body: 'Hm' } });
    await client.archiveProjectUpdate(second.id);
    expect((await client.projectUpdates()).nodes.map(({ body }) => body)).toEqual(['Begun']);
    const { archivedAt } = await client.projectUpdate(second.id);
    expect((await refusal(bob.client().archiveProjectUpdate(second.id)))[1]).toContain('your own');
    app.clock.advance(1000);
    await client.archiveProjectUpdate(second.id);
    expect((await client.projectUpdate(second.id)).archivedAt).toEqual(archivedAt);
    await client.unarchiveProjectUpdate(second.id);
    expect((await client.projectUpdates()).nodes).toHaveLength(2);
    app.clock.advance(31 * 86_400_000);
    // the newest alone
    const stale = (await client.projectUpdates()).nodes.map(({ body, isStale }) => [body, isStale]);
    expect(stale).toEqual([
      ['Hm', true],
      ['Begun', false],
    ]);
    await create({ body: 'Again' });
    expect((await client.projectUpdate(second.id)).isStale).toBe(false);
  });

  it('take comments and reactions, and are told to webhooks', async () => {
    const org = await app.organization();
    const project = await builds(org).project({ name: 'Q1' });
    const client = org.client();
    const { projectUpdateId } = await client.createProjectUpdate({ projectId: project.id, body: 'Begun' });
    const id = projectUpdateId!;
    const { commentId } = await client.createComment({ projectUpdateId: id, body: 'Good' });
    await client.createComment({ projectUpdateId: id, parentId: commentId!, body: 'Yes' });
    await client.createReaction({ projectUpdateId: id, emoji: 'tada' });
    const { projectUpdate } = await org.data(
      `query ($id: String!) { projectUpdate(id: $id) { commentCount reactionData
        comments { nodes { body url projectUpdate { id } parent { body } } } reactions { emoji projectUpdate { id } } } }`,
      { id },
    );
    expect(projectUpdate).toMatchObject({
      commentCount: 2,
      reactionData: [{ emoji: 'tada' }],
      reactions: [{ emoji: 'tada', projectUpdate: { id } }],
    });
    expect(projectUpdate.comments.nodes).toContainEqual({
      body: 'Yes',
      url: expect.stringMatching(/#project-update-[0-9a-f]{12}#comment-/),
      projectUpdate: { id },
      parent: { body: 'Good' },
    });
    const [created] = await org.recorded('projectUpdate.created');
    expect(created!.data).toMatchObject({
      type: 'ProjectUpdate',
      data: {
        id,
        body: 'Begun',
        bodyData: '{}',
        health: 'onTrack',
        project: { name: 'Q1' },
        user: { name: org.user.name },
      },
    });
    const filter = { projectUpdate: { id: { eq: id } } };
    expect((await client.comments({ filter })).nodes).toHaveLength(2);
  });
});
