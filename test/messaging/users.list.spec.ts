import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';

describe('users.list', () => {
  const app = useApp();

  it('lists users, bots and deactivated accounts in the order of their creation', async () => {
    const ws = await app.workspace();
    const ann = await ws.user({ name: 'ann', realName: 'Ann Lée' });
    const gone = await ws.user({ name: 'gone' });
    const bot = await ws.bot();
    await ws.deactivate(gone);

    const answer = await bot.call('users.list');

    expect(answer.members.map((member: { id: string }) => member.id)).toEqual([
      ws.admin.id,
      ws.defaultApp.botUserId,
      ann.id,
      gone.id,
      bot.userId,
    ]);
    const [admin, , annObject, goneObject, botObject] = answer.members;
    expect(admin).toMatchObject({
      name: 'admin',
      is_admin: true,
      is_owner: true,
      is_primary_owner: true,
      is_bot: false,
    });
    expect(annObject).toMatchObject({
      name: 'ann',
      real_name: 'Ann Lée',
      is_admin: false,
      presence: 'active',
      profile: {
        real_name_normalized: 'Ann Lee',
        first_name: 'Ann',
        last_name: 'Lée',
        display_name: 'ann',
        team: ws.id,
      },
    });
    expect(goneObject).toMatchObject({ deleted: true });
    expect(botObject).toMatchObject({
      is_bot: true,
      profile: { api_app_id: bot.appId, bot_id: bot.botId, always_active: false },
    });
    expect(answer.cache_ts).toBeCloseTo(Date.now() / 1000, -1);
    expect(answer.response_metadata).toEqual({ next_cursor: '' });
  });

  it('pages by cursor, and loses no user when another is added meanwhile', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const seen: string[] = [];
    let cursor = '';
    do {
      const page = await bot.call('users.list', { limit: 1, cursor });
      expect(page.members).toHaveLength(1);
      seen.push(page.members[0].id);
      if (seen.length === 1) await ws.user({ name: 'late' });
      cursor = page.response_metadata.next_cursor;
    } while (cursor !== '');
    const all = await bot.call('users.list');
    expect(seen).toEqual(all.members.map((member: { id: string }) => member.id));
    expect(seen).toHaveLength(4);
  });

  it('shows e-mail addresses with users:read.email and to a JWT only', async () => {
    const ws = await app.workspace();
    const emails = async (client: { call(method: string): Promise<{ members: { profile: { email?: string } }[] }> }) =>
      (await client.call('users.list')).members
        .map((member) => member.profile.email)
        .filter((email) => email !== undefined);

    expect(await emails(await ws.bot({ scopes: ['users:read'] }))).toEqual([]);
    expect(await emails(await ws.bot({ scopes: ['users:read', 'users:read.email'] }))).toEqual([
      `admin@${ws.domain}.example`,
    ]);
    expect(await emails(await ws.jwtClient({ user: ws.admin }))).toEqual([`admin@${ws.domain}.example`]);
  });

  it('adds locale on request', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    expect((await bot.call('users.list', { include_locale: true })).members[0].locale).toBe('en-US');
    expect((await bot.call('users.list')).members[0]).not.toHaveProperty('locale');
  });

  it.each([
    ['invalid_limit', { limit: -1 }],
    ['invalid_limit', { limit: 'many', cursor: '?' }],
    ['invalid_cursor', { cursor: '?' }],
    ['invalid_cursor', { cursor: Buffer.from('team:C0RANDOM001').toString('base64') }],
    ['invalid_cursor', { cursor: Buffer.from('user:U0NOBODY001').toString('base64') }],
  ])('answers %s for %j', async (error, args) => {
    const bot = await (await app.workspace()).bot();
    expect(await bot.call('users.list', args)).toEqual({ ok: false, error });
  });

  it('refuses a cursor of another workspace, and requires users:read', async () => {
    const [ws, other] = [await app.workspace(), await app.workspace()];
    const bot = await ws.bot();
    const { response_metadata: theirs } = await (await other.bot()).call('users.list', { limit: 1 });
    expect(await bot.call('users.list', { cursor: theirs.next_cursor })).toEqual({
      ok: false,
      error: 'invalid_cursor',
    });

    const outsider = await ws.bot({ scopes: ['users:read.email'] });
    const { status, body } = await outsider.wire('users.list');
    expect(status).toBe(403);
    expect(body).toEqual({ ok: false, error: 'missing_scope', needed: 'users:read', provided: 'users:read.email' });
  });
});
