import { ForbiddenLinearError, InvalidInputLinearError } from '@linear/sdk';
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';

const UPDATE = `mutation($id: String!, $input: UserUpdateInput!) {
  userUpdate(id: $id, input: $input) { success lastSyncId user { id name displayName timezone title updatedAt } }
}`;

describe('userUpdate', () => {
  const app = useApp();

  it('changes the caller, and records it under the new name', async () => {
    const org = await app.organization();
    const bob = await org.member({ name: 'Bob' });
    const payload = await bob.client().updateUser('me', { name: 'Robert', timezone: 'Europe/London', title: 'CTO' });
    expect(payload).toMatchObject({ success: true, lastSyncId: 1 });
    expect(await payload.user).toMatchObject({ name: 'Robert', timezone: 'Europe/London', title: 'CTO' });
    const [event] = await org.recorded('user.updated');
    expect(event?.data).toMatchObject({ actor: { name: 'Robert' }, type: 'User', url: event?.data['data'].url });
    expect(event?.data['updatedFrom']).toEqual({ name: 'Bob', timezone: null, updatedAt: expect.any(String) });
  });

  it('clears with null, and does nothing for an unchanged user', async () => {
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
    // the caller's own name in another case is not taken
    const mine = await bob.data(UPDATE, { id: 'me', input: { displayName } });
    expect(mine.userUpdate.user.displayName).toBe(displayName);
  });

  it('lets only admins change other users', async () => {
    const org = await app.organization();
    const [bob, cem] = [await org.member(), await org.member()];
    await org.data(UPDATE, { id: bob.user.id, input: { title: 'Builder' } });
    await expect(cem.client().updateUser(bob.user.id, { title: 'Boss' })).rejects.toThrow(ForbiddenLinearError);
    await expect(cem.client().updateUser(randomUUID(), { title: 'Boss' })).rejects.toThrow(InvalidInputLinearError);
  });
});
