import { describe, expect, it } from 'vitest';
import { useApp } from '../../support/app.js';
import { TestBrowser, offered } from '../../support/consent.js';
import {
  authorize,
  authorizeUrl,
  byClient,
  codeFor,
  graphqlBy,
  redeem,
  refresh,
} from '../../support/oauth-application.js';
import { makeSandbox, send } from '../../support/sandbox-routes.js';

const app = useApp();

const REDIRECT = 'https://app.example/callback';
const DOCUMENT = {
  users: ['alice'],
  tracker: {
    apps: [
      {
        name: 'importer',
        redirect_uris: [REDIRECT],
        client_credentials: true,
        webhook_url: 'http://127.0.0.1:9/',
        webhook_resource_types: ['Issue'],
        installed: { actor: 'app', scopes: ['write', 'app:assignable'], as: 'admin' },
      },
      { name: 'helper', redirect_uris: [REDIRECT], installed: { scopes: ['write'], as: 'alice' } },
    ],
  },
};

// oxlint-disable-next-line typescript/no-explicit-any -- credentials as documents answer them
type Shown = Record<string, any>;

const clientOf = (shown: Shown) => ({
  id: shown['id'],
  clientId: shown['client_id'],
  clientSecret: shown['client_secret'],
  webhookSecret: shown['webhook_secret'],
});

/** The id of whoever a token stands for, or the code of its refusal. */
async function whose(token: string): Promise<string> {
  const { body } = await graphqlBy(app, token, '{ viewer { id } }');
  return body.errors ? String(body.errors[0]?.extensions['code']) : body.data.viewer.id;
}

/** docs/reference/tracker-oauth.md#documents */
describe('applications of a document', () => {
  it('are there with their tokens, beside default-app, which works unprepared', async () => {
    const { body } = await makeSandbox(app, DOCUMENT);
    const { importer, helper, 'default-app': first } = body.credentials.tracker_apps;
    expect(importer).toEqual({
      id: expect.any(String),
      client_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      client_secret: expect.stringMatching(/^[0-9a-f]{64}$/),
      webhook_secret: expect.stringMatching(/^svc_wh_/),
      access_token: expect.stringMatching(/^lin_oauth_/),
      refresh_token: expect.stringMatching(/^[a-z0-9]{64}$/),
      app_user_id: expect.any(String),
    });
    expect(await whose(importer.access_token)).toBe(importer.app_user_id);
    expect(await whose(helper.access_token)).toBe(body.credentials.users.alice.tracker_user_id);
    expect((await refresh(app, clientOf(helper), helper.refresh_token)).status).toBe(200);
    expect(first).toMatchObject({ access_token: null, app_user_id: null });
    const made = await byClient(app, clientOf(first));
    expect(made.status).toBe(200);
    const loopback = 'http://localhost:3000/oauth/callback';
    const query = { redirect_uri: loopback };
    const person = offered(
      await new TestBrowser(app).get(authorizeUrl(app, clientOf(first), query)),
      'user',
    )[0] as string;
    const code = await codeFor(app, clientOf(first), person, query);
    expect((await redeem(app, clientOf(first), code, query)).status).toBe(200);
    const elsewhere = await new TestBrowser(app).get(
      authorizeUrl(app, clientOf(first), { redirect_uri: 'http://evil.example/' }),
    );
    expect(elsewhere.status).toBe(400);
  });

  it('have fixed client ids and secrets once over the whole server', async () => {
    const fixed = { client_id: crypto.randomUUID().replaceAll('-', ''), client_secret: crypto.randomUUID() };
    const document = { tracker: { apps: [{ name: 'fixed', redirect_uris: [REDIRECT], ...fixed }] } };
    const { body } = await makeSandbox(app, document);
    expect(body.credentials.tracker_apps.fixed).toMatchObject(fixed);
    await expect(makeSandbox(app, document)).rejects.toThrow('taken');
  });

  it('come back with a reset, with the same ids and secrets, and codes are dropped', async () => {
    const { body, ctl } = await makeSandbox(app, DOCUMENT);
    const helper = body.credentials.tracker_apps.helper as Shown;
    const alice = body.credentials.users.alice.tracker_user_id;
    const late = await authorize(app, clientOf(helper), alice, { redirect_uri: REDIRECT });
    const code = await codeFor(app, clientOf(helper), alice);
    expect(await whose(late.access_token)).toBe(alice);
    await fetch(`${app.baseUrl}/oauth/revoke`, {
      method: 'POST',
      body: new URLSearchParams({ token: helper['access_token'] }),
    });
    expect(await whose(helper['access_token'])).toBe('AUTHENTICATION_ERROR');
    expect((await send(app, 'POST', '/api/sandboxes/self/reset', ctl, {})).status).toBe(200);
    expect(await whose(helper['access_token'])).toBe(alice);
    expect(await whose(late.access_token)).toBe('AUTHENTICATION_ERROR');
    expect((await redeem(app, clientOf(helper), code)).body.error).toBe('invalid_grant');
    expect((await refresh(app, clientOf(helper), helper['refresh_token'])).status).toBe(200);
  });

  it('are in a copy under new ids, secrets and tokens', async () => {
    const { body, ctl } = await makeSandbox(app, DOCUMENT);
    const snapshot = await send(app, 'POST', '/api/sandboxes/self/snapshots', ctl, { name: 'all' });
    const copy = await send(app, 'POST', '/api/sandboxes', ctl, { from: snapshot.body.id });
    expect(copy.status, JSON.stringify(copy.body)).toBe(201);
    for (const name of ['importer', 'helper', 'default-app']) {
      const [old, made] = [body, copy.body].map((one) => one.credentials.tracker_apps[name] as Shown) as [Shown, Shown];
      for (const field of ['id', 'client_id', 'client_secret']) expect(made[field]).not.toBe(old[field]);
    }
    const { importer, helper } = copy.body.credentials.tracker_apps;
    expect(await whose(importer.access_token)).toBe(importer.app_user_id);
    expect(await whose(helper.access_token)).toBe(copy.body.credentials.users.alice.tracker_user_id);
    expect((await byClient(app, clientOf(importer))).status).toBe(200);
    const users = await graphqlBy(app, importer.access_token, '{ users { nodes { id name app } } }');
    expect(users.body.data.users.nodes.filter((one: { app: boolean }) => one.app)).toEqual([
      expect.objectContaining({ id: importer.app_user_id, name: 'importer' }),
    ]);
  });

  it('are exported without ids, secrets and tokens', async () => {
    const { ctl } = await makeSandbox(app, DOCUMENT);
    const exported = await send(app, 'GET', '/api/sandboxes/self/seed', ctl);
    const { apps, webhooks } = exported.body.tracker;
    expect(webhooks).toBeUndefined();
    expect(apps).toEqual([
      {
        name: 'importer',
        redirect_uris: [REDIRECT],
        client_credentials: true,
        webhook_url: 'http://127.0.0.1:9/',
        webhook_resource_types: ['Issue'],
        installed: { actor: 'app', scopes: ['app:assignable', 'read', 'write'], as: 'admin' },
      },
      {
        name: 'helper',
        redirect_uris: [REDIRECT],
        installed: { actor: 'user', scopes: ['read', 'write'], as: 'alice' },
      },
    ]);
    const again = await makeSandbox(app, exported.body);
    expect(again.body.credentials.tracker_apps.helper.access_token).toMatch(/^lin_oauth_/);
  });

  it('are installations among the changes, by names, and gone from them when they end', async () => {
    const { body, ctl } = await makeSandbox(app, DOCUMENT);
    const { importer } = body.credentials.tracker_apps;
    const since = await send(app, 'POST', '/api/sandboxes/self/snapshots', ctl, { name: 'before' });
    const changes = async (): Promise<Shown> =>
      (await send(app, 'GET', `/api/sandboxes/self/changes?since=${since.body.id}`, ctl)).body;
    const client = clientOf(importer);
    const alice = body.credentials.users.alice.tracker_user_id;
    const { access_token: token } = await authorize(app, client, alice, { scope: 'write,comments:create' });
    const installation = {
      product: 'tracker',
      app: 'importer',
      user: 'alice',
      scopes: ['comments:create', 'read', 'write'],
    };
    expect((await changes())['added'].installation).toEqual([{ id: expect.any(String), ...installation }]);
    for (const ended of [token, importer.access_token])
      await fetch(`${app.baseUrl}/oauth/revoke`, { method: 'POST', body: new URLSearchParams({ token: ended }) });
    const { added, removed } = await changes();
    expect(added.installation ?? []).toEqual([]);
    expect(removed.installation).toEqual([
      {
        id: expect.any(String),
        product: 'tracker',
        app: 'importer',
        user: null,
        scopes: ['app:assignable', 'read', 'write'],
      },
    ]);
  });

  it('write nothing secret into the timeline', async () => {
    const { body, ctl } = await makeSandbox(app, { ...DOCUMENT, journal: true });
    const helper = body.credentials.tracker_apps.helper as Shown;
    const code = await codeFor(app, clientOf(helper), body.credentials.users.alice.tracker_user_id, {
      state: 'my-own-state',
    });
    const made = await redeem(app, clientOf(helper), code);
    await graphqlBy(app, made.body.access_token, '{ viewer { id } }');
    const timeline = JSON.stringify((await send(app, 'GET', '/api/sandboxes/self/timeline?limit=200', ctl)).body);
    expect(timeline).toContain('oauth/token');
    expect(timeline).toContain('oauth/authorize');
    expect(timeline).toContain('"kind":"oauth"');
    for (const secret of [
      code,
      made.body.access_token,
      made.body.refresh_token,
      helper['client_secret'],
      'my-own-state',
    ])
      expect(timeline).not.toContain(secret);
  });
});
