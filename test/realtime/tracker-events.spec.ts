import { describe, expect, it } from 'vitest';
import { Db } from '../../src/kernel/database/db.js';
import { orgClaimOf } from '../../src/tracker/access/org-claim.js';
import { trackerEvent, type TrackerChange } from '../../src/tracker/events/tracker-events.js';
import { Viewers } from '../../src/tracker/access/viewer.js';
import { sha256Hex } from '../../src/kernel/ids/ids.js';
import { TeamMembership, User } from '../../src/tracker/entities.js';
import { useApp } from '../support/app.js';
import { listen, Listener } from '../support/listener.js';
import { eventually } from '../support/receiver.js';
import { rest } from '../support/rest-client.js';
import { changeRows, deleteRows } from '../support/rows.js';
import { OrganizationBuilder, type TrackerCaller } from '../support/tracker.js';

describe('the tracker’s events on sockets (docs/reference/realtime.md#tracker)', () => {
  const app = useApp();
  const earOf = (caller: TrackerCaller) => Listener.connect(app, { token: caller.apiKey });

  /** Records an event of an organization as a mutation does, recognizable by its title. */
  const tell = async (org: OrganizationBuilder, title: string, change: Partial<TrackerChange> = {}): Promise<void> => {
    const found = await app.nest.get(Viewers, { strict: false }).byApiKey(sha256Hex(org.apiKey));
    if ('refused' in found) throw new Error(found.refused);
    await app.nest.get(Db).write(async (tx) => {
      tx.record(
        trackerEvent({
          web: 'http://web.test',
          viewer: found.viewer,
          type: 'Issue',
          action: 'create',
          data: { title },
          url: 'http://web.test/issue',
          at: new Date(),
          ...change,
        }),
      );
    });
  };
  const titles = (ear: Listener): string[] => ear.of('issue.created').map(({ data }) => data.title as string);
  const untilTitle = (ear: Listener, title: string): Promise<void> =>
    eventually(() => titles(ear).includes(title), `an issue "${title}"; heard: ${JSON.stringify(ear.names)}`);

  it('are the envelope with event and lastSyncId, after a mutation', async () => {
    const org = await OrganizationBuilder.create(app);
    const ear = await earOf(org);
    await org.data(
      `mutation($id: String!) { userUpdate(id: $id, input: { displayName: "ada" }) { success lastSyncId } }`,
      { id: org.owner.id },
    );
    await ear.untilHeard('user.updated');
    const [recorded] = await org.recorded('user.updated');
    expect(ear.heard).toEqual([
      { name: 'user.updated', data: { event: 'user.updated', ...recorded?.data, lastSyncId: recorded?.syncId } },
    ]);
    expect(ear.heard[0]?.data).toMatchObject({ action: 'update', type: 'User', organizationId: org.id });
  });

  it('arrive in the order of lastSyncId, of one organization only, for keys and access tokens alike', async () => {
    const [org, other] = [await OrganizationBuilder.create(app), await OrganizationBuilder.create(app)];
    const member = await org.member();
    const token = await member.accessToken();
    const ears = [await earOf(org), await Listener.connect(app, { token }), await earOf(other)];
    await Promise.all(Array.from({ length: 30 }, (_, i) => tell(org, `issue ${i}`)));
    await tell(org, 'end');
    await tell(other, 'end');
    await Promise.all(ears.map((ear) => untilTitle(ear, 'end')));
    const [first, second, theirs] = ears as [Listener, Listener, Listener];
    expect(first.heard.map(({ data }) => data.lastSyncId as number)).toEqual(
      Array.from({ length: 31 }, (_, i) => i + 1),
    );
    expect(second.heard).toEqual(first.heard);
    expect(titles(theirs)).toEqual(['end']);
  });

  it('of private teams are sent to members only, of webhooks to admins only, according to current roles', async () => {
    const org = await OrganizationBuilder.create(app);
    const [admin, insider, outsider] = [await org.member({ admin: true }), await org.member(), await org.member()];
    const team = await org.newTeam({ private: true }, insider.user);
    const ears = [await earOf(admin), await earOf(insider), await earOf(outsider)];
    const teams = [team];
    await tell(org, 'secret', { teams });
    await tell(org, 'half secret', { teams: [team, org.team] });
    await tell(org, 'hook', { adminsOnly: true });
    // in one batch or several, the recipients of all three are determined before anything changes
    await untilTitle(ears[0] as Listener, 'hook');
    await deleteRows(app.store, TeamMembership, { teamId: team.id });
    await changeRows(app.store, User, { id: admin.user.id }, { admin: false });
    await tell(org, 'secret for nobody', { teams });
    await tell(org, 'hook for nobody here', { adminsOnly: true });
    await tell(org, 'end');
    await Promise.all(ears.map((ear) => untilTitle(ear, 'end')));
    expect(ears.map(titles)).toEqual([
      ['half secret', 'hook', 'end'],
      ['secret', 'half secret', 'end'],
      ['half secret', 'end'],
    ]);
  });

  it('end with the credential: a deleted key, a logout, a suspended user', async () => {
    const org = await OrganizationBuilder.create(app);
    const [one, two, three] = [await org.member(), await org.member(), await org.member()];
    const token = await two.accessToken();
    const ears = [await earOf(one), await Listener.connect(app, { token }), await earOf(three), await earOf(org)];
    const [first, second, third, owner] = ears as [Listener, Listener, Listener, Listener];
    await one.endApiKeys();
    expect(await first.end()).toBe('io server disconnect');
    expect((await rest(app, 'POST /auth/logout', { token })).status).toBe(200);
    expect(await second.end()).toBe('io server disconnect');
    await org.data(`mutation($id: String!) { userSuspend(id: $id) { success } }`, { id: three.user.id });
    expect(await third.end()).toBe('io server disconnect');
    expect(third.heard).toEqual([]);
    await owner.untilHeard('user.updated');

    expect(await Listener.refusal(app, { token: one.apiKey })).toBe('token_revoked');
    expect(await Listener.refusal(app, { token })).toBe('token_revoked');
    expect(await Listener.refusal(app, { token: three.apiKey })).toBe('account_inactive');
  });

  it('share the socket with the chat product: one token for both, or chat alone without a claim', async () => {
    const ws = await app.workspace();
    const org = await OrganizationBuilder.create(app);
    await ws.user({ accountId: org.owner.accountId });
    const channel = await ws.channel({ members: [ws.admin, { id: org.owner.accountId }] });
    const chat = { team_id: ws.id };
    const [both, chatOnly, trackerOnly] = [
      await Listener.connect(app, { token: await org.accessToken({ ...chat, org: orgClaimOf(org.id) }) }),
      await Listener.connect(app, { token: await org.accessToken(chat) }),
      await Listener.connect(app, { token: await org.accessToken() }),
    ];
    await ws.message({ channel, user: ws.admin, text: 'hello' });
    // there is no order between the products
    await Promise.all([both.until('hello'), chatOnly.until('hello')]);
    await tell(org, 'an issue');
    await Promise.all([untilTitle(both, 'an issue'), untilTitle(trackerOnly, 'an issue')]);
    await ws.message({ channel, user: ws.admin, text: 'end' });
    await Promise.all([both.until('end'), chatOnly.until('end')]);
    expect(both.names).toEqual(['message', 'issue.created', 'message']);
    expect(chatOnly.names).toEqual(['message', 'message']);
    expect(trackerOnly.names).toEqual(['issue.created']);
    expect(await trackerOnly.ask('subscribe', { channel: channel.id })).toEqual({
      ok: false,
      error: 'channel_not_found',
    });
    // a key of the tracker gives no access to chat
    const keyed = await Listener.connect(app, { token: org.apiKey });
    expect(await keyed.ask('subscribe', { channel: channel.id })).toEqual({ ok: false, error: 'channel_not_found' });
    expect(await Listener.refusal(app, { token: await org.accessToken({}) })).toBe('account_inactive');
    expect((await listen(await ws.bot())).socket.connected).toBe(true);
  });
});
