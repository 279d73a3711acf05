import { describe, expect, it } from 'vitest';
import { Db } from '../../src/kernel/database/db.js';
import { statement } from '../../src/kernel/database/statement.js';
import { Limits } from '../../src/kernel/limits/limits.js';
import { useApp } from '../support/app.js';

const EVERYBODY = 200;
const usedOf = statement(
  'tests_used_allowance',
  `SELECT coalesce(sum(total - base), 0)::int AS used FROM rate_windows WHERE key LIKE '%' || $1 || '%'`,
);
const RENAME_APP = statement('tests_rename_app', 'UPDATE apps SET name = $2 WHERE id = $1');
const SET_SCOPES = statement('tests_set_scopes', 'UPDATE tokens SET scopes = $2 WHERE user_id = $1');

/** What a process remembers of a caller (docs/decisions/remembered-callers.md) is never told when it is no longer so. */
describe('who is remembered', () => {
  const app = useApp();
  const db = (): Db => app.nest.get(Db);

  it('is who they are now, in a read and in a write', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const appId = (await bot.call('auth.test'))['app_id'] as string;
    const channel = await ws.channel({ members: [bot] });
    const post = async (): Promise<unknown> =>
      ((await bot.call('chat.postMessage', { channel: channel.id, text: 'x' }))['message'] as { bot_profile: object })
        .bot_profile;
    for (const name of ['Before', 'After']) {
      await db().run(RENAME_APP, [appId, name]);
      // the first call after a change has yesterday's memory, the next one today's
      for (let i = 0; i < 2; i++) {
        expect(await bot.call('auth.test')).toMatchObject({ app_name: name });
        expect(await post()).toMatchObject({ name });
      }
    }
  });

  it('loses a scope, a conversation, a membership and the token in the next call', async () => {
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

    await db().run(SET_SCOPES, [bot.userId, ['channels:read']]);
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

  it('has taken nothing where they changed', async ({ skip }) => {
    if (!('sweep' in app.nest.get(Limits))) return skip('allowances are counted in memory');
    const ws = await app.workspace();
    const bot = await ws.bot();
    const appId = (await bot.call('auth.test'))['app_id'] as string;
    const used = async (): Promise<number> =>
      ((await db().read<{ used: number }>(usedOf, [`auth.test:${appId}`]))[0] as { used: number }).used;
    const before = await used();
    await bot.call('auth.test');
    expect(await used()).toBe(before + 1);
    await db().run(RENAME_APP, [appId, 'Changed']);
    // once in the name of who they are now
    await bot.call('auth.test');
    expect(await used()).toBe(before + 2);
    await ws.revoke(bot);
    await bot.wire('auth.test');
    expect(await used()).toBe(before + 2);
  });

  it('is told apart in calls at once', async () => {
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
    // Tier 4: each of the two others has had 100 calls, the one before among them
    expect(answers.filter(({ i, body }) => i % 3 === 0 && body['ok'] === true)).toHaveLength(67);
  });
});
