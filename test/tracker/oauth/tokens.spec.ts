import { describe, expect, it } from 'vitest';
import { sha256Hex } from '../../../src/kernel/ids/ids.js';
import { OauthToken } from '../../../src/tracker/entities.js';
import { useApp } from '../../support/app.js';
import { onPostgres } from '../../support/databases.js';
import { lockRow, overlap } from '../../support/overlap.js';
import {
  application,
  asAdmin,
  authorize,
  byClient,
  CALLBACK,
  codeFor,
  graphqlBy,
  pkce,
  postForm,
  redeem,
  refresh,
  type TokenAnswer,
} from '../../support/oauth-application.js';

const app = useApp();

const VIEWER = '{ viewer { id name app } }';

/** The id of whoever a token stands for, or the code of its refusal. */
async function whose(token: string): Promise<string> {
  const { body } = await graphqlBy(app, token, VIEWER);
  return body.errors ? String(body.errors[0]?.extensions['code']) : body.data.viewer.id;
}

/** docs/reference/tracker-oauth.md#tokens */
describe('a code', () => {
  it('is redeemed for tokens of the person who consented, by form fields or Basic', async () => {
    const org = await app.organization();
    const member = await org.member();
    const client = await application(org);
    const made = await redeem(app, client, await codeFor(app, client, member.user.id, { scope: 'write' }));
    expect(made.status).toBe(200);
    expect(made.headers.get('cache-control')).toBe('no-store');
    expect(made.body).toEqual({
      access_token: expect.stringMatching(/^lin_oauth_[0-9a-f]{64}$/),
      token_type: 'Bearer',
      expires_in: 86_399,
      scope: 'read write',
      refresh_token: expect.stringMatching(/^[a-z0-9]{64}$/),
    });
    expect(await whose(made.body.access_token)).toBe(member.user.id);
    const basic = Buffer.from(`${client.clientId}:${client.clientSecret}`).toString('base64');
    const fields = { grant_type: 'authorization_code', redirect_uri: CALLBACK };
    const second = await postForm(
      app,
      '/oauth/token',
      { ...fields, code: await codeFor(app, client, member.user.id) },
      { authorization: `Basic ${basic}` },
    );
    expect([second.status, second.body.scope]).toEqual([200, 'read']);
    // the first one lives on
    expect(await whose(made.body.access_token)).toBe(member.user.id);
  });

  it('that is used again is refused, and what it brought is revoked', async () => {
    const org = await app.organization();
    const client = await application(org);
    const other = await authorize(app, client, org.owner.id);
    const code = await codeFor(app, client, org.owner.id);
    const first = await redeem(app, client, code);
    expect(await whose(first.body.access_token)).toBe(org.owner.id);
    const fresh = await refresh(app, client, first.body.refresh_token);
    const again = await redeem(app, client, code);
    expect([again.status, again.body.error]).toEqual([400, 'invalid_grant']);
    for (const token of [first.body.access_token, fresh.body.access_token])
      expect(await whose(token)).toBe('AUTHENTICATION_ERROR');
    expect((await refresh(app, client, fresh.body.refresh_token)).body.error).toBe('invalid_grant');
    // what the person consented to another time stays
    expect(await whose(other.access_token)).toBe(org.owner.id);
  });

  it('is refused to another client, for another URL, without its verifier, and when it is old, and stays good', async () => {
    const org = await app.organization();
    const client = await application(org);
    const other = await application(org);
    const { verifier, challenge } = pkce();
    const query = { code_challenge: challenge, code_challenge_method: 'S256' };
    const code = await codeFor(app, client, org.owner.id, query);
    const error = async (by: typeof client, more: Record<string, string>): Promise<unknown> => {
      const { status, body } = await redeem(app, by, code, more);
      return [status, body.error];
    };
    expect(await error(other, { code_verifier: verifier })).toEqual([400, 'invalid_grant']);
    expect(await error(client, { code_verifier: verifier, redirect_uri: `${CALLBACK}/` })).toEqual([
      400,
      'invalid_grant',
    ]);
    expect(await error(client, {})).toEqual([400, 'invalid_grant']);
    expect(await error(client, { code_verifier: pkce().verifier })).toEqual([400, 'invalid_grant']);
    expect(await error(client, { code_verifier: verifier, client_secret: 'wrong' })).toEqual([401, 'invalid_client']);
    expect((await redeem(app, client, 'f'.repeat(40))).body.error).toBe('invalid_grant');
    expect((await redeem(app, client, code, { code_verifier: verifier })).status).toBe(200);
    const plain = await codeFor(app, client, org.owner.id);
    expect((await redeem(app, client, plain, { code_verifier: verifier })).body.error).toBe('invalid_grant');
  });

  it('needs no secret where PKCE proves the client, with S256 and plain, and neither does its refresh token', async () => {
    const org = await app.organization();
    const client = await application(org);
    const { verifier, challenge } = pkce();
    const ways = [
      { code_challenge: challenge, code_challenge_method: 'S256' },
      { code_challenge: verifier, code_challenge_method: 'plain' },
      { code_challenge: verifier },
    ];
    const fields = { grant_type: 'authorization_code', redirect_uri: CALLBACK, client_id: client.clientId };
    for (const way of ways) {
      const code = await codeFor(app, client, org.owner.id, way as Record<string, string>);
      const made = await postForm(app, '/oauth/token', { ...fields, code, code_verifier: verifier });
      expect([made.status, made.body.error]).toEqual([200, undefined]);
      const fresh = await postForm(app, '/oauth/token', {
        grant_type: 'refresh_token',
        client_id: client.clientId,
        refresh_token: made.body.refresh_token,
      });
      expect(fresh.status).toBe(200);
    }
    const secret = await codeFor(app, client, org.owner.id);
    const refused = await postForm(app, '/oauth/token', { ...fields, code: secret });
    expect([refused.status, refused.body.error]).toEqual([401, 'invalid_client']);
  });
});

describe('the token endpoint', () => {
  it('takes forms alone, and says what is missing', async () => {
    const org = await app.organization();
    const client = await application(org);
    const id = { client_id: client.clientId, client_secret: client.clientSecret };
    const error = async (fields: Record<string, string>): Promise<unknown> => {
      const { status, headers, body } = await postForm(app, '/oauth/token', fields);
      expect(headers.get('cache-control')).toBe('no-store');
      expect(Object.keys(body)).toEqual(['error', 'error_description']);
      return [status, body.error];
    };
    expect(await error({})).toEqual([400, 'invalid_request']);
    expect(await error({ grant_type: 'authorization_code' })).toEqual([400, 'invalid_request']);
    expect(await error({ grant_type: 'authorization_code', ...id })).toEqual([400, 'invalid_request']);
    expect(await error({ grant_type: 'authorization_code', code: 'x', ...id })).toEqual([400, 'invalid_request']);
    expect(await error({ grant_type: 'refresh_token', ...id })).toEqual([400, 'invalid_request']);
    expect(await error({ grant_type: 'password', ...id })).toEqual([400, 'unsupported_grant_type']);
    expect(await error({ grant_type: 'refresh_token', refresh_token: 'x', client_id: 'f'.repeat(32) })).toEqual([
      401,
      'invalid_client',
    ]);
    const json = await fetch(`${app.baseUrl}/oauth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ grant_type: 'client_credentials', ...id }),
    });
    expect([json.status, ((await json.json()) as { error: string }).error]).toEqual([400, 'invalid_request']);
  });
});

describe('a refresh token', () => {
  it('brings a new pair, and serves 30 minutes more by the sandbox clock', async () => {
    const org = await app.organization();
    const client = await application(org);
    const first = await authorize(app, client, org.owner.id, { scope: 'write' });
    const second = await refresh(app, client, first.refresh_token);
    const third = await refresh(app, client, first.refresh_token);
    expect([second.status, third.status]).toEqual([200, 200]);
    expect(second.body).toMatchObject({ scope: 'read write', expires_in: 86_399 });
    expect(new Set([first, second.body, third.body].map(({ refresh_token: token }) => token)).size).toBe(3);
    // access tokens live to their own end
    for (const token of [first.access_token, second.body.access_token, third.body.access_token])
      expect(await whose(token)).toBe(org.owner.id);
    const other = await application(org);
    expect((await refresh(app, other, second.body.refresh_token)).body.error).toBe('invalid_grant');
    app.clock.advance(31 * 60_000);
    try {
      expect((await refresh(app, client, first.refresh_token)).body.error).toBe('invalid_grant');
      expect((await refresh(app, client, second.body.refresh_token)).status).toBe(200);
      app.clock.advance(24 * 3_600_000);
      expect(await whose(first.access_token)).toBe('AUTHENTICATION_ERROR');
      expect((await refresh(app, client, third.body.refresh_token)).status).toBe(200);
    } finally {
      app.clock.reset();
    }
  });
});

describe('client credentials', () => {
  it('make the application act as itself in its own organization; the token before ends', async () => {
    const org = await app.organization();
    const client = await application(org, { grantTypes: ['authorization_code', 'client_credentials'] });
    const first = await byClient(app, client);
    expect(first.body).toEqual({
      access_token: expect.stringMatching(/^lin_oauth_/),
      token_type: 'Bearer',
      expires_in: 2_591_999,
      scope: 'read write',
    });
    const { body } = await graphqlBy(app, first.body.access_token, '{ viewer { id app name email admin active } }');
    expect(body.data.viewer).toMatchObject({ app: true, email: `${client.id}@oauthapp.invalid`, admin: false });
    const second = await byClient(app, client);
    expect(await whose(first.body.access_token)).toBe('AUTHENTICATION_ERROR');
    expect(await whose(second.body.access_token)).toBe(body.data.viewer.id);
    expect((await byClient(app, client, 'admin')).body.error).toBe('invalid_scope');
    expect((await byClient(app, client, '')).body.error).toBe('invalid_scope');
    await asAdmin(org, 'POST', `/${client.id}/rotate-secret`);
    expect(await whose(second.body.access_token)).toBe('AUTHENTICATION_ERROR');
    expect((await byClient(app, client)).body.error).toBe('invalid_client');
  });

  it('are refused where they are off', async () => {
    const org = await app.organization();
    const client = await application(org);
    const { status, body } = await byClient(app, client);
    expect([status, body]).toEqual([
      400,
      { error: 'Error', error_description: 'Client does not support the client_credentials grant type' },
    ]);
  });
});

/** docs/reference/tracker-oauth.md#ends */
describe.skipIf(onPostgres !== '')(`a refresh beside an end${onPostgres}`, () => {
  const held = (token: string) => (entities: Parameters<typeof lockRow>[0]) =>
    lockRow(entities, OauthToken, { hash: sha256Hex(token) });

  it('brings nothing that lives on when the authorization is revoked', async () => {
    const org = await app.organization();
    const client = await application(org);
    const { refresh_token: token, access_token: access } = await authorize(app, client, org.owner.id);
    const [next, ended] = await overlap<[TokenAnswer, TokenAnswer]>(
      app.store.dataSource,
      held(token),
      () => refresh(app, client, token),
      () => postForm(app, '/oauth/revoke', { token: access }),
    );
    expect([next.status, ended.status]).toEqual([200, 200]);
    expect(await whose(next.body.access_token)).toBe('AUTHENTICATION_ERROR');
    expect((await refresh(app, client, next.body.refresh_token)).body.error).toBe('invalid_grant');
  });

  it('brings nothing that lives on when its code is used again', async () => {
    const org = await app.organization();
    const client = await application(org);
    const code = await codeFor(app, client, org.owner.id);
    const { refresh_token: token } = (await redeem(app, client, code)).body;
    const [next, replayed] = await overlap<[TokenAnswer, TokenAnswer]>(
      app.store.dataSource,
      held(token),
      () => refresh(app, client, token),
      () => redeem(app, client, code),
    );
    expect([next.status, replayed.body.error]).toEqual([200, 'invalid_grant']);
    expect(await whose(next.body.access_token)).toBe('AUTHENTICATION_ERROR');
  });
});

/** docs/reference/tracker-oauth.md#ends */
describe('revoking', () => {
  it('ends the authorization with all its tokens, by any of them', async () => {
    const org = await app.organization();
    const client = await application(org);
    const ways = [
      (tokens: { access_token: string }) =>
        postForm(app, '/oauth/revoke', {}, { authorization: `Bearer ${tokens.access_token}` }),
      (tokens: { access_token: string }) => postForm(app, '/oauth/revoke', { access_token: tokens.access_token }),
      (tokens: { refresh_token: string }) => postForm(app, '/oauth/revoke', { refresh_token: tokens.refresh_token }),
      (tokens: { refresh_token: string }) => postForm(app, '/oauth/revoke', { token: tokens.refresh_token }),
    ];
    for (const revoke of ways) {
      const older = await authorize(app, client, org.owner.id);
      const tokens = await authorize(app, client, org.owner.id);
      const done = await revoke(tokens);
      expect([done.status, done.body]).toEqual([200, {}]);
      for (const { access_token: token } of [older, tokens]) expect(await whose(token)).toBe('AUTHENTICATION_ERROR');
      expect((await refresh(app, client, older.refresh_token)).body.error).toBe('invalid_grant');
      const again = await revoke(tokens);
      expect([again.status, again.body.error]).toEqual([400, 'invalid_request']);
    }
    const unknown = await postForm(app, '/oauth/revoke', { token: 'x' });
    expect([unknown.status, unknown.body.error]).toEqual([401, 'invalid_token']);
    expect((await postForm(app, '/oauth/revoke', {})).body.error).toBe('invalid_request');
  });

  it('of one person leaves the others', async () => {
    const org = await app.organization();
    const member = await org.member();
    const client = await application(org);
    const mine = await authorize(app, client, org.owner.id);
    const theirs = await authorize(app, client, member.user.id);
    const { authorizations } = (await asAdmin(org, 'GET', `/${client.id}/authorizations`)).body;
    expect(authorizations.map(({ userId }: { userId: string }) => userId).sort()).toEqual(
      [org.owner.id, member.user.id].sort(),
    );
    await postForm(app, '/oauth/revoke', { token: mine.access_token });
    expect(await whose(theirs.access_token)).toBe(member.user.id);
    await asAdmin(org, 'DELETE', `/${client.id}/authorization`);
    expect(await whose(theirs.access_token)).toBe('AUTHENTICATION_ERROR');
    const gone = await asAdmin(org, 'DELETE', `/${client.id}/authorization`);
    expect([gone.status, gone.body.message]).toEqual([404, 'application_not_found']);
  });
});
