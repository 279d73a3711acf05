import { describe, expect, it, vi } from 'vitest';
import { Db } from '../../src/kernel/database/db.js';
import { statement } from '../../src/kernel/database/statement.js';
import { Limits } from '../../src/kernel/limits/limits.js';
import { useApp } from '../support/app.js';
import { closeReceivers, eventually, receiver } from '../support/receiver.js';
import { callRest } from '../support/rest-call.js';

const EVERYBODY = 200;
const usedOf = statement(
  'tests_used_allowance',
  `SELECT coalesce(sum(total - base), 0)::int AS used FROM rate_windows WHERE key LIKE '%' || $1 || '%'`,
);

/** A process caches callers without being notified of changes (docs/decisions/remembered-callers.md). */
describe('cached callers', () => {
  const app = useApp();
  closeReceivers();
  const db = (): Db => app.nest.get(Db);

  it('are current in reads and writes', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const appId = (await bot.call('auth.test'))['app_id'] as string;
    const channel = await ws.channel({ members: [bot] });
    const post = async (): Promise<unknown> =>
      ((await bot.call('chat.postMessage', { channel: channel.id, text: 'x' }))['message'] as { bot_profile: object })
        .bot_profile;
    for (const name of ['Before', 'After']) {
      await ws.renameApp(appId, name);
      // the first call after a change finds an outdated entry, the next one a current entry
      for (let i = 0; i < 2; i++) {
        expect(await bot.call('auth.test')).toMatchObject({ app_name: name });
        expect(await post()).toMatchObject({ name });
      }
    }
  });

  it('lose a scope, a conversation, a membership and the token with the next call', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot({ scopes: ['channels:read', 'channels:history', 'groups:history', 'chat:write'] });
    const channel = await ws.channel({ members: [bot] });
    const hidden = await ws.channel({ members: [bot], isPrivate: true });
    const user = await ws.userClient();
    await ws.join(hidden, user);
    const history = (at: { id: string }) => bot.wire('conversations.history', { channel: at.id });
    const post = (at: { id: string }) => bot.wire('chat.postMessage', { channel: at.id, text: 'x' });
    for (let i = 0; i < 2; i++) {
      for (const at of [channel, hidden]) {
        expect((await history(at)).body).toMatchObject({ ok: true });
        expect((await post(at)).body).toMatchObject({ ok: true });
      }
    }

    await user.call('conversations.kick', { channel: hidden.id, user: bot.userId });
    expect((await history(hidden)).body).toEqual({ ok: false, error: 'channel_not_found' });
    expect((await post(hidden)).body).toEqual({ ok: false, error: 'channel_not_found' });

    await ws.archive(channel);
    expect((await post(channel)).body).toEqual({ ok: false, error: 'is_archived' });

    await ws.setScopes(bot, ['channels:read']);
    for (const refused of [await history(channel), await post(channel)]) {
      expect(refused.body).toMatchObject({ ok: false, error: 'missing_scope', provided: 'channels:read' });
      expect(refused.headers.get('x-oauth-scopes')).toBe('channels:read');
    }

    expect((await bot.wire('conversations.info', { channel: channel.id })).body).toMatchObject({ ok: true });
    await ws.revoke(bot);
    for (let i = 0; i < 2; i++) {
      const dead = await bot.wire('conversations.info', { channel: channel.id });
      expect(dead.body).toEqual({ ok: false, error: 'token_revoked' });
      expect(dead.headers.get('x-oauth-scopes')).toBeNull();
    }
  });

  it('take nothing from the rate limit in a statement that finds them outdated', async ({ skip }) => {
    if (!('sweep' in app.nest.get(Limits))) return skip('allowances are counted in memory');
    const ws = await app.workspace();
    const bot = await ws.bot();
    const appId = (await bot.call('auth.test'))['app_id'] as string;
    const used = async (): Promise<number> =>
      ((await db().read<{ used: number }>(usedOf, [`auth.test:${appId}`]))[0] as { used: number }).used;
    const before = await used();
    await bot.call('auth.test');
    expect(await used()).toBe(before + 1);
    await ws.renameApp(appId, 'Changed');
    // counted once, for the current caller
    await bot.call('auth.test');
    expect(await used()).toBe(before + 2);
    await ws.revoke(bot);
    await bot.wire('auth.test');
    expect(await used()).toBe(before + 2);
  });

  it('are distinguished in concurrent calls', async () => {
    const ws = await app.workspace();
    const bots = await Promise.all([ws.bot(), ws.bot(), ws.bot()]);
    for (const bot of bots) await bot.call('auth.test');
    await ws.revoke(bots[1] as (typeof bots)[number]);
    const answers = await Promise.all(
      Array.from({ length: EVERYBODY }, async (_, i) => {
        const bot = bots[i % 3] as (typeof bots)[number];
        return { i, bot, body: (await bot.wire('auth.test')).body as Record<string, unknown> };
      }),
    );
    for (const { i, bot, body } of answers) {
      if (i % 3 === 1) expect(body).toEqual({ ok: false, error: 'token_revoked' });
      else expect([bot.userId, undefined]).toContain(body['user_id']);
    }
    // Tier 4 allows 100 calls, so all of this bot succeed
    expect(answers.filter(({ i, body }) => i % 3 === 0 && body['ok'] === true)).toHaveLength(67);
  });

  it('read nothing in a call that is refused', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    await Promise.all(Array.from({ length: 100 }, () => bot.call('conversations.list')));
    const read = vi.spyOn(db(), 'read');
    const names = (): string[] =>
      read.mock.calls.map(([{ name }]) => name).filter((name) => /^chat_(?!token_holders)/.test(name));
    try {
      expect((await bot.wire('conversations.list')).body).toEqual({ ok: false, error: 'ratelimited' });
      expect(names()).toEqual([]);
    } finally {
      read.mockRestore();
    }
  });

  it('post with deliveries from the first post that a target may hear', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const channel = await ws.channel({ members: [bot] });
    const post = async (text: string): Promise<void> => {
      expect(await bot.call('chat.postMessage', { channel: channel.id, text })).toMatchObject({ ok: true });
    };
    await post('unheard');
    const end = await receiver();
    await callRest(app, 'POST', '/api/events/subscribe', {
      token: bot.token,
      body: { url: end.url, events: ['message'] },
    });
    await post('first');
    await post('second');
    const heard = (): string[] =>
      end.received.flatMap(({ body }) => (JSON.parse(body) as { event?: { text: string } }).event?.text ?? []);
    await eventually(() => heard().length === 2, 'both posts');
    expect(heard()).toEqual(['first', 'second']);
  });

  it('post as often as their limit allows when many posts share a statement, and answer Retry-After', async () => {
    const ws = await app.workspace();
    const bots = await Promise.all([ws.bot(), ws.bot()]);
    const channel = await ws.channel({ members: bots });
    const other = await ws.channel({ members: bots });
    app.clock.freeze();
    try {
      const post = (bot: (typeof bots)[number], at: { id: string }) =>
        bot.wire('chat.postMessage', { channel: at.id, text: `by ${bot.userId}` });
      for (const bot of bots)
        for (const at of [channel, other]) expect((await post(bot, at)).body).toMatchObject({ ok: true });
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, i) => post(bots[i % 2] as (typeof bots)[number], i % 4 < 2 ? channel : other)),
      );
      // each bot has used one of five in each channel
      expect(answers.filter(({ body }) => body['ok'] === true)).toHaveLength(4 * 4);
      for (const { status, body, headers } of answers.filter((answer) => answer.body['ok'] !== true)) {
        expect({ status, body }).toEqual({ status: 429, body: { ok: false, error: 'ratelimited' } });
        expect(headers.get('retry-after')).toBe('1');
      }
      const reader = bots[0] as (typeof bots)[number];
      for (const at of [channel, other]) {
        const { messages } = await reader.call('conversations.history', { channel: at.id });
        const posted = (messages as { text: string }[]).filter(({ text }) => text.startsWith('by '));
        expect(posted).toHaveLength(2 * 5);
      }
    } finally {
      app.clock.reset();
    }
  });

  it('are answered ratelimited before errors of the arguments, and those calls count', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const channel = await ws.channel({ members: [bot] });
    const post = (more: object) => bot.wire('chat.postMessage', { channel: channel.id, ...more });
    expect((await post({ text: 'x' })).body).toMatchObject({ ok: true });
    const wrong = await Promise.all(Array.from({ length: 8 }, () => post({})));
    const errors = wrong.map(({ body }) => body['error']);
    // a burst of five, then one a second
    expect(errors.filter((error) => error === 'no_text').length).toBeGreaterThanOrEqual(4);
    expect(errors).toContain('ratelimited');
    expect((await post({})).body).toMatchObject({ error: 'ratelimited' });
  });

  it('that are outdated do not affect other posts that share their statement', async () => {
    const ws = await app.workspace();
    const bots = await Promise.all([ws.bot(), ws.bot(), ws.bot()]);
    const channel = await ws.channel({ members: bots });
    const post = (bot: (typeof bots)[number], text: string) =>
      bot.wire('chat.postMessage', { channel: channel.id, text });
    for (const bot of bots) await post(bot, 'before');
    const [one, two, three] = bots as [(typeof bots)[number], (typeof bots)[number], (typeof bots)[number]];
    await ws.revoke(two);
    const appId = (await three.call('auth.test'))['app_id'] as string;
    await ws.renameApp(appId, 'Renamed');
    const answers = await Promise.all(bots.map((bot) => post(bot, 'after')));
    expect(answers[0]?.body).toMatchObject({ ok: true });
    expect(answers[1]?.body).toEqual({ ok: false, error: 'token_revoked' });
    expect(answers[2]?.body).toMatchObject({ ok: true, message: { bot_profile: { name: 'Renamed' } } });
    const { messages } = await one.call('conversations.history', { channel: channel.id });
    const after = (messages as { text: string; user: string }[]).filter(({ text }) => text === 'after');
    expect(after.map(({ user }) => user).sort()).toEqual([one.userId, three.userId].sort());
  });
});
