import { describe, expect, it } from 'vitest';
import { isFiring } from '../../src/tracker/events/tracker-events.js';
import { useApp } from '../support/app.js';
import { notFound, refusal, unknownReference } from '../support/refusal.js';
import { makeSandbox, send } from '../support/sandbox-routes.js';
import { builds } from '../support/tracker-issues.js';

describe('labels of projects', () => {
  const app = useApp();

  it('are made, changed, put into groups and deleted', async () => {
    const org = await app.organization();
    const client = org.client();
    const group = (await (await client.createProjectLabel({ name: 'Kind', isGroup: true })).projectLabel)!;
    expect(group).toMatchObject({ name: 'Kind', isGroup: true, groupType: 'singleSelect', description: undefined });
    expect(group.color).toMatch(/^#[0-9a-f]{6}$/);
    const bet = (await (await client.createProjectLabel({ name: 'Bet', parentId: group.id })).projectLabel)!;
    expect((await group.children()).nodes.map(({ name }) => name)).toEqual(['Bet']);
    expect((await bet.creator)?.id).toBe(org.user.id);
    expect(await refusal(client.createProjectLabel({ name: 'bet' }))).toEqual([
      'InvalidInputLinearError',
      'Duplicate label name - Label "Bet" already exists in the workspace.',
    ]);
    const other = (await (await client.createProjectLabel({ name: 'Sure' })).projectLabel)!;
    expect((await refusal(client.createProjectLabel({ name: 'Deep', parentId: bet.id })))[1]).toContain(
      'Label groups can be nested one level only.',
    );
    await client.updateProjectLabel(other.id, { name: 'Safe', color: '#112233', parentId: group.id });
    const filter = { parent: { name: { eq: 'Kind' } }, creator: { id: { eq: org.user.id } } };
    expect((await client.projectLabels({ filter })).nodes.map(({ name }) => name)).toEqual(['Safe', 'Bet']);
    expect((await (await client.organization).projectLabels()).nodes).toHaveLength(3);
    const [, updated] = [await org.recorded('projectLabel.created'), await org.recorded('projectLabel.updated')];
    expect(updated[0]!.data).toMatchObject({
      type: 'ProjectLabel',
      url: `${app.baseUrl}/${org.urlKey}/settings/project-labels/${other.id}`,
      data: { id: other.id, name: 'Safe', isGroup: false, parentId: group.id, creatorId: org.user.id },
      updatedFrom: { name: 'Sure', parentId: null, updatedAt: expect.any(String) },
    });
    await client.deleteProjectLabel(group.id);
    expect(await refusal(client.projectLabel(group.id))).toEqual(notFound('ProjectLabel'));
    expect(await (await client.projectLabel(bet.id)).parent).toBeUndefined();
    expect(await org.recorded('projectLabel.removed')).toHaveLength(1);
  });

  it('are put on projects, one of a group, and taken off', async () => {
    const org = await app.organization();
    const client = org.client();
    const make = async (input: object) => (await client.createProjectLabel({ name: 'Kind', ...input })).projectLabelId!;
    const group = await make({ isGroup: true });
    const [bet, safe] = [await make({ name: 'Bet', parentId: group }), await make({ name: 'Safe', parentId: group })];
    const big = await make({ name: 'Big' });
    const { projectId } = await client.createProject({ name: 'Q1', teamIds: [org.team.id], labelIds: [big] });
    const id = projectId!;
    await client.projectAddLabel(id, bet);
    expect((await client.project(id)).labelIds).toEqual([big, bet]);
    expect((await (await client.project(id)).labels()).nodes.map(({ name }) => name)).toEqual(['Big', 'Bet']);
    expect((await client.projectLabel(bet)).lastAppliedAt).toBeInstanceOf(Date);
    expect((await refusal(client.projectAddLabel(id, safe)))[1]).toContain("is in the same group as 'Bet'");
    expect((await refusal(client.projectAddLabel(id, group)))[1]).toContain('cannot be applied to a project');
    expect(await refusal(client.projectAddLabel(id, org.team.id))).toEqual(unknownReference('labelId'));
    expect(await refusal(client.updateProject(id, { labelIds: [org.team.id] }))).toEqual(unknownReference('labelIds'));
    await client.updateProject(id, { labelIds: [safe, big] });
    expect((await client.project(id)).labelIds).toEqual([big, safe]);
    const found = async (filter: object) => (await client.projects({ filter })).nodes.length;
    expect(await found({ labels: { name: { eq: 'Safe' } } })).toBe(1);
    expect(await found({ labels: { name: { eq: 'Bet' } } })).toBe(0);
    expect(await found({ labels: { some: { isGroup: { eq: false } }, length: { eq: 2 } } })).toBe(1);
    expect(await found({ labels: { null: true } })).toBe(0);
    expect(await found({ labels: { some: { some: { name: { eq: 'Big' } }, length: { eq: 2 } } } })).toBe(1);
    expect((await (await client.projectLabel(safe)).projects()).nodes.map((one) => one.id)).toEqual([id]);
    await client.projectRemoveLabel(id, big);
    expect((await org.recorded('project.updated')).at(-1)!.data).toMatchObject({
      data: { labelIds: [safe] },
      updatedFrom: { labelIds: [big, safe] },
    });
    await client.deleteProjectLabel(safe);
    expect((await client.project(id)).labelIds).toEqual([]);
  });

  it('of a team are for its projects, and go when the project leaves it', async () => {
    const org = await app.organization();
    const other = await org.newTeam();
    const client = org.client();
    const labelId = (await client.createProjectLabel({ name: 'Ours', teamId: org.team.id })).projectLabelId!;
    const id = (await client.createProject({ name: 'Q1', teamIds: [other.id] })).projectId!;
    expect((await refusal(client.projectAddLabel(id, labelId)))[1]).toContain('LabelIds for incorrect team');
    await client.updateProject(id, { teamIds: [other.id, org.team.id], labelIds: [labelId] });
    expect((await client.project(id)).labelIds).toEqual([labelId]);
    await client.updateProject(id, { teamIds: [other.id] });
    expect((await client.project(id)).labelIds).toEqual([]);
    // merged into the label of the workspace
    await client.updateProject(id, { teamIds: [other.id, org.team.id], labelIds: [labelId] });
    const whole = (await client.createProjectLabel({ name: 'ours' }, { replaceTeamLabels: true })).projectLabelId!;
    expect((await client.project(id)).labelIds).toEqual([whole]);
  });

  it('of a private team are seen by its members alone, who keep theirs when others set labels', async () => {
    const org = await app.organization();
    const bob = await org.member();
    const secret = await org.newTeam({ private: true });
    const client = org.client();
    const labelId = (await client.createProjectLabel({ name: 'Hush', teamId: secret.id })).projectLabelId!;
    const big = (await client.createProjectLabel({ name: 'Big' })).projectLabelId!;
    const teamIds = [org.team.id, secret.id];
    const id = (await client.createProject({ name: 'Q1', teamIds, labelIds: [labelId] })).projectId!;
    expect(await refusal(bob.client().projectLabel(labelId))).toEqual(notFound('ProjectLabel'));
    expect((await bob.client().projectLabels()).nodes.map(({ name }) => name)).toEqual(['Big']);
    await bob.client().updateProject(id, { labelIds: [big] });
    expect((await client.project(id)).labelIds).toEqual([labelId, big]);
    expect(await refusal(bob.client().projectRemoveLabel(id, labelId))).toEqual(unknownReference('labelId'));
  });

  it.each(['projectLabelRetire and projectLabelRestore', 'issueLabelRetire and issueLabelRestore'])(
    '%s: a retired one stays where it is and is not added',
    async (title) => {
      const org = await app.organization();
      const client = org.client();
      const isProject = title.startsWith('project');
      const make = builds(org);
      const [one, two] = isProject
        ? [await make.project(), await make.project({ name: 'Q2' })]
        : [await make.issue(), await make.issue()];
      const labelId = isProject
        ? (await client.createProjectLabel({ name: 'Old' })).projectLabelId!
        : (await client.createIssueLabel({ name: 'Old' })).issueLabelId!;
      const add = (id: string) => (isProject ? client.projectAddLabel(id, labelId) : client.issueAddLabel(id, labelId));
      const label = () => (isProject ? client.projectLabel(labelId) : client.issueLabel(labelId));
      await add(one!.id);
      await (isProject ? client.projectLabelRetire(labelId) : client.issueLabelRetire(labelId));
      expect((await (await label()).retiredBy)?.id).toBe(org.user.id);
      expect(await refusal(add(two!.id))).toEqual([
        'InvalidInputLinearError',
        "LabelIds is a retired label - The label 'Old' is retired and cannot be added.",
      ]);
      const on = isProject ? await client.project(one!.id) : await client.issue(one!.id);
      expect(on.labelIds).toEqual([labelId]);
      await add(one!.id);
      await (isProject ? client.projectLabelRestore(labelId) : client.issueLabelRestore(labelId));
      expect(await (await label()).retiredBy).toBeUndefined();
      await add(two!.id);
      expect(await org.recorded(isProject ? 'projectLabel.updated' : 'label.updated')).toHaveLength(2);
    },
  );

  it('are seeded, found by their names, exported, and told in the state', async () => {
    const labels = [
      { name: 'Bet', color: '#112233', parent: 'Kind' },
      { name: 'Kind', color: '#445566', is_group: true },
      { name: 'Ours', color: '#778899', team: 'ENG' },
    ];
    const tracker = {
      teams: [{ key: 'ENG' }],
      project_labels: labels,
      projects: [{ name: 'Q1', teams: ['ENG'], labels: ['Ours', 'Bet'] }],
    };
    const made = await makeSandbox(app, { journal: true, tracker });
    const self = (method: string, path: string, body?: object) =>
      send(app, method, `/api/sandboxes/self${path}`, made.ctl, body);
    const exported = (await self('GET', '/seed')).body;
    expect(exported.tracker.project_labels).toEqual(labels);
    expect(exported.tracker.projects[0].labels).toEqual(['Ours', 'Bet']);
    const again = await self('POST', '/seed', { tracker: { project_labels: [{ name: 'Kind' }, { name: 'New' }] } });
    expect(again.status, JSON.stringify(again.body)).toBe(200);
    const { body } = await self('GET', '/state?document=true');
    expect(body.document.tracker.project_label.map(({ name }: { name: string }) => name).toSorted()).toEqual([
      'Bet',
      'Kind',
      'New',
      'Ours',
    ]);
    expect(body.document.tracker.project[0].labels).toEqual(['Bet', 'Ours']);
    const wrong = await makeSandbox(app, {}).then(({ ctl }) =>
      send(app, 'POST', '/api/sandboxes/self/seed', ctl, {
        tracker: { projects: [{ name: 'Q2', teams: ['ENG'], labels: ['Nothing'] }] },
      }),
    );
    expect(wrong.status).toBe(400);
    expect(JSON.stringify(wrong.body)).toContain('tracker.projects[0].labels');
    expect(isFiring('ProjectLabel')).toBe(true);
  });
});
