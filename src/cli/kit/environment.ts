import type { SandboxFlags } from '../../kernel/sandbox/sandbox-flags.js';

/** The credentials that `POST /api/sandboxes` returns, with the fields that an app's environment needs. */
export interface SandboxCredentials {
  control_token: string;
  bot_token: string;
  user_token: string;
  app_token?: string | null;
  signing_secret: string;
  client_id?: string | null;
  client_secret?: string | null;
  api_key: string;
  tracker_apps?: Record<string, { client_id: string | null; client_secret: string | null }>;
}

/** Whose names are in the URLs that a sandbox gives out: the server's or the vendors'. */
export type UrlForm = SandboxFlags['urls'];

/** Where Bolt's installer waits for people who come back, unless it is told otherwise: a default app takes it unprepared. */
const BOLT_REDIRECT = encodeURIComponent('http://localhost:3000/slack/oauth_redirect');

/** Where apps are installed: under the vendors' names in a sandbox that gives out such URLs. */
const consentUrls = (base: string, urls: UrlForm): Record<'chat' | 'tracker' | 'token', string> =>
  urls === 'vendor'
    ? {
        chat: 'https://slack.com/oauth/v2/authorize',
        tracker: 'https://linear.app/oauth/authorize',
        token: 'https://api.linear.app/oauth/token',
      }
    : { chat: `${base}/oauth/v2/authorize`, tracker: `${base}/oauth/authorize`, token: `${base}/oauth/token` };

/**
 * The environment variables that official clients and Bolt's examples read.
 * @param apiBase the API's base, which ends in `/api`
 * @param urls the sandbox's `urls`
 */
export function environmentOf(apiBase: string, credentials: SandboxCredentials, urls: UrlForm): Record<string, string> {
  const { control_token, bot_token, user_token, app_token, signing_secret, client_id, client_secret, api_key } =
    credentials;
  const base = apiBase.replace(/\/api$/, '');
  const consent = consentUrls(base, urls);
  const tracker = credentials.tracker_apps?.['default-app'];
  return {
    SVC_API_URL: apiBase,
    SVC_SANDBOX_TOKEN: control_token,
    SLACK_API_URL: `${apiBase}/`,
    SLACK_BOT_TOKEN: bot_token,
    SLACK_USER_TOKEN: user_token,
    ...(app_token ? { SLACK_APP_TOKEN: app_token } : {}),
    SLACK_SIGNING_SECRET: signing_secret,
    ...(client_id ? { SLACK_CLIENT_ID: client_id } : {}),
    ...(client_secret ? { SLACK_CLIENT_SECRET: client_secret } : {}),
    SLACK_AUTHORIZE_URL: consent.chat,
    ...(client_id ? { SLACK_INSTALL_URL: `${consent.chat}?client_id=${client_id}&redirect_uri=${BOLT_REDIRECT}` } : {}),
    LINEAR_API_URL: `${base}/graphql`,
    LINEAR_API_KEY: api_key,
    ...(tracker?.client_id ? { LINEAR_CLIENT_ID: tracker.client_id } : {}),
    ...(tracker?.client_secret ? { LINEAR_CLIENT_SECRET: tracker.client_secret } : {}),
    LINEAR_AUTHORIZE_URL: consent.tracker,
    LINEAR_TOKEN_URL: consent.token,
  };
}
