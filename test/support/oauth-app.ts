import { consent } from './consent.js';
import type { TestApp } from './app.js';
import { rest } from './rest-client.js';
import { unique } from './unique.js';
import type { WorkspaceBuilder } from './workspace.js';

export const REDIRECT = 'http://127.0.0.1:9/callback';

/** An app that is registered and not installed. */
export interface OauthApp {
  readonly id: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly signingSecret: string;
}

export interface OauthAppOptions {
  readonly name?: string;
  readonly bot?: readonly string[];
  readonly user?: readonly string[];
  readonly redirectUrls?: readonly string[];
  readonly rotation?: boolean;
  readonly pkce?: boolean;
  readonly distributed?: boolean;
  readonly features?: object;
  readonly settings?: object;
}

/** Registers an app as the workspace's admin. */
export async function oauthApp(app: TestApp, ws: WorkspaceBuilder, options: OauthAppOptions = {}): Promise<OauthApp> {
  const { token } = await ws.jwtClient({ user: ws.admin });
  const manifest = {
    display_information: { name: options.name ?? unique('app') },
    ...(options.features ? { features: options.features } : {}),
    oauth_config: {
      redirect_urls: options.redirectUrls ?? [REDIRECT],
      scopes: { bot: options.bot ?? ['chat:write'], user: options.user ?? [] },
      ...(options.pkce ? { pkce_enabled: true } : {}),
    },
    settings: { ...options.settings, ...(options.rotation ? { token_rotation_enabled: true } : {}) },
  };
  const made = await rest(app, 'POST /apps', { token, body: { manifest, install: false } });
  if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  if (options.distributed)
    await rest(app, `PUT /apps/${made.body.id}/distribution`, { token, body: { distributed: true } });
  const { client_secret: clientSecret, signing_secret: signingSecret } = made.body.credentials;
  return { id: made.body.id, clientId: made.body.client_id, clientSecret, signingSecret };
}

export const authorizeUrl = (
  app: Pick<TestApp, 'baseUrl'>,
  { clientId }: Pick<OauthApp, 'clientId'>,
  query: Record<string, string> = {},
  path = 'oauth/v2/authorize',
): string => `${app.baseUrl}/${path}?${new URLSearchParams({ client_id: clientId, ...query }).toString()}`;

/** A method that takes a client id and secret in place of a token. */
export async function clientCall(
  app: Pick<TestApp, 'baseUrl'>,
  method: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
  // oxlint-disable-next-line no-explicit-any
): Promise<any> {
  const response = await fetch(`${app.baseUrl}/api/${method}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(fields).toString(),
  });
  return response.json();
}

const clientFields = ({ clientId, clientSecret }: OauthApp): Record<string, string> => ({
  client_id: clientId,
  client_secret: clientSecret,
});

/** A code that somebody consented to. */
export async function codeFor(
  app: Pick<TestApp, 'baseUrl'>,
  client: OauthApp,
  user: string,
  query: Record<string, string> = {},
): Promise<string> {
  const url = await consent(app, authorizeUrl(app, client, query), { user });
  return url.searchParams.get('code') ?? '';
}

// oxlint-disable-next-line no-explicit-any
export const redeem = (app: Pick<TestApp, 'baseUrl'>, client: OauthApp, code: string, more = {}): Promise<any> =>
  clientCall(app, 'oauth.v2.access', { ...clientFields(client), code, ...more });

// oxlint-disable-next-line no-explicit-any
export const refresh = (app: Pick<TestApp, 'baseUrl'>, client: OauthApp, token: string, more = {}): Promise<any> =>
  clientCall(app, 'oauth.v2.access', {
    ...clientFields(client),
    grant_type: 'refresh_token',
    refresh_token: token,
    ...more,
  });

/** Installs an app and answers what oauth.v2.access did. */
export async function install(
  app: Pick<TestApp, 'baseUrl'>,
  client: OauthApp,
  user: string,
  query: Record<string, string> = {},
  // oxlint-disable-next-line no-explicit-any
): Promise<any> {
  const answer = await redeem(app, client, await codeFor(app, client, user, query));
  if (!answer.ok) throw new Error(JSON.stringify(answer));
  return answer;
}
