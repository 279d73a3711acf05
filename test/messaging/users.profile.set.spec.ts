import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { unique } from '../support/workspace.js';

describe('users.profile.set', () => {
  const app = useApp();
  const refused = (error: string) => ({ ok: false, error });

  it('changes the own profile and updated, and sends an event with e-mail and locale', async () => {
    const ws = await app.workspace();
    const user = await ws.user({ name: 'ann', realName: 'Ann' });
    const ann = await ws.userClient({ user, scopes: ['users.profile:write', 'users:read'] });
    app.clock.advance(60_000);

    const answer = await ann.call('users.profile.set', {
      profile: {
        real_name: 'Ann Mary Lée',
        title: 'Captain',
        phone: '1',
        skype: 's',
        pronouns: 'she',
        display_name: 'Annie',
        made_up: 'x',
      },
    });

    expect(answer).toMatchObject({ ok: true, username: 'ann' });
    expect(answer.profile).toMatchObject({
      real_name: 'Ann Mary Lée',
      real_name_normalized: 'Ann Mary Lee',
      first_name: 'Ann',
      last_name: 'Mary Lée',
      title: 'Captain',
      phone: '1',
      skype: 's',
      pronouns: 'she',
      display_name: 'Annie',
    });
    expect(answer.profile).not.toHaveProperty('made_up');
    expect(answer.profile).not.toHaveProperty('email');
    const { user: after } = await ann.call('users.info', { user: user.id });
    expect(after.updated).toBeGreaterThan(Date.now() / 1000 + 50);
    expect(after.real_name).toBe('Ann Mary Lée');

    expect(await ws.recorded('user_change')).toEqual([
      {
        type: 'user_change',
        user: { ...after, locale: 'en-US', profile: { ...after.profile, email: `ann@${ws.domain}.example` } },
        cache_ts: expect.any(Number),
        event_ts: expect.any(String),
      },
    ]);
  });

  it('derives the real name from first and last name', async () => {
    const ann = await (await app.workspace()).userClient();
    const set = async (profile: object) =>
      (await ann.call('users.profile.set', { profile })).profile as Record<string, string>;
    expect(await set({ first_name: 'Ann', last_name: 'Lee' })).toMatchObject({ real_name: 'Ann Lee' });
    expect(await set({ last_name: 'Ray' })).toMatchObject({ real_name: 'Ann Ray', first_name: 'Ann' });
    expect(await set({ last_name: '' })).toMatchObject({ real_name: 'Ann', last_name: '' });
    expect(await set({ real_name: '' })).toMatchObject({ real_name: '', first_name: '', last_name: '' });
  });

  it('accepts one key as name and value, which take precedence over profile', async () => {
    const ann = await (await app.workspace()).userClient();
    const answer = await ann.call('users.profile.set', {
      name: 'title',
      value: 'Cook',
      profile: { title: 'x', phone: '2' },
    });
    expect(answer.profile).toMatchObject({ title: 'Cook', phone: '' });
    expect((await ann.call('users.profile.set', { name: 'title', value: '' })).profile.title).toBe('');
  });

  it('keeps status text, emoji and expiration consistent', async () => {
    const ann = await (await app.workspace()).userClient();
    const set = async (profile: object) => {
      const { profile: after } = await ann.call('users.profile.set', { profile: JSON.stringify(profile) });
      return [after.status_text, after.status_emoji, after.status_expiration] as unknown[];
    };
    const later = Math.floor(Date.now() / 1000) + 600;
    expect(await set({ status_text: 'Lunch' })).toEqual(['Lunch', ':speech_balloon:', 0]);
    expect(await set({ status_text: 'Lunch', status_emoji: ':pizza:', status_expiration: later })).toEqual([
      'Lunch',
      ':pizza:',
      later,
    ]);
    expect(await set({ title: 'x' })).toEqual(['Lunch', ':pizza:', later]);
    expect(await set({ status_emoji: ':tada:' })).toEqual(['Lunch', ':tada:', 0]);
    expect(await set({ status_text: '' })).toEqual(['', ':tada:', 0]);
    expect(await set({ status_text: '', status_emoji: '', status_expiration: later })).toEqual(['', '', 0]);
    expect(await set({ status_text: 'x'.repeat(100), status_expiration: later })).toEqual([
      'x'.repeat(100),
      ':speech_balloon:',
      later,
    ]);

    app.clock.advance(601_000);
    const { profile } = await ann.call('users.profile.get');
    expect([profile.status_text, profile.status_emoji, profile.status_expiration]).toEqual(['', '', 0]);
  });

  it('merges custom fields, removes emptied ones and sends no event', async () => {
    const ws = await app.workspace();
    const ann = await ws.userClient();
    await ann.call('users.profile.set', {
      profile: { fields: { Xf0FIELD0001: { value: 'a', alt: '' }, Xf0FIELD0002: { value: 'b' } } },
    });
    const { profile } = await ann.call('users.profile.set', {
      profile: { fields: { Xf0FIELD0001: { value: '', alt: '' }, other: { value: 'x' } } },
    });
    expect(profile.fields).toEqual({ Xf0FIELD0002: { value: 'b', alt: '' } });
    expect(await ws.recorded('user_change')).toEqual([]);
  });

  it('lets an admin change others and their e-mail addresses, which are unique over all workspaces', async () => {
    const [ws, other] = [await app.workspace(), await app.workspace()];
    const admin = await ws.adminClient();
    const ann = await ws.user();
    const email = `${unique('New')}@Example.org`;

    const changed = await admin.call('users.profile.set', { user: ann.id, profile: { email, title: 'Cook' } });
    expect(changed).toMatchObject({ username: ann.name, profile: { email: email.toLowerCase(), title: 'Cook' } });
    expect(await admin.call('users.profile.set', { profile: { email, title: 'x' } })).toEqual(refused('email_taken'));
    const theirs = await other.adminClient();
    expect(await theirs.call('users.profile.set', { profile: { email } })).toEqual(refused('email_taken'));
    expect((await admin.call('users.profile.get')).profile).toMatchObject({
      title: '',
      email: `admin@${ws.domain}.example`,
    });
    // the user's own current address is no conflict
    expect(await admin.call('users.profile.set', { user: ann.id, profile: { email } })).toMatchObject({ ok: true });
  });

  it.each([
    ['invalid_profile', {}],
    ['invalid_profile', { profile: 'x' }],
    ['invalid_profile', { profile: [] }],
    ['invalid_profile', { name: 'title' }],
    ['invalid_profile', { profile: { title: 5 } }],
    ['invalid_profile', { profile: { email: 'nobody' }, user: 'U0NOBODY001' }],
    ['invalid_profile', { profile: { fields: [] } }],
    ['invalid_profile', { profile: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`k${i}`, ''])) }],
    ['user_not_found', { profile: { title: 'x' }, user: 'U0NOBODY001' }],
    ['not_admin', { profile: { email: 'a@example.org', status_text: 'x'.repeat(101) } }],
    ['too_long', { profile: { status_text: 'x'.repeat(101), status_emoji: '' } }],
    [
      'must_clear_both_status_text_and_status_emoji',
      { profile: { status_text: 'x', status_emoji: '', display_name: '@x' } },
    ],
    ['invalid_starts_with_at', { profile: { display_name: '@x' } }],
  ])('answers %s for %j', async (error, args) => {
    const ann = await (await app.workspace()).userClient();
    expect(await ann.call('users.profile.set', args)).toEqual(refused(error));
  });

  it('answers user_not_found, not_admin, then errors of the profile, in this order', async () => {
    const ws = await app.workspace();
    const ann = await ws.userClient();
    const profile = { status_text: 'x'.repeat(101), display_name: '@x' };
    expect(await ann.call('users.profile.set', { user: ws.admin.id, profile })).toEqual(refused('not_admin'));
    expect(await ann.call('users.profile.set', { user: ann.userId, profile })).toEqual(refused('too_long'));
    const admin = await ws.adminClient();
    const taken = (await admin.call('users.profile.get')).profile.email;
    expect(
      await admin.call('users.profile.set', { user: ann.userId, profile: { email: taken, display_name: '@x' } }),
    ).toEqual(refused('email_taken'));
    expect(await ws.recorded()).toEqual([]);
  });

  it('keeps all concurrent changes of different fields', async () => {
    const ann = await (await app.workspace()).userClient();
    await Promise.all([
      ann.call('users.profile.set', { profile: { title: 'Cook' } }),
      ann.call('users.profile.set', { profile: { phone: '12' } }),
      ann.call('users.profile.set', { profile: { fields: { Xf0FIELD0001: { value: 'a' } } } }),
      ann.call('users.profile.set', { profile: { fields: { Xf0FIELD0002: { value: 'b' } } } }),
    ]);
    const { profile } = await ann.call('users.profile.get');
    expect(profile).toMatchObject({
      title: 'Cook',
      phone: '12',
      fields: { Xf0FIELD0001: { value: 'a' }, Xf0FIELD0002: { value: 'b' } },
    });
  });

  it('requires users.profile:write, which a bot may have', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot({ scopes: ['users.profile:write'] });
    expect(await bot.call('users.profile.set', { profile: { title: 'Robot' } })).toMatchObject({
      ok: true,
      profile: { title: 'Robot' },
    });
    const mute = await ws.bot({ scopes: ['users.profile:read'] });
    expect(await mute.call('users.profile.set', { profile: { title: 'x' } })).toMatchObject({ error: 'missing_scope' });
  });

  it('keeps concurrent changes of other fields', async () => {
    const ws = await app.workspace();
    const ann = await ws.userClient();
    const changes = [{ title: 'Cook' }, { phone: '1' }, { skype: 'ann' }, { pronouns: 'she' }, { display_name: 'ann' }];

    const answers = await Promise.all(changes.map((profile) => ann.call('users.profile.set', { profile })));

    expect(answers.map(({ ok }) => ok)).toEqual(changes.map(() => true));
    expect((await ann.call('users.profile.get')).profile).toMatchObject(Object.assign({}, ...changes));
    expect(await ws.recorded('user_change')).toHaveLength(changes.length);
  });
});
