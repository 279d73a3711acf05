import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { useApp } from '../../support/app.js';
import { consent } from '../../support/consent.js';
import { clientCall, oauthApp } from '../../support/oauth-app.js';

const app = useApp();

const python = ['/usr/bin/python3', 'python3'].find(
  (program) => spawnSync(program, ['-c', 'import slack_sdk']).status === 0,
);
const withoutPython = python === undefined ? ' (skipped: no python3 with slack_sdk is installed)' : '';

const AUTHORIZE = `
import sys
from slack_sdk.oauth import AuthorizeUrlGenerator
base, client_id = sys.argv[1:]
urls = AuthorizeUrlGenerator(client_id=client_id, scopes=["chat:write"], user_scopes=["users:read"],
                             authorization_url=base + "/oauth/v2/authorize")
print(urls.generate(state="of python"))
`;

const REDEEM = `
import json, sys
from slack_sdk import WebClient
base, client_id, client_secret, code = sys.argv[1:]
client = WebClient(base_url=base + "/api/")
app = dict(client_id=client_id, client_secret=client_secret)
made = client.oauth_v2_access(code=code, **app)
next = client.oauth_v2_access(grant_type="refresh_token", refresh_token=made["refresh_token"], **app)
print(json.dumps([made.data, next.data]))
`;

/** docs/reference/installing.md#oauthv2access */
describe('slack_sdk of Python', () => {
  it.skipIf(python === undefined)(`installs an app and refreshes its tokens, by Basic${withoutPython}`, async () => {
    const run = async (script: string, ...args: string[]): Promise<string> =>
      (await promisify(execFile)(python as string, ['-c', script, app.baseUrl, ...args])).stdout.trim();
    const ws = await app.workspace();
    const client = await oauthApp(app, ws, { rotation: true });
    const back = await consent(app, await run(AUTHORIZE, client.clientId), { user: ws.admin.id });
    expect(back.searchParams.get('state')).toBe('of python');
    const code = back.searchParams.get('code') as string;
    const [made, next] = JSON.parse(await run(REDEEM, client.clientId, client.clientSecret, code));
    expect(made).toMatchObject({ scope: 'chat:write', authed_user: { id: ws.admin.id, scope: 'users:read' } });
    expect(await clientCall(app, 'auth.test', { token: next.access_token })).toMatchObject({
      ok: true,
      team_id: ws.id,
    });
  });
});
