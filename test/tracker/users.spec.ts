import { AuthenticationLinearError, ForbiddenLinearError, InvalidInputLinearError } from '@linear/sdk';
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';

const UPDATE = `mutation($id: String!, $input: UserUpdateInput!) {
  userUpdate(id: $id, input: $input) { success lastSyncId user { id name displayName timezone title updatedAt } }
}`;
const SUSPEND = `mutation($id: String!) { userSuspend(id: $id) { success lastSyncId user { active disableReason } } }`;
const UNSUSPEND = `mutation($id: String!) { userUnsuspend(id: $id) { success lastSyncId user { active disableReason } } }`;

describe('user, users and viewer', () => {
  const app = useApp();

  it('derive what a user shows', async () => {
    const org = await app.organization();
    const bob = await org.member({ name: 'Bob' });
    const client = org.client();
    const viewer = await client.viewer;
    expect(viewer).toMatchObject({ id: org.owner.id, isMe: true, initials: 'AL', admin: true, owner: true });
    const user = await client.user(bob.user.id);
    expect(user).toMatchObject({
      name: 'Bob',
      initials: 'B',
      isMe: false,
      active: true,
      isAssignable: true,
      isMentionable: true,
      admin: false,
      owner: false,
      createdIssueCount: 0,
      url: `${app.baseUrl}/${org.urlKey}/profiles/${bob.user.displayName}`,
      inviteHash: '',
      canAccessAnyPublicTeam: true,
    });
    expect(user.avatarBackgroundColor).toMatch(/^#[0-9a-f]{6}$/);
    expect((await client.user('me')).id).toBe(org.owner.id);
  });

  it('list newest first, leave out suspended users unless asked, filter and sort', async () => {
    const org = await app.organization();
    const [bob, cem] = [await org.member({ name: 'Bob' }), await org.member({ name: 'Cem' })];
    await org.data(SUSPEND, { id: bob.user.id });
    const client = org.client();
    const names = async (variables: Parameters<typeof client.users>[0]) =>
      (await client.users(variables)).nodes.map(({ name }) => name);
    expect(await names({})).toEqual(['Cem', 'Ada Lovelace']);
    expect(await names({ includeDisabled: true })).toEqual(['Cem', 'Bob', 'Ada Lovelace']);
    expect(await names({ filter: { name: { startsWith: 'C' } } })).toEqual(['Cem']);
    const { users } = await org.data('{ users(sort: [{ name: { order: Ascending } }]) { nodes { id } } }');
    expect(users.nodes).toEqual([{ id: org.owner.id }, { id: cem.user.id }]);
  });

  it('answer row 8 for unknown ids, foreign ones included', async () => {
    const [org, other] = [await app.organization(), await app.organization()];
    for (const id of [randomUUID(), other.owner.id, 'nobody', '']) {
      expect(await org.error('query($id: String!) { user(id: $id) { id } }', { id }), id).toMatchObject({
        message: 'Entity not found: User',
        path: ['user'],
        extensions: { code: 'INPUT_ERROR', userPresentableMessage: 'Could not find referenced User.' },
      });
    }
  });
});

describe('userUpdate', () => {
  const app = useApp();

  it('changes oneself, and tells of it under the new name', async () => {
    const org = await app.organization();
    const bob = await org.member({ name: 'Bob' });
    const payload = await bob.client().updateUser('me', { name: 'Robert', timezone: 'Europe/London', title: 'CTO' });
    expect(payload).toMatchObject({ success: true, lastSyncId: 1 });
    expect(await payload.user).toMatchObject({ name: 'Robert', timezone: 'Europe/London', title: 'CTO' });
    const [event] = await org.recorded('user.updated');
    expect(event?.data).toMatchObject({ actor: { name: 'Robert' }, type: 'User', url: event?.data['data'].url });
    expect(event?.data['updatedFrom']).toEqual({ name: 'Bob', timezone: null, updatedAt: expect.any(String) });
  });

  it('clears with null, and moves nothing when nothing changes', async () => {
    const org = await app.organization();
    await org.data(UPDATE, { id: 'me', input: { timezone: 'Europe/London' } });
    const cleared = await org.data(UPDATE, { id: org.owner.id, input: { timezone: null } });
    expect(cleared.userUpdate).toMatchObject({ lastSyncId: 2, user: { timezone: null } });
    const again = await org.data(UPDATE, { id: org.owner.id, input: { timezone: null } });
    expect(again).toEqual(cleared);
  });

  it('refuses a display name that is taken, whatever its case', async () => {
    const org = await app.organization();
    const bob = await org.member();
    const displayName = bob.user.displayName.toUpperCase();
    expect(await org.error(UPDATE, { id: 'me', input: { displayName } })).toMatchObject({
      message: 'duplicate display name',
      extensions: { userPresentableMessage: `The display name "${displayName}" is already in use.` },
    });
    // one's own in another case is not taken
    const mine = await bob.data(UPDATE, { id: 'me', input: { displayName } });
    expect(mine.userUpdate.user.displayName).toBe(displayName);
  });

  it('lets admins change others, and nobody else', async () => {
    const org = await app.organization();
    const [bob, cem] = [await org.member(), await org.member()];
    await org.data(UPDATE, { id: bob.user.id, input: { title: 'Builder' } });
    await expect(cem.client().updateUser(bob.user.id, { title: 'Boss' })).rejects.toThrow(ForbiddenLinearError);
    await expect(cem.client().updateUser(randomUUID(), { title: 'Boss' })).rejects.toThrow(InvalidInputLinearError);
  });
});

describe('userSuspend and userUnsuspend', () => {
  const app = useApp();

  it('end and restore all access at once', async () => {
    const org = await app.organization();
    const bob = await org.member();
    const token = await bob.accessToken();
    const suspended = await org.data(SUSPEND, { id: bob.user.id });
    expect(suspended.userSuspend).toEqual({
      success: true,
      lastSyncId: 1,
      user: { active: false, disableReason: 'admin' },
    });
    await expect(bob.client().viewer).rejects.toThrow(AuthenticationLinearError);
    const byToken = await fetch(`${app.baseUrl}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: '{"query":"{ viewer { id } }"}',
    });
    expect(byToken.status).toBe(401);
    expect((await org.data(SUSPEND, { id: bob.user.id })).userSuspend.lastSyncId).toBe(1);
    const back = await org.data(UNSUSPEND, { id: bob.user.id });
    expect(back.userUnsuspend).toEqual({ success: true, lastSyncId: 2, user: { active: true, disableReason: null } });
    expect((await bob.client().viewer).id).toBe(bob.user.id);
    expect((await org.recorded('user.updated')).map(({ data }) => data['updatedFrom'])).toEqual([
      { active: true, disableReason: null, updatedAt: expect.any(String) },
      { active: false, disableReason: 'admin', updatedAt: expect.any(String) },
    ]);
  });

  it('refuse oneself and the last owner with row 11', async () => {
    const org = await app.organization();
    const admin = await org.member({ admin: true });
    expect(await org.error(SUSPEND, { id: org.owner.id })).toMatchObject({
      message: 'cannot suspend oneself',
      extensions: { code: 'INPUT_ERROR', userPresentableMessage: 'You cannot suspend yourself.' },
    });
    expect(await admin.error(SUSPEND, { id: org.owner.id })).toMatchObject({
      message: 'cannot suspend the last owner',
      extensions: { code: 'INPUT_ERROR' },
    });
  });

  it('are forbidden to others before the id is looked for', async () => {
    const org = await app.organization();
    const bob = await org.member();
    for (const query of [SUSPEND, UNSUSPEND]) {
      expect(await bob.error(query, { id: randomUUID() })).toMatchObject({ message: 'Forbidden' });
      expect(await org.error(query, { id: randomUUID() })).toMatchObject({ message: 'Entity not found: User' });
    }
  });
});
