import { describe, expect, it } from 'vitest';
import type { Issue } from '../../src/tracker/issues/issue.entity.js';
import { useApp } from '../support/app.js';
import { builds } from '../support/tracker-issues.js';
import type { OrganizationBuilder, TrackerCaller } from '../support/tracker.js';

const FIELDS = `id number identifier previousIdentifiers title description priority estimate dueDate teamId labelIds sortOrder
  subIssueSortOrder startedAt completedAt canceledAt addedToTeamAt addedToProjectAt addedToCycleAt trashed archivedAt
  updatedAt url state { id name type } assignee { id } project { id } cycle { id } parent { id }
  subscribers { nodes { id } }`;
const UPDATE = `mutation($id: String!, $input: IssueUpdateInput!) {
  issueUpdate(id: $id, input: $input) { success lastSyncId issue { ${FIELDS} } }
}`;

describe('issueUpdate', () => {
  const app = useApp();

  const update = async (on: TrackerCaller, issue: Pick<Issue, 'id'>, input: Record<string, unknown>) =>
    (await on.data(UPDATE, { id: issue.id, input })).issueUpdate.issue;
  const refusal = async (org: OrganizationBuilder, issue: Pick<Issue, 'id'>, input: Record<string, unknown>) => {
    const { message, extensions } = await org.error(UPDATE, { id: issue.id, input });
    return { message, code: extensions['code'], userMessage: extensions['userPresentableMessage'] };
  };

  describe('parentId', () => {
    it('nests issues below others, in order, and moves them out again', async () => {
      const org = await app.organization();
      const make = builds(org);
      const [parent, a, b] = [await make.issue(), await make.issue(), await make.issue()];
      expect(await update(org, a, { parentId: parent.identifier })).toMatchObject({
        parent: { id: parent.id },
        subIssueSortOrder: 0,
      });
      expect((await update(org, b, { parentId: parent.id })).subIssueSortOrder).toBe(100);
      expect((await update(org, b, { subIssueSortOrder: -5 })).subIssueSortOrder).toBe(-5);
      expect(await update(org, b, { parentId: null })).toMatchObject({ parent: null, subIssueSortOrder: null });
      expect((await update(org, b, { subIssueSortOrder: 3 })).subIssueSortOrder).toBeNull();
    });

    it('refuses cycles, also of two concurrent calls, and an eleventh level', async () => {
      const org = await app.organization();
      const make = builds(org);
      const chain: Issue[] = [];
      for (let level = 0; level < 10; level++) {
        chain.push(await make.issue(level === 0 ? {} : { parentId: (chain[level - 1] as Issue).id }));
      }
      const [top, ...below] = chain as [Issue, ...Issue[]];
      const loop = { message: 'parentId makes a cycle', code: 'INPUT_ERROR' };
      expect(await refusal(org, top, { parentId: top.id })).toMatchObject(loop);
      expect(await refusal(org, top, { parentId: (below.at(-1) as Issue).id })).toMatchObject(loop);
      const other = await make.issue();
      const deep = { message: 'parentId is nested too deep', code: 'INPUT_ERROR' };
      expect(await refusal(org, top, { parentId: other.id })).toMatchObject(deep);
      expect(await refusal(org, other, { parentId: (below.at(-1) as Issue).id })).toMatchObject(deep);

      const [x, y] = [await make.issue(), await make.issue()];
      const answers = await Promise.all([
        org.graphql(UPDATE, { id: x.id, input: { parentId: y.id } }),
        org.graphql(UPDATE, { id: y.id, input: { parentId: x.id } }),
      ]);
      expect(answers.map(({ body }) => body.errors?.[0]?.message ?? '').sort()).toEqual(['', loop.message]);
    });
  });

  describe('teamId', () => {
    it('moves number, state, cycle, labels and project to the new team', async () => {
      const org = await app.organization();
      const make = builds(org);
      const bob = await org.member();
      const ops = await org.newTeam({ key: 'OPS' });
      await make.issue({ team: ops });
      const [everywhere, ours] = [await make.label(), await make.label({ teamId: org.team.id })];
      const [project, cycle] = [await make.project(), await make.cycle()];
      const issue = await make.issue({
        stateId: (await make.state('In Progress')).id,
        labelIds: [ours.id, everywhere.id],
        projectId: project.id,
        cycleId: cycle.id,
        assigneeId: bob.user.id,
      });
      const child = await make.issue({ parentId: issue.id });
      app.clock.advance(5000);
      const moved = await update(org, issue, { teamId: ops.id });
      expect(moved).toMatchObject({
        number: 2,
        identifier: 'OPS-2',
        previousIdentifiers: ['ENG-1'],
        teamId: ops.id,
        state: { id: (await make.state('In Progress', ops)).id },
        startedAt: issue.startedAt?.toISOString(),
        labelIds: [everywhere.id],
        project: null,
        addedToProjectAt: null,
        cycle: null,
        addedToCycleAt: null,
        assignee: { id: bob.user.id },
        url: expect.stringContaining('/issue/OPS-2/'),
      });
      expect(moved.addedToTeamAt).toBe(moved.updatedAt);
      expect(moved.addedToTeamAt).not.toBe(issue.addedToTeamAt?.toISOString());
      const client = org.client();
      expect((await client.issue('eng-1')).id).toBe(issue.id);
      expect((await client.issue(child.id)).parentId).toBe(issue.id);
      const [event] = await org.recorded('issue.updated');
      expect(event?.data['updatedFrom']).toMatchObject({ teamId: org.team.id, number: 1, previousIdentifiers: [] });

      // numbers are never reused, and the old identifier is given to no other issue
      expect((await make.issue()).identifier).toBe('ENG-3');
      expect(await update(org, issue, { teamId: org.team.id })).toMatchObject({
        identifier: 'ENG-4',
        previousIdentifiers: ['ENG-1', 'OPS-2'],
      });
    });

    it('keeps a project of both teams, selects a state of the same type, and validates the input by the new team', async () => {
      const org = await app.organization();
      const make = builds(org);
      const ops = await org.newTeam({ key: 'OPS' });
      const project = await make.project({ teams: [org.team, ops] });
      const review = await make.newState({ name: 'Review', type: 'started', position: 9 });
      const issue = await make.issue({ projectId: project.id, stateId: review.id });
      const discrepancy = 'Discrepancy between issue team and state, cycle or project.';
      for (const input of [
        { stateId: (await make.state('Todo')).id },
        { cycleId: (await make.cycle()).id },
        { projectId: (await make.project()).id },
      ]) {
        expect((await refusal(org, issue, { teamId: ops.id, ...input })).message).toBe(discrepancy);
      }
      const theirs = await make.label({ teamId: ops.id });
      expect((await refusal(org, issue, { addedLabelIds: [theirs.id] })).message).toBe('labelIds for incorrect team');
      const moved = await update(org, issue, { teamId: ops.id, addedLabelIds: [theirs.id] });
      expect(moved).toMatchObject({
        identifier: 'OPS-1',
        state: { name: 'In Progress' },
        project: { id: project.id },
        labelIds: [theirs.id],
      });
    });

    it('gives concurrent moves and creates different numbers', async () => {
      const org = await app.organization();
      const make = builds(org);
      const ops = await org.newTeam({ key: 'OPS' });
      const issues = await Promise.all(Array.from({ length: 10 }, () => make.issue()));
      const moved = await Promise.all([
        ...issues.map((issue) => update(org, issue, { teamId: ops.id })),
        ...Array.from({ length: 10 }, () => make.issue({ team: ops })),
      ]);
      expect(moved.map(({ number }) => number).sort((a, b) => a - b)).toEqual(
        Array.from({ length: 20 }, (_, i) => i + 1),
      );
    });
  });
});
