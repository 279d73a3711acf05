import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { toldTo } from '../support/notifications.js';
import { notFound, refusal, unknownReference } from '../support/refusal.js';

import { organizationWithStates } from '../support/tracker-clients.js';
import { builds } from '../support/tracker-issues.js';

const app = useApp();
const BOTH = ['issueCreated', 'issueStatusChangedAll'];

/** docs/reference/tracker-notifications.md#subscriptions */
describe('notification subscriptions to a custom view', () => {
  const viewOf = async (org: Awaited<ReturnType<typeof app.organization>>, input: object) =>
    (await org.client().createCustomView({ name: 'Bugs', ...input })).customViewId!;

  it('are one of each person, read, changed and deleted, and go with the view', async () => {
    const org = await app.organization();
    const client = org.client();
    const customViewId = await viewOf(org, { filterData: {}, shared: true });
    await client.createNotificationSubscription({ customViewId, notificationSubscriptionTypes: ['issueCreated'] });
    const [first] = (await client.notificationSubscriptions()).nodes;
    await client.createNotificationSubscription({ customViewId, notificationSubscriptionTypes: BOTH, active: false });
    expect((await client.notificationSubscriptions()).nodes.map(({ id }) => id)).toEqual([first!.id]);
    const { notificationSubscription: shown } = await org.data(
      `query ($id: String!) { notificationSubscription(id: $id) { __typename active contextViewType userContextViewType team { id }
         ... on CustomViewNotificationSubscription { customView { id } notificationSubscriptionTypes } } }`,
      { id: first!.id },
    );
    expect(shown).toEqual({
      __typename: 'CustomViewNotificationSubscription',
      active: false,
      contextViewType: null,
      userContextViewType: null,
      team: null,
      customView: { id: customViewId },
      notificationSubscriptionTypes: BOTH,
    });
    await client.updateNotificationSubscription(first!.id, { active: true });
    expect((await client.notificationSubscription(first!.id)).active).toBe(true);
    await client.deleteNotificationSubscription(first!.id);
    expect((await client.notificationSubscriptions()).nodes).toEqual([]);
    await client.createNotificationSubscription({ customViewId });
    await client.deleteCustomView(customViewId);
    expect((await client.notificationSubscriptions()).nodes).toEqual([]);
  });

  it("are others' active ones in customViewHasSubscribers", async () => {
    const org = await app.organization();
    const bob = await org.member();
    const id = await viewOf(org, { filterData: {}, shared: true });
    const has = async (of: typeof bob) => (await of.client().customViewHasSubscribers(id)).hasSubscribers;
    const both = async () => [await has(org as never), await has(bob)];
    expect(await both()).toEqual([false, false]);
    await bob.client().createNotificationSubscription({ customViewId: id });
    expect(await both()).toEqual([true, false]);
    const [own] = (await bob.client().notificationSubscriptions()).nodes;
    await bob.client().updateNotificationSubscription(own!.id, { active: false });
    expect(await both()).toEqual([false, false]);
    expect(await refusal(org.client().customViewHasSubscribers(crypto.randomUUID()))).toEqual(notFound('CustomView'));
  });

  it('are for those who see it: when it is shared no longer, its owner alone', async () => {
    const org = await app.organization();
    const bob = await org.member();
    const id = await viewOf(org, { filterData: {} });
    const subscribe = (of: typeof bob) => of.client().createNotificationSubscription({ customViewId: id });
    expect(await refusal(subscribe(bob))).toEqual(unknownReference('customViewId'));
    expect(await refusal(bob.client().customViewHasSubscribers(id))).toEqual(notFound('CustomView'));
    await org.client().updateCustomView(id, { shared: true });
    await subscribe(bob);
    await subscribe(org as never);
    await org.client().updateCustomView(id, { shared: false });
    expect((await bob.client().notificationSubscriptions()).nodes).toEqual([]);
    expect((await org.client().notificationSubscriptions()).nodes).toHaveLength(1);
  });

  it('tell of issues that its filter matches, as their owner sees them', async () => {
    const { org, client, state } = await organizationWithStates(app);
    const make = builds(org);
    const [bob, carol, dave] = [await org.member(), await org.member(), await org.member()];
    const secret = await org.newTeam({ private: true });
    const bugs = await viewOf(org, { filterData: { title: { contains: 'bug' } }, shared: true });
    const mine = await viewOf(org, { filterData: { assignee: { isMe: { eq: true } } }, shared: true });
    const subscribe = (of: typeof bob, customViewId: string, notificationSubscriptionTypes = BOTH) =>
      of.client().createNotificationSubscription({ customViewId, notificationSubscriptionTypes });
    await subscribe(bob, bugs);
    await subscribe(carol, mine);
    await subscribe(dave, bugs, ['issueCreated']);
    await client.createIssue({ teamId: secret.id, title: 'A secret bug' });
    await make.issue({ title: 'A wish' });
    const issue = await make.issue({ title: 'A bug' });
    expect([await toldTo(bob), await toldTo(carol), await toldTo(dave)]).toEqual([
      ['issueCreated'],
      [],
      ['issueCreated'],
    ]);
    await client.updateIssue(issue.id, { assigneeId: carol.user.id });
    await client.updateIssue(issue.id, { stateId: state('In Progress').id });
    expect((await toldTo(carol)).at(-1)).toBe('issueStatusChangedAll');
    expect(await toldTo(bob)).toEqual(['issueCreated', 'issueStatusChangedAll']);
    expect(await toldTo(dave)).toEqual(['issueCreated']);
    const filter = { subscriptionType: { eq: 'customView' } } as never;
    expect((await bob.client().notifications({ filter })).nodes).toHaveLength(2);
    await client.updateIssue(issue.id, { title: 'A wish as well', stateId: state('Done').id });
    expect(await toldTo(bob)).toHaveLength(2);
  });

  it('tell of what the oldest 50 of an organization match', async () => {
    const org = await app.organization();
    const bob = await org.member();
    const numbers = Array.from({ length: 50 }, (_, n) => n);
    const many = async (field: (n: number) => string): Promise<Record<string, { [key: string]: string }>> =>
      org.data(`mutation { ${numbers.map((n) => `a${n}: ${field(n)}`).join(' ')} }`);
    const views = await many(
      (n) => `customViewCreate(input: { name: "v${n}", filterData: { title: { eq: "never" } } }) { customView { id } }`,
    );
    const ids = numbers.map((n) => (views[`a${n}`]!['customView'] as unknown as { id: string }).id);
    await many(
      (n) =>
        `notificationSubscriptionCreate(input: { customViewId: "${ids[n]}", notificationSubscriptionTypes: ["issueCreated"] }) { success }`,
    );
    const all = await viewOf(org, { filterData: {}, shared: true });
    const subscription = { customViewId: all, notificationSubscriptionTypes: ['issueCreated'] };
    await bob.client().createNotificationSubscription(subscription);
    await builds(org).issue({ title: 'Beyond the bound' });
    expect(await toldTo(bob)).toEqual([]);
    // what goes makes room
    await org.client().deleteCustomView(ids[0]!);
    await builds(org).issue({ title: 'Within it' });
    expect(await toldTo(bob)).toEqual(['issueCreated']);
  });
});
