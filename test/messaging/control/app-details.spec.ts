import { describe, expect, it } from 'vitest';
import { useApp } from '../../support/app.js';
import type { ChatClient } from '../../support/chat-client.js';
import { refusal, rest } from '../../support/rest-client.js';
import { closeSockets, connect } from '../../support/socket-app.js';

// docs/reference/control-plane.md#apps
describe('GET /api/apps/:id', () => {
  const app = useApp();
  closeSockets();

  const make = async (client: ChatClient, manifest: object = {}) =>
    (
      await rest(app, 'POST /apps', {
        token: client.token,
        body: {
          manifest: {
            display_information: { name: 'Pager' },
            oauth_config: { scopes: { bot: ['chat:write'], user: ['users:read'] } },
            settings: { socket_mode_enabled: true },
            ...manifest,
          },
        },
      })
    ).body;
  const one = (id: string, client: ChatClient) => rest(app, `GET /apps/${id}`, { token: client.token });
  const credentials = (id: string, client: ChatClient) =>
    rest(app, `GET /apps/${id}/credentials`, { token: client.token });

  it('shows members the last characters of its tokens, and no credentials', async () => {
    const ws = await app.workspace();
    const [creator, other] = [await ws.jwtClient(), await ws.jwtClient()];
    const made = await make(creator);
    const { status, body, text } = await one(made.id, other);
    expect(status).toBe(200);
    const listed = (await rest(app, 'GET /apps', { token: other.token })).body.apps.find(
      ({ id }: { id: string }) => id === made.id,
    );
    expect(body).toEqual({
      ...listed,
      tokens: [
        { kind: 'bot', hint: `xoxb-…${made.bot_token.slice(-4)}`, created: expect.any(Number), last_used_at: null },
        { kind: 'user', hint: `xoxp-…${made.user_token.slice(-4)}`, created: expect.any(Number), last_used_at: null },
        { kind: 'app', hint: `xapp-…${made.app_token.slice(-4)}`, created: expect.any(Number), last_used_at: null },
      ],
      open_sockets: 0,
    });
    for (const secret of [made.bot_token, made.user_token, made.app_token, made.credentials.signing_secret]) {
      expect(text).not.toContain(secret);
    }
    expect(Math.abs(body.tokens[0].created - Date.now() / 1000)).toBeLessThan(60);
  });

  it('shows which of its tokens were used, and when', async () => {
    const ws = await app.workspace();
    const creator = await ws.jwtClient();
    const made = await make(creator);
    expect((await rest(app, 'POST /auth.test', { token: made.bot_token })).body.ok).toBe(true);
    const { tokens } = (await one(made.id, creator)).body;
    expect(Math.abs(tokens[0].last_used_at - Date.now() / 1000)).toBeLessThan(60);
    expect(tokens[1].last_used_at).toBeNull();
  });

  it('shows new last characters after a rotation, and no longer the old tokens', async () => {
    const ws = await app.workspace();
    const creator = await ws.jwtClient();
    const made = await make(creator);
    const rotated = await rest(app, `POST /apps/${made.id}/tokens/rotate`, {
      token: creator.token,
      body: { kind: 'bot' },
    });
    const { tokens } = (await one(made.id, creator)).body;
    expect(tokens.map(({ hint }: { hint: string }) => hint)).toEqual([
      `xoxb-…${rotated.body.bot_token.slice(-4)}`,
      `xoxp-…${made.user_token.slice(-4)}`,
      `xapp-…${made.app_token.slice(-4)}`,
    ]);
  });

  it('counts its open sockets', async () => {
    const ws = await app.workspace();
    const creator = await ws.jwtClient();
    const made = await make(creator);
    const { socket } = await connect(app, made.app_token);
    expect((await one(made.id, creator)).body.open_sockets).toBe(1);
    socket.close();
    await expect.poll(async () => (await one(made.id, creator)).body.open_sockets).toBe(0);
  });

  it('shows its credentials only to its creator and to admins', async () => {
    const ws = await app.workspace();
    const [creator, other, admin] = [await ws.jwtClient(), await ws.jwtClient(), await ws.adminClient()];
    const made = await make(creator);
    // the client's secret is shown at creation alone
    const { client_secret: secret, ...shown } = made.credentials;
    expect(secret).toMatch(/^[0-9a-f]{32}$/);
    for (const client of [creator, admin]) {
      expect((await credentials(made.id, client)).body).toEqual(shown);
    }
    expect((await credentials(made.id, other)).body).toEqual(refusal(403, 'not_admin'));
    expect((await credentials(made.id, await ws.bot())).body).toEqual(refusal(403, 'not_admin'));
  });

  it('is unknown in another workspace', async () => {
    const made = await make(await (await app.workspace()).jwtClient());
    const outsider = await (await app.workspace()).adminClient();
    expect((await one(made.id, outsider)).body).toEqual(refusal(404, 'app_not_found'));
    expect((await credentials(made.id, outsider)).body).toEqual(refusal(404, 'app_not_found'));
    expect((await one('A0NOTHERE01', outsider)).body).toEqual(refusal(404, 'app_not_found'));
    expect((await rest(app, `GET /apps/${made.id}`)).body).toEqual(refusal(401, 'not_authed'));
  });
});
