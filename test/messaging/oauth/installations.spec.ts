import { describe, expect, it } from 'vitest';
import { useApp } from '../../support/app.js';
import { consent } from '../../support/consent.js';
import { authorizeUrl, clientCall, codeFor, install, oauthApp, redeem } from '../../support/oauth-app.js';
import { eventually, receiver as startReceiver } from '../../support/receiver.js';
import { rest } from '../../support/rest-client.js';
import { bearer, makeSandbox, send } from '../../support/sandbox-routes.js';

const app = useApp();
const error = async (token: string): Promise<string | undefined> =>
  (await clientCall(app, 'auth.test', { token })).error;

/** docs/reference/installing.md#codes */
describe('a code of the consent page', () => {
  it('is too old after 600 seconds of the sandbox’s clock, and of nobody who was deactivated', async () => {
    const ws = await app.workspace();
    const client = await oauthApp(app, ws);
    const { token } = await ws.jwtClient({ user: ws.admin });
    const advance = (by: string) => send(app, 'POST', '/api/sandboxes/self/clock/advance', bearer(token), { by });
    const stopped = { now: '2031-01-01T00:00:00Z', frozen: true };
    expect((await send(app, 'PUT', '/api/sandboxes/self/clock', bearer(token), stopped)).status).toBe(200);
    const [young, old] = [await codeFor(app, client, ws.admin.id), await codeFor(app, client, ws.admin.id)];
    await advance('599s');
    expect(await redeem(app, client, young)).toMatchObject({ ok: true });
    await advance('1s');
    expect(await redeem(app, client, old)).toEqual({ ok: false, error: 'invalid_code' });
    const alice = await ws.user();
    const hers = await codeFor(app, client, alice.id, { user_scope: 'users:read' });
    await ws.deactivate(alice);
    expect(await redeem(app, client, hers)).toEqual({ ok: false, error: 'invalid_code' });
  });
});

/** docs/reference/installing.md#what-the-exchange-does */
describe('an installation', () => {
  it('makes the bot somebody new, in no channel, once; those who installed it again hear of nobody', async () => {
    const ws = await app.workspace();
    const heard = await startReceiver();
    const settings = { event_subscriptions: { request_url: heard.url, bot_events: ['team_join'] } };
    const listening = await oauthApp(app, ws, { bot: ['users:read'], settings });
    await install(app, listening, ws.admin.id);
    const joined = (): string[] =>
      heard.received
        .map(({ body }) => JSON.parse(body) as { event?: { type: string; user: { id: string } } })
        .flatMap(({ event }) => (event?.type === 'team_join' ? [event.user.id] : []));
    const client = await oauthApp(app, ws, { bot: ['channels:read', 'chat:write'] });
    const made = await install(app, client, ws.admin.id);
    await install(app, client, ws.admin.id);
    const other = await install(app, await oauthApp(app, ws), ws.admin.id);
    await eventually(() => joined().includes(other.bot_user_id), 'the second bot joins');
    expect(joined().filter((id) => id === made.bot_user_id)).toHaveLength(1);
    const { channels } = await clientCall(app, 'users.conversations', { token: made.access_token });
    expect(channels).toEqual([]);
  });

  it('keeps the 20 newest of its bot’s tokens', async () => {
    const ws = await app.workspace();
    const client = await oauthApp(app, ws);
    const tokens: string[] = [];
    for (let n = 0; n < 21; n++) tokens.push((await install(app, client, ws.admin.id)).access_token);
    expect([await error(tokens[0] as string), await error(tokens[1] as string)]).toEqual(['token_revoked', undefined]);
    expect(await error(tokens[20] as string)).toBeUndefined();
  });

  it('ends of a bot take it out of its channels, and the webhooks of the installation with it', async () => {
    const ws = await app.workspace();
    const client = await oauthApp(app, ws, { bot: ['channels:join', 'chat:write'], user: ['users:read'] });
    const made = await install(app, client, ws.admin.id);
    const url = authorizeUrl(app, client, { scope: 'incoming-webhook' });
    const code = (await consent(app, url, { user: ws.admin.id })).searchParams.get('code') as string;
    const { incoming_webhook: hook, scope } = await redeem(app, client, code);
    expect(scope).toBe('channels:join,chat:write,incoming-webhook');
    expect(hook).toMatchObject({ channel: '#general', channel_id: ws.general.id });
    expect(hook.configuration_url).toMatch(new RegExp(`/services/${hook.url.split('/').at(-2)}$`));
    const post = async (): Promise<number> =>
      (await send(app, 'POST', new URL(hook.url).pathname, {}, { text: 'x' })).status;
    await clientCall(app, 'conversations.join', { token: made.access_token, channel: ws.general.id });
    const { token } = await ws.jwtClient({ user: ws.admin });
    const members = async (): Promise<string[]> =>
      (await rest(app, `GET /conversations.members?channel=${ws.general.id}`, { token })).body.members;
    expect([await post(), (await members()).includes(made.bot_user_id)]).toEqual([200, true]);
    await clientCall(app, 'auth.revoke', { token: made.access_token });
    expect([await post(), (await members()).includes(made.bot_user_id)]).toEqual([404, false]);
    expect(await error(made.authed_user.access_token)).toBeUndefined();
  });
});

/** docs/reference/installing.md#tokens */
describe('tokens that nobody consented to', () => {
  it('stay long-lived where the manifest has them rotate', async () => {
    const { body, ctl } = await makeSandbox(app, {
      methods: 'all',
      apps: [{ name: 'shop', scopes: { bot: ['chat:write'], user: ['users:read'] }, token_rotation: true }],
    });
    const { bot_token: bot, user_token: user } = body.credentials.apps.shop;
    expect([bot, user]).toEqual([expect.stringMatching(/^xoxb-/), expect.stringMatching(/^xoxp-/)]);
    await send(app, 'POST', '/api/sandboxes/self/clock/advance', ctl, { by: '13h' });
    expect([await error(bot), await error(user)]).toEqual([undefined, undefined]);
  });
});
