import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SignIn } from '../../src/auth/sign-in.service.js';
import { TestApp, useApp } from '../support/app.js';
import { refusal, rest, type RestAnswer, type RestOptions } from '../support/rest-client.js';
import { unique } from '../support/unique.js';

const app = useApp();
const PASSWORD = 'a good password';
const email = (): string => `${unique('person')}@example.com`;
const call = (route: string, options: RestOptions = {}): Promise<RestAnswer> => rest(app, route, options);
const signup = async (body: object, on: TestApp = app): Promise<RestAnswer> =>
  rest(on, 'POST /auth/signup', {
    body: { email: email(), password: PASSWORD, team_id: (await app.workspace()).id, ...body },
  });
const provisioned = (team: object = {}): Promise<RestAnswer> =>
  call('POST /admin/provision', {
    headers: { 'x-admin-token': 'operator-of-the-tests' },
    body: { team: { name: unique('Team'), ...team } },
  });

describe('joinable', () => {
  it('is false for what provisioning makes: its ids and names open nothing', async () => {
    const { team, tracker, user_token: owner } = (await provisioned()).body;
    expect(team.joinable).toBe(false);
    const stranger = (await signup({})).body.accessToken as string;
    expect((await signup({ team_id: team.id })).body).toEqual(refusal(404, 'team_not_found'));
    const join = (): Promise<RestAnswer> => call(`POST /workspaces/${team.id}/join`, { token: stranger, body: {} });
    const joinOrganization = (): Promise<Response> =>
      fetch(`${app.baseUrl}/api/organization/join`, {
        method: 'POST',
        headers: { authorization: `Bearer ${stranger}`, 'content-type': 'application/json' },
        body: JSON.stringify({ urlKey: tracker.url_key }),
      });
    expect((await join()).body).toEqual(refusal(404, 'team_not_found'));
    const refused = await joinOrganization();
    expect([refused.status, await refused.json()]).toEqual([404, refusal(404, 'organization_not_found')]);

    const opened = await call(`PUT /workspaces/${team.id}`, { token: owner, body: { joinable: true } });
    expect([opened.status, opened.body.joinable]).toEqual([200, true]);
    expect((await join()).status).toBe(200);
    expect((await joinOrganization()).status).toBe(200);

    await call(`PUT /workspaces/${team.id}`, { token: owner, body: { joinable: false } });
    expect((await join()).body).toMatchObject({ already_member: true });
    expect((await joinOrganization()).status).toBe(200);
  });

  it('can be asked for, and is true for what people make', async () => {
    expect((await provisioned({ joinable: true })).body.team.joinable).toBe(true);
    const token = (await signup({})).body.accessToken as string;
    expect((await call('POST /workspaces', { token, body: { name: unique('Mine') } })).body.joinable).toBe(true);

    const organization = (method: string, body?: object): Promise<Response> =>
      fetch(`${app.baseUrl}/api/organization`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
    const made = (await (await organization('POST', { name: 'Mine', urlKey: unique('mine') })).json()) as {
      accessToken: string;
      organization: { joinable: boolean };
    };
    expect(made.organization.joinable).toBe(true);
    const closed = await fetch(`${app.baseUrl}/api/organization`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${made.accessToken}`, 'content-type': 'application/json' },
      body: '{"joinable":false}',
    });
    expect([closed.status, await closed.json()]).toMatchObject([200, { organization: { joinable: false } }]);
  });
});

describe('POST /api/workspaces/:id/members', () => {
  it('makes an account that is a member of both products, by admins only', async () => {
    const { team, user_token: owner } = (await provisioned()).body;
    const body = { name: 'ann', email: email(), password: PASSWORD, real_name: 'Ann Lee' };
    const made = await call(`POST /workspaces/${team.id}/members`, { token: owner, body });
    expect([made.status, made.body]).toEqual([
      201,
      {
        user_id: expect.stringMatching(/^U0/) as string,
        name: 'ann',
        email: body.email,
        access_token: expect.any(String) as string,
      },
    ]);
    const me = (await call('GET /auth/me', { token: made.body.access_token })).body;
    expect(me).toMatchObject({ user: 'ann', team_id: team.id, is_admin: false, real_name: 'Ann Lee' });
    const organization = await fetch(`${app.baseUrl}/api/organization`, {
      headers: { authorization: `Bearer ${made.body.access_token as string}` },
    });
    expect(organization.status).toBe(200);
    expect((await call('POST /auth/login', { body: { email: body.email, password: PASSWORD } })).status).toBe(200);

    expect((await call(`POST /workspaces/${team.id}/members`, { token: owner, body })).body).toEqual(
      refusal(409, 'email_taken'),
    );
    const again = { token: made.body.access_token as string, body: { ...body, email: email() } };
    expect((await call(`POST /workspaces/${team.id}/members`, again)).body).toEqual(refusal(403, 'not_admin'));
  });
});

describe('sign-up and passwords', () => {
  let closed: TestApp;
  beforeAll(async () => {
    closed = await TestApp.start({ SVC_SIGNUP: 'closed', SVC_AUTH_RATE: '3,6', SVC_TRUSTED_PROXIES: '127.0.0.0/8' });
  });
  afterAll(() => closed.stop());

  it('closed: signup_closed', async () => {
    expect((await signup({}, closed)).body).toEqual(refusal(403, 'signup_closed'));
  });

  it('wrong passwords are counted by account, and a right one then is no better: ratelimited', async () => {
    const address = email();
    await signup({ email: address });
    // a trusted proxy says who calls
    const headers = {
      'x-forwarded-for': `fd00::${unique('').replace(/\D/g, '').slice(-4) || '1'}:${Date.now() % 9999}`,
    };
    const login = (password: string, name = address): Promise<RestAnswer> =>
      rest(closed, 'POST /auth/login', { body: { email: name, password }, headers });
    const answers = await Promise.all(
      ['wrong one', 'wrong two', 'wrong three', 'wrong four'].map((password) => login(password)),
    );
    expect(answers.map((answer) => answer.status).sort()).toEqual([401, 401, 401, 429]);
    const refused = await login(PASSWORD);
    expect([refused.status, refused.body.message]).toEqual([429, 'ratelimited']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    // the sixth call of this address is the last
    const other = await login('wrong one', email());
    expect(other.status).toBe(401);
    const over = await login('wrong one', email());
    expect(over.status).toBe(429);
  });
});

describe('a refresh token', () => {
  it('is good for the same answer as long as nobody got it, then it ends the session', async () => {
    const { refreshToken } = (await signup({})).body as { refreshToken: string };
    const signIn = app.nest.get(SignIn, { strict: false });
    const lost = await signIn.refresh(refreshToken); // over no network: nobody is told
    const again = await call('POST /auth/refresh', { body: { refreshToken } });
    expect([again.status, again.body.refreshToken]).toEqual([200, lost.refreshToken]);
    expect((await call('POST /auth/refresh', { body: { refreshToken } })).status).toBe(401);
    expect((await call('GET /auth/me', { token: again.body.accessToken })).status).toBe(401);
  });

  it('that was spent half a minute ago is stolen', async () => {
    const { refreshToken } = (await signup({})).body as { refreshToken: string };
    const signIn = app.nest.get(SignIn, { strict: false });
    await signIn.refresh(refreshToken);
    app.clock.advance(31_000);
    expect((await call('POST /auth/refresh', { body: { refreshToken } })).status).toBe(401);
  });
});
