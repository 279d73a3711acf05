import { describe, expect, it } from 'vitest';
import { useApp } from '../../support/app.js';
import { clientCall, install, oauthApp, type OauthApp } from '../../support/oauth-app.js';
import { receiver as startReceiver, type Receiver } from '../../support/receiver.js';
import { unique } from '../../support/unique.js';
import { rest } from '../../support/rest-client.js';
import type { WorkspaceBuilder } from '../../support/workspace.js';

const app = useApp();
const test = (token: string): Promise<Record<string, unknown>> => clientCall(app, 'auth.test', { token });

/** An app with a subscription, and its receiver. */
async function listening(ws: WorkspaceBuilder, options = {}): Promise<{ client: OauthApp; receiver: Receiver }> {
  const receiver = await startReceiver();
  const client = await oauthApp(app, ws, {
    bot: ['chat:write', 'commands'],
    user: ['users:read'],
    features: { slash_commands: [{ command: `/${unique('c')}`, url: receiver.url }] },
    settings: {
      event_subscriptions: { request_url: receiver.url, bot_events: ['app_uninstalled', 'tokens_revoked'] },
    },
    ...options,
  });
  return { client, receiver };
}

/** Types of the events that a receiver heard, with who lost a token. */
const heard = (receiver: Receiver): [string, unknown][] =>
  receiver.received
    .map(({ body }) => JSON.parse(body) as { type: string; event: { type: string; tokens?: unknown } })
    .filter((body) => body.type === 'event_callback')
    .map(({ event }) => [event.type, event.tokens]);

/** docs/reference/installing.md#ends */
describe('the end of an installation', () => {
  it('comes with auth.revoke of a long-lived token: first one half, then all, and the app is told', async () => {
    const ws = await app.workspace();
    const { client, receiver } = await listening(ws);
    const made = await install(app, client, ws.admin.id);
    const more = await install(app, client, ws.admin.id);
    const user = made.authed_user.access_token as string;
    expect(await clientCall(app, 'auth.revoke', { token: made.access_token, test: 'true' })).toEqual({
      ok: true,
      revoked: false,
    });
    expect(await clientCall(app, 'auth.revoke', { token: made.access_token })).toEqual({ ok: true, revoked: true });
    for (const { access_token: token } of [made, more])
      expect(await test(token)).toEqual({ ok: false, error: 'token_revoked' });
    expect(await test(user)).toMatchObject({ ok: true });
    const { token } = await ws.jwtClient({ user: ws.admin });
    const bot = await rest(app, 'POST /users.info', { token, body: { user: made.bot_user_id } });
    expect(bot.body.user.deleted).toBe(true);
    expect((await rest(app, 'GET /commands', { token })).body.commands).toHaveLength(1);
    expect(await clientCall(app, 'auth.revoke', { token: user })).toEqual({ ok: true, revoked: true });
    expect((await rest(app, 'GET /commands', { token })).body.commands).toEqual([]);
    expect((await rest(app, `GET /apps/${client.id}`, { token })).body).toMatchObject({ installed: false });
    await receiver.until(() => heard(receiver).length === 3);
    expect(heard(receiver)).toEqual([
      ['tokens_revoked', { oauth: [], bot: [made.bot_user_id] }],
      ['app_uninstalled', undefined],
      ['tokens_revoked', { oauth: [ws.admin.id], bot: [] }],
    ]);
    const again = await install(app, client, ws.admin.id);
    expect(again.bot_user_id).toBe(made.bot_user_id);
    expect(await test(again.access_token)).toMatchObject({ ok: true });
    expect((await rest(app, 'GET /commands', { token })).body.commands).toHaveLength(1);
  });

  it('does not come with a rotating token, which ends alone', async () => {
    const ws = await app.workspace();
    const client = await oauthApp(app, ws, { rotation: true });
    const made = await install(app, client, ws.admin.id);
    expect(await clientCall(app, 'auth.revoke', { token: made.access_token })).toEqual({ ok: true, revoked: true });
    expect(await test(made.access_token)).toEqual({ ok: false, error: 'token_revoked' });
    expect(await clientCall(app, 'auth.revoke', { token: made.refresh_token })).toEqual({ ok: true, revoked: true });
    expect(await clientCall(app, 'auth.revoke', { token: made.refresh_token })).toEqual({
      ok: false,
      error: 'token_revoked',
    });
    const more = await install(app, client, ws.admin.id);
    const authorization = `Bearer ${more.refresh_token as string}`;
    expect(await clientCall(app, 'auth.revoke', { test: 'true' }, { authorization })).toEqual({
      ok: true,
      revoked: false,
    });
    const { token } = await ws.jwtClient({ user: ws.admin });
    expect(await clientCall(app, 'auth.revoke', { token })).toEqual({ ok: false, error: 'not_allowed_token_type' });
  });

  it('comes with apps.uninstall, which asks for the secret of the same app', async () => {
    const ws = await app.workspace();
    const { client, receiver } = await listening(ws);
    const other = await oauthApp(app, ws);
    const made = await install(app, client, ws.admin.id);
    const uninstall = (by: OauthApp, more = {}): Promise<Record<string, unknown>> =>
      clientCall(app, 'apps.uninstall', {
        token: made.access_token,
        client_id: by.clientId,
        client_secret: by.clientSecret,
        ...more,
      });
    expect(await uninstall(client, { client_id: '1.2' })).toEqual({ ok: false, error: 'invalid_client_id' });
    expect(await uninstall(client, { client_secret: 'x' })).toEqual({ ok: false, error: 'bad_client_secret' });
    expect(await uninstall(other)).toEqual({ ok: false, error: 'client_id_token_mismatch' });
    expect(await uninstall(client)).toEqual({ ok: true });
    expect(await test(made.authed_user.access_token)).toEqual({ ok: false, error: 'token_revoked' });
    await receiver.until(() => heard(receiver).length === 2);
    expect(heard(receiver)).toEqual([
      ['app_uninstalled', undefined],
      ['tokens_revoked', { oauth: [ws.admin.id], bot: [made.bot_user_id] }],
    ]);
  });

  it('comes with an admin who removes the app from the workspace', async () => {
    const ws = await app.workspace();
    const client = await oauthApp(app, ws);
    const made = await install(app, client, ws.admin.id);
    const { token } = await ws.jwtClient({ user: ws.admin });
    const { token: member } = await ws.jwtClient();
    const remove = (by: string) => rest(app, `DELETE /apps/${client.id}/installation`, { token: by });
    expect((await remove(member)).body.message).toBe('not_admin');
    expect((await remove(token)).body).toEqual({ success: true });
    expect([(await remove(token)).status, (await remove(token)).body.message]).toEqual([404, 'not_installed']);
    expect(await test(made.access_token)).toEqual({ ok: false, error: 'token_revoked' });
  });
});

/** docs/reference/acting.md#verbs */
describe('an app that is not installed', () => {
  it('hears of nothing that people do, neither before it is nor when it is no longer', async () => {
    const ws = await app.workspace();
    const receiver = await startReceiver();
    const client = await oauthApp(app, ws, {
      bot: ['chat:write', 'im:history'],
      features: {
        assistant_view: { assistant_description: 'helps', suggested_prompts: [{ title: 'Hi', message: 'Hello' }] },
        shortcuts: [
          { name: 'all', type: 'global', callback_id: 'all', description: 'all' },
          { name: 'one', type: 'message', callback_id: 'one', description: 'one' },
        ],
      },
      settings: { interactivity: { is_enabled: true, request_url: receiver.url } },
    });
    const { token } = await ws.jwtClient({ user: ws.admin });
    const act = async (verb: string, body: object): Promise<[number, unknown]> => {
      const done = await rest(app, `POST /act/${verb}`, { token, body: { until: 'ack', ...body } });
      return [done.status, done.body.message];
    };
    const { ts } = await clientCall(app, 'chat.postMessage', { token, channel: ws.general.id, text: 'hi' });
    const at = { channel: ws.general.id, message_ts: ts };
    const { id: app_id } = client;
    const refused: [verb: string, body: object, status: number, message: string][] = [
      ['shortcut', { callback_id: 'all' }, 404, 'shortcut_not_found'],
      ['shortcut', { callback_id: 'one', ...at }, 404, 'shortcut_not_found'],
      ['home', { app_id }, 409, 'not_enabled'],
      ['assistant_thread', { app_id }, 409, 'not_enabled'],
      ['context', { app_id, thread_ts: ts }, 409, 'not_enabled'],
      ['prompt', { app_id, title: 'Hi' }, 409, 'not_enabled'],
    ];
    const refuses = async (): Promise<void> => {
      for (const [verb, body, status, message] of refused)
        expect([verb, ...(await act(verb, body))]).toEqual([verb, status, message]);
    };
    await refuses();
    const made = await install(app, client, ws.admin.id);
    expect(await act('shortcut', { callback_id: 'all' })).toEqual([200, undefined]);
    expect(await act('home', { app_id, until: 'none' })).toEqual([200, undefined]);
    await clientCall(app, 'conversations.invite', { token, channel: ws.general.id, users: made.bot_user_id });
    const button = { type: 'button', action_id: 'go', text: { type: 'plain_text', text: 'Go' } };
    const blocks = JSON.stringify([{ type: 'actions', elements: [button] }]);
    const asked = { token: made.access_token, channel: ws.general.id, text: 'Go?', blocks };
    const { ts: message_ts } = await clientCall(app, 'chat.postMessage', asked);
    const click = { channel: ws.general.id, message_ts, action_id: 'go' };
    expect(await act('click', click)).toEqual([200, undefined]);
    expect((await rest(app, `DELETE /apps/${client.id}/installation`, { token })).status).toBe(200);
    await refuses();
    expect(await act('click', click)).toEqual([409, 'no_interactivity_url']);
    expect(receiver.received).toHaveLength(2);
    const { assistant } = (await rest(app, 'GET /act/screen', { token })).body;
    expect(assistant).toEqual([]);
  });
});

/** docs/reference/control-plane.md#slash-commands */
describe('a command of an app that is not installed', () => {
  it('is there once it is, and its incoming webhook, which a person made, stays a webhook', async () => {
    const ws = await app.workspace();
    const receiver = await startReceiver();
    const client = await oauthApp(app, ws, { bot: ['chat:write', 'commands'] });
    const { token } = await ws.jwtClient({ user: ws.admin });
    const command = `/${unique('c')}`;
    const body = { command, url: receiver.url, app_id: client.id };
    expect((await rest(app, 'POST /commands', { token, body })).status).toBe(201);
    const play = async (): Promise<[number, unknown]> => {
      const played = { command, channel_id: ws.general.id };
      const done = await rest(app, 'POST /commands/execute', { token, body: played });
      return [done.status, done.body.message];
    };
    expect(await play()).toEqual([404, 'command_not_found']);
    expect(receiver.received).toHaveLength(0);
    await install(app, client, ws.admin.id);
    expect(await play()).toEqual([200, undefined]);
    const named = { channel: ws.general.id, app_id: client.id };
    const hook = await rest(app, 'POST /webhooks/incoming', { token, body: named });
    expect((await rest(app, `DELETE /apps/${client.id}/installation`, { token })).status).toBe(200);
    expect(await play()).toEqual([404, 'command_not_found']);
    const posted = await fetch(hook.body.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text: 'still here' }),
    });
    expect([posted.status, await posted.text()]).toEqual([200, 'ok']);
  });
});

/** docs/reference/installing.md#tokens */
describe('a token that a person consented to', () => {
  it('has the scopes of its methods, and does not manage the workspace of an owner', async () => {
    const ws = await app.workspace();
    const client = await oauthApp(app, ws, { user: ['users:read'] });
    const { authed_user: user } = await install(app, client, ws.admin.id, { user_scope: 'users:read' });
    const { access_token: token } = user;
    expect(await clientCall(app, 'users.list', { token })).toMatchObject({ ok: true });
    for (const route of [
      'GET /apps',
      `POST /apps/${client.id}/tokens/rotate`,
      'GET /sandboxes/self',
      'POST /act/messages',
    ] as const)
      expect([
        route,
        (await rest(app, route, { token, ...(route.startsWith('POST') ? { body: {} } : {}) })).status,
      ]).toEqual([route, 403]);
  });
});
