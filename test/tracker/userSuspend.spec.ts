import { AuthenticationLinearError } from '@linear/sdk';
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';

const SUSPEND = `mutation($id: String!) { userSuspend(id: $id) { success lastSyncId user { active disableReason } } }`;
const UNSUSPEND = `mutation($id: String!) { userUnsuspend(id: $id) { success lastSyncId user { active disableReason } } }`;

describe('userSuspend and userUnsuspend', () => {
  const app = useApp();

  it('revoke and restore all access at once', async () => {
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

  it('refuse to suspend oneself and the last owner', async () => {
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

  it('are forbidden to others before the id is looked up', async () => {
    const org = await app.organization();
    const bob = await org.member();
    for (const query of [SUSPEND, UNSUSPEND]) {
      expect(await bob.error(query, { id: randomUUID() })).toMatchObject({ message: 'Forbidden' });
      expect(await org.error(query, { id: randomUUID() })).toMatchObject({ message: 'Entity not found: User' });
    }
  });
});
