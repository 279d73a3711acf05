import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Db } from '../../src/kernel/database/db.js';
import { sha256Hex } from '../../src/kernel/ids/ids.js';
import { useApp } from '../support/app.js';
import { callRest as call } from '../support/rest-call.js';
import { unique } from '../support/unique.js';

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i;
const app = useApp();
const rest = (method: string, path: string, options?: Parameters<typeof call>[3]) => call(app, method, path, options);

const signup = async () => {
  const email = `${unique('sue')}@acme.example`;
  // this server has no default workspace
  const { id: teamId } = await app.workspace();
  const answer = await rest('POST', '/api/auth/signup', {
    body: { email, password: 'correct horse', name: 'Sue Storm', team_id: teamId },
  });
  expect(answer.status).toBe(201);
  return { email, token: answer.body['accessToken'] as string, refreshToken: answer.body['refreshToken'] as string };
};
const newKey = () => unique('acme').slice(0, 32);
const VIEWER = '{ viewer { id name } }';
const graphql = (authorization: string) => rest('POST', '/graphql', { authorization, body: { query: VIEWER } });

describe('POST /api/organization', () => {
  it('creates an organization and a session that claims it, without a UUID in its token', async () => {
    const sue = await signup();
    const urlKey = newKey();
    expect(await graphql(`Bearer ${sue.token}`)).toMatchObject({
      status: 403,
      body: { errors: [{ message: 'Organization required', extensions: { type: 'forbidden', code: 'FORBIDDEN' } }] },
    });
    const body = { name: 'Acme Inc', urlKey: urlKey.toUpperCase() };
    const made = await rest('POST', '/api/organization', { token: sue.token, body });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      tokenType: 'Bearer',
      expiresIn: 3600,
      organization: { id: expect.stringMatching(UUID), name: 'Acme Inc', urlKey, createdAt: expect.any(String) },
      user: { id: expect.stringMatching(UUID), email: sue.email, name: 'Sue Storm', admin: true, owner: true },
    });
    const token = made.body['accessToken'] as string;
    expect(Buffer.from(token.split('.')[1] as string, 'base64url').toString()).not.toMatch(UUID);
    const viewer = await graphql(`Bearer ${token}`);
    expect(viewer.body).toEqual({ data: { viewer: { id: made.body['user'].id, name: 'Sue Storm' } } });
    // the session that made the call does not change
    expect((await graphql(`Bearer ${sue.token}`)).status).toBe(403);
    expect(await rest('GET', '/api/organization', { token })).toMatchObject({
      status: 200,
      body: { organization: made.body['organization'], user: made.body['user'] },
    });
  });

  it('keeps its claim on login and refresh', async () => {
    const sue = await signup();
    await rest('POST', '/api/organization', { token: sue.token, body: { name: 'Acme', urlKey: newKey() } });
    for (const answer of [
      await rest('POST', '/api/auth/login', { body: { email: sue.email, password: 'correct horse' } }),
      await rest('POST', '/api/auth/refresh', { body: { refreshToken: sue.refreshToken } }),
    ]) {
      expect(JSON.stringify(answer.body)).not.toMatch(UUID);
      expect((await graphql(`Bearer ${answer.body['accessToken'] as string}`)).status).toBe(200);
    }
  });

  it('refuses current and recent url keys of others, and bad fields', async () => {
    const org = await app.organization();
    const { token } = await signup();
    const make = (body: object) => rest('POST', '/api/organization', { token, body });
    expect(await make({ name: 'Twin', urlKey: org.urlKey })).toMatchObject({
      status: 409,
      body: { statusCode: 409, message: 'url_key_taken', error: 'Conflict' },
    });
    await org.client().updateOrganization({ urlKey: newKey() });
    expect((await make({ name: 'Twin', urlKey: org.urlKey })).body).toMatchObject({ message: 'url_key_taken' });
    for (const body of [
      {},
      { name: '', urlKey: newKey() },
      { name: 'A', urlKey: 'graphql' },
      { name: 'A', urlKey: '-' },
    ]) {
      expect(await make(body)).toMatchObject({
        status: 400,
        body: { statusCode: 400, message: expect.any(Array), error: 'Bad Request' },
      });
    }
  });

  it('answers 401 with the reason', async () => {
    const post = (authorization?: string) =>
      rest('POST', '/api/organization', { ...(authorization === undefined ? {} : { authorization }), body: {} });
    const org = await app.organization();
    const { token } = await signup();
    expect(await post()).toMatchObject({ status: 401, body: { message: 'not_authed' } });
    expect(await post('Bearer nonsense')).toMatchObject({ status: 401, body: { message: 'invalid_auth' } });
    expect(await post(`Bearer ${org.apiKey}`)).toMatchObject({ status: 401, body: { message: 'invalid_auth' } });
    expect(await post(org.apiKey)).toMatchObject({ status: 401, body: { message: 'invalid_auth' } });
    await rest('POST', '/api/auth/logout', { token });
    expect(await post(`Bearer ${token}`)).toMatchObject({ status: 401, body: { message: 'token_revoked' } });
    const other = await signup();
    app.clock.advance(3_601_000);
    expect(await post(`Bearer ${other.token}`)).toMatchObject({ status: 401, body: { message: 'token_expired' } });
  });
});

describe('POST /api/organization/join', () => {
  it('adds a member to all public teams, once, with an event', async () => {
    const org = await app.organization();
    await org.newTeam({ key: 'PUB' });
    await org.newTeam({ key: 'PRIV', private: true });
    const { token, email } = await signup();
    const join = () => rest('POST', '/api/organization/join', { token, body: { urlKey: org.urlKey } });
    const [first, second] = await Promise.all([join(), join()]);
    expect(first).toMatchObject({ status: 200, body: { user: { email, admin: false, owner: false } } });
    expect(second.body['user']).toEqual(first.body['user']);
    const joined = (
      await graphqlAs(first.body['accessToken'] as string, '{ viewer { displayName teams { nodes { key } } } }')
    ).viewer;
    expect(joined.teams.nodes.map(({ key }: { key: string }) => key).sort()).toEqual(['ENG', 'PUB']);
    const [event, ...others] = await org.recorded();
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      kind: 'user.created',
      syncId: 1,
      data: {
        action: 'create',
        type: 'User',
        actor: { email },
        data: { email, active: true, displayName: joined.displayName },
      },
    });
    expect(event?.data).not.toHaveProperty('updatedFrom');
  });

  it('switches the claim between organizations', async () => {
    const [a, b] = [await app.organization(), await app.organization()];
    const { token } = await signup();
    const join = async (urlKey: string) =>
      (await rest('POST', '/api/organization/join', { token, body: { urlKey } })).body['accessToken'] as string;
    await join(a.urlKey);
    const inB = await join(b.urlKey);
    const againInA = await join(a.urlKey.toUpperCase());
    const organizationOf = async (access: string) =>
      (await graphqlAs(access, '{ organization { id } }')).organization.id;
    expect([await organizationOf(inB), await organizationOf(againInA)]).toEqual([b.id, a.id]);
  });

  it('refuses unknown organizations and suspended users', async () => {
    const org = await app.organization();
    const { token } = await signup();
    const join = (urlKey: unknown) => rest('POST', '/api/organization/join', { token, body: { urlKey } });
    expect(await join(newKey())).toMatchObject({ status: 404, body: { message: 'organization_not_found' } });
    expect((await join(7)).status).toBe(400);
    const { body } = await join(org.urlKey);
    await org.client().suspendUser(body['user'].id);
    expect(await join(org.urlKey)).toMatchObject({ status: 403, body: { message: 'account_inactive' } });
    expect(await rest('GET', '/api/organization', { token: body['accessToken'] })).toMatchObject({
      status: 401,
      body: { message: 'account_inactive' },
    });
  });
});

const graphqlAs = async (token: string, query: string) => {
  const { body } = await rest('POST', '/graphql', { authorization: `Bearer ${token}`, body: { query } });
  expect(body['errors']).toBeUndefined();
  return body['data'];
};

describe('/api/api-keys', () => {
  it('shows a key once, stores its hash, lists it and revokes it', async () => {
    const org = await app.organization();
    const bob = await org.member();
    const token = await bob.accessToken();
    const made = await rest('POST', '/api/api-keys', { token, body: { label: 'ci' } });
    expect(made).toMatchObject({
      status: 201,
      body: { id: expect.stringMatching(UUID), label: 'ci', token: expect.stringMatching(/^svc_api_[A-Za-z0-9]{40}$/) },
    });
    expect(Object.keys(made.body).sort()).toEqual(['createdAt', 'id', 'label', 'token']);
    const key = made.body['token'] as string;
    const [stored] = await app.nest.get(Db).readText('SELECT * FROM api_keys WHERE id = $1', [made.body['id']]);
    expect(stored).toMatchObject({ hash: sha256Hex(key) });
    expect(JSON.stringify(stored)).not.toContain(key.slice(12));

    const list = async () =>
      (await rest('GET', '/api/api-keys', { token })).body['apiKeys'] as Record<string, unknown>[];
    const [newest, older] = await list();
    expect(newest).toEqual({
      id: made.body['id'],
      label: 'ci',
      start: key.slice(0, 12),
      createdAt: made.body['createdAt'],
      lastUsedAt: null,
    });
    expect(older).toMatchObject({ label: 'tests' });

    expect((await graphql(key)).body).toEqual({ data: { viewer: { id: bob.user.id, name: bob.user.name } } });
    await expect.poll(async () => (await list())[0]?.['lastUsedAt']).toEqual(expect.any(String));
    const remove = (as: string) => rest('DELETE', `/api/api-keys/${made.body['id'] as string}`, { token: as });
    expect(await remove(await org.accessToken())).toMatchObject({
      status: 404,
      body: { message: 'api_key_not_found' },
    });
    expect(await remove(token)).toMatchObject({ status: 200, body: { success: true } });
    expect(await remove(token)).toMatchObject({ status: 404 });
    expect((await graphql(key)).status).toBe(401);
    expect(await list()).toHaveLength(1);
  });

  it('refuses bad labels, and tokens without a claim', async () => {
    const org = await app.organization();
    const token = await org.accessToken();
    for (const label of [undefined, '', ' ', 7, 'x'.repeat(81)]) {
      expect(await rest('POST', '/api/api-keys', { token, body: { label } })).toMatchObject({
        status: 400,
        body: { message: expect.arrayContaining([expect.stringContaining('label')]) },
      });
    }
    const unclaimed = await org.accessToken({});
    for (const [method, path] of [
      ['GET', '/api/api-keys'],
      ['POST', '/api/api-keys'],
      ['DELETE', `/api/api-keys/${randomUUID()}`],
      ['GET', '/api/organization'],
      ['GET', '/api/webhooks'],
    ] as const) {
      expect(await rest(method, path, { token: unclaimed }), path).toMatchObject({
        status: 403,
        body: { statusCode: 403, message: 'organization_required', error: 'Forbidden' },
      });
    }
  });
});

describe('/api/webhooks', () => {
  const url = 'http://127.0.0.1:9/hook';

  it('shares the webhooks of GraphQL, in both directions', async () => {
    const org = await app.organization();
    const token = await org.accessToken();
    const made = await rest('POST', '/api/webhooks', { token, body: { url, teamId: 'eng', label: 'hook' } });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      id: expect.stringMatching(UUID),
      url,
      label: 'hook',
      enabled: true,
      secret: expect.stringMatching(/^svc_wh_[A-Za-z0-9]{40}$/),
      resourceTypes: ['Issue', 'Comment', 'IssueLabel', 'Project', 'Cycle', 'User'],
      teamId: org.team.id,
      allPublicTeams: false,
      creatorId: org.owner.id,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    const byGraphql = await org.client().createWebhook({ url, resourceTypes: ['Issue'], secret: 's' });
    const webhook = await byGraphql.webhook;
    const list = await rest('GET', '/api/webhooks', { token });
    expect((list.body['webhooks'] as { id: string }[]).map(({ id }) => id)).toEqual([webhook?.id, made.body['id']]);
    expect((await org.client().webhooks()).nodes.map(({ id }) => id)).toEqual([webhook?.id, made.body['id']]);
    const gone = () => rest('DELETE', `/api/webhooks/${webhook?.id}`, { token });
    expect(await gone()).toMatchObject({ status: 200, body: { success: true } });
    expect(await gone()).toMatchObject({ status: 404, body: { message: 'webhook_not_found' } });
    expect((await org.recorded()).map(({ kind, room }) => [kind, room])).toEqual(
      ['created', 'created', 'removed'].map((what) => [`webhook.${what}`, `org:${org.id}/admins`]),
    );
  });

  it('refuses bad fields, unknown teams, both scopes, members and other paths', async () => {
    const org = await app.organization();
    const token = await org.accessToken();
    const post = (body: object) => rest('POST', '/api/webhooks', { token, body });
    for (const body of [{}, { url: 'ftp://a.b' }, { url, resourceTypes: [] }, { url, resourceTypes: ['Nope'] }]) {
      expect(await post(body), JSON.stringify(body)).toMatchObject({
        status: 400,
        body: { message: expect.any(Array) },
      });
    }
    expect((await post({ url, teamId: org.team.id, allPublicTeams: true })).status).toBe(400);
    for (const teamId of [randomUUID(), 'NOPE']) {
      expect(await post({ url, teamId })).toMatchObject({ status: 404, body: { message: 'team_not_found' } });
    }
    const bob = await (await org.member()).accessToken();
    for (const [method, path] of [
      ['GET', '/api/webhooks'],
      ['POST', '/api/webhooks'],
      ['DELETE', `/api/webhooks/${randomUUID()}`],
    ] as const) {
      expect(await rest(method, path, { token: bob })).toMatchObject({ status: 403, body: { message: 'not_admin' } });
    }
    expect(await rest('DELETE', '/api/webhooks/7', { token })).toMatchObject({
      status: 404,
      body: { message: 'not_found' },
    });
  });
});
