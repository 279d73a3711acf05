import { describe, expect, it } from 'vitest';
import { describeArgs } from '../../src/messaging/rpc/args/parse-args.js';
import { MethodRegistry } from '../../src/messaging/rpc/method-registry.js';
import { TestApp, useApp } from '../support/app.js';
import { Listener } from '../support/listener.js';
import { receiver } from '../support/receiver.js';
import { refusal, rest } from '../support/rest-client.js';
import { unique } from '../support/unique.js';

const app = useApp();
const OPERATOR = { 'x-admin-token': 'operator-of-the-tests' };
const json = (path: string, token: string, body?: object, on: TestApp = app): Promise<Response> =>
  fetch(`${on.baseUrl}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
const provisioned = async (body: object = {}, on: TestApp = app) =>
  (await rest(on, 'POST /admin/provision', { headers: OPERATOR, body: { team: { name: unique('Team') }, ...body } }))
    .body;

const sessionOf = async (email: string, on: TestApp = app): Promise<string> =>
  (await rest(on, 'POST /auth/login', { body: { email, password: 'a good password' } })).body.accessToken;

describe('NUL and lone surrogates', () => {
  it('cause no internal error in any argument of any method', async () => {
    const ws = await app.workspace();
    const tokens = [(await ws.adminClient()).token, (await ws.jwtClient({ user: ws.admin })).token];
    const bad: string[] = [];
    for (const method of app.nest.get(MethodRegistry, { strict: false }).all) {
      // revokes the token that the other calls need, whatever its arguments
      if (method.isAnonymous || method.name === 'auth.revoke') continue;
      const names = method.args ? describeArgs(method.args).map(({ name }) => name) : [];
      const calls = [...new Set([...names, 'team_id', 'cursor', 'unused'])].flatMap((name) =>
        ['\0', '\ud800', 'C0\0'].flatMap((value) => tokens.map((token) => ({ token, args: { [name]: value } }))),
      );
      await Promise.all(
        calls.map(async ({ token, args }) => {
          const response = await json(`/api/${method.name}`, token, args);
          const { error } = (await response.json()) as { error?: string };
          if (response.status >= 500 || error === 'internal_error') bad.push(`${method.name} ${JSON.stringify(args)}`);
        }),
      );
    }
    expect(bad).toEqual([]);
    const query = await fetch(`${app.baseUrl}/api/chat.delete?team_id=%00`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokens[1]}` },
    });
    expect(await query.json()).toMatchObject({ ok: false, error: expect.not.stringMatching(/internal/) });
  });
});

describe('GET /', () => {
  it('describes the server, in HTML to browsers and in JSON to others', async () => {
    const get = (accept: string) => fetch(app.baseUrl, { headers: { accept } });
    const page = await get('text/html,*/*;q=0.8');
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    const text = await page.text();
    for (const part of ['Understudy', '/api/docs', '/graphql']) expect(text).toContain(part);
    expect(await (await get('*/*')).json()).toMatchObject({
      product: 'Understudy',
      version: expect.any(String),
      mode: expect.any(String),
      documentation: '/api/docs',
      graphql: '/graphql',
    });
  });
});

describe('app lifecycle events', () => {
  it('report new and revoked tokens', async () => {
    const ws = await app.workspace();
    const { token } = await ws.jwtClient({ user: ws.admin });
    const far = await receiver((request, reply) => void reply.end(request.body));
    const manifest = {
      display_information: { name: unique('app') },
      oauth_config: { scopes: { bot: ['chat:write'], user: ['users:read'] } },
      settings: { event_subscriptions: { request_url: far.url, bot_events: ['app_uninstalled', 'tokens_revoked'] } },
    };
    const made = (await rest(app, 'POST /apps', { token, body: { manifest } })).body;
    await rest(app, `POST /apps/${made.id}/tokens/rotate`, { token, body: { kind: 'bot' } });
    const events = (heard: readonly { body: string }[]) => heard.slice(1).map(({ body }) => JSON.parse(body).event);
    const first = events(await far.until(({ length }) => length === 2));
    expect(first[0]).toMatchObject({
      type: 'tokens_revoked',
      tokens: { oauth: [], bot: [made.bot_user_id] },
    });
    await rest(app, `DELETE /apps/${made.id}`, { token });
    const all = events(await far.until(({ length }) => length === 4));
    expect(all.slice(1).map(({ type }) => type)).toEqual(['app_uninstalled', 'tokens_revoked']);
    expect(all[2].tokens).toEqual({ oauth: [ws.admin.id], bot: [made.bot_user_id] });
  });
});

describe('a deleted workspace', () => {
  it('revokes its keys, tokens and sessions on both products, and frees its e-mail addresses', async () => {
    const email = `${unique('owner')}@example.com`;
    const made = await provisioned({ admin: { email, password: 'a good password' } });
    const login = await rest(app, 'POST /auth/login', { body: { email, password: 'a good password' } });
    const jwt = login.body.accessToken as string;
    const graphql = (authorization: string) =>
      fetch(`${app.baseUrl}/graphql`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify({ query: '{ viewer { id } }' }),
      });
    const key = made.tracker.api_key as string;
    expect((await graphql(key)).status).toBe(200);
    expect((await rest(app, `DELETE /workspaces/${made.team.id}`, { token: made.user_token })).status).toBe(200);

    for (const authorization of [key, `Bearer ${jwt}`]) {
      const answer = await graphql(authorization);
      expect(answer.status).toBe(401);
    }
    for (const token of [jwt, made.user_token, made.bot_token]) {
      expect(await (await json('/api/auth.test', token, {})).json()).toEqual({ ok: false, error: 'account_inactive' });
    }
    expect((await rest(app, 'GET /auth/me', { token: jwt })).body).toEqual(refusal(401, 'account_inactive'));
    const again = await provisioned({ admin: { email, password: 'another password' } });
    expect(again.admin.email).toBe(email);
  });
});

describe('webhooks of the tracker', () => {
  it('accept resource types that have no events, and say so', async () => {
    const { admin } = await provisioned({
      admin: { email: `${unique('admin')}@example.com`, password: 'a good password' },
    });
    const login = await sessionOf(admin.email);
    const body = { url: 'https://example.com/hook', resourceTypes: ['Issue', 'IssueSLA'], allPublicTeams: true };
    const answer = await json('/api/webhooks', login, body);
    const webhook = (await answer.json()) as Record<string, unknown>;
    expect(answer.status).toBe(201);
    expect(webhook).toMatchObject({
      resourceTypes: ['Issue', 'IssueSLA'],
      warnings: ['resourceTypes[1]: "IssueSLA" never fires here'],
    });
  });
});

describe('rate limits of the control plane', () => {
  it('count sockets by credential, and creations in the tracker', async () => {
    const small = await TestApp.start({ SVC_MAX_SOCKETS: '2', SVC_RATE_LIMIT_MULTIPLIER: '0.04' });
    try {
      const email = `${unique('admin')}@example.com`;
      const made = await provisioned({ admin: { email, password: 'a good password' } }, small);
      const session = await sessionOf(email, small);
      const auth = { token: made.bot_token as string };
      const first = await Listener.connect(small, auth);
      await Listener.connect(small, auth);
      expect(await Listener.refusal(small, auth)).toBe('too_many_sockets');
      await Listener.connect(small, { token: made.user_token });
      first.socket.disconnect();
      await expect.poll(() => Listener.refusal(small, auth)).toMatch(/^nothing/);

      const body = { label: 'k' };
      const statuses: number[] = [];
      for (let i = 0; i < 3; i++) {
        const answer = await json('/api/api-keys', session, body, small);
        statuses.push(answer.status);
        if (answer.status === 429) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      }
      expect(statuses).toEqual([201, 201, 429]);
    } finally {
      await small.stop();
    }
  });
});
