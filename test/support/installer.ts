import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { InstallProvider, type Installation } from '@slack/oauth';
import { onTestFinished } from 'vitest';
import type { TestApp } from './app.js';
import type { OauthApp } from './oauth-app.js';

/** The app of a customer: it sends people to the authorize URL of one replica, and redeems at another. */
export async function customer(
  client: OauthApp,
  at: Pick<TestApp, 'baseUrl'>,
  redeemsAt: Pick<TestApp, 'baseUrl'> = at,
): Promise<{ url: string; store: Map<string, Installation>; installer: InstallProvider }> {
  const store = new Map<string, Installation>();
  const installer = new InstallProvider({
    clientId: client.clientId,
    clientSecret: client.clientSecret,
    stateSecret: 'of this test',
    authorizationUrl: `${at.baseUrl}/oauth/v2/authorize`,
    clientOptions: { slackApiUrl: `${redeemsAt.baseUrl}/api/` },
    installationStore: {
      storeInstallation: (installation) => Promise.resolve(void store.set(installation.team?.id ?? '', installation)),
      fetchInstallation: ({ teamId }) => Promise.resolve(store.get(teamId ?? '') as Installation<'v2', false>),
      deleteInstallation: ({ teamId }) => Promise.resolve(void store.delete(teamId ?? '')),
    },
  });
  let redirectUri = '';
  const server: Server = createServer((request, reply) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://app');
    if (pathname === '/slack/install') {
      const teamId = searchParams.get('team') ?? '';
      void installer.handleInstallPath(
        request,
        reply,
        {},
        { scopes: ['chat:write'], userScopes: ['users:read'], redirectUri, teamId },
      );
    } else void installer.handleCallback(request, reply);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  redirectUri = `${url}/slack/oauth_redirect`;
  return { url, store, installer };
}
