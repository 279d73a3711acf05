import type { Installation } from '@slack/oauth';
import { describe, expect, it } from 'vitest';
import { useApp, type TestApp } from '../../support/app.js';
import { consent, errorOf, TestBrowser } from '../../support/consent.js';
import { authorizeUrl, clientCall, codeFor, install, oauthApp, REDIRECT, redeem } from '../../support/oauth-app.js';
import { customer } from '../../support/installer.js';
import { onPostgres, serverUrl } from '../../support/databases.js';
import { receiver as startReceiver } from '../../support/receiver.js';
import { twoReplicas } from '../../support/replicas.js';
import { rest } from '../../support/rest-client.js';
import { makeSandbox, OPERATOR, send } from '../../support/sandbox-routes.js';
import { closeSockets, connect, socketApp } from '../../support/socket-app.js';

const app = useApp();
closeSockets();
const test = (token: string, at: Pick<TestApp, 'baseUrl'> = app): Promise<Record<string, unknown>> =>
  clientCall(at, 'auth.test', { token });

/** docs/reference/installing.md#several-workspaces */
describe('an app in several workspaces', () => {
  it('is installed elsewhere once it is distributed, with a bot and tokens of each', async () => {
    const home = await app.workspace();
    const guest = await app.workspace();
    const client = await oauthApp(app, home);
    const elsewhere = authorizeUrl(app, client, { team: guest.id });
    expect(errorOf(await new TestBrowser(app).get(elsewhere))).toBe('invalid_team_for_non_distributed_app');
    const { token } = await home.jwtClient({ user: home.admin });
    await rest(app, `PUT /apps/${client.id}/distribution`, { token, body: { distributed: true } });
    const here = await install(app, client, home.admin.id);
    const there = await install(app, client, guest.admin.id, { team: guest.id });
    expect(there).toMatchObject({ app_id: client.id, team: { id: guest.id } });
    expect(there.bot_user_id).not.toBe(here.bot_user_id);
    expect(await test(there.access_token)).toMatchObject({ team_id: guest.id, user_id: there.bot_user_id });
    const { installations } = (await rest(app, `GET /apps/${client.id}/installations`, { token })).body;
    expect(installations).toEqual([
      expect.objectContaining({ team_id: home.id, home: true, bot_user_id: here.bot_user_id, users: [] }),
      expect.objectContaining({ team_id: guest.id, home: false, scopes: { bot: ['chat:write'], user: [] } }),
    ]);
    const { token: guests } = await guest.jwtClient({ user: guest.admin });
    expect((await rest(app, `GET /apps/${client.id}/installations`, { token: guests })).body.message).toBe('not_admin');
    expect((await rest(app, 'GET /apps', { token: guests })).text).not.toContain(client.signingSecret);
    expect((await rest(app, `GET /apps/${client.id}/credentials`, { token: guests })).status).toBe(403);
    const hints = async (by: string): Promise<string[]> =>
      (await rest(app, `GET /apps/${client.id}`, { token: by })).body.tokens.map(({ hint }: { hint: string }) => hint);
    expect([await hints(token), await hints(guests)]).toEqual(
      [here, there].map(({ access_token }) => [`xoxb-…${access_token.slice(-4)}`]),
    );
  });

  it('hears by its sockets of where it is installed, though it is not, or no longer, at home', async () => {
    const home = await app.workspace();
    const guest = await app.workspace();
    const client = await oauthApp(app, home, {
      distributed: true,
      bot: ['channels:history', 'channels:join'],
      settings: { socket_mode_enabled: true, event_subscriptions: { bot_events: ['message.channels'] } },
    });
    const { token } = await home.jwtClient({ user: home.admin });
    const rotate = (kind?: string): Promise<{ status: number; body: { app_token: string; message?: string } }> =>
      rest(app, `POST /apps/${client.id}/tokens/rotate`, { token, body: kind === undefined ? {} : { kind } });
    expect((await rotate()).body.message).toBe('not_installed');
    const { app_token: own } = (await rotate('app')).body;
    const early = await connect(app, own);
    const { access_token: there } = await install(app, client, guest.admin.id, { team: guest.id });
    const { access_token: here } = await install(app, client, home.admin.id);
    const proof = { client_id: client.clientId, client_secret: client.clientSecret };
    expect(await clientCall(app, 'apps.uninstall', { token: here, ...proof })).toEqual({ ok: true });
    await clientCall(app, 'conversations.join', { token: there, channel: guest.general.id });
    const { token: guests } = await guest.jwtClient({ user: guest.admin });
    const hears = async (socket: typeof early, text: string): Promise<void> => {
      await clientCall(app, 'chat.postMessage', { token: guests, channel: guest.general.id, text });
      const said = (): unknown[] =>
        socket.of('events_api').flatMap(({ payload }) => (payload.event.text === text ? [payload.team_id] : []));
      await socket.until(() => said().length > 0);
      expect(said()).toEqual([guest.id]);
    };
    await hears(early, 'to the first');
    early.socket.terminate();
    await early.closed();
    await hears(await connect(app, own), 'to the second');
  });

  it('hears of each by its one URL, and loses what ends in one only there', async () => {
    const home = await app.workspace();
    const guest = await app.workspace();
    const receiver = await startReceiver();
    const client = await oauthApp(app, home, {
      distributed: true,
      bot: ['channels:history', 'channels:join', 'channels:read'],
      settings: { event_subscriptions: { request_url: receiver.url, bot_events: ['message.channels'] } },
    });
    const here = await install(app, client, home.admin.id);
    const there = await install(app, client, guest.admin.id, { team: guest.id });
    const teams = (): string[] =>
      receiver.received
        .map(({ body }) => JSON.parse(body) as { type: string; team_id: string; event?: { text: string } })
        .filter(({ type, event }) => type === 'event_callback' && event?.text === 'to all')
        .map(({ team_id }) => team_id);
    for (const [ws, { access_token }] of [
      [home, here],
      [guest, there],
    ] as const) {
      expect(
        await clientCall(app, 'conversations.join', { token: access_token, channel: ws.general.id }),
      ).toMatchObject({
        ok: true,
      });
      const { token } = await ws.jwtClient({ user: ws.admin });
      await rest(app, 'POST /chat.postMessage', { token, body: { channel: ws.general.id, text: 'to all' } });
    }
    await receiver.until(() => teams().length === 2);
    expect(teams().sort()).toEqual([home.id, guest.id].sort());
    const { token: admin } = await guest.jwtClient({ user: guest.admin });
    await rest(app, `DELETE /apps/${client.id}/installation`, { token: admin });
    expect(await test(there.access_token)).toEqual({ ok: false, error: 'token_revoked' });
    expect(await test(here.access_token)).toMatchObject({ ok: true });
  });

  it('hears of its guests over its sockets, and answers their commands there', async () => {
    const home = await app.workspace();
    const guest = await app.workspace();
    const made = await socketApp(home, {
      events: ['message.channels'],
      features: { slash_commands: [{ command: '/deploy', description: 'ships it' }] },
    });
    const { token: admin } = await home.jwtClient({ user: home.admin });
    await rest(app, `PUT /apps/${made['id']}/distribution`, { token: admin, body: { distributed: true } });
    const { manifest } = (await rest(app, `GET /apps/${made['id']}`, { token: admin })).body;
    manifest.oauth_config.redirect_urls = [REDIRECT];
    manifest.oauth_config.scopes.bot.push('channels:join');
    expect((await rest(app, `PUT /apps/${made['id']}/manifest`, { token: admin, body: { manifest } })).status).toBe(
      200,
    );
    const client = {
      id: made['id'] as string,
      clientId: made['client_id'] as string,
      clientSecret: made['credentials'].client_secret as string,
      signingSecret: '',
    };
    const there = await install(app, client, guest.admin.id, { team: guest.id });
    const channel = guest.general.id;
    await clientCall(app, 'conversations.join', { token: there.access_token, channel });
    const socket = await connect(app, made['app_token'] as string);
    const { token } = await guest.jwtClient({ user: guest.admin });
    await rest(app, 'POST /chat.postMessage', { token, body: { channel, text: 'from a guest' } });
    await socket.until(() => socket.of('events_api').some(({ payload }) => payload.event.text === 'from a guest'));
    for (const envelope of socket.of('events_api')) socket.ack(envelope);
    expect(
      socket.of('events_api').find(({ payload }) => payload.event.text === 'from a guest')?.['payload'],
    ).toMatchObject({
      team_id: guest.id,
      api_app_id: client.id,
      authorizations: [{ team_id: guest.id, user_id: there.bot_user_id }],
    });
    const run = rest(app, 'POST /commands/execute', { token, body: { command: '/deploy', text: 'now', channel } });
    await socket.until(() => socket.of('slash_commands').length > 0);
    const [command] = socket.of('slash_commands');
    expect(command?.['payload']).toMatchObject({ team_id: guest.id, channel_id: channel, text: 'now' });
    socket.ack(command as object, { text: 'shipped' });
    expect((await run).status).toBe(200);
  });

  it('ends elsewhere when a reset takes its registration away', async () => {
    const home = await app.workspace();
    const guest = await app.workspace();
    const { token } = await home.jwtClient({ user: home.admin });
    const send = (path: string, body: object): Promise<Response> =>
      fetch(`${app.baseUrl}/api/sandboxes/self${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const before = await oauthApp(app, home, { distributed: true });
    expect((await send('/snapshots', { name: 'before' })).status).toBe(201);
    const client = await oauthApp(app, home, { distributed: true });
    const there = await install(app, client, guest.admin.id, { team: guest.id });
    const kept = await install(app, before, guest.admin.id, { team: guest.id });
    const code = await codeFor(app, before, home.admin.id);
    expect((await send('/reset', { to: 'before' })).status).toBe(200);
    expect(await test(there.access_token)).toEqual({ ok: false, error: 'account_inactive' });
    expect(await test(kept.access_token)).toMatchObject({ ok: true, team_id: guest.id });
    const { token: guests } = await guest.jwtClient({ user: guest.admin });
    const { body: told } = await rest(app, 'GET /sandboxes/self/timeline?kind=uninstall', { token: guests });
    expect(told.entries).toEqual([expect.objectContaining({ app_id: client.id, user: null })]);
    expect(await redeem(app, before, code)).toEqual({ ok: false, error: 'invalid_code' });
    expect(await install(app, before, home.admin.id)).toMatchObject({ team: { id: home.id } });
  });

  it('loses a guest alone when that is reset or deleted', async () => {
    const home = await app.workspace();
    const client = await oauthApp(app, home, { distributed: true });
    const here = await install(app, client, home.admin.id);
    const guest = await makeSandbox(app, { methods: 'all' });
    const exchanged = { client_id: client.clientId, exchange: true };
    const root = `/api/sandboxes/${guest.body.id}`;
    const enter = async (): Promise<string> =>
      (await send(app, 'POST', `${root}/install`, guest.ctl, exchanged)).body.tokens.access_token;
    const first = await enter();
    expect(await test(first)).toMatchObject({ ok: true, team_id: guest.body.team_id });
    expect((await send(app, 'POST', `${root}/reset`, guest.ctl, {})).status).toBe(200);
    expect(await test(first)).toMatchObject({ ok: false });
    const second = await enter();
    expect(await test(second)).toMatchObject({ ok: true });
    expect((await send(app, 'DELETE', root, OPERATOR)).status).toBe(200);
    expect(await test(second)).toEqual({ ok: false, error: 'account_inactive' });
    expect(await test(here.access_token)).toMatchObject({ ok: true, team_id: home.id });
  });

  it('ends everywhere soon after its home is deleted', async () => {
    const far = { name: 'far', distributed: true, scopes: { bot: ['chat:write'] } };
    const home = await makeSandbox(app, { methods: 'all', apps: [far] });
    const guest = await makeSandbox(app, { methods: 'all' });
    const exchanged = { client_id: home.body.credentials.apps.far.client_id, exchange: true };
    const path = `/api/sandboxes/${guest.body.id}/install`;
    const { tokens } = (await send(app, 'POST', path, guest.ctl, exchanged)).body;
    expect(await test(tokens.access_token)).toMatchObject({ ok: true, team_id: guest.body.team_id });
    expect((await send(app, 'DELETE', `/api/sandboxes/${home.body.id}`, OPERATOR)).status).toBe(200);
    const ended = async (): Promise<unknown[]> =>
      (await send(app, 'GET', `/api/sandboxes/${guest.body.id}/timeline?kind=uninstall`, guest.ctl)).body.entries;
    // long before what looks after the rest every minute
    await expect.poll(ended, { timeout: 10_000 }).toEqual([expect.objectContaining({ app: 'far' })]);
  });

  it('leaves commands out that a guest has already, and its page names them', async () => {
    const [home, guest] = [await app.workspace(), await app.workspace()];
    const commands = [{ command: '/deploy', url: 'http://127.0.0.1:9/', description: 'ships it' }];
    const options = { bot: ['commands'], features: { slash_commands: commands } };
    await install(app, await oauthApp(app, guest, options), guest.admin.id);
    const client = await oauthApp(app, home, { ...options, distributed: true });
    const page = await new TestBrowser(app).get(authorizeUrl(app, client, { team: guest.id }));
    expect(page.html).toMatch(/<p class="note">[^<]* has \/deploy from another app: it is left out\.</);
    await install(app, client, guest.admin.id, { team: guest.id });
    const { token } = await guest.jwtClient({ user: guest.admin });
    const known = (await rest(app, 'GET /commands', { token })).body.commands;
    expect(known.filter(({ command }: { command: string }) => command === '/deploy')).toHaveLength(1);
  });

  it('ends everywhere when it is deleted', async () => {
    const home = await app.workspace();
    const guest = await app.workspace();
    const client = await oauthApp(app, home, { distributed: true });
    const there = await install(app, client, guest.admin.id, { team: guest.id });
    const { token } = await home.jwtClient({ user: home.admin });
    expect((await rest(app, `DELETE /apps/${client.id}`, { token })).status).toBe(200);
    expect(await test(there.access_token)).toEqual({ ok: false, error: 'account_inactive' });
    const { token: guests } = await guest.jwtClient({ user: guest.admin });
    const bot = await rest(app, 'POST /users.info', { token: guests, body: { user: there.bot_user_id } });
    expect(bot.body.user.deleted).toBe(true);
    expect(await redeem(app, client, 'x')).toEqual({ ok: false, error: 'invalid_client_id' });
  });
});

describe('the installer of the official client', () => {
  it.skipIf(serverUrl === undefined)(
    `puts an app into two workspaces over two replicas, keeps its state and refreshes its tokens${onPostgres}`,
    async () => {
      const [one, two] = await twoReplicas();
      const home = await one.workspace();
      const guest = await two.workspace();
      const redirectUrls = ['http://127.0.0.1'];
      const client = await oauthApp(one, home, { distributed: true, rotation: true, redirectUrls: [] });
      const shop = await customer(client, one, two);
      const { token } = await home.jwtClient({ user: home.admin });
      const { manifest } = (await rest(one, `GET /apps/${client.id}`, { token })).body;
      manifest.oauth_config.redirect_urls = [...redirectUrls, shop.url];
      expect((await rest(one, `PUT /apps/${client.id}/manifest`, { token, body: { manifest } })).status).toBe(200);
      for (const ws of [home, guest]) {
        const start = await fetch(`${shop.url}/slack/install?team=${ws.id}`, { redirect: 'manual' });
        const cookie = start.headers
          .getSetCookie()
          .map((set) => set.split(';', 1)[0])
          .join('; ');
        const html = await start.text();
        const url = (/href="([^"]*authorize[^"]*)"/.exec(html)?.[1] ?? '').replaceAll('&amp;', '&');
        const back = await consent(one, url, { user: ws.admin.id });
        const forged = new URL(back);
        forged.searchParams.set('state', 'forged');
        expect((await fetch(forged, { headers: { cookie } })).status).not.toBe(200);
        expect(shop.store.has(ws.id)).toBe(false);
        const done = await fetch(back, { headers: { cookie } });
        expect([done.status, await done.text()]).toEqual([200, expect.stringContaining('Thank you!')]);
        const { bot, user } = shop.store.get(ws.id) as Installation;
        expect([bot?.token, user.token]).toEqual([
          expect.stringMatching(/^xoxe\.xoxb-1-/),
          expect.stringMatching(/^xoxe\.xoxp-1-/),
        ]);
        expect(await test(bot?.token ?? '', one)).toMatchObject({ ok: true, team_id: ws.id });
        // it refreshes what has less than two hours left, several at once
        const soon = Math.floor(Date.now() / 1000) + 3_600;
        Object.assign(bot as object, { expiresAt: soon });
        Object.assign(user, { expiresAt: soon });
        const query = { teamId: ws.id, enterpriseId: undefined, isEnterpriseInstall: false as const };
        const [before, beforeOfUser] = [bot?.token, user.token];
        const all = await Promise.all([shop.installer.authorize(query), shop.installer.authorize(query)]);
        for (const { botToken, userToken } of all) {
          expect([botToken === before, userToken === beforeOfUser]).toEqual([false, false]);
          expect(await test(botToken ?? '', two)).toMatchObject({ ok: true, expires_in: 43_200, team_id: ws.id });
          expect(await test(userToken ?? '', one)).toMatchObject({ ok: true, user_id: ws.admin.id });
        }
      }
    },
  );

  it.skipIf(serverUrl === undefined)(
    `sees one of many redemptions of a code succeed, on whichever replica${onPostgres}`,
    async () => {
      const replicas = await twoReplicas();
      const ws = await replicas[0].workspace();
      const client = await oauthApp(replicas[0], ws);
      const code = await codeFor(replicas[1], client, ws.admin.id);
      const answers = await Promise.all([0, 1, 0, 1, 0, 1].map((i) => redeem(replicas[i] as TestApp, client, code)));
      expect(answers.map(({ ok, error }) => (ok ? 'ok' : error)).sort()).toEqual([
        ...Array.from({ length: 5 }, () => 'code_already_used'),
        'ok',
      ]);
    },
  );
});
