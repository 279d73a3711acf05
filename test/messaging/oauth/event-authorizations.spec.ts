import { describe, expect, it } from 'vitest';
import { useApp } from '../../support/app.js';
import { clientCall, install, oauthApp } from '../../support/oauth-app.js';
import { rest } from '../../support/rest-client.js';
import { closeSockets, connect } from '../../support/socket-app.js';

const app = useApp();
closeSockets();

interface Authorization {
  readonly user_id: string;
  readonly is_bot: boolean;
}

/** docs/reference/events.md#authorizations */
describe('apps.event.authorizations.list', () => {
  it('names every identity of the app that sees an event, in the workspace of the event', async () => {
    const [home, guest] = [await app.workspace(), await app.workspace()];
    const options = {
      distributed: true,
      bot: ['channels:history', 'channels:join'],
      user: ['channels:history'],
      // an app without Socket Mode has no app-level token
      settings: { socket_mode_enabled: true, event_subscriptions: { bot_events: ['message.channels'] } },
    };
    const client = await oauthApp(app, home, options);
    const other = await oauthApp(app, home, options);
    await install(app, other, home.admin.id);
    const [alice, bob] = [await guest.user(), await guest.user()];
    await install(app, client, home.admin.id);
    const there = await install(app, client, alice.id, { team: guest.id });
    await install(app, client, bob.id, { team: guest.id });
    const channel = await guest.channel({ members: [guest.admin, alice] });
    await clientCall(app, 'conversations.join', { token: there.access_token, channel: channel.id });
    const { token: admin } = await home.jwtClient({ user: home.admin });
    const appToken = async (id: string): Promise<string> =>
      (await rest(app, `POST /apps/${id}/tokens/rotate`, { token: admin, body: { kind: 'app' } })).body.app_token;
    const own = await appToken(client.id);
    const socket = await connect(app, own);
    const { token } = await guest.jwtClient({ user: guest.admin });
    await rest(app, 'POST /chat.postMessage', { token, body: { channel: channel.id, text: 'who sees this' } });
    await socket.until(() => socket.of('events_api').length > 0);
    const [envelope] = socket.of('events_api') as [
      { payload: { event_context: string; authorizations: Authorization[] } },
    ];
    const { event_context: context, authorizations } = envelope.payload;
    expect(authorizations).toMatchObject([{ user_id: there.bot_user_id }]);
    // oxlint-disable-next-line no-explicit-any
    const list = (by: string, fields: Record<string, string>): Promise<any> =>
      clientCall(app, 'apps.event.authorizations.list', fields, { authorization: `Bearer ${by}` });
    const all = await list(own, { event_context: context });
    const identity = (user_id: string, is_bot: boolean): object => ({
      enterprise_id: null,
      team_id: guest.id,
      user_id,
      is_bot,
      is_enterprise_install: false,
    });
    expect(all.authorizations).toHaveLength(2);
    expect(all.authorizations).toEqual(
      expect.arrayContaining([identity(there.bot_user_id, true), identity(alice.id, false)]),
    );
    const first = await list(own, { event_context: context, limit: '1' });
    const { next_cursor: cursor } = first.response_metadata;
    const second = await list(own, { event_context: context, limit: '1', cursor });
    expect([...first.authorizations, ...second.authorizations]).toEqual(all.authorizations);
    expect(second.response_metadata.next_cursor).toBe('');

    const refused = (error: string): object => ({ ok: false, error });
    expect(await list(await appToken(other.id), { event_context: context })).toEqual(refused('auth_mismatch'));
    for (const wrong of ['', '4-nonsense', `${context.slice(0, -3)}abc`, `4-${'A'.repeat(80)}`])
      expect(await list(own, { event_context: wrong })).toMatchObject(refused('invalid_event_context'));
    expect(await list(there.access_token, { event_context: context })).toEqual(refused('not_allowed_token_type'));
    expect(await clientCall(app, 'apps.event.authorizations.list', { token: own, event_context: context })).toEqual(
      refused('not_authed'),
    );
    app.clock.advance(3_600_000);
    expect(await list(own, { event_context: context })).toEqual(refused('invalid_event_context'));
  });
});
