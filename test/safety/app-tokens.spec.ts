import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { refusal, rest, type RestAnswer, type RestOptions } from '../support/rest-client.js';
import { unique } from '../support/unique.js';
import type { WorkspaceBuilder } from '../support/workspace.js';

const app = useApp();
const PASSWORD = 'a good password';
const call = (route: string, options: RestOptions = {}): Promise<RestAnswer> => rest(app, route, options);

/** A member who signed up, as a token. */
async function member(ws: WorkspaceBuilder): Promise<string> {
  const body = { email: `${unique('member')}@example.com`, password: PASSWORD, team_id: ws.id };
  return (await rest(app, 'POST /auth/signup', { body })).body.accessToken as string;
}
const manifest = (bot: string[], user: string[] = []): object => ({
  display_information: { name: unique('app') },
  oauth_config: { scopes: { bot, user } },
});
const makeApp = (token: string, bot: string[], user: string[] = []): Promise<RestAnswer> =>
  call('POST /apps', { token, body: { manifest: manifest(bot, user) } });

/** docs/reference/safety.md#apps */
describe('rotated tokens', () => {
  it('never give an app the access of an admin who rotates another user’s tokens', async () => {
    const ws = await app.workspace();
    const token = await member(ws);
    const made = (await makeApp(token, ['chat:write'], ['im:history'])).body;
    const { token: admin } = await ws.jwtClient({ user: ws.admin });
    const rotated = await call(`POST /apps/${made.id}/tokens/rotate`, { token: admin, body: {} });
    expect([rotated.status, Object.keys(rotated.body).sort()]).toEqual([200, ['bot_token']]);
    expect((await call('GET /auth/me', { token: made.user_token })).body.message).toBe('token_revoked');
    const { tokens } = (await call(`GET /apps/${made.id}`, { token })).body;
    expect(tokens.map(({ kind }: { kind: string }) => kind)).toEqual(['bot']);
    const again = (await call(`POST /apps/${made.id}/tokens/rotate`, { token, body: { kind: 'user' } })).body;
    const me = async (who: string): Promise<string> => (await call('GET /auth/me', { token: who })).body.user_id;
    expect(await me(again.user_token)).toBe(await me(token));
  });

  it('hold no more than the token that requests the rotation', async () => {
    const ws = await app.workspace();
    const token = await member(ws);
    const strong = (await makeApp(token, ['chat:write', 'channels:history'], ['chat:write', 'im:history'])).body;
    const weak = (await makeApp(token, [], ['chat:write'])).body;
    const rotate = (kind?: string): Promise<RestAnswer> =>
      call(`POST /apps/${strong.id}/tokens/rotate`, { token: weak.user_token, body: { kind } });
    for (const kind of ['bot', 'user', 'app', undefined]) {
      expect((await rotate(kind)).body).toEqual(refusal(403, 'missing_scope'));
    }
    for (const kept of [strong.bot_token, strong.user_token]) {
      expect((await call('GET /auth/me', { token: kept })).status).toBe(200);
    }
  });
});
