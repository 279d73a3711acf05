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

/**
 * The environment variables that official clients and Bolt's examples read.
 * @param apiBase the API's base, which ends in `/api`
 */
export function environmentOf(apiBase: string, credentials: SandboxCredentials): Record<string, string> {
  const { control_token, bot_token, user_token, app_token, signing_secret, client_id, client_secret, api_key } =
    credentials;
  const base = apiBase.replace(/\/api$/, '');
  const authorizeUrl = `${base}/oauth/v2/authorize`;
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
    SLACK_AUTHORIZE_URL: authorizeUrl,
    ...(client_id ? { SLACK_INSTALL_URL: `${authorizeUrl}?client_id=${client_id}` } : {}),
    LINEAR_API_URL: `${base}/graphql`,
    LINEAR_API_KEY: api_key,
    ...(tracker?.client_id ? { LINEAR_CLIENT_ID: tracker.client_id } : {}),
    ...(tracker?.client_secret ? { LINEAR_CLIENT_SECRET: tracker.client_secret } : {}),
    LINEAR_AUTHORIZE_URL: `${base}/oauth/authorize`,
    LINEAR_TOKEN_URL: `${base}/oauth/token`,
  };
}
