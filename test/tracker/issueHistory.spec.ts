import { LinearDocument } from '@linear/sdk';
import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { builds } from '../support/tracker-issues.js';
import type { TrackerCaller } from '../support/tracker.js';

const FIELDS = `actorId actor { id } fromTitle toTitle fromPriority toPriority fromEstimate toEstimate fromDueDate toDueDate
  updatedDescription descriptionUpdatedBy { id } fromStateId toStateId fromState { name } toState { name }
  fromAssignee { id } toAssignee { id } toProjectId toProject { name } toCycle { id } toParent { title } fromTeam { key } toTeam { key }
  addedLabelIds addedLabels { name } removedLabelIds removedLabels { name } archived trashed
  attachmentId attachment { title } relationChanges { identifier type }`;

describe('the history of an issue', () => {
  const app = useApp();
  /** Each entry without what it does not tell, newest first. */
  const historyOf = async (caller: TrackerCaller, id: string) => {
    const { issue } = await caller.data(`query ($id: String!) { issue(id: $id) { history { nodes { ${FIELDS} } } } }`, {
      id,
    });
    return issue.history.nodes.map((entry: object) =>
      Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== null)),
    );
  };

  it('has one entry for each mutation that changed something, with what it was and what it is', async () => {
    const org = await app.organization();
    const make = builds(org);
    const bob = await org.member();
    const [todo, project, cycle] = [await make.state('Todo'), await make.project({ name: 'Q1' }), await make.cycle()];
    const issue = await make.issue({ title: 'Fix', stateId: todo.id, estimate: 2 });
    const parent = await make.issue({ title: 'Above' });
    const progress = await make.state('In Progress');
    const client = org.client();
    expect(await historyOf(org, issue.id)).toEqual([]);
    await client.updateIssue(issue.id, {
      title: 'Fix it',
      priority: 1,
      estimate: null,
      dueDate: '2026-05-01',
      description: 'It fails.',
      stateId: progress.id,
      assigneeId: bob.user.id,
      projectId: project.id,
      cycleId: cycle.id,
      parentId: parent.id,
    });
    const by = { actorId: org.user.id, actor: { id: org.user.id } };
    expect(await historyOf(org, issue.id)).toEqual([
      {
        ...by,
        fromTitle: 'Fix',
        toTitle: 'Fix it',
        fromPriority: 0,
        toPriority: 1,
        fromEstimate: 2,
        toDueDate: '2026-05-01',
        updatedDescription: true,
        descriptionUpdatedBy: [{ id: org.user.id }],
        fromStateId: todo.id,
        toStateId: progress.id,
        fromState: { name: 'Todo' },
        toState: { name: 'In Progress' },
        toAssignee: { id: bob.user.id },
        toProjectId: project.id,
        toProject: { name: 'Q1' },
        toCycle: { id: cycle.id },
        toParent: { title: 'Above' },
      },
    ]);
    app.clock.advance(1000);
    await client.updateIssue(issue.id, { title: 'Fix it', sortOrder: 5 });
    await bob.client().updateIssue(issue.id, { assigneeId: null });
    expect((await historyOf(org, issue.id)).slice(0, -1)).toEqual([
      { actorId: bob.user.id, actor: { id: bob.user.id }, fromAssignee: { id: bob.user.id } },
    ]);
  });

  it('tells of labels, archiving, batches and moves to other teams', async () => {
    const org = await app.organization();
    const make = builds(org);
    const [one, two] = [await make.label({ name: 'One' }), await make.label({ name: 'Two' })];
    const issue = await make.issue({ labelIds: [one.id] });
    const other = await make.issue();
    const team = await org.newTeam({ key: 'OPS' });
    const client = org.client();
    const newest = async (id = issue.id) => {
      const [{ actorId: _, actor: __, ...entry }] = await historyOf(org, id);
      app.clock.advance(1000);
      return entry;
    };
    await client.updateIssue(issue.id, { labelIds: [two.id] });
    expect(await newest()).toEqual({
      addedLabelIds: [two.id],
      addedLabels: [{ name: 'Two' }],
      removedLabelIds: [one.id],
      removedLabels: [{ name: 'One' }],
    });
    await client.archiveIssue(issue.id);
    expect(await newest()).toEqual({ archived: true });
    await client.unarchiveIssue(issue.id);
    expect(await newest()).toEqual({ archived: false });
    await client.deleteIssue(issue.id);
    expect(await newest()).toEqual({ archived: true, trashed: true });
    await client.unarchiveIssue(issue.id);
    expect(await newest()).toEqual({ archived: false, trashed: false });
    await client.updateIssueBatch([issue.id, other.id], { priority: 2 });
    expect(await newest()).toEqual({ fromPriority: 0, toPriority: 2 });
    expect(await newest(other.id)).toEqual({ fromPriority: 0, toPriority: 2 });
    await client.updateIssue(other.id, { teamId: team.id });
    expect(await newest(other.id)).toMatchObject({ fromTeam: { key: org.team.key }, toTeam: { key: 'OPS' } });
  });

  it('tells of attachments, and of relations from both ends', async () => {
    const org = await app.organization();
    const make = builds(org);
    const [one, two] = [await make.issue({ title: 'One' }), await make.issue({ title: 'Two' })];
    const client = org.client();
    const newest = async (id: string) => {
      const [{ actorId: _, actor: __, ...entry }] = await historyOf(org, id);
      return entry;
    };
    const { attachmentId } = await client.attachmentLinkURL(one.id, 'https://desk.example/1', { title: 'Ticket' });
    expect(await newest(one.id)).toEqual({ attachmentId, attachment: { title: 'Ticket' } });
    app.clock.advance(1000);
    const type = LinearDocument.IssueRelationType;
    const made = await client.createIssueRelation({ issueId: one.id, relatedIssueId: two.id, type: type.Blocks });
    expect(await newest(one.id)).toEqual({ relationChanges: [{ identifier: two.identifier, type: 'ab' }] });
    expect(await newest(two.id)).toEqual({ relationChanges: [{ identifier: one.identifier, type: 'axb' }] });
    app.clock.advance(1000);
    await client.updateIssueRelation(made.issueRelationId!, { type: 'duplicate' });
    expect(await newest(one.id)).toMatchObject({
      toState: { name: 'Duplicate' },
      relationChanges: [
        { identifier: two.identifier, type: 'rb' },
        { identifier: two.identifier, type: 'ad' },
      ],
    });
    app.clock.advance(1000);
    await client.deleteIssueRelation(made.issueRelationId!);
    expect(await newest(one.id)).toMatchObject({ fromState: { name: 'Duplicate' } });
    expect(await newest(two.id)).toEqual({ relationChanges: [{ identifier: one.identifier, type: 'rxd' }] });
    expect(await historyOf(org, two.id)).toHaveLength(3);
  });
});
