import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Issue } from '../../src/tracker/issues/issue.entity.js';
import { IssueLabel } from '../../src/tracker/issues/labels/issue-label.entity.js';
import { Cycle } from '../../src/tracker/teams/cycles/cycle.entity.js';
import { WorkflowState } from '../../src/tracker/teams/states/workflow-state.entity.js';
import { useApp } from '../support/app.js';
import { lockRow, overlap } from '../support/overlap.js';
import { builds } from '../support/tracker-issues.js';
import type { TrackerCaller } from '../support/tracker.js';

const UPDATE = `mutation($id: String!, $input: IssueUpdateInput!) {
  issueUpdate(id: $id, input: $input) { lastSyncId issue { id title updatedAt state { id } subscribers { nodes { id } } } }
}`;

describe('concurrent issueUpdate', () => {
  const app = useApp();
  const update = (on: TrackerCaller, id: string, input: object) => on.graphql(UPDATE, { id, input });

  it('applies fifty updates to one issue in sequence, and refuses some without the others', async () => {
    const org = await app.organization();
    const make = builds(org);
    const [bob, eve] = [await org.member(), await org.member()];
    const [issue, todo] = [await make.issue({ title: 'First' }), await make.state('Todo')];
    const hidden = await make.issue({ team: await org.newTeam({ private: true }) });
    const far = await make.newState({
      name: 'Far',
      type: 'started',
      teamId: (await org.newTeam({ key: 'FAR' })).id,
    });
    const inputs: [string, Record<string, unknown>, string?][] = [
      [issue.id, {}],
      [issue.identifier, { stateId: todo.id }],
      [issue.id, { stateId: randomUUID() }, 'Entity not found in validateAccess: stateId'],
      [issue.id, { assigneeId: eve.user.id }],
      [hidden.id, {}, 'Entity not found: Issue'],
      [issue.id, { stateId: far.id }, 'Discrepancy between issue team and state, cycle or project.'],
      [issue.id, { assigneeId: null, subscriberIds: [bob.user.id] }],
      [randomUUID(), {}, 'Entity not found: Issue'],
      [issue.id, { assigneeId: randomUUID() }, 'Entity not found in validateAccess: assigneeId'],
      [issue.id, { labelIds: [] }],
    ];
    const calls = Array.from({ length: 50 }, (_, i) => {
      const [id, input, refusal] = inputs[i % inputs.length] as (typeof inputs)[number];
      return { id, input: { ...input, title: `Title ${i}` }, refusal };
    });
    const answers = await Promise.all(calls.map(({ id, input }, i) => update(i % 2 ? bob : eve, id, input)));
    const answered: { syncId: number; title: string; cause: string | null }[] = [];
    for (const [i, { input, refusal }] of calls.entries()) {
      const { body, headers } = answers[i] as (typeof answers)[number];
      expect(body.errors?.[0]?.message, JSON.stringify(input)).toBe(refusal);
      if (refusal !== undefined) continue;
      const { lastSyncId, issue: updated } = body.data.issueUpdate;
      expect(updated.title).toBe(input.title);
      answered.push({ syncId: lastSyncId, title: input.title, cause: headers.get('x-request-id') });
    }
    answered.sort((a, b) => a.syncId - b.syncId);
    const events = await org.recorded('issue.updated');
    expect(events.map(({ syncId, data }) => ({ syncId, title: data['data'].title }))).toEqual(
      answered.map(({ syncId, title }) => ({ syncId, title })),
    );
    const causes = await app.store.dataSource.query(
      `SELECT cause FROM events WHERE tenant_id = $1 AND kind = 'issue.updated' ORDER BY id`,
      [(await make.viewer()).tenantId],
    );
    expect(causes).toEqual(answered.map(({ cause }) => ({ cause })));
    // each event has the title that the previous one set
    expect(events.map(({ data }) => data['updatedFrom'].title)).toEqual([
      'First',
      ...answered.slice(0, -1).map(({ title }) => title),
    ]);
    const last = events.at(-1)?.data['data'];
    const now = await org.client().issue(issue.id);
    expect(now).toMatchObject({ title: last.title, assigneeId: last.assigneeId, stateId: todo.id });
    expect((await now.subscribers()).nodes.map(({ id }) => id).sort()).toEqual(last.subscriberIds);
  });

  it('changes the issue as it is after another change or deletion that it waited for', async (context) => {
    context.skip(!app.store.isConcurrent, 'one session');
    const org = await app.organization();
    const make = builds(org);
    const [issue, gone] = [await make.issue({ title: 'Old', priority: 1 }), await make.issue()];
    const during = async (change: Parameters<typeof overlap>[1], id: string, input: object) =>
      (await overlap(app.store.dataSource, change, () => update(org, id, input)))[0].body;
    await during(
      async (entities) => {
        await lockRow(entities, Issue, { id: issue.id });
        await entities.update(Issue, { id: issue.id }, { title: 'Meanwhile' });
      },
      issue.id,
      { priority: 2 },
    );
    const [event] = await org.recorded('issue.updated');
    expect(event?.data).toMatchObject({ data: { title: 'Meanwhile', priority: 2 }, updatedFrom: { priority: 1 } });
    expect((await org.client().issue(issue.id)).title).toBe('Meanwhile');

    const refused = await during((entities) => entities.delete(Issue, { id: gone.id }), gone.id, { title: 'X' });
    expect(refused.errors?.[0]?.message).toBe('Entity not found: Issue');
  });

  it('does not enter a state that is archived concurrently', async (context) => {
    context.skip(!app.store.isConcurrent, 'one session');
    const org = await app.organization();
    const make = builds(org);
    const [issue, state] = [await make.issue(), await make.newState({ name: 'Soon gone', type: 'started' })];
    const [{ body }] = await overlap(
      app.store.dataSource,
      async (entities) => {
        await lockRow(entities, WorkflowState, { id: state.id });
        await entities.update(WorkflowState, { id: state.id }, { archivedAt: app.clock.now() });
      },
      () => update(org, issue.id, { stateId: state.id }),
    );
    expect(body.errors?.[0]?.message).toBe('state is archived');
    expect(await org.recorded('issue.updated')).toEqual([]);
  });

  it('puts issues into a cycle and labels on them, each one after the other', async () => {
    const org = await app.organization();
    const make = builds(org);
    const [issue, other, cycle, bug, group] = [
      await make.issue(),
      await make.issue(),
      await make.cycle(),
      await make.label(),
      await make.label({ isGroup: true }),
    ];
    const children = [await make.label({ parentId: group.id }), await make.label({ parentId: group.id })] as const;
    const inputs: [string, object][] = [
      [issue.id, { cycleId: cycle.id, addedLabelIds: [bug.id] }],
      [issue.id, { addedLabelIds: [children[0].id] }],
      [issue.id, { addedLabelIds: [children[1].id] }],
      [issue.id, { labelIds: [group.id] }],
      [other.id, { cycleId: randomUUID() }],
      [other.id, { labelIds: [children[1].id, bug.id] }],
      [issue.id, { removedLabelIds: [bug.id], title: 'Without' }],
    ];
    const answers = [];
    for (const [id, input] of inputs) answers.push(await update(org, id, input));
    expect(answers.map(({ body }) => body.errors?.[0]?.message)).toEqual([
      undefined,
      undefined,
      'labelIds not exclusive child labels',
      'labelIds is a group label',
      'Entity not found in validateAccess: cycleId',
      undefined,
      undefined,
    ]);
    const after = (await org.recorded('issue.updated')).map(({ data }) => data['data']);
    expect(after.filter(({ id }) => id === issue.id)).toMatchObject([
      { cycleId: cycle.id, labelIds: [bug.id] },
      { cycleId: cycle.id, labelIds: [bug.id, children[0].id] },
      { cycleId: cycle.id, labelIds: [children[0].id], title: 'Without' },
    ]);
    expect(after.filter(({ id }) => id === other.id)).toMatchObject([{ labelIds: [children[1].id, bug.id] }]);
    const { body } = await org.graphql('{ issueLabels { nodes { id lastAppliedAt } } }');
    const applied = body.data.issueLabels.nodes.filter(
      ({ lastAppliedAt }: { lastAppliedAt: unknown }) => lastAppliedAt,
    );
    expect(applied.map(({ id }: { id: string }) => id).sort()).toEqual(
      [bug.id, ...children.map(({ id }) => id)].sort(),
    );
  });

  it('does not use a cycle or a label that is taken out of use meanwhile', async (context) => {
    context.skip(!app.store.isConcurrent, 'one session');
    const org = await app.organization();
    const make = builds(org);
    const [issue, cycle, grouped, deleted] = [
      await make.issue(),
      await make.cycle(),
      await make.label(),
      await make.label(),
    ];
    const [closed] = await overlap(
      app.store.dataSource,
      async (entities) => {
        await lockRow(entities, Cycle, { id: cycle.id });
        await entities.update(Cycle, { id: cycle.id }, { archivedAt: app.clock.now() });
      },
      () => update(org, issue.id, { cycleId: cycle.id }),
    );
    expect(closed.body.errors?.[0]?.message).toBe('cycle is archived');
    const [made] = await overlap(
      app.store.dataSource,
      async (entities) => {
        await lockRow(entities, IssueLabel, { id: grouped.id });
        await entities.update(IssueLabel, { id: grouped.id }, { isGroup: true });
      },
      () => update(org, issue.id, { addedLabelIds: [grouped.id] }),
    );
    expect(made.body.errors?.[0]?.message).toBe('labelIds is a group label');
    const [gone] = await overlap(
      app.store.dataSource,
      (entities) => entities.delete(IssueLabel, { id: deleted.id }),
      () => update(org, issue.id, { labelIds: [deleted.id] }),
    );
    expect(gone.body.errors?.[0]?.message).toBe('Entity not found in validateAccess: labelIds');
    expect(await org.recorded('issue.updated')).toEqual([]);
  });
});
