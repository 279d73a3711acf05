import { describe, expect, it } from 'vitest';
import { connect } from '../../clients/js/src/testing.js';
import { useApp } from '../support/app.js';
import { clientCall } from '../support/oauth-app.js';

const app = useApp();

describe('installing with understudy/testing', () => {
  it('installs an app as somebody, cancels for them, and ends its tokens', async () => {
    const server = connect({ url: app.baseUrl, adminToken: app.settings.adminToken as string });
    const scopes = { bot: ['chat:write'], user: ['users:read'] };
    const sandbox = await server.createSandbox({
      methods: 'all',
      users: ['alice'],
      apps: [{ name: 'shop', scopes, redirect_urls: ['http://127.0.0.1:9/back'], installed: false }],
    });
    const denied = await sandbox.install('shop', { as: 'alice', decision: 'deny', follow: false });
    expect([denied.installed, denied.code]).toEqual([false, null]);
    const made = await sandbox.install('shop', { as: 'alice', exchange: true });
    expect(made).toMatchObject({ installed: true, installation: { users: [expect.stringMatching(/^U/)] } });
    const tokens = made.tokens as { access_token: string; authed_user: { access_token: string } };
    const test = (token: string): Promise<unknown> => clientCall(app, 'auth.test', { token });
    expect(await sandbox.expireToken(tokens.access_token)).toBe(1);
    expect(await test(tokens.access_token)).toEqual({ ok: false, error: 'token_expired' });
    expect(await test(tokens.authed_user.access_token)).toMatchObject({ ok: true });
    expect(await sandbox.expireToken({ app: 'shop', kind: 'user', user: 'alice' })).toBe(1);
    expect(await test(tokens.authed_user.access_token)).toEqual({ ok: false, error: 'token_expired' });
    await sandbox.delete();
  });
});
