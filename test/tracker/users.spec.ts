import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';

const SUSPEND = `mutation($id: String!) { userSuspend(id: $id) { success lastSyncId user { active disableReason } } }`;

describe('user, users and viewer', () => {
  const app = useApp();

  it('derive fields of a user', async () => {
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

  it('list newest first, omit suspended users by default, filter and sort', async () => {
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

  it('answer Entity not found for unknown ids and those of other organizations', async () => {
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
