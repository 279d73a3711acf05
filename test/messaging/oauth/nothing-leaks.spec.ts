import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { locationOf, TestBrowser, ticketOf } from '../../support/consent.js';
import { clientCall } from '../../support/oauth-app.js';
import { reservedPort } from '../../support/ports.js';
import { ensureBuilt, ServerProcess } from '../../support/server-process.js';

const OPERATOR = 'operator-of-the-leaks';
const REDIRECT = 'https://app.example/back';

/** docs/reference/installing.md#in-the-timeline */
describe('installing, signing in and managing manifests', { timeout: 120_000 }, () => {
  let server: ServerProcess;
  let metrics: string;

  beforeAll(async () => {
    ensureBuilt();
    const port = await reservedPort();
    metrics = `http://127.0.0.1:${port}/metrics`;
    server = await ServerProcess.start({
      SVC_DATA_DIR: 'memory',
      SVC_METHODS: 'all',
      SVC_ADMIN_TOKEN: OPERATOR,
      SVC_LOG_LEVEL: 'trace',
      SVC_METRICS_PORT: String(port),
    });
  }, 300_000);
  afterAll(async () => void (await server.kill('SIGTERM')));

  // oxlint-disable-next-line no-explicit-any
  async function control(method: string, path: string, body?: object): Promise<any> {
    const response = await fetch(`${server.baseUrl}/api/sandboxes${path}`, {
      method,
      headers: { 'x-admin-token': OPERATOR, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    return response.json();
  }

  it('leave no code, token, secret, verifier, state or ticket in a log, a metric, the timeline or its HAR', async () => {
    const scopes = { bot: ['chat:write'], user: ['users:read'] };
    const shop = {
      name: 'shop',
      scopes,
      redirect_urls: [REDIRECT],
      token_rotation: true,
      pkce: true,
      installed: false,
    };
    const { id, credentials } = await control('POST', '', { users: ['alice'], apps: [shop] });
    const { client_id, client_secret } = credentials.apps.shop;
    const user = credentials.users.alice.user_id as string;
    const secrets: string[] = [client_secret];

    /** Consents in a browser. @returns the code */
    async function consented(path: string, query: Record<string, string>): Promise<string> {
      const browser = new TestBrowser(server);
      const page = await browser.get(`${server.baseUrl}/${path}?${new URLSearchParams({ client_id, ...query })}`);
      const cookie = /^[^=]+=([^;]+)/.exec(page.headers.get('set-cookie') ?? '')?.[1] ?? '';
      const decided = await browser.post('/oauth/consent', { decision: 'allow', ticket: ticketOf(page), user });
      const code = locationOf(decided).searchParams.get('code') ?? '';
      secrets.push(code, cookie, ticketOf(page), query['state'] as string);
      return code;
    }
    const client = { client_id, client_secret };
    const verifier = randomBytes(40).toString('base64url');
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    const state = (): string => randomBytes(20).toString('hex');
    const pkce = { code_challenge: challenge, code_challenge_method: 'S256' };
    const code = await consented('oauth/v2/authorize', { state: state(), ...pkce });
    const wrong = await clientCall(server, 'oauth.v2.access', { ...client, code, code_verifier: 'w'.repeat(43) });
    expect(wrong).toEqual({ ok: false, error: 'invalid_code_verifier' });
    const installed = await clientCall(server, 'oauth.v2.access', { ...client, code, code_verifier: verifier });
    expect(installed).toMatchObject({ ok: true });
    const refresh = { grant_type: 'refresh_token', refresh_token: installed.refresh_token };
    const basic = `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`;
    const refreshed = await clientCall(server, 'oauth.v2.access', refresh, { authorization: basic });
    expect(refreshed).toMatchObject({ ok: true });
    const nonce = randomBytes(20).toString('hex');
    const signIn = { state: state(), response_type: 'code', scope: 'openid email', nonce };
    const signInCode = await consented('openid/connect/authorize', signIn);
    const signedIn = await clientCall(server, 'openid.connect.token', { ...client, code: signInCode });
    expect(signedIn).toMatchObject({ ok: true });
    await clientCall(server, 'openid.connect.userInfo', { token: signedIn.access_token });
    const config = await control('POST', `/${id}/config-token`, {});
    const rotated = await clientCall(server, 'tooling.tokens.rotate', { refresh_token: config.refresh_token });
    const manifest = JSON.stringify({ display_information: { name: 'made' } });
    const made = await clientCall(server, 'apps.manifest.create', { token: rotated.token, manifest });
    const tested = await control('POST', `/${id}/install`, { app: 'shop', exchange: true });
    secrets.push(verifier, challenge, nonce, basic.slice(6), signedIn.id_token, tested.code);
    secrets.push(made.credentials.client_secret, made.credentials.signing_secret);
    for (const pair of [installed, installed.authed_user, refreshed, signedIn, config, rotated, tested.tokens])
      secrets.push(pair.access_token ?? pair.token, pair.refresh_token);
    expect(secrets.filter((secret) => typeof secret !== 'string' || secret.length < 16)).toEqual([]);

    const answered = await fetch(metrics);
    expect(answered.status).toBe(200);
    const places = {
      metrics: await answered.text(),
      timeline: JSON.stringify(await control('GET', `/${id}/timeline?limit=1000`)),
      har: JSON.stringify(await control('GET', `/${id}/timeline.har`)),
      log: server.running.stdout + server.running.stderr,
    };
    expect(places.timeline).toContain('oauth.v2.access');
    expect(places.har).toContain('openid.connect.token');
    expect(places.log).toContain('"answered"');
    for (const [place, text] of Object.entries(places))
      for (const secret of secrets)
        expect(text.includes(secret), `${secret.slice(0, 12)}… in the ${place}`).toBe(false);
  });
});
