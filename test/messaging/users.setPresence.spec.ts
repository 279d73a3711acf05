import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';

describe('users.setPresence', () => {
  const app = useApp();

  it('sets away and back, shows it in users.info and sends events for changes only', async () => {
    const ws = await app.workspace();
    const ann = await ws.userClient();
    const presence = async () => (await ann.call('users.info', { user: ann.userId })).user.presence as string;

    expect(await ann.call('users.setPresence', { presence: 'auto' })).toEqual({ ok: true });
    expect(await ws.recorded('presence_change')).toEqual([]);
    await ann.call('users.setPresence', { presence: 'away' });
    await ann.call('users.setPresence', { presence: 'away' });
    expect(await presence()).toBe('away');
    await ann.call('users.setPresence', { presence: 'auto' });
    expect(await presence()).toBe('active');

    const event = { type: 'presence_change', user: ann.userId, event_ts: expect.any(String) };
    expect(await ws.recorded('presence_change')).toEqual([
      { ...event, presence: 'away' },
      { ...event, presence: 'active' },
    ]);
  });

  it('sends one event per change, with many concurrent changes of many users', async () => {
    const ws = await app.workspace();
    const people = await Promise.all([ws.userClient(), ws.userClient(), ws.userClient()]);
    const set = async (by: (typeof people)[number], presence: string): Promise<unknown> =>
      (await by.call('users.setPresence', { presence })).ok;
    const all = people.flatMap((by) => ['away', 'auto', 'away', 'auto', 'away'].map((presence) => set(by, presence)));
    expect(new Set(await Promise.all(all))).toEqual(new Set([true]));
    const changes = await ws.recorded('presence_change');
    for (const { userId } of people) {
      const own = changes.filter((event) => event['user'] === userId).map((event) => event['presence']);
      // active at first, then alternating
      expect(own).toEqual(own.map((_, i) => (i % 2 === 0 ? 'away' : 'active')));
      const { user } = await (people[0] as (typeof people)[number]).call('users.info', { user: userId });
      expect((user as { presence: string }).presence).toBe(own.at(-1) ?? 'active');
    }
  });

  it('answers invalid_presence for anything else', async () => {
    const bot = await (await app.workspace()).bot();
    for (const presence of ['active', 'AUTO', 'x', 1]) {
      expect(await bot.call('users.setPresence', { presence })).toEqual({ ok: false, error: 'invalid_presence' });
    }
    expect(await bot.call('users.setPresence')).toMatchObject({ ok: false, error: 'invalid_arguments' });
  });

  it('requires users:write', async () => {
    const bot = await (await app.workspace()).bot({ scopes: ['users:read'] });
    expect(await bot.call('users.setPresence', { presence: 'away' })).toMatchObject({
      error: 'missing_scope',
      needed: 'users:write',
    });
  });
});
