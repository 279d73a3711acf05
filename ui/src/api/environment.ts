import { urlOf } from './base.js';

/** What the server answers when it creates an app or a sandbox, as far as an app's environment needs it. */
export interface Credentials {
  readonly bot_token: string;
  readonly user_token?: string | null;
  readonly app_token?: string | null;
  readonly signing_secret: string;
  /** Of a sandbox only. */
  readonly api_key?: string;
  readonly control_token?: string;
}

/** The lines of an .env file, with the names that `understudy sandbox create --env` prints and the test kits use. */
export function envLines(credentials: Credentials): string {
  const { bot_token, user_token, app_token, signing_secret, api_key, control_token } = credentials;
  const variables: readonly (readonly [string, string | null | undefined])[] = [
    ['SVC_API_URL', control_token && urlOf('api').href],
    ['SVC_SANDBOX_TOKEN', control_token],
    ['SLACK_API_URL', urlOf('api/').href],
    ['SLACK_BOT_TOKEN', bot_token],
    ['SLACK_USER_TOKEN', user_token],
    ['SLACK_APP_TOKEN', app_token],
    ['SLACK_SIGNING_SECRET', signing_secret],
    ['LINEAR_API_URL', api_key && urlOf('graphql').href],
    ['LINEAR_API_KEY', api_key],
  ];
  return variables.flatMap(([name, value]) => (value ? [`${name}=${value}`] : [])).join('\n');
}
