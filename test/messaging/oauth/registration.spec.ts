import { describe, expect, it } from 'vitest';
import { useApp } from '../../support/app.js';
import { errorOf, offered, TestBrowser } from '../../support/consent.js';
import { authorizeUrl, clientCall, codeFor, install, oauthApp, redeem, REDIRECT } from '../../support/oauth-app.js';
import { refusal, rest } from '../../support/rest-client.js';
import { makeSandbox } from '../../support/sandbox-routes.js';

const app = useApp();

const unauthorized = async (url: string): Promise<string> => errorOf(await new TestBrowser(app).get(url));

/** docs/reference/installing.md#registration */
describe('the registration of an app', () => {
  it('is no installation: there is no bot and no token until the first one', async () => {
    const ws = await app.workspace();
    const { token } = await ws.jwtClient({ user: ws.admin });
    const scopes = { bot: ['chat:write'], user: ['users:read'] };
    const manifest = { display_information: { name: 'shop' }, oauth_config: { scopes, redirect_urls: [REDIRECT] } };
    const { status, body } = await rest(app, 'POST /apps', { token, body: { manifest, install: false } });
    expect([status, body]).toEqual([
      201,
      expect.objectContaining({
        client_id: expect.stringMatching(/^[0-9]{12}\.[0-9]{13}$/),
        installed: false,
        distributed: false,
        redirect_urls: [REDIRECT],
        bot_id: null,
        bot_user_id: null,
        bot_token: null,
        access_token: null,
        user_token: null,
      }),
    ]);
    expect(body).not.toHaveProperty('warnings');
    expect(body.credentials.client_secret).toMatch(/^[0-9a-f]{32}$/);
    const people = await rest(app, 'POST /users.list', { token });
    expect(people.body.members.map(({ name }: { name: string }) => name)).not.toContain('shop');
    const shown = await rest(app, `GET /apps/${body.id}/credentials`, { token });
    expect(shown.text).not.toContain(body.credentials.client_secret);
  });

  it('has a secret that its creator and admins make anew; the old one stops at once', async () => {
    const ws = await app.workspace();
    const client = await oauthApp(app, ws);
    const [{ token: admin }, { token: member }] = [await ws.jwtClient({ user: ws.admin }), await ws.jwtClient()];
    const rotate = (token: string) => rest(app, `POST /apps/${client.id}/client-secret/rotate`, { token });
    expect((await rotate(member)).body).toEqual(refusal(403, 'not_admin'));
    const { status, body } = await rotate(admin);
    expect([status, body]).toEqual([200, { client_secret: expect.stringMatching(/^[0-9a-f]{32}$/) }]);
    const code = await codeFor(app, client, ws.admin.id);
    expect(await redeem(app, client, code)).toEqual({ ok: false, error: 'bad_client_secret' });
    expect(await redeem(app, { ...client, clientSecret: body.client_secret }, code)).toMatchObject({ ok: true });
  });

  it('is distributed by its creator and admins, and no longer: what is installed elsewhere stays', async () => {
    const [home, guest] = [await app.workspace(), await app.workspace()];
    const client = await oauthApp(app, home);
    const { token } = await home.jwtClient({ user: home.admin });
    const { token: member } = await home.jwtClient();
    const distribute = (by: string, distributed: unknown) =>
      rest(app, `PUT /apps/${client.id}/distribution`, { token: by, body: { distributed } });
    expect((await distribute(member, true)).body).toEqual(refusal(403, 'not_admin'));
    expect((await distribute(token, 'yes')).status).toBe(400);
    expect((await distribute(token, true)).body).toMatchObject({ id: client.id, distributed: true });
    const there = await install(app, client, guest.admin.id, { team: guest.id });
    await install(app, client, home.admin.id);
    const page = async (cursor: string): Promise<{ installations: { team_id: string }[]; next_cursor: string }> =>
      (await rest(app, `GET /apps/${client.id}/installations?limit=1&cursor=${encodeURIComponent(cursor)}`, { token }))
        .body;
    const first = await page('');
    const second = await page(first.next_cursor);
    const teams = [...first.installations, ...second.installations].map(({ team_id: id }) => id);
    expect([teams.toSorted(), second.next_cursor]).toEqual([[guest.id, home.id].toSorted(), '']);
    expect((await distribute(token, false)).body).toMatchObject({ distributed: false });
    expect(await clientCall(app, 'auth.test', { token: there.access_token })).toMatchObject({ team_id: guest.id });
    expect(await unauthorized(authorizeUrl(app, client, { team: guest.id }))).toBe(
      'invalid_team_for_non_distributed_app',
    );
  });

  it('takes redirect URLs of http, https and schemes of its own, and turns neither PKCE nor rotation off again', async () => {
    const ws = await app.workspace();
    const { token } = await ws.jwtClient({ user: ws.admin });
    const manifest = (oauth_config: object, settings: object = {}) => ({
      display_information: { name: 'shop' },
      oauth_config,
      settings,
    });
    const register = (oauth_config: object) =>
      rest(app, 'POST /apps', { token, body: { manifest: manifest(oauth_config), install: false } });
    for (const url of [
      'https://x.example/#part',
      'https://user@x.example/',
      'https://x.example\\@y.example/',
      'https://x.example/%2e%2e/',
      'javascript:alert(1)',
      'data://x.example/',
      'x.example/callback',
    ])
      expect([url, (await register({ redirect_urls: [REDIRECT, url] })).body.message]).toEqual([
        url,
        [expect.stringContaining('manifest.oauth_config.redirect_urls[1]')],
      ]);
    const many = Array.from({ length: 1_001 }, (_, n) => `https://x.example/${n}`);
    expect((await register({ redirect_urls: many })).status).toBe(400);
    expect((await register({ redirect_urls: many.slice(1) })).status).toBe(201);
    const made = await register({ redirect_urls: ['my-app://done', 'com.example.app:/done'], pkce_enabled: true });
    expect(made.status).toBe(201);
    const put = (body: object) => rest(app, `PUT /apps/${made.body.id}/manifest`, { token, body });
    const on = manifest({ redirect_urls: [REDIRECT], pkce_enabled: true }, { token_rotation_enabled: true });
    expect((await put({ manifest: on })).status).toBe(200);
    const off = await put({ manifest: manifest({ redirect_urls: [REDIRECT] }) });
    expect([off.status, off.body.message]).toEqual([
      400,
      expect.arrayContaining([
        expect.stringContaining('settings.token_rotation_enabled'),
        expect.stringContaining('oauth_config.pkce_enabled'),
      ]),
    ]);
  });

  it('of the default app takes any http URL of this machine, until its manifest has some', async () => {
    const { body } = await makeSandbox(app, { methods: 'all', users: ['alice'] });
    const { client_id: clientId, client_secret: clientSecret, user_token: token, admin } = body.credentials;
    const client = { id: '', clientId, clientSecret, signingSecret: '' };
    const at = (redirect_uri: string): string => authorizeUrl(app, client, { redirect_uri, scope: 'chat:write' });
    for (const uri of ['http://localhost:3000/slack/oauth_redirect', 'http://127.0.0.1/', 'http://[::1]:9/a?b=c']) {
      const page = await new TestBrowser(app).get(at(uri));
      expect([uri, page.status, offered(page, 'user').length > 0]).toEqual([uri, 200, true]);
    }
    for (const uri of ['https://localhost/', 'http://localhost.evil.example/', 'http://10.0.0.1/', 'http://0.0.0.0/'])
      expect([uri, await unauthorized(at(uri))]).toEqual([uri, 'bad_redirect_uri']);
    const loopback = { redirect_uri: 'http://localhost:3000/', scope: 'chat:write' };
    expect(await redeem(app, client, await codeFor(app, client, admin.user_id, loopback), loopback)).toMatchObject({
      ok: true,
    });
    const { app_id: id } = await clientCall(app, 'auth.test', { token });
    const { manifest } = (await rest(app, `GET /apps/${id}`, { token })).body;
    manifest.oauth_config = { ...manifest.oauth_config, redirect_urls: ['https://x.example/'] };
    expect((await rest(app, `PUT /apps/${id}/manifest`, { token, body: { manifest } })).status).toBe(200);
    expect(await unauthorized(at('http://localhost:3000/'))).toBe('bad_redirect_uri');
    expect((await new TestBrowser(app).get(at('https://x.example/'))).status).toBe(200);
  });
});
