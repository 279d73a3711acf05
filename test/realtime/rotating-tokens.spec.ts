import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { consent } from '../support/consent.js';
import { Listener } from '../support/listener.js';
import { authorizeUrl, clientCall, install, oauthApp } from '../support/oauth-app.js';
import { eventually } from '../support/receiver.js';
import { bearer, send } from '../support/sandbox-routes.js';

const app = useApp();

/** docs/reference/realtime.md#chat */
describe('a socket with a token of an installation', () => {
  it('is opened by access tokens alone, and closed when they expire by the clock, end or are revoked', async () => {
    const ws = await app.workspace();
    const scopes = ['channels:history', 'channels:join', 'chat:write'];
    const client = await oauthApp(app, ws, { rotation: true, bot: scopes, user: ['channels:history'] });
    const made = await install(app, client, ws.admin.id);
    const { token: admin } = await ws.jwtClient({ user: ws.admin });
    const control = (method: string, path: string, body?: object) =>
      send(app, method, `/api/sandboxes/self${path}`, bearer(admin), body);

    const signIn = { response_type: 'code', scope: 'openid' };
    const url = authorizeUrl(app, client, signIn, 'openid/connect/authorize');
    const code = (await consent(app, url, { user: ws.admin.id })).searchParams.get('code') as string;
    const { clientId: client_id, clientSecret: client_secret } = client;
    const signedIn = await clientCall(app, 'openid.connect.token', { client_id, client_secret, code });
    const config = (await control('POST', '/config-token', {})).body;
    for (const token of [made.refresh_token, signedIn.access_token, signedIn.refresh_token, config.token])
      expect(await Listener.refusal(app, { token })).toBe('invalid_auth');

    await clientCall(app, 'conversations.join', { token: made.access_token, channel: ws.general.id });
    const bot = await Listener.connect(app, { token: made.access_token });
    const person = await Listener.connect(app, { token: made.authed_user.access_token });
    await ws.message({ channel: ws.general, text: 'heard' });
    await Promise.all([bot.until('heard'), person.until('heard')]);
    await clientCall(app, 'auth.revoke', { token: made.authed_user.access_token });
    await eventually(() => person.ended !== undefined, 'the person’s socket is closed');
    expect(bot.ended).toBeUndefined();
    await control('POST', '/clock/advance', { by: '12h' });
    await eventually(() => bot.ended !== undefined, 'the bot’s socket is closed');
    expect(await Listener.refusal(app, { token: made.access_token })).toBe('token_expired');
    expect(await Listener.refusal(app, { token: made.authed_user.access_token })).toBe('token_revoked');
  });
});
