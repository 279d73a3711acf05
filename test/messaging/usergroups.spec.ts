import { WebClient } from '@slack/web-api';
import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import type { ChatClient } from '../support/chat-client.js';
import { missing, recentSeconds, wireTs } from '../support/conversations.js';
import { closeReceivers, eventually, receiver } from '../support/receiver.js';
import { rest } from '../support/rest-client.js';

const refused = (error: string) => ({ ok: false, error });
const needs = (needed: string) => expect.objectContaining({ ok: false, error: 'missing_scope', needed });

// docs/reference/chat.md#user-groups
describe('user groups', () => {
  const app = useApp();
  closeReceivers();

  it('usergroups.create, usergroups.list, usergroups.update, usergroups.disable and usergroups.enable, by the official client', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const { usergroups } = new WebClient(bot.token, { slackApiUrl: `${app.baseUrl}/api/` });

    const made = await usergroups.create({ name: 'Marketing Team', channels: ws.general.id });
    const id = made.usergroup?.id as string;
    const group = {
      id,
      team_id: ws.id,
      is_usergroup: true,
      is_subteam: true,
      name: 'Marketing Team',
      description: '',
      handle: 'marketing-team',
      is_external: false,
      date_create: recentSeconds,
      date_update: recentSeconds,
      date_delete: 0,
      auto_type: null,
      auto_provision: false,
      enterprise_subteam_id: '',
      created_by: bot.userId,
      updated_by: bot.userId,
      deleted_by: null,
      prefs: { channels: [ws.general.id], groups: [] },
    };
    const counts = { user_count: 0, channel_count: 1 };
    expect(made.usergroup).toEqual({ ...group, users: [], ...counts });
    expect((await usergroups.list({})).usergroups).toEqual([group]);
    expect((await usergroups.list({ include_users: true, include_count: true })).usergroups).toEqual([
      { ...group, users: [], ...counts },
    ]);

    const person = await ws.userClient();
    const changed = await person.call('usergroups.update', { usergroup: id, handle: 'mark', description: 'ads' });
    expect(changed.usergroup).toMatchObject({ name: 'Marketing Team', handle: 'mark', updated_by: person.userId });

    expect((await usergroups.disable({ usergroup: id })).usergroup).toMatchObject({
      deleted_by: bot.userId,
      date_delete: recentSeconds,
    });
    expect((await usergroups.list({})).usergroups).toEqual([]);
    expect((await usergroups.list({ include_disabled: true })).usergroups).toHaveLength(1);
    expect(await bot.call('usergroups.disable', { usergroup: id })).toEqual(refused('already_disabled'));
    const enabled = await usergroups.enable({ usergroup: id, include_count: true });
    expect(enabled.usergroup).toMatchObject({ deleted_by: null, date_delete: 0, user_count: 0 });
    expect(await bot.call('usergroups.enable', { usergroup: id })).toEqual(refused('already_enabled'));
    expect((await ws.recorded('subteam_created')).map(({ subteam }) => subteam)).toEqual([made.usergroup]);
    expect(await ws.recorded('subteam_updated')).toHaveLength(3);
  });

  it('usergroups.users.update replaces the users, usergroups.users.list has them, events tell of who came and went', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const [ann, bob] = [await ws.user(), await ws.user()];
    const { usergroup } = await bot.call('usergroups.create', { name: 'ops' });
    const give = (users: string) => bot.call('usergroups.users.update', { usergroup: usergroup.id, users });
    expect((await give(`${ann.id},${bob.id}`)).usergroup).toMatchObject({ users: [ann.id, bob.id], user_count: 2 });
    await give(bob.id);
    await give(bob.id);
    expect(await bot.call('usergroups.users.list', { usergroup: usergroup.id })).toEqual({ ok: true, users: [bob.id] });
    expect(await ws.recorded('subteam_members_changed')).toEqual(
      [[ann.id, bob.id], []].map((added, i) => ({
        type: 'subteam_members_changed',
        subteam_id: usergroup.id,
        team_id: ws.id,
        date_previous_update: recentSeconds,
        date_update: recentSeconds,
        added_users: added,
        added_users_count: added.length,
        removed_users: i === 0 ? [] : [ann.id],
        removed_users_count: i,
        event_ts: wireTs,
      })),
    );
    expect(await ws.recorded('subteam_self_added')).toHaveLength(2);
    expect(await ws.recorded('subteam_self_removed')).toEqual([
      { type: 'subteam_self_removed', subteam_id: usergroup.id, event_ts: wireTs },
    ]);
    await bot.call('usergroups.disable', { usergroup: usergroup.id });
    const list = (args: object) => bot.call('usergroups.users.list', { usergroup: usergroup.id, ...args });
    expect(await list({})).toEqual(refused('no_such_subteam'));
    expect(await list({ include_disabled: true })).toEqual({ ok: true, users: [bob.id] });
  });

  it('tell only the person themselves that they came or went', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const [ann, bob] = [await ws.jwtClient(), await ws.jwtClient()];
    const hears = async (creator: ChatClient): Promise<() => string[]> => {
      const far = await receiver();
      const body = { url: far.url, events: ['subteam_self_added', 'subteam_self_removed', 'subteam_members_changed'] };
      expect((await rest(app, 'POST /webhooks/outgoing', { token: creator.token, body })).status).toBe(201);
      return () => far.received.map((one) => (JSON.parse(one.body) as { event: { type: string } }).event.type);
    };
    const [annHears, bobHears] = [await hears(ann), await hears(bob)];
    const { usergroup } = await bot.call('usergroups.create', { name: 'ops' });
    const give = (users: string) => bot.call('usergroups.users.update', { usergroup: usergroup.id, users });
    await give(ann.userId);
    await give(bob.userId);
    const changed = ['subteam_members_changed', 'subteam_members_changed'];
    await eventually(() => annHears().length >= 4 && bobHears().length >= 3, 'each hears of the changes');
    expect(annHears().toSorted()).toEqual([...changed, 'subteam_self_added', 'subteam_self_removed']);
    expect(bobHears().toSorted()).toEqual([...changed, 'subteam_self_added']);
  });

  it('answer each error in the documented order', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const ann = await ws.user({ name: 'ann' });
    const { usergroup } = await bot.call('usergroups.create', { name: 'Ops', handle: 'ops' });
    const hidden = await ws.channel({ isPrivate: true });
    const other = await app.workspace();
    const faults: [object, string][] = [
      [{ name: '', handle: '!' }, 'missing_subteam_name'],
      [{ name: '  ' }, 'missing_subteam_name'],
      [{ name: 'x'.repeat(256), description: 'x'.repeat(141) }, 'name_too_long'],
      [{ name: 'x', description: 'x'.repeat(141), handle: '!' }, 'description_too_long'],
      [{ name: 'Ops', handle: 'No' }, 'bad_handle'],
      [{ name: '???' }, 'bad_handle'],
      [{ name: 'Ops', handle: 'x'.repeat(22) }, 'bad_handle'],
      [{ name: 'Ops', handle: 'here' }, 'forbidden_handle'],
      [{ name: 'Ops', handle: 'ops' }, 'name_already_exists'],
      [{ name: 'Other', handle: 'ops', channels: 'C0NOWHERE01' }, 'handle_already_exists'],
      [{ name: 'Other', handle: ann.name }, 'handle_already_exists'],
      [{ name: 'General' }, 'handle_already_exists'],
      [{ name: 'Other', channels: 'C0NOWHERE01' }, 'invalid_channel_provided'],
      [{ name: 'Other', channels: hidden.id }, 'invalid_channel_provided'],
      [{ name: 'Other', channels: other.general.id }, 'invalid_channel_provided'],
    ];
    for (const [args, error] of faults) {
      expect(await bot.call('usergroups.create', { ...args }), JSON.stringify(args)).toEqual(refused(error));
    }
    const longest = { name: 'x'.repeat(255), handle: 'x'.repeat(21), description: 'x'.repeat(140) };
    expect(await bot.call('usergroups.create', longest)).toMatchObject({ ok: true, usergroup: longest });
    const update = (args: object) => bot.call('usergroups.update', { usergroup: usergroup.id, ...args });
    expect(await update({ usergroup: '' })).toEqual(missing('usergroup'));
    expect(await update({ usergroup: 'S0NOWHERE01', handle: '!' })).toEqual(refused('no_such_subteam'));
    expect(await update({ name: ' ' })).toEqual(refused('missing_subteam_name'));
    expect(await update({ name: 'Ops', handle: 'ops' })).toMatchObject({ ok: true });
    const users = (args: object) => bot.call('usergroups.users.update', { usergroup: usergroup.id, ...args });
    expect(await users({ usergroup: 'S0NOWHERE01' })).toEqual(refused('no_users_provided'));
    expect(await users({ usergroup: 'S0NOWHERE01', users: 'U0NOBODY001' })).toEqual(refused('no_such_subteam'));
    expect(await users({ users: `${ann.id},${other.admin.id}` })).toEqual(refused('invalid_users'));
    await ws.deactivate(ann);
    expect(await users({ users: ann.id })).toEqual(refused('invalid_users'));
    for (const method of ['usergroups.disable', 'usergroups.enable', 'usergroups.users.list']) {
      expect(await bot.call(method)).toEqual(missing('usergroup'));
      const stranger = await other.bot();
      expect(await stranger.call(method, { usergroup: usergroup.id })).toEqual(refused('no_such_subteam'));
    }
    const mute = await ws.bot({ scopes: [] });
    expect(await mute.call('usergroups.list')).toEqual(needs('usergroups:read'));
    expect(await mute.call('usergroups.users.list', { usergroup: 'x' })).toEqual(needs('usergroups:read'));
    for (const method of ['create', 'update', 'disable', 'enable', 'users.update']) {
      expect(await mute.call(`usergroups.${method}`)).toEqual(needs('usergroups:write'));
    }
  });

  it('are mentioned by their handle where names become links, and found by search as they were sent', async () => {
    const ws = await app.workspace();
    const [bot, person] = [await ws.bot(), await ws.userClient()];
    const { usergroup } = await bot.call('usergroups.create', { name: 'Marketing' });
    const post = (args: object) => bot.call('chat.postMessage', { channel: ws.general.id, ...args });
    const linked = await post({ text: 'ask @marketing.', link_names: true });
    expect(linked.message.text).toBe(`ask <!subteam^${usergroup.id}>.`);
    expect((await post({ text: 'ask @marketing', parse: 'full' })).message.text).toBe(`ask <!subteam^${usergroup.id}>`);
    const sent = `hey <!subteam^${usergroup.id}|@marketing> look`;
    const { message, ts } = await post({ text: sent });
    expect(message.text).toBe(sent);
    const found = await person.call('search.messages', { query: 'marketing' });
    expect(found.messages.matches.map((match: { ts: string }) => match.ts)).toEqual([ts]);
    expect(await ws.recorded('app_mention')).toEqual([]);
  });
});
