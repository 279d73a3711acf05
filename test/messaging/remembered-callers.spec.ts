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

  it('send a post, a reply, a reaction, a deletion and an opening in the statement that validates the caller', async ({
    skip,
  }) => {
    if (!('sweep' in app.nest.get(Limits))) return skip('allowances are counted in memory');
    const ws = await app.workspace();
    const bot = await ws.bot();
    const channel = await ws.channel({ members: [bot] });
    const sent = { run: vi.spyOn(db(), 'run'), read: vi.spyOn(db(), 'read'), write: vi.spyOn(db(), 'write') };
    // background tasks of the workspace use statements of other names
    const names = (): string[] =>
      [...sent.run.mock.calls, ...sent.read.mock.calls]
        .map(([{ name }]) => name)
        .filter((name) =>
          /^(chat_(post|reply|parents|token|open|user|conversation|delete|message|bury)|reactions_|limits_take_.*_of_holder)/.test(
            name,
          ),
        );
    try {
      const post = async (more: object = {}): Promise<string> =>
        (await bot.call('chat.postMessage', { channel: channel.id, text: 'x', ...more }))['ts'] as string;
      const plain = await post();
      sent.run.mockClear();
      sent.read.mockClear();
      const ts = await post();
      expect(names()).toEqual(['chat_post_batch_lone_of_holder']);
      sent.run.mockClear();
      const reply = await post({ thread_ts: ts });
      expect(names()).toEqual(['chat_reply_batch_of_holder', 'chat_parents']);
      sent.run.mockClear();
      sent.read.mockClear();
      await bot.call('reactions.add', { channel: channel.id, timestamp: ts, name: 'tada' });
      expect(names()).toEqual(['reactions_add_batch_of_holder']);
      // a message alone, one with a reply, and the last reply of what is a tombstone by then
      for (const [deleted, ...more] of [[plain], [ts, 'connected'], [reply, 'connected']]) {
        sent.run.mockClear();
        sent.read.mockClear();
        expect(await bot.call('chat.delete', { channel: channel.id, ts: deleted })).toMatchObject({ ok: true });
        expect(names()).toEqual(['chat_delete_batch_of_holder', ...more.map((what) => `chat_delete_${what}_batch`)]);
      }
      await bot.call('auth.test');
      for (const existed of [undefined, true]) {
        sent.run.mockClear();
        sent.read.mockClear();
        expect((await bot.call('conversations.open', { users: ws.admin.id }))['no_op']).toBe(existed);
        expect(names()).toEqual(['chat_open_direct_batch_of_holder']);
      }
      expect(sent.write).not.toHaveBeenCalled();
    } finally {
      for (const spy of Object.values(sent)) spy.mockRestore();
    }
  });

  it('post with deliveries from the first post that a target may hear', async ({ skip }) => {
    if (!('sweep' in app.nest.get(Limits))) return skip('allowances are counted in memory');
    const ws = await app.workspace();
    const bot = await ws.bot();
    const channel = await ws.channel({ members: [bot] });
    const run = vi.spyOn(db(), 'run');
    const post = async (text: string): Promise<string[]> => {
      run.mockClear();
      expect(await bot.call('chat.postMessage', { channel: channel.id, text })).toMatchObject({ ok: true });
      return run.mock.calls.map(([{ name }]) => name).filter((name) => name.startsWith('chat_post_'));
    };
    try {
      await post('unheard');
      expect(await post('unheard')).toEqual(['chat_post_batch_lone_of_holder']);
      const end = await receiver();
      await callRest(app, 'POST', '/api/events/subscribe', {
        token: bot.token,
        body: { url: end.url, events: ['message'] },
      });
      expect(await post('first')).toEqual(['chat_post_batch_lone_of_holder', 'chat_post_batch_of_holder']);
      expect((await post('second')).at(-1)).toBe('chat_post_batch_of_holder');
      const heard = (): string[] =>
        end.received.flatMap(({ body }) => (JSON.parse(body) as { event?: { text: string } }).event?.text ?? []);
      await eventually(() => heard().length === 2, 'both posts');
      expect(heard()).toEqual(['first', 'second']);
    } finally {
      run.mockRestore();
    }
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
