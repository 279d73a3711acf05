import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestApp } from '../support/app.js';

describe('a method call with other settings', () => {
  const refused = (error: string) => ({ ok: false, error });
  let lenient: TestApp;
  beforeAll(async () => {
    lenient = await TestApp.start({ SVC_MISSING_SCOPE_STATUS: '200', SVC_STRICT_TOKEN_TYPES: 'true' });
  });
  afterAll(() => lenient.stop());

  it('answers missing_scope with status 200', async () => {
    const ws = await lenient.workspace();
    const bot = await ws.bot({ scopes: ['users:read'] });
    const { status, body } = await bot.wire('users.setPresence');
    expect([status, body['error']]).toEqual([200, 'missing_scope']);
    await expect(bot.webClient().users.setPresence({ presence: 'auto' })).rejects.toMatchObject({
      code: 'slack_webapi_platform_error',
      data: { error: 'missing_scope', needed: 'users:write' },
    });
  });

  it('refuses bots on methods for user tokens, after the scope and before the arguments', async () => {
    const ws = await lenient.workspace();
    const bot = await ws.bot();
    expect((await bot.wire('users.profile.set')).body).toEqual(refused('not_allowed_token_type'));
    expect((await bot.wire('users.profile.get')).body).toMatchObject({ ok: true });
    const mute = await ws.bot({ scopes: [] });
    expect((await mute.wire('users.profile.set')).body).toMatchObject(refused('missing_scope'));
    const user = await ws.userClient();
    expect((await user.wire('users.profile.set', { profile: { title: 'x' } })).body).toMatchObject({ ok: true });
    const jwt = await ws.jwtClient();
    expect((await jwt.wire('users.profile.set', { profile: { title: 'x' } })).body).toMatchObject({ ok: true });
  });
});
