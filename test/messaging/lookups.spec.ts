import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';

const refused = (error: string) => ({ ok: false, error });
const needs = (needed: string) => ({ ok: false, error: 'missing_scope', needed, provided: '' });

describe('look-up methods', () => {
  const app = useApp();

  describe('api.test', () => {
    const test = async (query: string, init: RequestInit = {}) =>
      (await fetch(`${app.baseUrl}/api/api.test${query}`, init)).json();

    it('needs no token, and echoes the arguments as strings', async () => {
      expect(await test('')).toEqual({ ok: true });
      expect(await test('?foo=bar&token=xoxb-nobody')).toEqual({ ok: true, args: { foo: 'bar' } });
      const json = { method: 'POST', headers: { 'content-type': 'application/json' } };
      expect(await test('', { ...json, body: '{"n":1,"deep":{"a":[true]},"none":null}' })).toEqual({
        ok: true,
        args: { n: '1', deep: '{"a":[true]}' },
      });
      expect(await test('', { ...json, body: '{' })).toEqual(refused('invalid_json'));
    });

    it('answers the requested error with HTTP 200', async () => {
      for (const error of ['my_error', 'missing_scope', 'unknown_method']) {
        const response = await fetch(`${app.baseUrl}/api/api.test?error=${error}`);
        expect([response.status, await response.json()]).toEqual([200, { ok: false, error, args: { error } }]);
      }
    });

    it('works through the official client', async () => {
      const ws = await app.workspace();
      expect(await (await ws.bot({ scopes: [] })).webClient().apiCall('api.test', { foo: 'bar' })).toMatchObject({
        ok: true,
        args: { foo: 'bar' },
      });
    });
  });

  it('team.info shows only the own workspace', async () => {
    const ws = await app.workspace();
    const other = await app.workspace();
    const bot = await ws.bot();
    const own = await bot.call('team.info');
    expect(own.team).toMatchObject({
      id: ws.id,
      domain: ws.domain,
      url: `${app.baseUrl}/`,
      email_domain: '',
      avatar_base_url: `${app.baseUrl}/avatars/`,
      is_verified: false,
    });
    expect(Object.keys(own.team.icon)).toEqual(
      ['default', 34, 44, 68, 88, 102, 132, 230].map((size) => `image_${size}`),
    );
    expect(await bot.call('team.info', { team: ws.id, domain: ws.domain })).toEqual(own);
    expect(await bot.call('team.info', { team: other.id })).toEqual(refused('team_not_found'));
    expect(await bot.call('team.info', { domain: other.domain })).toEqual(refused('team_not_found'));
    expect(await (await ws.bot({ scopes: [] })).call('team.info')).toEqual(needs('team:read'));
  });

  it("bots.info shows a bot, by default the caller's own, and the bot of an incoming webhook", async () => {
    const ws = await app.workspace();
    const bot = await ws.bot({ name: 'helper' });
    const shown = await bot.call('bots.info', { bot: bot.botId });
    expect(shown.bot).toMatchObject({
      id: bot.botId,
      deleted: false,
      name: 'helper',
      app_id: bot.appId,
      user_id: bot.userId,
    });
    expect(await bot.call('bots.info')).toEqual(shown);
    const ann = await ws.userClient();
    expect((await ann.call('bots.info')).bot.id).toBe(ws.defaultApp.botId);
    expect(await (await ws.jwtClient()).call('bots.info')).toEqual(refused('missing_argument'));
    const foreign = await (await app.workspace()).bot();
    for (const id of ['B0NOBODY001', 'x', bot.userId, foreign.botId])
      expect(await bot.call('bots.info', { bot: id })).toEqual(refused('bot_not_found'));
    expect(await (await ws.bot({ scopes: [] })).call('bots.info')).toEqual(needs('users:read'));
  });

  it('auth.teams.list shows the workspace of an app token, and all workspaces of an account', async () => {
    const ws = await app.workspace({ name: 'One' });
    const bot = await ws.bot();
    const none = { next_cursor: '' };
    expect(await bot.call('auth.teams.list')).toEqual({
      ok: true,
      teams: [{ id: ws.id, name: 'One' }],
      response_metadata: none,
    });
    const ann = await ws.jwtClient();
    const made = await fetch(`${app.baseUrl}/api/workspaces`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ann.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Two' }),
    });
    expect(made.status).toBe(201);
    const first = await ann.call('auth.teams.list', { limit: 1 });
    expect(first.teams).toEqual([{ id: ws.id, name: 'One' }]);
    const cursor = first.response_metadata.next_cursor as string;
    expect(await ann.call('auth.teams.list', { limit: 1, cursor })).toMatchObject({
      teams: [{ name: 'Two' }],
      response_metadata: none,
    });
    const { icon } = (await bot.call('team.info')).team;
    expect((await bot.call('auth.teams.list', { include_icon: true })).teams[0].icon).toEqual(icon);
    expect(await ann.call('auth.teams.list', { limit: -1 })).toEqual(refused('invalid_limit'));
    expect(await ann.call('auth.teams.list', { cursor: 'x' })).toEqual(refused('invalid_cursor'));
  });

  it('emoji.list is empty', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    expect(await bot.call('emoji.list')).toEqual({ ok: true, emoji: {}, cache_ts: expect.stringMatching(/\.000000$/) });
    expect(await bot.call('emoji.list', { include_categories: true })).toMatchObject({ categories: [] });
    const mute = await ws.bot({ scopes: [] });
    expect(await mute.call('emoji.list')).toEqual(needs('emoji:read'));
  });

  it('users.lookupByEmail finds an active user of the workspace, whatever the case', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const ann = await ws.user({ email: `ann@${ws.domain}.example` });
    const found = await bot.call('users.lookupByEmail', { email: `ANN@${ws.domain}.example` });
    expect(found.user).toMatchObject({ id: ann.id, profile: { email: `ann@${ws.domain}.example` } });
    const foreign = await (await app.workspace()).user({ email: `far@${ws.domain}.example` });
    for (const email of ['nobody@x.example', `far@${ws.domain}.example`, foreign.id])
      expect(await bot.call('users.lookupByEmail', { email })).toEqual(refused('users_not_found'));
    await ws.deactivate(ann);
    expect(await bot.call('users.lookupByEmail', { email: `ann@${ws.domain}.example` })).toEqual(
      refused('users_not_found'),
    );
    expect(await bot.call('users.lookupByEmail')).toMatchObject(refused('invalid_arguments'));
    const mute = await ws.bot({ scopes: ['users:read'] });
    expect(await mute.call('users.lookupByEmail', { email: 'a@b.c' })).toMatchObject({ needed: 'users:read.email' });
  });

  it('users.getPresence answers further fields about the caller', async () => {
    const ws = await app.workspace();
    const ann = await ws.userClient();
    const bot = await ws.bot();
    await ann.call('users.setPresence', { presence: 'away' });
    expect(await bot.call('users.getPresence', { user: ann.userId })).toEqual({ ok: true, presence: 'away' });
    expect(await ann.call('users.getPresence')).toEqual({
      ok: true,
      presence: 'away',
      online: false,
      auto_away: false,
      manual_away: true,
      connection_count: 0,
      last_activity: expect.any(Number),
    });
    expect(await bot.call('users.getPresence', { user: 'U0NOBODY001' })).toEqual(refused('user_not_found'));
    expect(await (await ws.bot({ scopes: [] })).call('users.getPresence')).toEqual(needs('users:read'));
  });

  it('users.conversations lists a user’s conversations that the caller may see', async () => {
    const ws = await app.workspace();
    const [ann, bob] = [await ws.userClient(), await ws.userClient()];
    const open = await ws.channel({ members: [ann] });
    const shared = await ws.channel({ isPrivate: true, members: [ann, bob] });
    const hers = await ws.channel({ isPrivate: true, members: [ann] });
    const im = await ws.direct(ann, bob);
    const hidden = await ws.direct(ann, await ws.user());
    const all = { types: 'public_channel,private_channel,im,mpim' };
    const ids = async (client: typeof ann, args: Record<string, unknown>, method = 'users.conversations') =>
      ((await client.call(method, args)).channels as { id: string }[]).map(({ id }) => id);
    // in the order of conversations.list: by `created`, then id
    const listed = await ids(ann, all, 'conversations.list');
    const inOrder = (...some: { id: string }[]) => listed.filter((id) => some.some((one) => one.id === id));

    expect(await ids(ann, {})).toEqual(inOrder(ws.general, open));
    const whole = inOrder(ws.general, open, shared, hers, im, hidden);
    expect(await ids(ann, all)).toEqual(whole);
    expect(await ids(bob, { ...all, user: ann.userId })).toEqual(inOrder(ws.general, open, shared, im));
    const [item] = (await ann.call('users.conversations')).channels;
    expect(item).not.toHaveProperty('is_member');
    expect(item).not.toHaveProperty('num_members');
    await ws.archive(open);
    expect(await ids(ann, { exclude_archived: true })).toEqual([ws.general.id]);

    const ims = async () => (await ann.call('users.conversations', { types: 'im' })).channels;
    await ann.call('conversations.close', { channel: im.id });
    expect(await ims()).toMatchObject(
      inOrder(im, hidden).map((id) => ({ id, is_open: id === hidden.id, last_read: '0000000000.000000' })),
    );

    const page = await ann.call('users.conversations', { ...all, limit: 4 });
    expect((page.channels as { id: string }[]).map(({ id }) => id)).toEqual(whole.slice(0, 4));
    expect(await ids(ann, { ...all, limit: 4, cursor: page.response_metadata.next_cursor })).toEqual(whole.slice(4));
    const list = (args: Record<string, unknown>) => ann.call('users.conversations', args);
    expect(await list({ types: 'x', limit: -1 })).toEqual(refused('invalid_types'));
    expect(await list({ limit: -1, cursor: 'x' })).toEqual(refused('invalid_limit'));
    expect(await list({ cursor: 'x', user: 'U0NOBODY001' })).toEqual(refused('invalid_cursor'));
    expect(await list({ user: 'U0NOBODY001' })).toEqual(refused('user_not_found'));
    const reader = await ws.bot({ scopes: ['channels:read'] });
    expect(await reader.call('users.conversations', { ...all })).toMatchObject({
      needed: 'groups:read,im:read,mpim:read',
    });
  });
});
