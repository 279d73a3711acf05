import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { toldTo } from '../support/notifications.js';
import { organizationWithStates } from '../support/tracker-clients.js';
import { builds } from '../support/tracker-issues.js';

const app = useApp();

/** docs/reference/tracker-notifications.md#causes */
describe('what people are told of issues', () => {
  it('is who it is given to and taken from, once in a mutation by the first cause', async () => {
    const { org, client, team, state } = await organizationWithStates(app);
    const [bob, eve] = [await org.member({ name: 'Bob' }), await org.member({ name: 'Eve' })];
    const made = await client.createIssue({ teamId: team.id, title: 'Fix', assigneeId: bob.user.id, priority: 1 });
    const issue = (await made.issue)!;
    expect(await toldTo(bob)).toEqual(['issueAssignedToYou']);
    await client.updateIssue(issue.id, { assigneeId: eve.user.id, priority: 0, stateId: state('Done').id });
    expect(await toldTo(bob)).toEqual(['issueAssignedToYou', 'issueUnassignedFromYou']);
    expect(await toldTo(eve)).toEqual(['issueAssignedToYou']);
    await client.updateIssue(issue.id, { priority: 1 });
    expect(await toldTo(eve)).toEqual(['issueAssignedToYou', 'issuePriorityUrgent']);
    // nobody is told what they do themselves
    await eve.client().updateIssue(issue.id, { assigneeId: null });
    expect(await toldTo(eve)).toHaveLength(2);
    expect(await toldTo(org)).toEqual([]);
    const [told] = (await bob.client().notifications({ first: 1 })).nodes;
    expect(told).toMatchObject({ type: 'issueUnassignedFromYou', category: 'assignments' });
    expect([told!.actorId, told!.userId]).toEqual([org.user.id, bob.user.id]);
  });

  it('shows the thing by its title, address and key, with a sentence', async () => {
    const org = await app.organization();
    const bob = await org.member();
    const issue = await builds(org).issue({ assigneeId: bob.user.id, title: 'Fix login' });
    const { notifications } =
      await bob.data(`{ notifications { nodes { __typename title subtitle url inboxUrl groupingKey
      readAt archivedAt emailedAt externalUserActor { id } ... on IssueNotification { issueId issue { identifier } team { key }
      comment { id } subscriptions { id } } } } }`);
    const { url } = (await org.client().issue(issue.id))!;
    expect(notifications.nodes).toEqual([
      {
        __typename: 'IssueNotification',
        title: 'Fix login',
        subtitle: 'Ada Lovelace assigned this to you.',
        url,
        inboxUrl: url,
        groupingKey: `issue:${issue.id}`,
        readAt: null,
        archivedAt: null,
        emailedAt: null,
        externalUserActor: null,
        issueId: issue.id,
        issue: { identifier: issue.identifier },
        team: { key: 'ENG' },
        comment: null,
        subscriptions: [],
      },
    ]);
  });

  it('is a mention in a description, which subscribes, unless it was there before or is code', async () => {
    const org = await app.organization();
    const [bob, eve] = [await org.member({ name: 'Bob' }), await org.member({ name: 'Eve' })];
    const { displayName } = bob.user;
    const issue = await builds(org).issue({ description: `ask @${displayName}, not \`@${eve.user.displayName}\`` });
    expect(await toldTo(bob)).toEqual(['issueMention']);
    expect(await toldTo(eve)).toEqual([]);
    await org
      .client()
      .updateIssue(issue.id, { description: `really ask @${displayName} and @${eve.user.displayName}` });
    expect(await toldTo(bob)).toEqual(['issueMention']);
    expect(await toldTo(eve)).toEqual(['issueMention']);
    const subscribers = (await (await org.client().issue(issue.id)).subscribers()).nodes.map(({ id }) => id);
    expect(subscribers.sort()).toEqual([org.user.id, bob.user.id, eve.user.id].sort());
  });

  it('is an end of it, to its subscribers, and being subscribed by somebody else', async () => {
    const { org, client, team, state } = await organizationWithStates(app);
    const [bob, eve] = [await org.member(), await org.member()];
    const issue = await builds(org).issue({ subscriberIds: [bob.user.id] });
    expect(await toldTo(bob)).toEqual(['issueSubscribed']);
    await client.updateIssue(issue.id, { stateId: state('In Progress').id });
    await client.issueSubscribe(issue.id, { userId: eve.user.id });
    await client.issueSubscribe(issue.id, { userId: eve.user.id });
    await client.issueSubscribe(issue.id);
    await client.updateIssue(issue.id, { stateId: state('Done').id });
    await client.updateIssue(issue.id, { stateId: state('Canceled').id });
    await client.updateIssue(issue.id, { stateId: state('Duplicate').id });
    for (const one of [bob, eve])
      expect(await toldTo(one)).toEqual(['issueSubscribed', 'issueStatusChanged', 'issueStatusChanged']);
    expect(await toldTo(org)).toEqual([]);
    expect(team.key).toBe('ENG');
  });

  it('is that the last open issue that blocked theirs has ended', async () => {
    const { org, client, state } = await organizationWithStates(app);
    const bob = await org.member();
    const make = builds(org);
    const [first, second] = [await make.issue(), await make.issue()];
    const blocked = await make.issue({ assigneeId: bob.user.id });
    for (const { id: issueId } of [first, second])
      await client.createIssueRelation({ issueId, relatedIssueId: blocked.id, type: 'blocks' as never });
    await client.updateIssue(first.id, { stateId: state('Done').id });
    expect(await toldTo(bob)).toEqual(['issueAssignedToYou']);
    await client.updateIssue(second.id, { stateId: state('Canceled').id });
    expect(await toldTo(bob)).toEqual(['issueAssignedToYou', 'issueUnblocked']);
    const [told] = (await bob.client().notifications({ first: 1 })).nodes;
    expect((told as unknown as { issueId: string }).issueId).toBe(blocked.id);
  });

  it('is told once when two issues that block another end at the same time', async () => {
    const { org, state } = await organizationWithStates(app);
    const bob = await org.member();
    const make = builds(org);
    const blocked = await make.issue({ assigneeId: bob.user.id });
    const blocking = [await make.issue(), await make.issue(), await make.issue()];
    for (const { id: issueId } of blocking)
      await org.client().createIssueRelation({ issueId, relatedIssueId: blocked.id, type: 'blocks' as never });
    await Promise.all(blocking.map(({ id }) => org.client().updateIssue(id, { stateId: state('Done').id })));
    expect((await toldTo(bob)).filter((type) => type === 'issueUnblocked')).toHaveLength(1);
  });

  it('is of each issue of a batch', async () => {
    const org = await app.organization();
    const bob = await org.member();
    const make = builds(org);
    const issues = [await make.issue(), await make.issue()];
    await org.client().updateIssueBatch(
      issues.map(({ id }) => id),
      { assigneeId: bob.user.id },
    );
    await org.client().createIssueBatch({ issues: [{ teamId: org.team.id, title: 'Third', assigneeId: bob.user.id }] });
    const { nodes } = await bob.client().notifications();
    expect(nodes).toHaveLength(3);
    expect(new Set(nodes.map((node) => (node as unknown as { issueId: string }).issueId)).size).toBe(3);
  });

  it('is nothing to those who do not see it, or are gone', async () => {
    const org = await app.organization();
    const [bob, eve] = [await org.member({ name: 'Bob' }), await org.member({ name: 'Eve' })];
    const make = builds(org);
    const secret = await org.newTeam({ private: true });
    await make.suspend(eve.user);
    await make.issue({ team: secret, description: `@${bob.user.displayName} @${eve.user.displayName}` });
    await make.issue({ description: `@${eve.user.displayName}` });
    expect(await toldTo(bob)).toEqual([]);
    expect(await org.recorded('notification.created')).toEqual([]);
  });
});
