import { describe, expect, it } from 'vitest';
import { useApp } from '../../support/app.js';
import { install, oauthApp, redeem, REDIRECT } from '../../support/oauth-app.js';
import { rest } from '../../support/rest-client.js';

const app = useApp();

/** docs/reference/installing.md#registration */
describe('POST /api/apps/:id/install', () => {
  it('sends who is signed in to the app with a code, which brings a token of that person', async () => {
    const ws = await app.workspace();
    const alice = await ws.user();
    const client = await oauthApp(app, ws, { bot: ['chat:write', 'incoming-webhook'], user: ['search:read'] });
    const { token } = await ws.jwtClient({ user: alice });
    const body = { state: 'of the screen', channel: '#random' };
    const { status, body: answer } = await rest(app, `POST /apps/${client.id}/install`, { token, body });
    const to = new URL(answer.redirect_to);
    expect([status, `${to.origin}${to.pathname}`, to.searchParams.get('state')]).toEqual([
      200,
      REDIRECT,
      'of the screen',
    ]);
    expect(await redeem(app, client, to.searchParams.get('code') as string, {})).toMatchObject({
      scope: 'chat:write,incoming-webhook',
      authed_user: { id: alice.id, scope: 'search:read' },
      incoming_webhook: { channel_id: ws.random.id },
    });
  });

  it('grants the scopes that are named, and refuses as authorize URLs do', async () => {
    const ws = await app.workspace();
    const client = await oauthApp(app, ws);
    const { token } = await ws.jwtClient({ user: ws.admin });
    const ask = async (body: object, id = client.id): Promise<[number, string]> => {
      const { status, body: answer } = await rest(app, `POST /apps/${id}/install`, { token, body });
      return [status, answer.message ?? answer.redirect_to];
    };
    expect(await ask({ scope: 'users:read' })).toEqual([200, expect.stringContaining(`${REDIRECT}?code=`)]);
    expect(await ask({ scope: 'no:such' })).toEqual([400, 'invalid_scope']);
    expect(await ask({ redirect_uri: 'http://evil.example/' })).toEqual([400, 'bad_redirect_uri']);
    expect(await ask({ scope: 'incoming-webhook', channel: 'nowhere' })).toEqual([404, 'channel_not_found']);
    expect(await ask({}, 'A0000000000')).toEqual([404, 'app_not_found']);
    const elsewhere = await app.workspace();
    const { token: foreign } = await elsewhere.jwtClient({ user: elsewhere.admin });
    const other = await rest(app, `POST /apps/${client.id}/install`, { token: foreign, body: {} });
    expect([other.status, other.body.message]).toEqual([404, 'app_not_found']);
    const { access_token: bot } = await install(app, client, ws.admin.id);
    const byBot = await rest(app, `POST /apps/${client.id}/install`, { token: bot, body: {} });
    expect([byBot.status, byBot.body.message]).toEqual([403, 'not_allowed_token_type']);
  });

  it('updates a guest from its own workspace', async () => {
    const [home, guest] = [await app.workspace(), await app.workspace()];
    const client = await oauthApp(app, home, { distributed: true });
    await install(app, client, guest.admin.id, { team: guest.id });
    const { token } = await guest.jwtClient({ user: guest.admin });
    const { body } = await rest(app, `POST /apps/${client.id}/install`, { token, body: { scope: 'users:read' } });
    const code = new URL(body.redirect_to).searchParams.get('code') as string;
    expect(await redeem(app, client, code, {})).toMatchObject({
      team: { id: guest.id },
      scope: 'chat:write,users:read',
    });
  });

  it('is recorded as oauth.v2.authorize, without the code and the state', async () => {
    const ws = await app.workspace();
    const client = await oauthApp(app, ws);
    const { token } = await ws.jwtClient({ user: ws.admin });
    await rest(app, 'PATCH /sandboxes/self', { token, body: { journal: true } });
    const state = 'a-state-that-nobody-else-sees';
    const { body } = await rest(app, `POST /apps/${client.id}/install`, { token, body: { state } });
    const code = new URL(body.redirect_to).searchParams.get('code') as string;
    const { body: timeline } = await rest(app, 'GET /sandboxes/self/timeline?kind=call', { token });
    expect(timeline.entries).toEqual([
      expect.objectContaining({
        method: 'oauth.v2.authorize',
        ok: true,
        caller: expect.objectContaining({ kind: 'jwt' }),
      }),
    ]);
    const text = JSON.stringify(timeline);
    expect([text.includes(state), text.includes(code)]).toEqual([false, false]);
  });
});
