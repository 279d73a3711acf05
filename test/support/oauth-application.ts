import { createHash, randomBytes } from 'node:crypto';
import type { TestApp } from './app.js';
import { consent } from './consent.js';
import { callRest } from './rest-call.js';
import type { GraphqlAnswer, OrganizationBuilder } from './tracker.js';
import { checkedAnswer } from './tracker.js';
import { unique } from './unique.js';

export const CALLBACK = 'https://app.example/callback';

/** A registered application. */
export interface Application {
  readonly id: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly webhookSecret: string | null;
}

/** A request of an organization's admin. */
export async function asAdmin(
  org: OrganizationBuilder,
  method: string,
  path: string,
  body?: object,
  // oxlint-disable-next-line typescript/no-explicit-any -- specs read fields of answers freely
): Promise<{ status: number; body: any }> {
  return callRest(org.app, method, `/api/oauth-applications${path}`, {
    token: await org.accessToken(),
    ...(body ? { body } : {}),
  });
}

/** Registers an application as the organization's owner. */
export async function application(org: OrganizationBuilder, fields: object = {}): Promise<Application> {
  const made = await asAdmin(org, 'POST', '', { name: unique('app'), redirectUris: [CALLBACK], ...fields });
  if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  const { application: shown, clientSecret, webhookSecret } = made.body;
  return { id: shown.id, clientId: shown.clientId, clientSecret, webhookSecret };
}

export const authorizeUrl = (
  at: Pick<TestApp, 'baseUrl'>,
  { clientId }: Pick<Application, 'clientId'>,
  query: Record<string, string> = {},
): string => {
  const all = { client_id: clientId, redirect_uri: CALLBACK, response_type: 'code', ...query };
  return `${at.baseUrl}/oauth/authorize?${new URLSearchParams(all).toString()}`;
};

/** An answer of the token endpoint. */
export interface TokenAnswer {
  readonly status: number;
  readonly headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any -- as above
  readonly body: any;
}

export async function postForm(
  at: Pick<TestApp, 'baseUrl'>,
  path: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<TokenAnswer> {
  const response = await fetch(`${at.baseUrl}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(fields).toString(),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

const credentials = ({ clientId, clientSecret }: Application): Record<string, string> => ({
  client_id: clientId,
  client_secret: clientSecret,
});

/** A code that somebody consented to. */
export async function codeFor(
  at: Pick<TestApp, 'baseUrl'>,
  client: Application,
  user: string,
  query: Record<string, string> = {},
): Promise<string> {
  const back = await consent(at, authorizeUrl(at, client, query), { user });
  const code = back.searchParams.get('code');
  if (code === null) throw new Error(back.href);
  return code;
}

export const redeem = (
  at: Pick<TestApp, 'baseUrl'>,
  client: Application,
  code: string,
  more: Record<string, string> = {},
): Promise<TokenAnswer> =>
  postForm(at, '/oauth/token', {
    grant_type: 'authorization_code',
    code,
    redirect_uri: CALLBACK,
    ...credentials(client),
    ...more,
  });

export const refresh = (
  at: Pick<TestApp, 'baseUrl'>,
  client: Application,
  token: string,
  more: Record<string, string> = {},
): Promise<TokenAnswer> =>
  postForm(at, '/oauth/token', {
    grant_type: 'refresh_token',
    refresh_token: token,
    ...credentials(client),
    ...more,
  });

export const byClient = (
  at: Pick<TestApp, 'baseUrl'>,
  client: Application,
  scope = 'read,write',
): Promise<TokenAnswer> =>
  postForm(at, '/oauth/token', { grant_type: 'client_credentials', scope, ...credentials(client) });

/** Tokens that somebody consented to. */
export async function authorize(
  at: Pick<TestApp, 'baseUrl'>,
  client: Application,
  user: string,
  query: Record<string, string> = {},
): Promise<{ access_token: string; refresh_token: string; scope: string; expires_in: number }> {
  const { status, body } = await redeem(at, client, await codeFor(at, client, user, query));
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body;
}

/** A query with an OAuth token. */
export async function graphqlBy(
  app: TestApp,
  token: string,
  query: string,
  variables?: object,
): Promise<GraphqlAnswer> {
  const response = await fetch(`${app.baseUrl}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ query, variables }),
  });
  return checkedAnswer(response);
}

/** A verifier of PKCE with its challenge. */
export function pkce(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}
