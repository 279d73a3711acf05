import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { notFound, refusal } from '../support/refusal.js';
import { builds } from '../support/tracker-issues.js';

describe('relations of projects', () => {
  const app = useApp();

  it('are one for a pair in one direction, with anchors, and found by filters', async () => {
    const org = await app.organization();
    const make = builds(org);
    const [one, two] = [await make.project({ name: 'One' }), await make.project({ name: 'Two' })];
    const client = org.client();
    const input = { projectId: one.id, relatedProjectId: two.id, anchorType: 'end', relatedAnchorType: 'start' };
    const first = await client.createProjectRelation({ ...input, type: 'dependency' });
    const relation = (await first.projectRelation)!;
    expect(relation).toMatchObject({ type: 'dependency', anchorType: 'end', relatedAnchorType: 'start' });
    expect((await relation.user)?.id).toBe(org.user.id);
    const names = async (filter: object) => (await client.projects({ filter })).nodes.map(({ name }) => name);
    expect(await names({ hasDependsOnRelations: { eq: true } })).toEqual(['One']);
    expect(await names({ hasDependedOnByRelations: { eq: true } })).toEqual(['Two']);
    const { projectMilestoneId } = await client.createProjectMilestone({ projectId: two.id, name: 'Alpha' });
    const again = await client.createProjectRelation({
      ...input,
      type: 'blocks',
      relatedAnchorType: 'milestone',
      relatedProjectMilestoneId: projectMilestoneId!,
    });
    expect(again.projectRelationId).toBe(relation.id);
    expect(await names({ hasBlockingRelations: { eq: true } })).toEqual(['One']);
    const { project } = await org.data(
      `query ($id: String!) { project(id: $id) { relations { nodes { type relatedProject { name } relatedProjectMilestone { name } } }
        inverseRelations { nodes { type } } } }`,
      { id: one.id },
    );
    expect(project).toEqual({
      relations: {
        nodes: [{ type: 'blocks', relatedProject: { name: 'Two' }, relatedProjectMilestone: { name: 'Alpha' } }],
      },
      inverseRelations: { nodes: [] },
    });
    const refused = async (given: object) =>
      (await refusal(client.createProjectRelation({ ...input, type: 'related', ...given })))[1];
    expect(await refused({ relatedProjectId: one.id })).toContain('a project cannot be related to itself');
    expect(await refused({ type: 'nonsense' })).toContain('type must be one of');
    expect(await refused({ anchorType: 'milestone' })).toContain('projectMilestoneId should not be null');
    await client.deleteProjectRelation(relation.id);
    expect(await refusal(client.projectRelation(relation.id))).toEqual(notFound('ProjectRelation'));
  });

  it('are not seen by whom one of the projects is hidden from; links are seen with their project', async () => {
    const org = await app.organization();
    const make = builds(org);
    const bob = await org.member();
    const hidden = await make.project({ name: 'Hidden', teams: [await org.newTeam({ private: true })] });
    const open = await make.project({ name: 'Open' });
    const client = org.client();
    const anchors = { anchorType: 'project', relatedAnchorType: 'project', type: 'related' };
    await client.createProjectRelation({ projectId: open.id, relatedProjectId: hidden.id, ...anchors });
    expect((await client.projectRelations()).nodes).toHaveLength(1);
    expect((await bob.client().projectRelations()).nodes).toEqual([]);
    const link = async (projectId: string) =>
      (await client.createEntityExternalLink({ projectId, label: 'Board', url: 'https://board.example/' }))
        .entityExternalLinkId!;
    const [seen, unseen] = [await link(open.id), await link(hidden.id)];
    expect((await bob.client().entityExternalLink(seen)).label).toBe('Board');
    expect(await refusal(bob.client().entityExternalLink(unseen))).toEqual(notFound('EntityExternalLink'));
    expect((await (await client.project(open.id)).externalLinks()).nodes).toMatchObject([{ label: 'Board' }]);
    await client.updateEntityExternalLink(seen, { label: 'Plan' });
    expect((await client.entityExternalLink(seen)).label).toBe('Plan');
    expect((await refusal(client.createEntityExternalLink({ label: 'x', url: 'https://x.example/' })))[1]).toContain(
      'Exactly one of',
    );
    expect((await client.deleteEntityExternalLink(seen)).success).toBe(true);
  });
});
