import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';

describe('users.profile.get', () => {
  const app = useApp();

  it("answers the caller's own profile, or another user's", async () => {
    const ws = await app.workspace();
    const ann = await ws.userClient({ user: await ws.user({ name: 'ann', realName: 'Ann Lee' }) });
    const own = await ann.call('users.profile.get');
    expect(own.profile).toMatchObject({ real_name: 'Ann Lee', display_name: 'ann', email: `ann@${ws.domain}.example` });
    expect((await ann.call('users.profile.get', { user: ws.admin.id })).profile.real_name).toBe('Admin');
  });

  it('hides email without users:read.email', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot({ scopes: ['users.profile:read'] });
    const { profile } = await bot.call('users.profile.get', { user: ws.admin.id });
    expect(profile).not.toHaveProperty('email');
  });

  it('labels custom fields on request', async () => {
    const ws = await app.workspace();
    const ann = await ws.userClient();
    await ann.call('users.profile.set', { profile: { fields: { Xf0FIELD0001: { value: 'Blue', alt: 'a' } } } });
    expect((await ann.call('users.profile.get')).profile.fields).toEqual({ Xf0FIELD0001: { value: 'Blue', alt: 'a' } });
    expect((await ann.call('users.profile.get', { include_labels: true })).profile.fields).toEqual({
      Xf0FIELD0001: { value: 'Blue', alt: 'a', label: expect.any(String) },
    });
  });

  it('answers user_not_found for users of another workspace', async () => {
    const [ws, other] = [await app.workspace(), await app.workspace()];
    const bot = await ws.bot();
    expect(await bot.call('users.profile.get', { user: other.admin.id })).toEqual({
      ok: false,
      error: 'user_not_found',
    });
  });

  it('requires users.profile:read', async () => {
    const bot = await (await app.workspace()).bot({ scopes: ['users:read'] });
    expect(await bot.call('users.profile.get')).toMatchObject({ error: 'missing_scope', needed: 'users.profile:read' });
  });
});
