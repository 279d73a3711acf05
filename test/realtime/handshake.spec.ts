import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { listen, Listener } from '../support/listener.js';
import { rest } from '../support/rest-client.js';

describe('the realtime handshake', () => {
  const app = useApp();

  it('answers not_authed, invalid_auth, token_revoked, token_expired, account_inactive, team_access_not_granted', async () => {
    const ws = await app.workspace();
    for (const auth of [{}, { token: '' }, { token: null }, { token: 'Bearer ' }]) {
      expect(await Listener.refusal(app, auth)).toBe('not_authed');
    }
    for (const token of [
      'x',
      'xoxb-000000000000-nobodyhasthistokenreally',
      'a.b.c',
      `svc_api_${'a'.repeat(40)}`,
      7,
      {},
    ]) {
      expect(await Listener.refusal(app, { token }), JSON.stringify(token)).toBe('invalid_auth');
    }
    const revoked = await ws.bot();
    await ws.revoke(revoked);
    expect(await Listener.refusal(app, { token: revoked.token })).toBe('token_revoked');

    const ann = await ws.jwtClient();
    const other = await app.workspace();
    expect(await Listener.refusal(app, { token: ann.token, team_id: other.id })).toBe('team_access_not_granted');
    app.clock.advance(3_601_000);
    expect(await Listener.refusal(app, { token: ann.token })).toBe('token_expired');
    app.clock.reset();
    await ws.endSessions(ann);
    expect(await Listener.refusal(app, { token: ann.token })).toBe('token_revoked');

    const gone = await ws.userClient();
    await ws.deactivate({ id: gone.userId });
    expect(await Listener.refusal(app, { token: gone.token })).toBe('account_inactive');
  });

  it('accepts app tokens and JWTs, with a Bearer prefix and with team_id', async () => {
    const ws = await app.workspace();
    const [bot, ann] = [await ws.bot(), await ws.jwtClient()];
    for (const auth of [
      { token: bot.token },
      { token: `Bearer ${ann.token}` },
      { token: ann.token, team_id: ws.id },
      { token: bot.token, team_id: 'T0NONSENSE0' },
    ]) {
      expect((await Listener.connect(app, auth)).socket.connected).toBe(true);
    }
  });

  it('has a single namespace', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    expect(await Listener.refusal({ baseUrl: `${app.baseUrl}/other` }, { token: bot.token })).toBe('Invalid namespace');
  });

  it('ends when the credential does: token revoked, logout, user or workspace deleted', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const [revoked, kept] = [await ws.tokenOf(bot, ['channels:history']), await ws.tokenOf(bot, ['channels:history'])];
    const [ann, bob] = [await ws.jwtClient(), await ws.jwtClient()];
    const ears = await Promise.all([revoked, ann, bob, kept].map((client) => listen(client)));
    const [first, second, third, fourth] = ears as [Listener, Listener, Listener, Listener];

    await ws.revoke(revoked);
    expect(await first.end()).toBe('io server disconnect');
    expect((await rest(app, 'POST /auth/logout', { token: ann.token })).status).toBe(200);
    expect(await second.end()).toBe('io server disconnect');
    await ws.deactivate({ id: bob.userId });
    expect(await third.end()).toBe('io server disconnect');
    expect(fourth.ended).toBeUndefined();
    const owner = await ws.jwtClient({ user: ws.admin });
    expect((await rest(app, `DELETE /workspaces/${ws.id}`, { token: owner.token })).status).toBe(200);
    expect(await fourth.end()).toBe('io server disconnect');
  });

  it('sends no event after the credential was revoked', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const doomed = await ws.tokenOf(bot, ['channels:history']);
    const channel = await ws.channel({ members: [bot] });
    const [ear, witness] = [await listen(doomed), await listen(bot)];
    await ws.revoke(doomed);
    await bot.call('chat.postMessage', { channel: channel.id, text: 'too late' });
    await witness.until('too late');
    await ear.end();
    expect(ear.heard).toEqual([]);
  });
});
