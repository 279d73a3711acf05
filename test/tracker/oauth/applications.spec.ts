import { describe, expect, it } from 'vitest';
import { useApp } from '../../support/app.js';
import { errorOf, TestBrowser } from '../../support/consent.js';
import {
  application,
  asAdmin,
  authorize,
  authorizeUrl,
  byClient,
  CALLBACK,
  codeFor,
  graphqlBy,
  postForm,
  redeem,
  refresh,
} from '../../support/oauth-application.js';
import { callRest } from '../../support/rest-call.js';

const app = useApp();

/** How GraphQL answers a token. */
async function answered(token: string): Promise<unknown> {
  const { status, body } = await graphqlBy(app, token, '{ viewer { id } }');
  return [status, body.errors?.[0]?.extensions['code']];
}
const UNAUTHENTICATED = [401, 'AUTHENTICATION_ERROR'];

/** docs/reference/tracker-oauth.md#applications */
describe('applications', () => {
  it('are registered, shown, changed and deleted by admins, and show their secrets once', async () => {
    const org = await app.organization();
    const redirectUris = [CALLBACK, 'my-app://done'];
    const fields = { developer: 'Acme', developerUrl: 'https://acme.example/', imageUrl: 'https://acme.example/i.png' };
    const made = await asAdmin(org, 'POST', '', {
      name: 'Importer',
      redirectUris,
      description: 'Imports',
      ...fields,
      grantTypes: ['client_credentials'],
      distribution: 'public',
      webhookUrl: 'http://127.0.0.1:9/',
      webhookResourceTypes: ['Issue', 'AppUserNotification'],
    });
    const shown = {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      clientId: expect.stringMatching(/^[0-9a-f]{32}$/),
      name: 'Importer',
      description: 'Imports',
      ...fields,
      redirectUris,
      grantTypes: ['authorization_code', 'client_credentials'],
      distribution: 'public',
      webhookUrl: 'http://127.0.0.1:9/',
      webhookEnabled: true,
      webhookResourceTypes: ['Issue', 'AppUserNotification'],
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    };
    expect([made.status, made.body]).toEqual([
      201,
      {
        application: shown,
        clientSecret: expect.stringMatching(/^[0-9a-f]{64}$/),
        webhookSecret: expect.stringMatching(/^svc_wh_/),
      },
    ]);
    const { id } = made.body.application;
    const plain = await asAdmin(org, 'POST', '', { name: 'Plain', redirectUris: [CALLBACK] });
    expect(plain.body).toMatchObject({
      application: {
        distribution: 'private',
        grantTypes: ['authorization_code'],
        webhookUrl: null,
        webhookEnabled: false,
      },
      webhookSecret: null,
    });
    const listed = (await asAdmin(org, 'GET', '')).body.applications;
    expect(listed.slice(-2)).toEqual([shown, plain.body.application]);
    expect((await asAdmin(org, 'GET', `/${id}`)).body).toEqual(shown);
    const changed = await asAdmin(org, 'PATCH', `/${id}`, { name: 'Renamed', webhookUrl: null });
    expect(changed.body).toEqual({ ...shown, name: 'Renamed', webhookUrl: null, webhookEnabled: false });
    expect((await asAdmin(org, 'DELETE', `/${id}`)).body).toEqual({ success: true });
    const gone = { statusCode: 404, message: 'application_not_found', error: 'Not Found' };
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/rotate-secret'],
      ['POST', '/rotate-webhook-secret'],
      ['GET', '/authorizations'],
      ['DELETE', '/authorization'],
    ] as const)
      expect([path, (await asAdmin(org, method, `/${id}${path}`)).body]).toEqual([path, gone]);
    expect((await asAdmin(org, 'PATCH', `/${id}`, { name: 'x' })).body).toEqual(gone);
  });

  it('are no business of members, of other organizations and of API keys, and refuse what cannot be', async () => {
    const [org, other] = [await app.organization(), await app.organization()];
    const client = await application(org);
    const member = await org.member();
    for (const [token, code] of [
      [await member.accessToken(), 'not_admin'],
      [org.apiKey, 'invalid_auth'],
    ] as const)
      expect((await callRest(app, 'GET', '/api/oauth-applications', { token })).body['message']).toBe(code);
    expect((await asAdmin(other, 'GET', `/${client.id}`)).status).toBe(404);
    expect((await asAdmin(other, 'POST', `/${client.id}/rotate-secret`)).status).toBe(404);
    const create = async (fields: object): Promise<number> =>
      (await asAdmin(org, 'POST', '', { name: 'x', redirectUris: [CALLBACK], ...fields })).status;
    for (const fields of [
      { name: '' },
      { name: 'x'.repeat(81) },
      { redirectUris: [] },
      { redirectUris: Array.from({ length: 101 }, (_, n) => `${CALLBACK}/${n}`) },
      { redirectUris: ['javascript:alert(1)'] },
      { redirectUris: [`${CALLBACK}#part`] },
      { grantTypes: ['password'] },
      { distribution: 'everybody' },
      { webhookUrl: 'ftp://x.example/' },
      { webhookResourceTypes: ['Nonsense'] },
    ])
      expect([fields, await create(fields)]).toEqual([fields, 400]);
    expect(await create({ name: 'x'.repeat(80) })).toBe(201);
  });

  it('lose all their tokens when they are deleted', async () => {
    const org = await app.organization();
    const client = await application(org, { grantTypes: ['client_credentials'] });
    const mine = await authorize(app, client, org.owner.id);
    const own = (await byClient(app, client)).body.access_token as string;
    expect([await answered(mine.access_token), await answered(own)]).toEqual([
      [200, undefined],
      [200, undefined],
    ]);
    await asAdmin(org, 'DELETE', `/${client.id}`);
    for (const token of [mine.access_token, own]) expect(await answered(token)).toEqual(UNAUTHENTICATED);
    expect((await refresh(app, client, mine.refresh_token)).body.error).toBe('invalid_client');
    expect(errorOf(await new TestBrowser(app).get(authorizeUrl(app, client)))).toBe('invalid_client');
  });
});

/** docs/reference/tracker-oauth.md#tokens */
describe('a person who is suspended', () => {
  it('has no tokens, no codes and no refresh, and is back with all but the code', async () => {
    const org = await app.organization();
    const member = await org.member();
    const client = await application(org);
    const made = await authorize(app, client, member.user.id);
    const code = await codeFor(app, client, member.user.id);
    const set = (mutation: string) => org.data(`mutation { ${mutation}(id: "${member.user.id}") { success } }`);
    await set('userSuspend');
    expect(await answered(made.access_token)).toEqual(UNAUTHENTICATED);
    expect((await redeem(app, client, code)).body.error).toBe('invalid_grant');
    expect((await refresh(app, client, made.refresh_token)).body.error).toBe('invalid_grant');
    await set('userUnsuspend');
    expect(await answered(made.access_token)).toEqual([200, undefined]);
    expect((await refresh(app, client, made.refresh_token)).status).toBe(200);
  });
});

/** docs/reference/tracker-oauth.md#ends */
describe('revoking', () => {
  it('knows no token that has expired', async () => {
    const org = await app.organization();
    const client = await application(org);
    const { access_token: token } = await authorize(app, client, org.owner.id);
    app.clock.advance(86_400_000);
    expect(await answered(token)).toEqual(UNAUTHENTICATED);
    const late = await postForm(app, '/oauth/revoke', { token });
    expect([late.status, late.body.error, late.headers.get('cache-control')]).toEqual([
      401,
      'invalid_token',
      'no-store',
    ]);
  });
});
