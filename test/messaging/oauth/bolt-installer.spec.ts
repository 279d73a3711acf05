import { App, LogLevel, type Installation, type Logger } from '@slack/bolt';
import { describe, expect, it, onTestFinished } from 'vitest';
import { useApp, type TestApp } from '../../support/app.js';
import { onPostgres, serverUrl } from '../../support/databases.js';
import { clientCall, oauthApp } from '../../support/oauth-app.js';
import { reservedPort } from '../../support/ports.js';
import { twoReplicas } from '../../support/replicas.js';
import { rest } from '../../support/rest-client.js';
import { bearer, send } from '../../support/sandbox-routes.js';
import type { WorkspaceBuilder } from '../../support/workspace.js';

const shared = useApp();

const silent: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  setLevel() {},
  getLevel: () => LogLevel.ERROR,
  setName() {},
};

/** Installs a Bolt app with Bolt's own routes: people go to one replica, the app calls another. */
async function installsAndAnswers(people: TestApp, calls: TestApp): Promise<void> {
  const [home, guest] = [await people.workspace(), await calls.workspace()];
  const port = await reservedPort();
  const url = `http://127.0.0.1:${port}`;
  const redirectUri = `${url}/slack/oauth_redirect`;
  const scopes = ['app_mentions:read', 'channels:join', 'chat:write'];
  const settings = { event_subscriptions: { request_url: `${url}/slack/events`, bot_events: ['app_mention'] } };
  const client = await oauthApp(people, home, {
    distributed: true,
    rotation: true,
    redirectUrls: [redirectUri],
    bot: scopes,
    settings,
  });
  const store = new Map<string, Installation>();
  const heard = new Map<string, (token: string) => void>();
  const bolt = new App({
    signingSecret: client.signingSecret,
    clientId: client.clientId,
    clientSecret: client.clientSecret,
    stateSecret: 'of this test',
    scopes,
    redirectUri,
    logger: silent,
    clientOptions: { slackApiUrl: `${calls.baseUrl}/api/` },
    installationStore: {
      storeInstallation: (installation) => Promise.resolve(void store.set(installation.team?.id ?? '', installation)),
      fetchInstallation: ({ teamId }) => Promise.resolve(store.get(teamId ?? '') as Installation<'v2', false>),
      deleteInstallation: ({ teamId }) => Promise.resolve(void store.delete(teamId ?? '')),
    },
    installerOptions: {
      directInstall: true,
      redirectUriPath: '/slack/oauth_redirect',
      authorizationUrl: `${people.baseUrl}/oauth/v2/authorize`,
      clientOptions: { slackApiUrl: `${calls.baseUrl}/api/` },
    },
  });
  bolt.event('app_mention', async ({ say, context }) => {
    await say('at your service');
    heard.get(context.teamId ?? '')?.(context.botToken ?? '');
  });
  await bolt.start(port);
  onTestFinished(async () => void (await bolt.stop()));

  const forged = await fetch(`${redirectUri}?code=anything&state=forged`);
  expect(forged.status).not.toBe(200);
  for (const ws of [home, guest]) await checkIn(ws, { people, calls, url, store, heard });
}

async function checkIn(
  ws: WorkspaceBuilder,
  bolt: {
    people: TestApp;
    calls: TestApp;
    url: string;
    store: Map<string, Installation>;
    heard: Map<string, (token: string) => void>;
  },
): Promise<void> {
  const { token } = await ws.jwtClient({ user: ws.admin });
  const installed = await send(bolt.people, 'POST', '/api/sandboxes/self/install', bearer(token), {
    start: `${bolt.url}/slack/install`,
  });
  expect([installed.status, installed.body.response?.status, installed.body.installed]).toEqual([200, 200, true]);
  const { bot } = bolt.store.get(ws.id) as Installation;
  const first = bot?.token ?? '';
  expect(first).toMatch(/^xoxe\.xoxb-1-/);
  await clientCall(bolt.calls, 'conversations.join', { token: first, channel: ws.general.id });
  // what has less than two hours left is refreshed by Bolt before it is used
  Object.assign(bot as object, { expiresAt: Math.floor(Date.now() / 1000) + 3_600 });
  const answered = new Promise<string>((resolve) => bolt.heard.set(ws.id, resolve));
  const body = { channel: ws.general.id, text: `<@${bot?.userId}> hello` };
  await rest(bolt.people, 'POST /chat.postMessage', { token, body });
  const fresh = await answered;
  expect(fresh).not.toBe(first);
  const { messages } = (
    await rest(bolt.calls, `GET /conversations.history?channel=${ws.general.id}&limit=1`, { token })
  ).body;
  expect(messages).toMatchObject([{ text: 'at your service', user: bot?.userId }]);
  expect(await clientCall(bolt.people, 'auth.test', { token: fresh })).toMatchObject({ ok: true, team_id: ws.id });
}

/** docs/reference/installing.md#several-workspaces */
describe("Bolt's own installer", () => {
  it('installs into two workspaces, refuses a forged state, and answers in each with refreshed tokens', () =>
    installsAndAnswers(shared, shared));

  it.skipIf(serverUrl === undefined)(`does the same over two replicas${onPostgres}`, async () => {
    const [one, two] = await twoReplicas();
    await installsAndAnswers(one, two);
  });
});
