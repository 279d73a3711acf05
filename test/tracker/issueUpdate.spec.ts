import { randomUUID } from 'node:crypto';
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

  it('changes the given fields, keeps the others, clears with null, and records the previous values', async () => {
    const org = await app.organization();
    const make = builds(org);
    const bob = await org.member();
    const issue = await make.issue({ title: 'Old', description: 'Text', estimate: 2, dueDate: '2030-01-01' });
    const todo = await make.state('Todo');
    app.clock.advance(5000);
    const payload = await org.client().updateIssue(issue.identifier.toLowerCase(), {
      title: 'New',
      stateId: todo.id,
      assigneeId: bob.user.id,
      description: null,
      estimate: null,
      dueDate: null,
      priority: 3,
    });
    // its assignee is told before
    expect(payload.lastSyncId).toBe(3);
    expect(await payload.issue).toMatchObject({
      title: 'New',
      stateId: todo.id,
      assigneeId: bob.user.id,
      priority: 3,
      sortOrder: issue.sortOrder,
    });
    const after = await payload.issue;
    expect([after?.description, after?.estimate, after?.dueDate]).toEqual([null, null, null].map(() => undefined));
    expect(after?.updatedAt.getTime()).toBeGreaterThan(issue.updatedAt.getTime());
    const [event] = await org.recorded('issue.updated');
    expect(event?.syncId).toBe(3);
    expect(event?.data['updatedFrom']).toEqual({
      updatedAt: issue.updatedAt.toISOString(),
      title: 'Old',
      description: 'Text',
      estimate: 2,
      dueDate: '2030-01-01',
      priority: 0,
      stateId: issue.stateId,
      assigneeId: null,
      subscriberIds: [org.user.id],
    });
    expect(event?.data).toMatchObject({
      action: 'update',
      type: 'Issue',
      data: { title: 'New', assignee: { id: bob.user.id }, subscriberIds: [org.user.id, bob.user.id].sort() },
    });
    expect(event?.data['data']).not.toHaveProperty('description');
  });

  it('changes and records nothing for an unchanged issue', async () => {
    const org = await app.organization();
    const make = builds(org);
    const label = await make.label();
    const issue = await make.issue({ title: 'Same', labelIds: [label.id] });
    app.clock.advance(5000);
    const { issueUpdate } = await org.data(UPDATE, {
      id: issue.id,
      input: { title: 'Same', priority: null, stateId: issue.stateId, labelIds: [label.id], trashed: false },
    });
    expect(issueUpdate).toMatchObject({ lastSyncId: 1, issue: { updatedAt: issue.updatedAt.toISOString() } });
    await org.data(UPDATE, { id: issue.id, input: {} });
    expect(await org.recorded('issue.updated')).toEqual([]);
  });

  it('sets and clears the dates of the state types', async () => {
    const org = await app.organization();
    const make = builds(org);
    const issue = await make.issue();
    const enter = async (name: string) => {
      app.clock.advance(1000);
      const { startedAt, completedAt, canceledAt } = await update(org, issue, { stateId: (await make.state(name)).id });
      return { startedAt, completedAt, canceledAt };
    };
    const moment = expect.any(String);
    const started = await enter('In Progress');
    expect(started).toEqual({ startedAt: moment, completedAt: null, canceledAt: null });
    const done = await enter('Done');
    expect(done).toEqual({ startedAt: started.startedAt, completedAt: moment, canceledAt: null });
    const canceled = await enter('Canceled');
    expect(canceled).toEqual({ startedAt: started.startedAt, completedAt: null, canceledAt: moment });
    const duplicate = await enter('Duplicate');
    expect(duplicate.canceledAt).not.toBe(canceled.canceledAt);
    expect(await enter('In Progress')).toEqual(started);
    expect(await enter('Todo')).toEqual({ startedAt: null, completedAt: null, canceledAt: null });
    const again = await enter('Done');
    expect(again.startedAt).toBe(again.completedAt);
  });

  it('sorts an issue first or last on a change of state where the team is set so', async () => {
    const org = await app.organization();
    const make = builds(org);
    const [issue] = [await make.issue(), await make.issue(), await make.issue()];
    await make.patchTeam(org.team, { setIssueSortOrderOnStateChange: 'first' });
    expect((await update(org, issue, { stateId: (await make.state('Todo')).id })).sortOrder).toBe(-300);
    await make.patchTeam(org.team, { setIssueSortOrderOnStateChange: 'last' });
    expect((await update(org, issue, { stateId: (await make.state('Done')).id })).sortOrder).toBe(0);
  });

  describe('labelIds, addedLabelIds and removedLabelIds', () => {
    it('replace, add and remove; labelIds takes precedence over the others', async () => {
      const org = await app.organization();
      const make = builds(org);
      const [a, b, c] = [await make.label(), await make.label(), await make.label()];
      const issue = await make.issue({ labelIds: [a.id, b.id] });
      expect((await update(org, issue, { addedLabelIds: [c.id, a.id] })).labelIds).toEqual([a.id, b.id, c.id]);
      expect((await update(org, issue, { removedLabelIds: [a.id], addedLabelIds: [] })).labelIds).toEqual([b.id, c.id]);
      expect((await update(org, issue, { removedLabelIds: [a.id] })).labelIds).toEqual([b.id, c.id]);
      expect((await update(org, issue, { labelIds: [c.id, a.id], addedLabelIds: [b.id] })).labelIds).toEqual([
        c.id,
        a.id,
      ]);
      expect(await refusal(org, issue, { addedLabelIds: [b.id, b.id] })).toMatchObject({
        message: 'Argument Validation Error',
        userMessage: "All addedLabelIds's elements must be unique.",
      });
      for (const field of ['labelIds', 'addedLabelIds', 'removedLabelIds']) {
        expect((await refusal(org, issue, { [field]: [randomUUID()] })).message).toBe(
          `Entity not found in validateAccess: ${field}`,
        );
      }
    });

    it('refuse a second label of a group instead of replacing the first', async () => {
      const org = await app.organization();
      const make = builds(org);
      const group = await make.label({ name: 'Kind', isGroup: true });
      const [a, b] = [
        await make.label({ name: 'A', parentId: group.id }),
        await make.label({ name: 'B', parentId: group.id }),
      ];
      const issue = await make.issue({ labelIds: [b.id] });
      expect(await refusal(org, issue, { addedLabelIds: [a.id] })).toEqual({
        message: 'labelIds not exclusive child labels',
        code: 'INPUT_ERROR',
        userMessage: "The label 'A' is in the same group as 'B'. Only one label in a group can be applied to an issue.",
      });
      const swapped = await update(org, issue, { addedLabelIds: [a.id], removedLabelIds: [b.id] });
      expect(swapped.labelIds).toEqual([a.id]);
    });
  });

  it('moves to the trash and restores', async () => {
    const org = await app.organization();
    const make = builds(org);
    const issue = await make.issue({ title: 'Rubbish' });
    const moment = expect.any(String);
    expect(await update(org, issue, { trashed: true })).toMatchObject({ trashed: true, archivedAt: moment });
    expect(await update(org, issue, { trashed: true })).toMatchObject({ trashed: true });
    expect(await update(org, issue, { title: 'Still there' })).toMatchObject({ title: 'Still there', trashed: true });
    expect(await update(org, issue, { trashed: null })).toMatchObject({ trashed: null, archivedAt: null });
    const events = await org.recorded();
    expect(events.map(({ kind }) => kind)).toEqual([
      'issue.created',
      'issue.removed',
      'issue.updated',
      'issue.updated',
    ]);
    expect(events[1]?.data).not.toHaveProperty('updatedFrom');
    expect(events[1]?.data['data']).toMatchObject({ title: 'Rubbish' });
    expect(events[1]?.data['data']).not.toHaveProperty('trashed');
  });

  it('replaces subscribers without changing the issue', async () => {
    const org = await app.organization();
    const make = builds(org);
    const bob = await org.member();
    const issue = await make.issue();
    app.clock.advance(5000);
    const after = await update(org, issue, { subscriberIds: [bob.user.id] });
    expect(after).toMatchObject({
      updatedAt: issue.updatedAt.toISOString(),
      subscribers: { nodes: [{ id: bob.user.id }] },
    });
    expect(await org.recorded('issue.updated')).toEqual([]);
  });

  it('refuses null for required values, and unknown references', async () => {
    const org = await app.organization();
    const issue = await builds(org).issue();
    for (const field of ['title', 'stateId', 'teamId', 'labelIds', 'subscriberIds', 'sortOrder']) {
      expect(await refusal(org, issue, { [field]: null })).toEqual({
        message: 'Argument Validation Error',
        code: 'INVALID_INPUT',
        userMessage: `${field} should not be null or undefined.`,
      });
    }
    for (const id of [randomUUID(), 'ENG-99', 'nonsense']) {
      expect((await refusal(org, { id }, { title: 'X' })).message).toBe('Entity not found: Issue');
    }
    for (const field of ['teamId', 'stateId', 'assigneeId', 'parentId', 'projectId', 'cycleId']) {
      expect((await refusal(org, issue, { [field]: randomUUID() })).message).toBe(
        `Entity not found in validateAccess: ${field}`,
      );
    }
  });

  it('does not find issues of private teams and of other organizations', async () => {
    const org = await app.organization();
    const other = await app.organization();
    const make = builds(org);
    const bob = await org.member({ admin: true });
    const secret = await org.newTeam({ key: 'SEC', private: true });
    const issue = await make.issue({ team: secret });
    for (const caller of [bob, other]) {
      for (const id of [issue.id, issue.identifier]) {
        expect((await caller.error(UPDATE, { id, input: { title: 'X' } })).message).toBe('Entity not found: Issue');
      }
    }
    const open = await make.issue();
    expect((await bob.error(UPDATE, { id: open.id, input: { teamId: secret.id } })).message).toBe(
      'Entity not found in validateAccess: teamId',
    );
  });
});
