import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';

describe('auth.test', () => {
  const app = useApp();

  it('names the bot, app and workspace of a bot token, also through the official client', async () => {
    const ws = await app.workspace({ name: 'Acme' });
    const bot = await ws.bot({ scopes: [], name: 'Deploy Bot' });

    const answer = await bot.webClient().auth.test();

    expect(answer).toMatchObject({
      ok: true,
      url: `${app.baseUrl.replace('127.0.0.1', new URL(answer.url as string).hostname)}/`,
      team: 'Acme',
      user: 'deploy-bot',
      team_id: ws.id,
      user_id: bot.userId,
      bot_id: bot.botId,
      app_id: bot.appId,
      app_name: 'Deploy Bot',
      is_enterprise_install: false,
    });
  });

  it('omits bot_id for a user token, and the app for a JWT', async () => {
    const ws = await app.workspace();
    const user = await ws.user({ name: 'ann' });
    const token = await ws.userClient({ user, scopes: [] });
    const jwt = await ws.jwtClient({ user });

    const common = { ok: true, user: 'ann', user_id: user.id, team_id: ws.id, is_enterprise_install: false };
    const byToken = await token.call('auth.test');
    expect(byToken).toMatchObject({ ...common, app_id: ws.defaultApp.id, app_name: 'default-app' });
    expect(byToken).not.toHaveProperty('bot_id');
    const byJwt = await jwt.call('auth.test');
    expect(byJwt).toMatchObject(common);
    for (const field of ['bot_id', 'app_id', 'app_name']) expect(byJwt).not.toHaveProperty(field);
  });

  it('needs no scope, and names none in its headers', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot({ scopes: ['chat:write', 'made:up'] });
    const { headers } = await bot.wire('auth.test');
    expect(headers.get('x-accepted-oauth-scopes')).toBeNull();
    expect(headers.get('x-oauth-scopes')).toBe('chat:write,made:up');
  });

  it('answers account_inactive for a deactivated user', async () => {
    const ws = await app.workspace();
    const user = await ws.user();
    const token = await ws.userClient({ user });
    const jwt = await ws.jwtClient({ user });
    await ws.deactivate(user);
    expect(await token.call('auth.test')).toEqual({ ok: false, error: 'account_inactive' });
    expect(await jwt.call('auth.test')).toEqual({ ok: false, error: 'account_inactive' });
  });
});
