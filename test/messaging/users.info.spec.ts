import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';

describe('users.info', () => {
  const app = useApp();

  it('describes a user in full', async () => {
    const ws = await app.workspace();
    const jwt = await ws.jwtClient();
    const { ok, user } = await jwt.call('users.info', { user: ws.admin.id, include_locale: true });
    const image = (size: number) =>
      expect.stringMatching(new RegExp(`^http://.*/avatars/${ws.admin.id}-${size}\\.png$`)) as string;
    expect(ok).toBe(true);
    expect(user).toEqual({
      id: ws.admin.id,
      team_id: ws.id,
      name: 'admin',
      deleted: false,
      color: expect.any(String),
      real_name: 'Admin',
      tz: 'Etc/UTC',
      tz_label: 'Coordinated Universal Time',
      tz_offset: 0,
      profile: {
        title: '',
        phone: '',
        skype: '',
        real_name: 'Admin',
        real_name_normalized: 'Admin',
        display_name: 'admin',
        display_name_normalized: 'admin',
        fields: {},
        status_text: '',
        status_emoji: '',
        status_emoji_display_info: [],
        status_expiration: 0,
        status_text_canonical: '',
        avatar_hash: expect.any(String),
        first_name: 'Admin',
        last_name: '',
        email: `admin@${ws.domain}.example`,
        image_24: image(24),
        image_32: image(32),
        image_48: image(48),
        image_72: image(72),
        image_192: image(192),
        image_512: image(512),
        team: ws.id,
      },
      is_admin: true,
      is_owner: true,
      is_primary_owner: true,
      is_restricted: false,
      is_ultra_restricted: false,
      is_bot: false,
      is_app_user: false,
      updated: expect.any(Number),
      is_email_confirmed: true,
      who_can_share_contact_card: 'EVERYONE',
      has_2fa: false,
      presence: 'active',
      locale: 'en-US',
    });
  });

  it('distinguishes owners and admins', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const rolesOf = async (role: 'owner' | 'admin') => {
      const { user } = await bot.call('users.info', { user: (await ws.user({ role })).id });
      return [user.is_admin, user.is_owner, user.is_primary_owner];
    };
    expect(await rolesOf('owner')).toEqual([true, true, false]);
    expect(await rolesOf('admin')).toEqual([true, false, false]);
  });

  it('answers user_not_found for unknown ids, bot ids and users of another workspace', async () => {
    const [ws, other] = [await app.workspace(), await app.workspace()];
    const bot = await ws.bot();
    for (const user of ['U0NOBODY001', bot.botId, other.admin.id, 'x']) {
      expect(await bot.call('users.info', { user })).toEqual({ ok: false, error: 'user_not_found' });
    }
  });

  it('answers invalid_arguments without user', async () => {
    const bot = await (await app.workspace()).bot();
    expect(await bot.call('users.info')).toEqual({
      ok: false,
      error: 'invalid_arguments',
      response_metadata: { messages: ['[ERROR] missing required field: user'] },
    });
  });
});
