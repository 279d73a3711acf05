import { LinearClient } from '@linear/sdk';
import { LinearWebhookClient } from '@linear/sdk/webhooks';
import { describe, expect, it } from 'vitest';
import { eventually, receiver } from '../support/receiver.js';
import { bearer, makeSandbox, send } from '../support/sandbox-routes.js';
import { useDeliveringApp } from '../support/tracker-hooks.js';

const server = useDeliveringApp();
// ahead of the time at which a busy machine comes to it: a clock never goes back
const START = new Date(Math.ceil(Date.now() / 60_000) * 60_000 + 1_800_000);
const after = (seconds: number): Date => new Date(START.getTime() + seconds * 1_000);

/** A sandbox whose clock stands still, with alice and an application that hears what its own user is told. */
async function stillSandbox() {
  const end = await receiver();
  const made = await makeSandbox(server.app, {
    users: ['alice'],
    tracker: {
      teams: [{ key: 'ENG', name: 'Engineering', issues: [{ title: 'Fix login' }] }],
      apps: [
        {
          name: 'helper',
          redirect_uris: ['https://app.example/'],
          webhook_url: end.url,
          webhook_resource_types: ['AppUserNotification'],
          installed: { actor: 'app', scopes: ['write', 'app:assignable', 'app:mentionable'] },
        },
      ],
    },
  });
  const { credentials } = made.body;
  const control = (method: string, path: string, body?: unknown) =>
    send(server.app, method, `/api/sandboxes/self${path}`, made.ctl, body);
  expect((await control('PUT', '/clock', { now: START.toISOString(), frozen: true })).status).toBe(200);
  const clientOf = (apiKey: string) => new LinearClient({ apiKey, apiUrl: `${server.app.baseUrl}/graphql` });
  const admin = clientOf(credentials.api_key);
  const users = (await admin.users()).nodes;
  const asUser = bearer(credentials.users.alice.access_token);
  return {
    made,
    admin,
    control,
    clientOf,
    helper: credentials.tracker_apps.helper,
    alice: users.find(({ displayName }) => displayName === 'alice')!.id,
    act: (verb: string, fields: object) => send(server.app, 'POST', `/api/act/${verb}`, asUser, fields),
    screen: async () => (await send(server.app, 'GET', '/api/act/tracker', asUser)).body,
    bodies: () => {
      const verified = new LinearWebhookClient(credentials.tracker_apps.helper.webhook_secret);
      // oxlint-disable-next-line typescript/no-explicit-any -- specs read fields of bodies freely
      return end.received.map(({ body, headers }): any => {
        const { webhookTimestamp } = JSON.parse(body);
        return verified.parseData(Buffer.from(body), String(headers['linear-signature']), webhookTimestamp);
      });
    },
    told: async (): Promise<string[]> => {
      const { entries } = (await control('GET', '/timeline?kind=event&limit=1000')).body;
      return entries
        .map(({ event, at }: { event: string; at: string }) => `${event} ${at}`)
        .filter((line: string) => line.startsWith('notification.'));
    },
  };
}

/** docs/reference/tracker-notifications.md#reminders, #resets-copies-exports */
describe('notifications by the clock of a sandbox', () => {
  it('come in an order while it stands still, and people read, snooze and archive them', async () => {
    const box = await stillSandbox();
    await box.admin.issueSubscribe('ENG-1', { userId: box.alice });
    const { id: issueId } = await box.admin.issue('ENG-1');
    for (const n of [1, 2, 3]) await box.admin.createComment({ issueId, body: `no ${n}` });
    const seen = await box.screen();
    expect(seen).toMatchObject({ unread: 4, user_id: expect.any(String) });
    expect(seen.inbox.map(({ subtitle }: { subtitle: string }) => subtitle)).toEqual([
      'Admin commented.',
      'Admin commented.',
      'Admin commented.',
      'Admin subscribed you.',
    ]);
    const [newest] = seen.inbox;
    expect(newest).toMatchObject({ type: 'issueNewComment', title: 'Fix login', read: false, snoozed_until: null });
    const done = async (fields: object) => (await box.act('inbox', fields)).body;
    expect((await done({ notification: newest.id, do: 'read' })).result).toEqual({ changed: 1 });
    expect((await done({ issue: 'ENG-1', do: 'read' })).result).toEqual({ changed: 3 });
    expect((await done({ issue: 'ENG-1', do: 'unread' })).result).toEqual({ changed: 4 });
    const until = after(60).toISOString();
    expect((await done({ notification: newest.id, do: 'snooze', until })).result).toEqual({ changed: 1 });
    expect(await box.screen()).toMatchObject({ unread: 3, inbox: [{ snoozed_until: until }, {}, {}, {}] });
    expect((await done({ issue: 'ENG-1', do: 'archive' })).result).toEqual({ changed: 4 });
    expect(await box.screen()).toMatchObject({ unread: 0, inbox: [] });
    for (const [fields, status] of [
      [{ notification: crypto.randomUUID(), do: 'read' }, 404],
      [{ issue: 'ENG-9', do: 'read' }, 404],
      [{ issue: 'ENG-1', do: 'burn' }, 400],
      [{ issue: 'ENG-1', do: 'snooze', until: after(-60).toISOString() }, 400],
      [{ do: 'read' }, 400],
    ] as const)
      expect((await box.act('inbox', fields)).status, JSON.stringify(fields)).toBe(status);
  });

  it('remind and wake at their own moments, once, and not before', async () => {
    const box = await stillSandbox();
    const remind = (at: Date) => box.admin.issueReminder('ENG-1', at);
    await expect(remind(START)).rejects.toThrow('minimal allowed date for reminderAt');
    await remind(after(90));
    await remind(after(120));
    await box.control('POST', '/clock/advance', { seconds: 100 });
    expect((await box.admin.notifications()).nodes).toEqual([]);
    await box.control('POST', '/clock/advance', { seconds: 60 });
    const [reminder, ...others] = (await box.admin.notifications()).nodes;
    expect(others).toEqual([]);
    expect(reminder).toMatchObject({ type: 'issueReminder', category: 'reminders', createdAt: after(120) });
    await box.admin.notificationMarkReadAll({ id: reminder!.id }, after(160));
    await box.admin.updateNotification(reminder!.id, { snoozedUntilAt: after(200) });
    await box.control('POST', '/clock/advance', { seconds: 3_600 });
    expect(await box.admin.notification(reminder!.id)).toMatchObject({ unsnoozedAt: after(200) });
    await box.control('POST', '/clock/advance', { seconds: 3_600 });
    expect(await box.told()).toEqual([
      `notification.created ${after(120).toISOString()}`,
      `notification.updated ${after(160).toISOString()}`,
      `notification.updated ${after(160).toISOString()}`,
      `notification.updated ${after(200).toISOString()}`,
    ]);
  });

  it('and what is pending are put back by resets, copied with the rest, and in no export', async () => {
    const box = await stillSandbox();
    await box.admin.issueSubscribe('ENG-1', { userId: box.alice });
    await box.admin.issueReminder('ENG-1', after(60));
    const snapshot = (await box.control('POST', '/snapshots', { name: 'told' })).body;
    const read = await box.act('inbox', { issue: 'ENG-1', do: 'read' });
    expect(read.body.result).toEqual({ changed: 1 });
    await box.control('POST', '/clock/advance', { seconds: 120 });
    expect((await box.admin.notifications()).nodes).toHaveLength(1);
    expect((await box.control('POST', '/reset', { to: snapshot.id })).status).toBe(200);
    expect(await box.screen()).toMatchObject({ unread: 1, inbox: [{ read: false }] });
    expect((await box.admin.notifications()).nodes).toEqual([]);
    await box.control('POST', '/clock/advance', { seconds: 120 });
    expect((await box.admin.notifications()).nodes).toMatchObject([{ type: 'issueReminder', createdAt: after(60) }]);
    const copy = await send(server.app, 'POST', '/api/sandboxes', box.made.ctl, { from: snapshot.id });
    expect(copy.status, JSON.stringify(copy.body)).toBe(201);
    const copied = box.clientOf(copy.body.credentials.api_key);
    expect((await copied.notifications()).nodes).toEqual([]);
    const alice = bearer(copy.body.credentials.users.alice.access_token);
    const seen = (await send(server.app, 'GET', '/api/act/tracker', alice)).body;
    expect(seen).toMatchObject({ unread: 1, inbox: [{ type: 'issueSubscribed', title: 'Fix login' }] });
    const { id: issueId } = await copied.issue('ENG-1');
    const control = bearer(copy.body.credentials.control_token);
    await send(server.app, 'POST', '/api/sandboxes/self/clock/advance', control, { seconds: 120 });
    const [reminded] = (await copied.notifications()).nodes;
    expect(reminded).toMatchObject({ type: 'issueReminder', issueId });
    const { body: exported } = await box.control('GET', '/export');
    expect(JSON.stringify(exported)).not.toContain('issueSubscribed');
  });

  it('are changes that tests see, with names', async () => {
    const box = await stillSandbox();
    await box.control('POST', '/snapshots', { name: 'before' });
    await box.admin.issueSubscribe('ENG-1', { userId: box.alice });
    const { added } = (await box.control('GET', '/changes')).body;
    expect(added.notification).toMatchObject([
      { type: 'issueSubscribed', user: expect.stringMatching(/^alice$/i), actor: 'Admin', issue: 'ENG-1' },
    ]);
  });

  it('of an application’s own user go to its webhook as well, each by its type', async () => {
    const box = await stillSandbox();
    const { id: issueId } = await box.admin.issue('ENG-1');
    const { app_user_id: helper } = box.helper;
    const app = new LinearClient({ accessToken: box.helper.access_token, apiUrl: `${server.app.baseUrl}/graphql` });
    await box.admin.updateIssue(issueId, { delegateId: helper });
    const own = (await (await app.createComment({ issueId, body: 'on it' })).comment)!;
    await box.admin.createReaction({ commentId: own.id, emoji: '+1' });
    await box.admin.createComment({ issueId, parentId: own.id, body: 'thanks @helper' });
    await box.admin.commentResolve(own.id);
    const team = await box.admin.team('ENG');
    const posted = await box.admin.createProject({ name: 'Launch', teamIds: [team.id], memberIds: [helper] });
    const { id: projectId } = (await posted.project)!;
    await box.admin.createProjectUpdate({ projectId, body: 'late' });
    await app.issueReminder(issueId, after(60));
    await box.control('POST', '/clock/advance', { seconds: 120 });
    const expected = [
      'issueAssignedToYou',
      'issueCommentReaction',
      'issueCommentMention',
      'issueThreadResolved',
      'projectAddedAsMember',
      'projectUpdateCreated',
      'issueReminder',
    ];
    await eventually(() => box.bodies().length >= expected.length, 'the notifications');
    const bodies = box.bodies();
    expect(bodies.map(({ action }) => action)).toEqual(expected);
    for (const { notification } of bodies) expect(notification).toMatchObject({ userId: helper, actor: {} });
    expect(bodies[1].notification).toMatchObject({
      type: 'issueCommentReaction',
      reactionEmoji: '+1',
      issueId,
      issue: { identifier: 'ENG-1', team: { key: 'ENG' } },
      comment: { body: 'on it' },
    });
    expect(bodies[2].notification).toMatchObject({ parentComment: { id: own.id, body: 'on it' } });
    expect(bodies[5].notification).toMatchObject({
      projectId,
      project: { name: 'Launch' },
      projectUpdate: { body: 'late', project: { id: projectId } },
    });
    expect((await app.notifications()).nodes.map(({ type }) => type).reverse()).toEqual(expected);
  });
});
