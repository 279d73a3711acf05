import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { notFound, refusal, unknownReference } from '../support/refusal.js';
import { makeSandbox, send } from '../support/sandbox-routes.js';
import { builds } from '../support/tracker-issues.js';

const UNKNOWN = '5b1d7c1e-6a0b-4a57-9d0a-0c2a9a3f6f10';

describe('milestones of projects', () => {
  const app = useApp();

  it('are made, moved, filtered and deleted, and take issues of their project', async () => {
    const org = await app.organization();
    const make = builds(org);
    const [one, two] = [await make.project({ name: 'One' }), await make.project({ name: 'Two' })];
    const client = org.client();
    const create = async (name: string, input: object = {}) =>
      (await (
        await client.createProjectMilestone({ projectId: one.id, name, ...input })
      ).projectMilestone)!;
    const alpha = await create('Alpha');
    const beta = await create('Beta', { targetDate: '2030-01-01', description: 'Later' });
    expect([alpha.sortOrder, beta.sortOrder]).toEqual([100, 200]);
    expect(beta).toMatchObject({ name: 'Beta', targetDate: '2030-01-01', description: 'Later', progress: 0 });
    const issue = await make.issue({ projectId: one.id, projectMilestoneId: alpha.id });
    const other = await make.issue({ title: 'Elsewhere' });
    expect((await (await client.issue(issue.id)).projectMilestone)?.id).toBe(alpha.id);
    const refused = async (input: object, id = other.id) => (await refusal(client.updateIssue(id, input)))[1];
    expect(await refused({ projectMilestoneId: alpha.id })).toContain(
      'Discrepancy between issue project and milestone',
    );
    expect(await refusal(client.updateIssue(other.id, { projectMilestoneId: UNKNOWN }))).toEqual(
      unknownReference('projectMilestoneId'),
    );
    const filter = { projectMilestone: { name: { eq: 'Alpha' } } };
    expect((await client.issues({ filter })).nodes.map(({ id }) => id)).toEqual([issue.id]);
    const early = await create('Early', { sortOrder: 50 });
    const names = (nodes: { name: string }[]) => nodes.map(({ name }) => name);
    const project = await client.project(one.id);
    const first = await project.projectMilestones({ first: 2 });
    expect(names(first.nodes)).toEqual(['Early', 'Alpha']);
    expect(names((await project.projectMilestones({ after: first.pageInfo.endCursor! })).nodes)).toEqual(['Beta']);
    expect(names((await client.projectMilestones()).nodes)).toEqual(['Early', 'Alpha', 'Beta']);
    await client.deleteProjectMilestone(early.id);
    expect((await client.projectMilestones({ filter: { project: { name: { eq: 'Two' } } } })).nodes).toEqual([]);
    expect((await (await client.projectMilestone(alpha.id)).issues()).nodes).toHaveLength(1);

    await client.updateIssue(issue.id, { projectMilestoneId: beta.id });
    await client.updateIssue(issue.id, { projectId: two.id });
    expect((await client.issue(issue.id)).projectMilestoneId).toBeUndefined();
    const { issue: told } = await org.data(
      `query ($id: String!) { issue(id: $id) { history { nodes {
        fromProjectMilestone { name } toProjectMilestone { name } toProject { name } } } } }`,
      { id: issue.id },
    );
    expect(told.history.nodes).toContainEqual({
      fromProjectMilestone: { name: 'Beta' },
      toProjectMilestone: null,
      toProject: { name: 'Two' },
    });
    await client.updateIssue(issue.id, { projectId: one.id, projectMilestoneId: alpha.id });
    await client.updateProjectMilestone(alpha.id, { projectId: two.id });
    expect((await client.issue(issue.id)).projectMilestoneId).toBeUndefined();
    await client.deleteProjectMilestone(beta.id);
    expect(await refusal(client.projectMilestone(beta.id))).toEqual(notFound('ProjectMilestone'));
    const kinds = (await org.recorded()).map(({ kind }) => kind).filter((kind) => kind.startsWith('projectMilestone'));
    expect(kinds).toEqual([
      'projectMilestone.created',
      'projectMilestone.created',
      'projectMilestone.created',
      'projectMilestone.removed',
      'projectMilestone.updated',
      'projectMilestone.removed',
    ]);
  });

  it('are done, overdue, next or unstarted by their issues and the clock', async () => {
    const org = await app.organization();
    const make = builds(org);
    const project = await make.project();
    const client = org.client();
    const day = (days: number) => new Date(app.clock.now().getTime() + days * 86_400_000).toISOString().slice(0, 10);
    const create = async (name: string, targetDate?: string) =>
      (await client.createProjectMilestone({ projectId: project.id, name, targetDate })).projectMilestoneId!;
    await create('Some day');
    await create('Late', day(-1));
    await create('Later', day(60));
    await create('Soon', day(30));
    const done = await create('Done', day(-9));
    const stateId = (await make.state('Done')).id;
    await make.issue({ projectId: project.id, projectMilestoneId: done, stateId, estimate: 3 });
    const { projectMilestones } = await org.data('{ projectMilestones { nodes { name status progress } } }');
    expect(Object.fromEntries(projectMilestones.nodes.map((one: any) => [one.name, one.status]))).toEqual({
      Done: 'done',
      Late: 'overdue',
      Soon: 'next',
      Later: 'unstarted',
      'Some day': 'unstarted',
    });
    expect(projectMilestones.nodes.find(({ name }: { name: string }) => name === 'Done').progress).toBe(1);
    const found = async (filter: object) => (await client.projects({ filter })).nodes.length;
    expect(await found({ nextProjectMilestone: { name: { eq: 'Soon' } } })).toBe(1);
    expect(await found({ nextProjectMilestone: { name: { eq: 'Later' } } })).toBe(0);
    expect(await found({ completedProjectMilestones: { some: { name: { eq: 'Done' } } } })).toBe(1);
    expect(await found({ projectMilestones: { length: { eq: 5 } } })).toBe(1);
  });

  it('are seeded and exported with the other things of a project', async () => {
    const project = {
      name: 'Q1',
      teams: ['ENG'],
      milestones: [{ name: 'Alpha', target_date: '2099-02-01', description: 'First' }, { name: 'Beta' }],
      updates: [{ as: 'bob', body: 'Fine', health: 'atRisk', at: '2026-01-02T00:00:00.000Z' }],
      links: [{ label: 'Board', url: 'https://board.example/' }],
      relations: [{ type: 'dependency', project: 'Q2', anchor_type: 'end', related_anchor_type: 'start' }],
    };
    const issues = [{ title: 'One', number: 1, project: 'Q1', milestone: 'Alpha' }];
    const tracker = { teams: [{ key: 'ENG', issues }], projects: [project, { name: 'Q2', teams: ['ENG'] }] };
    const { ctl, body } = await makeSandbox(app, { name: 'milestones', users: ['bob'], tracker });
    const exported = (await send(app, 'GET', '/api/sandboxes/self/seed', ctl)).body;
    expect(exported.tracker.projects.find(({ name }: { name: string }) => name === 'Q1')).toMatchObject(project);
    expect(exported.tracker.teams[0].issues).toMatchObject(issues);
    const again = await makeSandbox(app, exported);
    expect((await send(app, 'GET', '/api/sandboxes/self/seed', again.ctl)).body).toEqual(exported);
    const key = { authorization: String(body.credentials.api_key) };
    const ask = async (query: string) => (await send(app, 'POST', '/graphql', key, { query })).body.data;
    const { issue } = await ask('{ issue(id: "ENG-1") { projectMilestone { name status } project { health } } }');
    expect(issue).toEqual({ projectMilestone: { name: 'Alpha', status: 'next' }, project: { health: 'atRisk' } });
  });
});
