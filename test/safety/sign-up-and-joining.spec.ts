import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AuthRate } from '../../src/auth/auth-rate.js';
import { HashThreads } from '../../src/auth/hash-threads.js';
import { SignIn } from '../../src/auth/sign-in.service.js';
import { Clock } from '../../src/kernel/clock/clock.js';
import { parseSettings } from '../../src/kernel/config/settings.js';
import { MemoryLimits } from '../../src/kernel/limits/memory-limits.js';
import { TestApp, useApp } from '../support/app.js';
import { eventually } from '../support/receiver.js';
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
  it('is false for provisioned workspaces: their ids and names let nobody in', async () => {
    const { team, tracker, user_token: owner } = (await provisioned()).body;
    expect(team.joinable).toBe(false);
    const outsider = (await signup({})).body.accessToken as string;
    expect((await signup({ team_id: team.id })).body).toEqual(refusal(404, 'team_not_found'));
    const join = (): Promise<RestAnswer> => call(`POST /workspaces/${team.id}/join`, { token: outsider, body: {} });
    const joinOrganization = (): Promise<Response> =>
      fetch(`${app.baseUrl}/api/organization/join`, {
        method: 'POST',
        headers: { authorization: `Bearer ${outsider}`, 'content-type': 'application/json' },
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
    // whether a key is in use is no secret, as the creator of an organization has to know
    const exists = await (
      await app.organization()
    ).data('query($k: String!) { organizationExists(urlKey: $k) { exists } }', {
      k: tracker.url_key,
    });
    expect(exists).toEqual({ organizationExists: { exists: true } });
    expect((await join()).body).toMatchObject({ already_member: true });
    expect((await joinOrganization()).status).toBe(200);
  });

  it('is false for sandboxes, unless they ask for it', async () => {
    const token = (await signup({})).body.accessToken as string;
    const joined = async (team?: object): Promise<number> => {
      const made = await fetch(`${app.baseUrl}/api/sandboxes`, {
        method: 'POST',
        headers: { 'x-admin-token': 'operator-of-the-tests', 'content-type': 'application/json' },
        body: JSON.stringify({ apps: [{ name: 'inside' }], ...(team ? { team } : {}) }),
      });
      expect(made.status).toBe(201);
      const { credentials } = (await made.json()) as { credentials: { apps: { inside: { bot_token: string } } } };
      const inside = await call('POST /auth.test', { token: credentials.apps.inside.bot_token, body: {} });
      return (await call(`POST /workspaces/${inside.body.team_id}/join`, { token, body: {} })).status;
    };
    expect(await joined()).toBe(404);
    expect(await joined({ joinable: true })).toBe(200);
  });

  it('can be asked for, and is true for workspaces that users create', async () => {
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
  it('creates an account that is a member of both products, and is for admins only', async () => {
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
    const ask = async (method: string, args: object): Promise<RestAnswer['body']> =>
      (await call(`POST /${method}`, { token: owner, body: args })).body;
    const { channels } = await ask('conversations.list', {});
    const general = channels.find(({ is_general: isGeneral }: { is_general: boolean }) => isGeneral).id as string;
    const { messages } = await ask('conversations.history', { channel: general });
    expect(messages[0]).toMatchObject({ subtype: 'channel_join', user: made.body.user_id });
    expect((await ask('conversations.members', { channel: general })).members).toContain(made.body.user_id);
    const boss = { name: 'boss', email: email(), is_admin: true };
    const admin = (await call(`POST /workspaces/${team.id}/members`, { token: owner, body: boss })).body;
    expect((await call('GET /auth/me', { token: admin.access_token })).body.is_admin).toBe(true);
    // an account without a password cannot log in
    const none = { email: boss.email, password: PASSWORD };
    expect((await call('POST /auth/login', { body: none })).body).toEqual(refusal(401, 'invalid_credentials'));
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

describe('a server with closed sign-up and low limits', () => {
  let closed: TestApp;
  beforeAll(async () => {
    closed = await TestApp.start({
      SVC_SIGNUP: 'closed',
      SVC_AUTH_RATE: '3,6',
      SVC_TRUSTED_PROXIES: '127.0.0.0/8',
      SVC_CONNECTIONS_PER_ADDRESS: '2',
      SVC_TARGETS: 'cluster',
    });
  });
  afterAll(() => closed.stop());

  it('refuses sign-up: signup_closed', async () => {
    expect((await signup({}, closed)).body).toEqual(refusal(403, 'signup_closed'));
  });

  it('sends no commands to itself with SVC_TARGETS=cluster: connection_failed', async () => {
    const ws = await closed.workspace();
    const { token } = await ws.jwtClient({ user: ws.admin });
    for (const [command, host] of [
      ['/own', '127.0.0.1'],
      ['/name', 'localhost'],
    ]) {
      const url = `http://${host}:${new URL(closed.baseUrl).port}/api/health`;
      expect((await rest(closed, 'POST /commands', { token, body: { command, url } })).status).toBe(201);
      const body = { command, channel_id: ws.general.id };
      expect((await rest(closed, 'POST /commands/execute', { token, body })).body).toEqual(
        refusal(502, 'connection_failed'),
      );
    }
  });

  it('limits sign-up, refreshing and login by address as well, each route separately', async () => {
    const headers = { 'x-forwarded-for': `fd01::${(Date.now() % 65_000).toString(16)}` };
    for (const [route, body] of [
      ['POST /auth/signup', { email: email(), password: PASSWORD }],
      ['POST /auth/refresh', { refreshToken: 'xoxe-none' }],
      // counted whatever the body
      ['POST /auth/login', { email: 5 }],
    ] as const) {
      const statuses: number[] = [];
      for (let n = 0; n < 7; n++) statuses.push((await rest(closed, route, { body, headers })).status);
      expect(new Set(statuses.slice(0, 6)), route).not.toContain(429);
      expect(statuses[6], route).toBe(429);
    }
  });

  it('allows a trusted proxy as many connections as its clients need', async () => {
    const { hostname, port } = new URL(closed.baseUrl);
    const open = Array.from({ length: 5 }, () => connect(Number(port), hostname));
    await Promise.all(open.map((socket) => once(socket, 'connect')));
    expect((await fetch(`${closed.baseUrl}/api/health`)).status).toBe(200);
    expect(open.filter(({ destroyed }) => destroyed)).toEqual([]);
    for (const socket of open) socket.destroy();
  });

  it('limits wrong passwords by account, and then refuses the right password too: ratelimited', async () => {
    const address = email();
    await signup({ email: address });
    // a trusted proxy states the address of the client
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
    // the sixth call of this address is the last one allowed
    const other = await login('wrong one', email());
    expect(other.status).toBe(401);
    const over = await login('wrong one', email());
    expect(over.status).toBe(429);
  });
});

describe('SVC_AUTH_RATE', () => {
  it('does not depend on the multiplier of other limits, except that 0 turns it off', async () => {
    const clock = new Clock();
    for (const [multiplier, most] of [
      ['10', 1],
      ['0.1', 1],
      ['0', 5],
    ] as const) {
      const settings = parseSettings({ SVC_AUTH_RATE: '1,1', SVC_RATE_LIMIT_MULTIPLIER: multiplier });
      const limits = new MemoryLimits(clock);
      const rate = new AuthRate(settings, limits);
      const admit = async (route: 'login' | 'signup'): Promise<void> => {
        const allowance = rate.ofAddress(route, '192.0.2.1');
        if (allowance && !(await limits.take(allowance.key, allowance.policy)).allowed) throw new Error('refused');
      };
      const tries = [1, 2, 3, 4, 5];
      const admitted = await Promise.allSettled(tries.map(() => admit('login')));
      const refused = await Promise.allSettled(tries.map(() => rate.refused('login', 'ann@example.com')));
      for (const all of [admitted, refused])
        expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(most);
      // each route is counted separately
      await admit('signup');
    }
  });
});

describe('password hashing', () => {
  it('lets a hundred wait at most, and refuses the next', async () => {
    const threads = new HashThreads({ memoryCost: 1_024, timeCost: 1, parallelism: 1 });
    try {
      const ask = () => threads.ask({ password: PASSWORD, stored: null }, 'person');
      const asked = Array.from({ length: 102 }, ask);
      await expect(ask()).rejects.toMatchObject({ code: 'ratelimited', retryAfterSeconds: 1 });
      for (const hash of await Promise.all(asked)) expect(hash).toMatch(/^\$argon2id\$/);
      expect(await ask()).toMatch(/^\$argon2id\$/);
    } finally {
      await threads.close();
    }
  });

  it('ends its threads when nobody has asked for a while, and starts new ones', async () => {
    const threads = new HashThreads({ memoryCost: 1_024, timeCost: 1, parallelism: 1 });
    const count = () => (threads as unknown as { threads: unknown[] }).threads.length;
    try {
      const ask = () => threads.ask({ password: PASSWORD, stored: null }, 'person');
      for (const round of ['first', 'again']) {
        expect(await Promise.all([ask(), ask()]), round).toHaveLength(2);
        expect(count()).toBeGreaterThan(0);
        await eventually(() => count() === 0, 'no thread is left');
      }
    } finally {
      await threads.close();
    }
  });
});

describe('a refresh token', () => {
  it('gives the same answer until a client has received it; afterwards its use ends the session', async () => {
    const { refreshToken } = (await signup({})).body as { refreshToken: string };
    const signIn = app.nest.get(SignIn, { strict: false });
    const lost = await signIn.refresh(refreshToken); // called directly, so no client receives the answer
    const again = await call('POST /auth/refresh', { body: { refreshToken } });
    expect([again.status, again.body.refreshToken]).toEqual([200, lost.refreshToken]);
    expect((await call('POST /auth/refresh', { body: { refreshToken } })).status).toBe(401);
    expect((await call('GET /auth/me', { token: again.body.accessToken })).status).toBe(401);
  });

  it('is treated as stolen when it was used half a minute ago', async () => {
    const { refreshToken } = (await signup({})).body as { refreshToken: string };
    const signIn = app.nest.get(SignIn, { strict: false });
    await signIn.refresh(refreshToken);
    app.clock.advance(31_000);
    expect((await call('POST /auth/refresh', { body: { refreshToken } })).status).toBe(401);
  });
});
