import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { builds } from '../support/tracker-issues.js';

const mutation = (name: string) =>
  `mutation($id: String!, $labelId: String!) { ${name}(id: $id, labelId: $labelId) { success lastSyncId issue { labelIds updatedAt } } }`;
const [ADD, REMOVE] = [mutation('issueAddLabel'), mutation('issueRemoveLabel')];

describe('issueAddLabel and issueRemoveLabel', () => {
  const app = useApp();

  it('add and remove a label, with events for changes only', async () => {
    const org = await app.organization();
    const make = builds(org);
    const [a, b] = [await make.label(), await make.label()];
    const issue = await make.issue({ labelIds: [a.id] });
    const client = org.client();
    const added = await client.issueAddLabel(issue.identifier, b.id);
    expect(added.lastSyncId).toBe(2);
    expect((await added.issue)?.labelIds).toEqual([a.id, b.id]);
    expect((await client.issueLabel(b.id)).lastAppliedAt).toBeInstanceOf(Date);
    expect((await org.data(ADD, { id: issue.id, labelId: b.id })).issueAddLabel.lastSyncId).toBe(2);
    expect((await org.data(REMOVE, { id: issue.id, labelId: a.id })).issueRemoveLabel).toMatchObject({
      lastSyncId: 3,
      issue: { labelIds: [b.id] },
    });
    expect((await org.data(REMOVE, { id: issue.id, labelId: a.id })).issueRemoveLabel.lastSyncId).toBe(3);
    const events = await org.recorded('issue.updated');
    expect(events.map(({ data }) => data['updatedFrom'].labelIds)).toEqual([[a.id], [a.id, b.id]]);
    expect(events.at(-1)?.data['data'].labels).toEqual([{ id: b.id, name: b.name, color: b.color }]);
  });

  it('keep both of two labels added concurrently', async () => {
    const org = await app.organization();
    const make = builds(org);
    const issue = await make.issue();
    const labels = await Promise.all([1, 2, 3, 4].map(() => make.label()));
    await Promise.all(labels.map(({ id }) => org.data(ADD, { id: issue.id, labelId: id })));
    expect([...(await org.client().issue(issue.id)).labelIds].sort()).toEqual(labels.map(({ id }) => id).sort());
  });

  it('refuse groups, labels of other teams, a second label of a group, and unknown labels', async () => {
    const org = await app.organization();
    const make = builds(org);
    const group = await make.label({ name: 'Kind', isGroup: true });
    const [a, b] = [await make.label({ parentId: group.id }), await make.label({ parentId: group.id })];
    const theirs = await make.label({ teamId: (await org.newTeam()).id });
    const issue = await make.issue({ labelIds: [a.id] });
    const messages: [string, string][] = [
      [group.id, 'labelIds is a group label'],
      [theirs.id, 'labelIds for incorrect team'],
      [b.id, 'labelIds not exclusive child labels'],
      [randomUUID(), 'Entity not found in validateAccess: labelId'],
      ['Bug', 'Argument Validation Error'],
    ];
    for (const [labelId, message] of messages) {
      expect((await org.error(ADD, { id: issue.id, labelId })).message).toBe(message);
    }
    expect((await org.error(ADD, { id: randomUUID(), labelId: a.id })).message).toBe('Entity not found: Issue');
  });
});

describe('issueSubscribe and issueUnsubscribe', () => {
  const app = useApp();

  it('accept a user by id, e-mail or as the caller, are idempotent, and do not change the issue', async () => {
    const org = await app.organization();
    const make = builds(org);
    const [bob, eve] = [await org.member(), await org.member()];
    const issue = await make.issue();
    const client = org.client();
    const following = async () => (await (await client.issue(issue.id)).subscribers()).nodes.map(({ id }) => id).sort();
    await client.issueSubscribe(issue.id, { userId: bob.user.id });
    await client.issueSubscribe(issue.identifier, { userEmail: eve.user.email.toUpperCase() });
    const again = await eve.client().issueSubscribe(issue.id);
    // two numbers for those who were told
    expect(again).toMatchObject({ success: true, lastSyncId: 3 });
    expect(await following()).toEqual([org.user.id, bob.user.id, eve.user.id].sort());
    await client.issueUnsubscribe(issue.id);
    await client.issueUnsubscribe(issue.id, { userId: bob.user.id });
    expect(await following()).toEqual([eve.user.id]);
    expect(await org.recorded('issue.updated')).toEqual([]);
    for (const args of [`userId: "${randomUUID()}"`, 'userEmail: "nobody@nowhere.example"']) {
      expect((await org.error(`mutation { issueSubscribe(id: "${issue.id}", ${args}) { success } }`)).message).toMatch(
        /^Entity not found in validateAccess: user(Id|Email)$/,
      );
    }
    expect((await org.error(`mutation { issueSubscribe(id: "ENG-77") { success } }`)).message).toBe(
      'Entity not found: Issue',
    );
  });
});
