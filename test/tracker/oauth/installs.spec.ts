import { describe, expect, it } from 'vitest';
import { useApp } from '../../support/app.js';
import { graphqlBy, postForm, redeem, refresh } from '../../support/oauth-application.js';
import { makeSandbox, send } from '../../support/sandbox-routes.js';

const app = useApp();

/** The id of whoever a token stands for, or the code of its refusal. */
async function whose(token: string): Promise<string> {
  const { body } = await graphqlBy(app, token, '{ viewer { id } }');
  return body.errors ? String(body.errors[0]?.extensions['code']) : body.data.viewer.id;
}

const clientOf = (shown: { id: string; client_id: string; client_secret: string }) => ({
  id: shown.id,
  clientId: shown.client_id,
  clientSecret: shown.client_secret,
  webhookSecret: null,
});

const DOCUMENT = {
  users: ['alice'],
  journal: true,
  tracker: { apps: [{ name: 'importer', redirect_uris: ['https://app.example/callback'] }] },
};

/** docs/reference/installing.md#for-tests */
describe('installing an application of the tracker without a browser', () => {
  it('authorizes it as a person, or as itself, and answers tokens', async () => {
    const { body, ctl } = await makeSandbox(app, DOCUMENT);
    const { users, tracker_apps: apps } = body.credentials;
    const install = (fields: object) =>
      send(app, 'POST', '/api/sandboxes/self/install', ctl, { product: 'tracker', exchange: true, ...fields });
    const mine = await install({ app: 'importer', as: 'alice', scope: 'write' });
    expect(mine.status, JSON.stringify(mine.body)).toBe(200);
    expect(mine.body).toMatchObject({
      installed: true,
      tokens: { token_type: 'Bearer', scope: 'read write' },
      installation: { product: 'tracker', client_id: apps.importer.client_id, home: true },
    });
    expect(await whose(mine.body.tokens.access_token)).toBe(users.alice.tracker_user_id);
    const itself = await install({ app: 'default-app', actor: 'app', scope: 'write,app:mentionable' });
    expect(itself.status, JSON.stringify(itself.body)).toBe(200);
    const viewer = await graphqlBy(
      app,
      itself.body.tokens.access_token,
      '{ viewer { id app isMentionable isAssignable } }',
    );
    expect(viewer.body.data.viewer).toMatchObject({ app: true, isMentionable: true, isAssignable: false });
    const listed = await send(app, 'GET', '/api/sandboxes/self/installations', ctl);
    expect(listed.body.installations.filter(({ product }: { product: string }) => product === 'tracker')).toEqual([
      expect.objectContaining({ name: 'importer', users: [users.alice.tracker_user_id], app_user_id: null }),
      expect.objectContaining({ name: 'default-app', users: [], app_user_id: viewer.body.data.viewer.id }),
    ]);
    const { document } = (await send(app, 'GET', '/api/sandboxes/self/state?document=true', ctl)).body;
    expect(document.tracker.installation).toEqual([
      { product: 'tracker', app: 'default-app', user: null, scopes: ['app:mentionable', 'read', 'write'] },
      { product: 'tracker', app: 'importer', user: 'alice', scopes: ['read', 'write'] },
    ]);
    const denied = await install({ app: 'importer', decision: 'deny', exchange: false, follow: false });
    expect(new URL(denied.body.redirected_to).searchParams.get('error')).toBe('access_denied');
    const noAdmin = await install({ app: 'importer', as: 'alice', actor: 'app', exchange: false, follow: false });
    expect(new URL(noAdmin.body.redirected_to).searchParams.get('error')).toBe('access_denied');
    const nobody = await install({ app: 'importer', as: 'nobody' });
    expect([nobody.status, nobody.body.message]).toEqual([404, 'user_not_found']);
  });

  it('authorizes a public application of another sandbox, which no copy and no export has', async () => {
    const shop = {
      name: 'shop',
      redirect_uris: ['https://app.example/back'],
      public: true,
      webhook_url: 'http://127.0.0.1:9/',
    };
    const home = await makeSandbox(app, { tracker: { apps: [shop] } });
    const { client_id } = home.body.credentials.tracker_apps.shop;
    const { body, ctl } = await makeSandbox(app, { ...DOCUMENT, users: ['alice'] });
    const install = { product: 'tracker', client_id, exchange: true };
    const itself = await send(app, 'POST', '/api/sandboxes/self/install', ctl, { ...install, actor: 'app' });
    const mine = await send(app, 'POST', '/api/sandboxes/self/install', ctl, { ...install, as: 'alice' });
    expect([itself.status, mine.status]).toEqual([200, 200]);
    expect(mine.body.installation).toMatchObject({ home: false, name: 'shop' });
    const hooks = async (key: string): Promise<number> =>
      (await send(app, 'POST', '/graphql', { authorization: key }, { query: '{ webhooks { nodes { id } } }' })).body
        .data.webhooks.nodes.length;
    expect(await hooks(body.credentials.api_key)).toBe(1);
    expect(JSON.stringify((await send(app, 'GET', '/api/sandboxes/self/seed', ctl)).body)).not.toContain('shop');
    const snapshot = await send(app, 'POST', '/api/sandboxes/self/snapshots', ctl, {});
    const copy = await send(app, 'POST', '/api/sandboxes', ctl, { from: snapshot.body.id });
    expect(copy.status, JSON.stringify(copy.body)).toBe(201);
    const theirs = { 'x-sandbox-token': copy.body.credentials.control_token };
    const listed = await send(app, 'GET', '/api/sandboxes/self/installations', theirs);
    expect(JSON.stringify(listed.body)).not.toContain('shop');
    expect(await hooks(copy.body.credentials.api_key)).toBe(0);
    // the first is as it was, also after a reset of the second
    expect((await send(app, 'POST', '/api/sandboxes/self/reset', theirs, {})).status).toBe(200);
    expect(await whose(mine.body.tokens.access_token)).toBe(body.credentials.users.alice.tracker_user_id);
  });

  it('ends tokens by time or for good, and tells the timeline of both', async () => {
    const { body, ctl } = await makeSandbox(app, DOCUMENT);
    const { importer } = body.credentials.tracker_apps;
    const client = clientOf(importer);
    const made = await send(app, 'POST', '/api/sandboxes/self/install', ctl, {
      product: 'tracker',
      app: 'importer',
      as: 'alice',
      exchange: true,
    });
    const { access_token: token, refresh_token: renew } = made.body.tokens;
    const end = (how: string, fields: object) =>
      send(app, 'POST', `/api/sandboxes/self/tokens/${how}`, ctl, { product: 'tracker', ...fields });
    expect((await end('expire', { token })).body).toEqual({ count: 1 });
    expect(await whose(token)).toBe('AUTHENTICATION_ERROR');
    const fresh = await refresh(app, client, renew);
    expect(await whose(fresh.body.access_token)).toBe(body.credentials.users.alice.tracker_user_id);
    expect((await end('revoke', { app: 'importer', kind: 'access', user: 'alice' })).status).toBe(200);
    expect(await whose(fresh.body.access_token)).toBe('AUTHENTICATION_ERROR');
    expect((await refresh(app, client, renew)).body.error).toBe('invalid_grant');
    expect((await end('revoke', { token })).status).toBe(404);
    const { entries } = (await send(app, 'GET', '/api/sandboxes/self/timeline?limit=200', ctl)).body;
    const kinds = entries.map(({ kind }: { kind: string }) => kind);
    expect(kinds).toEqual(expect.arrayContaining(['install', 'uninstall']));
    expect(entries.find(({ kind }: { kind: string }) => kind === 'install')).toMatchObject({
      product: 'tracker',
      app: 'importer',
      scopes: ['read'],
      again: false,
    });
  });

  it('lets a test refuse codes, and change what the browser is sent back with', async () => {
    const { body, ctl } = await makeSandbox(app, DOCUMENT);
    const fault = (rule: object) => send(app, 'POST', '/api/sandboxes/self/faults', ctl, rule);
    const install = (fields: object) =>
      send(app, 'POST', '/api/sandboxes/self/install', ctl, {
        product: 'tracker',
        app: 'importer',
        follow: false,
        ...fields,
      });
    const forged = await fault({
      on: { method: 'oauth/authorize' },
      fault: { type: 'redirect', set: { state: 'forged' } },
      times: 1,
    });
    expect(forged.status, JSON.stringify(forged.body)).toBe(201);
    const sent = await install({ state: 'mine' });
    expect(new URL(sent.body.redirected_to).searchParams.get('state')).toBe('forged');
    const refused = await fault({
      on: { method: 'oauth/token' },
      fault: { type: 'error', error: 'invalid_grant' },
      times: 1,
    });
    expect(refused.status, JSON.stringify(refused.body)).toBe(201);
    const client = clientOf(body.credentials.tracker_apps.importer);
    const code = new URL(sent.body.redirected_to).searchParams.get('code') as string;
    expect((await redeem(app, client, code)).body).toMatchObject({ error: 'invalid_grant' });
    expect((await redeem(app, client, code)).status).toBe(200);
  });

  it('lets a test refuse oauth/revoke, which then ends nothing', async () => {
    const { ctl } = await makeSandbox(app, DOCUMENT);
    const install = { product: 'tracker', app: 'importer', exchange: true };
    const { tokens } = (await send(app, 'POST', '/api/sandboxes/self/install', ctl, install)).body;
    const rule = { on: { method: 'oauth/revoke' }, fault: { type: 'error', error: 'invalid_request' }, times: 1 };
    expect((await send(app, 'POST', '/api/sandboxes/self/faults', ctl, rule)).status).toBe(201);
    const revoke = (): Promise<{ status: number; body: unknown }> =>
      postForm(app, '/oauth/revoke', { token: tokens.access_token });
    expect(await revoke()).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    expect(await whose(tokens.access_token)).not.toBe('AUTHENTICATION_ERROR');
    expect(await revoke()).toMatchObject({ status: 200, body: {} });
    expect(await whose(tokens.access_token)).toBe('AUTHENTICATION_ERROR');
    const { entries } = (await send(app, 'GET', '/api/sandboxes/self/timeline?kind=call&method=oauth/revoke', ctl))
      .body;
    expect(entries.map(({ ok }: { ok: boolean }) => ok).sort()).toEqual([false, true]);
  });
});
