import { describe, expect, it } from 'vitest';
import { ACCESS_TOKEN_SECONDS } from '../../../src/auth/access-tokens.js';
import { useApp } from '../../support/app.js';
import { refusal, rest } from '../../support/rest-client.js';
import { unique, type WorkspaceBuilder } from '../../support/workspace.js';

const claimsOf = (jwt: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(jwt.split('.')[1] as string, 'base64url').toString()) as Record<string, unknown>;

describe('auth routes', () => {
  const app = useApp();
  const email = (): string => `${unique('Ann')}@Example.COM`;
  const signup = async (ws: WorkspaceBuilder, more: object = {}) =>
    rest(app, 'POST /auth/signup', { body: { email: email(), password: 'a long secret', team_id: ws.id, ...more } });

  it('signs up: starts a session and joins #general, with events for its members', async () => {
    const ws = await app.workspace();
    const address = email();
    const { status, body } = await signup(ws, { email: address, name: 'Ann Lee' });

    expect(status).toBe(201);
    expect(body).toEqual({
      accessToken: expect.any(String),
      refreshToken: expect.stringMatching(/^xoxe-[A-Za-z0-9]+$/),
      tokenType: 'Bearer',
      expiresIn: 3600,
      user: {
        id: expect.stringMatching(/^U0/),
        name: expect.stringMatching(/^ann-/),
        real_name: 'Ann Lee',
        email: address.toLowerCase(),
      },
      team: { id: ws.id, name: expect.any(String), domain: ws.domain },
    });
    const claims = claimsOf(body.accessToken);
    expect(Object.keys(claims).sort()).toEqual(['exp', 'iat', 'sid', 'sub', 'team_id']);
    expect(claims).toMatchObject({ sub: body.user.id, team_id: ws.id, sid: expect.stringMatching(/^[0-9a-f]{16}$/) });
    expect((claims['exp'] as number) - (claims['iat'] as number)).toBe(ACCESS_TOKEN_SECONDS);
    expect(await ws.recorded()).toEqual([
      expect.objectContaining({ type: 'team_join', user: expect.objectContaining({ id: body.user.id }) }),
      expect.objectContaining({ type: 'member_joined_channel', user: body.user.id, channel: ws.general.id }),
      expect.objectContaining({ type: 'message', subtype: 'channel_join', user: body.user.id }),
    ]);
  });

  it('uses a valid handle unchanged, and appends digits to one in use', async () => {
    const ws = await app.workspace();
    const first = await signup(ws, { name: 'ann' });
    const second = await signup(ws, { name: 'ann' });
    expect(first.body.user).toMatchObject({ name: 'ann', real_name: 'ann' });
    expect(second.body.user).toMatchObject({ name: 'ann2', real_name: 'ann' });
  });

  it('answers 409 email_taken, whatever the case', async () => {
    const ws = await app.workspace();
    const address = email();
    await signup(ws, { email: address });
    const again = await signup(ws, { email: address.toUpperCase() });
    expect(again.body).toEqual(refusal(409, 'email_taken'));
  });

  it('signs an address up once, however many concurrent requests there are', async () => {
    const ws = await app.workspace();
    const address = email();
    const answers = await Promise.all(Array.from({ length: 5 }, () => signup(ws, { email: address })));
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, 409, 409, 409, 409]);
  });

  it('answers 404 team_not_found for an unknown workspace, and creates no account', async () => {
    const ws = await app.workspace();
    const address = email();
    const { body } = await signup(ws, { email: address, team_id: 'T0NOTHING00' });
    expect(body).toEqual(refusal(404, 'team_not_found'));
    expect((await signup(ws, { email: address })).status).toBe(201);
  });

  it('answers 400 with a message for each fault, and invalid_json for a body that is no object', async () => {
    const { status, body } = await rest(app, 'POST /auth/signup', { body: { email: 'nobody', password: 'short' } });
    expect(status).toBe(400);
    expect(body).toEqual({
      statusCode: 400,
      error: 'Bad Request',
      message: ['email must be an email', expect.stringMatching(/^password must be longer/)],
    });
    const json = { headers: { 'content-type': 'application/json' } };
    for (const broken of ['{', '[]', '"text"']) {
      const answer = await rest(app, 'POST /auth/login', { body: broken, ...json });
      expect(answer.body).toEqual(refusal(400, 'invalid_json'));
    }
  });

  it('logs in with the e-mail in any case, and answers a wrong password and an unknown address alike', async () => {
    const ws = await app.workspace();
    const address = email();
    await signup(ws, { email: address });
    const login = (body: object) => rest(app, 'POST /auth/login', { body });

    const good = await login({ email: address.toUpperCase(), password: 'a long secret' });
    expect(good.status).toBe(200);
    expect(good.body.team.id).toBe(ws.id);
    const wrong = await login({ email: address, password: 'another secret' });
    const unknown = await login({ email: email(), password: 'a long secret' });
    expect(wrong.body).toEqual(refusal(401, 'invalid_credentials'));
    expect(unknown.text).toBe(wrong.text);
    const elsewhere = await login({ email: address, password: 'a long secret', team_id: (await app.workspace()).id });
    expect(elsewhere.body).toEqual(refusal(404, 'team_not_found'));
  });

  it('refreshes within the session; reuse of a spent token ends it', async () => {
    const ws = await app.workspace();
    const { body: first } = await signup(ws);
    const refresh = (refreshToken: unknown) => rest(app, 'POST /auth/refresh', { body: { refreshToken } });

    const second = await refresh(first.refreshToken);
    expect(second.status).toBe(200);
    expect(second.body.user).toEqual(first.user);
    expect(claimsOf(second.body.accessToken)['sid']).toBe(claimsOf(first.accessToken)['sid']);
    expect(second.body.refreshToken).not.toBe(first.refreshToken);

    expect((await refresh(first.refreshToken)).body).toEqual(refusal(401, 'invalid_refresh_token'));
    expect((await refresh(second.body.refreshToken)).body).toEqual(refusal(401, 'invalid_refresh_token'));
    const me = await rest(app, 'GET /auth/me', { token: second.body.accessToken });
    expect(me.body).toEqual(refusal(401, 'token_revoked'));
    expect((await refresh('xoxe-nobody')).body).toEqual(refusal(401, 'invalid_refresh_token'));
    expect((await refresh(5)).status).toBe(400);
  });

  it('lets one of two concurrent refreshes succeed', async () => {
    const ws = await app.workspace();
    const { body } = await signup(ws);
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => rest(app, 'POST /auth/refresh', { body: { refreshToken: body.refreshToken } })),
    );
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 401, 401, 401]);
  });

  it('lets refresh tokens expire after 30 days, access tokens after an hour', async () => {
    const ws = await app.workspace();
    const { body } = await signup(ws);
    app.clock.advance(3_601_000);
    expect((await rest(app, 'GET /auth/me', { token: body.accessToken })).body).toEqual(refusal(401, 'token_expired'));
    app.clock.advance(30 * 24 * 3_600_000);
    const late = await rest(app, 'POST /auth/refresh', { body: { refreshToken: body.refreshToken } });
    expect(late.body).toEqual(refusal(401, 'invalid_refresh_token'));
  });

  it('logs out: both tokens are revoked, for the Web API too', async () => {
    const ws = await app.workspace();
    const { body } = await signup(ws);
    const logout = (token?: string) => rest(app, 'POST /auth/logout', { token, body: {} });

    const done = await logout(body.accessToken);
    expect([done.status, done.body]).toEqual([200, { success: true }]);
    expect((await logout(body.accessToken)).body).toEqual(refusal(401, 'token_revoked'));
    const refreshed = await rest(app, 'POST /auth/refresh', { body: { refreshToken: body.refreshToken } });
    expect(refreshed.body).toEqual(refusal(401, 'invalid_refresh_token'));
    const call = await fetch(`${app.baseUrl}/api/auth.test`, {
      method: 'POST',
      headers: { authorization: `Bearer ${body.accessToken}` },
    });
    expect(await call.json()).toEqual({ ok: false, error: 'token_revoked' });
    expect((await logout()).body).toEqual(refusal(401, 'not_authed'));
    expect((await logout('svc_api_nothing')).body).toEqual(refusal(401, 'invalid_auth'));
    expect((await logout((await ws.bot()).token)).body).toEqual(refusal(403, 'not_allowed_token_type'));
  });

  it('GET /auth/me describes the caller, for users, user tokens and bots', async () => {
    const ws = await app.workspace();
    const { body } = await signup(ws, { name: 'Ann Lee' });
    const bot = await ws.bot();
    const admin = await ws.adminClient();
    const me = (token?: string) => rest(app, 'GET /auth/me', { token });

    expect((await me(body.accessToken)).body).toEqual({
      user_id: body.user.id,
      user: body.user.name,
      team_id: ws.id,
      team: body.team.name,
      email: body.user.email,
      real_name: 'Ann Lee',
      is_admin: false,
      is_owner: false,
      is_bot: false,
      profile: expect.objectContaining({ real_name: 'Ann Lee', team: ws.id }),
      teams: [{ team_id: ws.id, name: body.team.name, role: 'member' }],
    });
    expect((await me(bot.token)).body).toMatchObject({
      user_id: bot.userId,
      bot_id: bot.botId,
      app_id: bot.appId,
      is_bot: true,
    });
    const owner = (await me(admin.token)).body;
    expect(owner).toMatchObject({ is_admin: true, is_owner: true, app_id: ws.defaultApp.id });
    expect(owner).not.toHaveProperty('bot_id');
    expect(owner.teams).toEqual([{ team_id: ws.id, name: body.team.name, role: 'owner' }]);
    expect((await me()).body).toEqual(refusal(401, 'not_authed'));
    expect((await me('xoxb-nobody')).body).toEqual(refusal(401, 'invalid_auth'));
    const foreign = await rest(app, `GET /auth/me?team_id=${(await app.workspace()).id}`, { token: body.accessToken });
    expect(foreign.body).toEqual(refusal(404, 'team_not_found'));
  });
});
