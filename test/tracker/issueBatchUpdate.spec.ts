import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { builds } from '../support/tracker-issues.js';

const CREATE = `mutation($issues: [IssueCreateInput!]!) {
  issueBatchCreate(input: { issues: $issues }) { success lastSyncId issues { id number sortOrder parent { id } } }
}`;
const UPDATE = `mutation($ids: [UUID!]!, $input: IssueUpdateInput!) {
  issueBatchUpdate(ids: $ids, input: $input) { success lastSyncId issues { id identifier title state { name } } }
}`;

describe('issueBatchCreate', () => {
  const app = useApp();

  it('creates all in order, each with an event, also as children of each other', async () => {
    const org = await app.organization();
    const teamId = org.team.id;
    const id = randomUUID();
    const issues = [
      { teamId, title: 'A', id },
      { teamId, title: 'B', sortOrder: 1000 },
      { teamId, title: 'C', parentId: id },
    ];
    const { issueBatchCreate } = await org.data(CREATE, { issues });
    expect(issueBatchCreate).toMatchObject({
      success: true,
      lastSyncId: 3,
      issues: [
        { number: 1, sortOrder: 0, parent: null },
        { number: 2, sortOrder: 1000 },
        { number: 3, sortOrder: -100, parent: { id } },
      ],
    });
    expect((await org.recorded('issue.created')).map(({ syncId }) => syncId)).toEqual([1, 2, 3]);
  });

  it('creates none when one is refused, and uses no number', async () => {
    const org = await app.organization();
    const teamId = org.team.id;
    const error = await org.error(CREATE, {
      issues: [
        { teamId, title: 'A' },
        { teamId, title: 'B', stateId: randomUUID() },
      ],
    });
    expect(error.message).toBe('Entity not found in validateAccess: stateId');
    expect(
      (
        await org.error(CREATE, {
          issues: [
            { teamId, title: 'A' },
            { teamId, title: '' },
          ],
        })
      ).message,
    ).toBe('Argument Validation Error');
    expect((await org.error(CREATE, { issues: [] })).message).toBe('Argument Validation Error');
    const many = Array.from({ length: 51 }, () => ({ teamId, title: 'X' }));
    expect((await org.error(CREATE, { issues: many })).message).toBe('Argument Validation Error');
    expect(await org.recorded()).toEqual([]);
    expect((await builds(org).issue()).number).toBe(1);
  });
});

describe('issueBatchUpdate', () => {
  const app = useApp();

  it('changes all in one transaction and answers in the order of ids', async () => {
    const org = await app.organization();
    const make = builds(org);
    const [a, b, c] = [await make.issue(), await make.issue(), await make.issue()];
    const ops = await org.newTeam({ key: 'OPS' });
    const payload = await org.client().updateIssueBatch([c.id, a.id, b.id], { teamId: ops.id, title: 'Same' });
    expect(payload).toMatchObject({ success: true, lastSyncId: 6 });
    expect(payload.issues.map(({ id, identifier }) => [id, identifier])).toEqual([
      [c.id, 'OPS-1'],
      [a.id, 'OPS-2'],
      [b.id, 'OPS-3'],
    ]);
    expect(await org.recorded('issue.updated')).toHaveLength(3);
    const { issueBatchUpdate } = await org.data(UPDATE, { ids: [a.id, b.id], input: { title: 'Same' } });
    expect(issueBatchUpdate.lastSyncId).toBe(6);
  });

  it('changes none when one is unknown or refused', async () => {
    const org = await app.organization();
    const make = builds(org);
    const [a, b] = [await make.issue({ title: 'A' }), await make.issue({ title: 'B' })];
    const gone = { ids: [a.id, randomUUID()], input: { title: 'X' } };
    expect((await org.error(UPDATE, gone)).message).toBe('Entity not found: Issue');
    const loop = { ids: [a.id, b.id], input: { title: 'X', parentId: b.id } };
    expect((await org.error(UPDATE, loop)).message).toBe('parentId makes a cycle');
    expect((await org.error(UPDATE, { ids: [], input: {} })).message).toBe('Argument Validation Error');
    const titles = (await org.data('{ issues { nodes { title } } }')).issues.nodes;
    expect(titles).toEqual([{ title: 'B' }, { title: 'A' }]);
    expect(await org.recorded('issue.updated')).toEqual([]);
  });
});
