import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { notFound, refusal, unknownReference } from '../support/refusal.js';
import type { OrganizationBuilder, TrackerCaller } from '../support/tracker.js';
import { builds } from '../support/tracker-issues.js';

const app = useApp();

/** An organization with somebody who was told twice of one issue and once of another, the latest first. */
async function organizationWithInbox() {
  const org = await app.organization();
  const bob = await org.member({ name: 'Bob' });
  const make = builds(org);
  const first = await make.issue({ assigneeId: bob.user.id });
  const second = await make.issue({ assigneeId: bob.user.id });
  await org.client().createComment({ issueId: first.id, body: 'and?' });
  const [comment, ofSecond, ofFirst] = (await bob.client().notifications()).nodes.map(({ id }) => id) as [
    string,
    string,
    string,
  ];
  return { org, bob, client: bob.client(), first, second, comment, ofSecond, ofFirst };
}

const unreadOf = async (caller: TrackerCaller): Promise<number> =>
  (await caller.data('{ notificationsUnreadCount }')).notificationsUnreadCount;

const inboxOf = async (caller: TrackerCaller, unreadOnly = false): Promise<string[]> =>
  (await caller.client().inboxNotifications({ unreadOnly })).nodes.map(({ id }) => id);

const idsOf = (nodes: readonly { id: string }[]): string[] => nodes.map(({ id }) => id);

/** docs/reference/tracker-notifications.md#notifications */
describe('notifications', () => {
  it('are read, unread, archived and unarchived, and counted while they are unread', async () => {
    const { bob, client, comment, ofFirst, ofSecond } = await organizationWithInbox();
    expect(await unreadOf(bob)).toBe(3);
    const readAt = new Date('2026-01-02T03:04:05.678Z');
    const { notificationUpdate } = await bob.data(
      `mutation ($id: String!, $input: NotificationUpdateInput!) { notificationUpdate(id: $id, input: $input) {
        notification { __typename id readAt } } }`,
      { id: comment, input: { readAt } },
    );
    expect(notificationUpdate.notification).toEqual({
      __typename: 'IssueNotification',
      id: comment,
      readAt: readAt.toISOString(),
    });
    expect((await client.notification(comment)).readAt).toEqual(readAt);
    expect(await unreadOf(bob)).toBe(2);
    expect((await client.archiveNotification(ofSecond)).success).toBe(true);
    expect((await client.notification(ofSecond)).archivedAt).toBeInstanceOf(Date);
    expect(await unreadOf(bob)).toBe(1);
    expect(idsOf((await client.notifications()).nodes)).toEqual([comment, ofFirst]);
    expect(idsOf((await client.notifications({ includeArchived: true })).nodes)).toEqual([comment, ofSecond, ofFirst]);
    await client.unarchiveNotification(ofSecond);
    await client.updateNotification(comment, { readAt: null });
    expect(await unreadOf(bob)).toBe(3);
    const types = { type: { eq: 'issueNewComment' } };
    expect(idsOf((await client.notifications({ filter: types })).nodes)).toEqual([comment]);
    const kinds = { subscriptionType: { in: ['project', 'team'] } } as never;
    expect((await client.notifications({ filter: kinds })).nodes).toEqual([]);
    expect((await client.notifications({ filter: { subscriptionType: { eq: 'issue' } } as never })).nodes).toHaveLength(
      3,
    );
    const page = await client.notifications({ first: 2 });
    expect(idsOf((await client.notifications({ first: 2, after: page.pageInfo.endCursor! })).nodes)).toEqual([ofFirst]);
  });

  it('stand in the inbox once for each thing, which is read and archived as a whole', async () => {
    const { bob, client, first, comment, ofFirst, ofSecond } = await organizationWithInbox();
    expect(await inboxOf(bob)).toEqual([comment, ofSecond]);
    const changed = await client.updateInboxNotification(ofFirst, { read: true });
    expect(changed.updatedNotifications.map(({ id }) => id)).toEqual([comment, ofFirst]);
    expect((await client.updateInboxNotification(comment, { read: true })).updatedNotifications).toEqual([]);
    expect(await inboxOf(bob, true)).toEqual([ofSecond]);
    await client.updateNotification(ofFirst, { readAt: null });
    expect(await inboxOf(bob, true)).toEqual([ofSecond, ofFirst]);
    await client.archiveNotification(comment);
    expect(await inboxOf(bob)).toEqual([ofSecond, ofFirst]);
    const all = await client.notificationMarkReadAll({ issueId: first.identifier }, app.clock.now());
    expect(idsOf(all.notifications)).toEqual([ofFirst]);
    expect(idsOf((await client.notificationArchiveAll({ id: ofFirst })).notifications)).toEqual([ofFirst]);
    expect(await inboxOf(bob)).toEqual([ofSecond]);
    expect(idsOf((await client.notificationMarkUnreadAll({ id: ofSecond })).notifications)).toEqual([]);
  });

  it('are snoozed until the clock passes, and unread again then', async () => {
    const { bob, client, comment, ofFirst, ofSecond } = await organizationWithInbox();
    await client.notificationMarkReadAll({ id: ofFirst }, app.clock.now());
    const until = new Date(app.clock.nowMs() + 60_000);
    expect(idsOf((await client.notificationSnoozeAll({ id: comment }, until)).notifications)).toEqual([
      comment,
      ofFirst,
    ]);
    expect(await inboxOf(bob)).toEqual([ofSecond]);
    expect(await unreadOf(bob)).toBe(1);
    const [snoozed] = (await client.notifications()).nodes;
    expect(snoozed).toMatchObject({ id: comment, snoozedUntilAt: until });
    app.clock.advance(60_000);
    expect(await unreadOf(bob)).toBe(3);
    expect(await inboxOf(bob)).toEqual([comment, ofSecond]);
    expect(await client.notification(comment)).toMatchObject({ unsnoozedAt: until });
    const woken = await bob.data(
      'query ($id: String!) { notification(id: $id) { readAt snoozedUntilAt unsnoozedAt } }',
      {
        id: ofFirst,
      },
    );
    expect(woken.notification).toEqual({ readAt: null, snoozedUntilAt: null, unsnoozedAt: until.toISOString() });
    const later = new Date(app.clock.nowMs() + 60_000);
    await client.updateNotification(ofSecond, { snoozedUntilAt: later });
    expect(await inboxOf(bob)).toEqual([comment]);
    await client.updateNotification(ofSecond, { snoozedUntilAt: null });
    expect((await client.notification(ofSecond)).unsnoozedAt).toBeInstanceOf(Date);
    await client.notificationSnoozeAll({ id: ofSecond }, later);
    const at = new Date('2026-01-02T00:00:00Z');
    const back = (await client.notificationUnsnoozeAll({ id: ofSecond }, at)).notifications;
    expect(back).toMatchObject([{ id: ofSecond, unsnoozedAt: at }]);
  });

  it('and subscriptions are their owner’s alone, also for admins and in other organizations', async () => {
    const { org, bob, client, comment, ofFirst } = await organizationWithInbox();
    await client.createNotificationSubscription({ teamId: org.team.id });
    const [subscription] = idsOf((await client.notificationSubscriptions()).nodes) as [string];
    const stranger = await app.organization();
    for (const other of [org, stranger] as OrganizationBuilder[]) {
      const by = other.client();
      for (const call of [
        () => by.notification(comment),
        () => by.updateNotification(comment, { readAt: app.clock.now() }),
        () => by.archiveNotification(comment),
        () => by.updateInboxNotification(comment, { read: true }),
        () => by.notificationMarkReadAll({ id: ofFirst }, app.clock.now()),
      ])
        expect(await refusal(call())).toEqual(notFound('Notification'));
      for (const call of [
        () => by.notificationSubscription(subscription),
        () => by.updateNotificationSubscription(subscription, { active: false }),
        () => by.deleteNotificationSubscription(subscription),
      ])
        expect(await refusal(call())).toEqual(notFound('NotificationSubscription'));
      expect((await by.notifications()).nodes).toEqual([]);
      expect((await by.notificationSubscriptions()).nodes).toEqual([]);
    }
    expect(await unreadOf(bob)).toBe(3);
  });

  it('take exactly one key that names something, and no unknown ids', async () => {
    const { client, first, ofFirst } = await organizationWithInbox();
    const now = app.clock.now();
    const message =
      'Exactly one of id, issueId, projectId, initiativeId, projectUpdateId, initiativeUpdateId or oauthClientApprovalId must be defined';
    expect((await refusal(client.notificationMarkReadAll({}, now)))[1]).toContain(message);
    expect((await refusal(client.notificationArchiveAll({ id: ofFirst, issueId: first.id })))[1]).toContain(message);
    expect(await refusal(client.notificationArchiveAll({ projectId: crypto.randomUUID() }))).toEqual(
      unknownReference('projectId'),
    );
    expect(await refusal(client.notification('no-id'))).toEqual(notFound('Notification'));
  });

  it('go when their owner no longer sees the team, and with the issue for good', async () => {
    const { org, bob, client, first } = await organizationWithInbox();
    const make = builds(org);
    await org.client().deleteIssue(first.id, { permanentlyDelete: true });
    expect((await client.notifications()).nodes).toHaveLength(1);
    await make.patchTeam(org.team, { private: true });
    expect(await unreadOf(bob)).toBe(1);
    await make.removeMember(org.team, bob.user);
    expect(await unreadOf(bob)).toBe(0);
    expect((await client.notifications()).nodes).toEqual([]);
    expect(await inboxOf(bob)).toEqual([]);
  });

  it('are told to sockets as events of their owner', async () => {
    const { org, bob, client, comment } = await organizationWithInbox();
    const created = await org.recorded('notification.created');
    expect(created).toHaveLength(3);
    expect(new Set(created.map(({ room }) => room))).toEqual(new Set([`org:${org.id}/users/${bob.user.id}`]));
    expect(created[2]!.data).toMatchObject({
      type: 'Notification',
      action: 'create',
      actor: { id: org.user.id },
      data: { id: comment, type: 'issueNewComment', userId: bob.user.id, commentId: expect.any(String) },
    });
    const readAt = new Date('2026-01-02T03:04:05.678Z');
    const answer = await client.updateNotification(comment, { readAt });
    const [updated] = await org.recorded('notification.updated');
    expect(updated!.data['data']).toMatchObject({ id: comment, readAt: readAt.toISOString() });
    expect(answer.lastSyncId).toBe(updated!.syncId);
  });
});
