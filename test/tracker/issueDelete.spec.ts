import { ForbiddenLinearError } from '@linear/sdk';
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { builds } from '../support/tracker-issues.js';

const ENTITY = 'success lastSyncId entity { id trashed archivedAt updatedAt }';
const DELETE = `mutation($id: String!, $permanently: Boolean) { issueDelete(id: $id, permanentlyDelete: $permanently) { ${ENTITY} } }`;
const ARCHIVE = `mutation($id: String!, $trash: Boolean) { issueArchive(id: $id, trash: $trash) { ${ENTITY} } }`;
const UNARCHIVE = `mutation($id: String!) { issueUnarchive(id: $id) { ${ENTITY} } }`;

describe('issueArchive, issueUnarchive and issueDelete', () => {
  const app = useApp();
  const moment = expect.any(String);

  it('archive and unarchive; lists omit archived issues, issue(id) does not', async () => {
    const org = await app.organization();
    const make = builds(org);
    const [issue, other] = [await make.issue(), await make.issue()];
    const archived = await (await org.client().issue(issue.id)).archive();
    expect(archived).toMatchObject({ success: true, lastSyncId: 3 });
    expect(await archived.entity).toMatchObject({ id: issue.id, archivedAt: expect.any(Date) });
    const again = await org.data(ARCHIVE, { id: issue.identifier });
    expect(again.issueArchive.lastSyncId).toBe(3);
    const ids = async (args: string) =>
      (await org.data(`{ issues${args} { nodes { id } } }`)).issues.nodes.map(({ id }: { id: string }) => id);
    expect(await ids('')).toEqual([other.id]);
    expect(await ids('(includeArchived: true)')).toEqual([other.id, issue.id]);
    const back = await org.data(UNARCHIVE, { id: issue.id });
    expect(back.issueUnarchive).toMatchObject({ lastSyncId: 4, entity: { archivedAt: null, trashed: null } });
    expect((await org.data(UNARCHIVE, { id: issue.id })).issueUnarchive.lastSyncId).toBe(4);
    const events = await org.recorded('issue.updated');
    expect(events.map(({ data }) => Object.keys(data['updatedFrom']).sort())).toEqual([
      ['archivedAt', 'updatedAt'],
      ['archivedAt', 'updatedAt'],
    ]);
  });

  it('move to the trash, once', async () => {
    const org = await app.organization();
    const make = builds(org);
    const [a, b] = [await make.issue(), await make.issue()];
    const entity = { archivedAt: moment, trashed: true };
    expect((await org.data(DELETE, { id: a.id })).issueDelete).toMatchObject({ lastSyncId: 3, entity });
    expect((await org.data(ARCHIVE, { id: b.id, trash: true })).issueArchive).toMatchObject({ lastSyncId: 4, entity });
    expect((await org.data(DELETE, { id: a.id })).issueDelete.lastSyncId).toBe(4);
    expect((await org.recorded('issue.removed')).map(({ data }) => [data['action'], data['data'].id])).toEqual([
      ['remove', a.id],
      ['remove', b.id],
    ]);
    expect((await org.data(UNARCHIVE, { id: a.id })).issueUnarchive.entity).toMatchObject({ trashed: null });
  });

  it('delete permanently: comments are deleted, children lose their parent, the number is not reused', async () => {
    const org = await app.organization();
    const make = builds(org);
    const issue = await make.issue();
    const comment = await make.comment(issue);
    const born = await make.issue({ sourceCommentId: comment.id });
    const child = await make.issue({ parentId: issue.id });
    app.clock.advance(5000);
    const { issueDelete } = await org.data(DELETE, { id: issue.id, permanently: true });
    expect(issueDelete).toEqual({ success: true, lastSyncId: 4, entity: null });
    expect((await org.error('query($id: String!) { issue(id: $id) { id } }', { id: issue.id })).message).toBe(
      'Entity not found: Issue',
    );
    expect((await org.error('query($id: String!) { comment(id: $id) { id } }', { id: comment.id })).message).toBe(
      'Entity not found: Comment',
    );
    const client = org.client();
    for (const { id } of [child, born]) {
      const after = await client.issue(id);
      expect([after.parentId, after.sourceCommentId, after.subIssueSortOrder ?? undefined]).toEqual([
        undefined,
        undefined,
        undefined,
      ]);
      expect(after.updatedAt.getTime()).toBeGreaterThan(child.updatedAt.getTime());
    }
    expect((await org.recorded()).map(({ kind }) => kind)).toEqual([
      'issue.created',
      'issue.created',
      'issue.created',
      'issue.removed',
    ]);
    expect((await make.issue()).number).toBe(4);
  });

  it('allow only admins to delete permanently, whether the issue exists or not', async () => {
    const org = await app.organization();
    const issue = await builds(org).issue();
    const bob = await org.member();
    for (const id of [issue.id, randomUUID()]) {
      expect(await bob.error(DELETE, { id, permanently: true })).toMatchObject({
        message: 'Forbidden',
        extensions: { type: 'forbidden', code: 'FORBIDDEN' },
      });
    }
    await expect(bob.client().deleteIssue(issue.id, { permanentlyDelete: true })).rejects.toBeInstanceOf(
      ForbiddenLinearError,
    );
    expect((await org.error(DELETE, { id: randomUUID(), permanently: true })).message).toBe('Entity not found: Issue');
  });
});
