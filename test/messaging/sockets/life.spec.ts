import { describe, expect, it, onTestFinished } from 'vitest';
import { Lifecycle } from '../../../src/kernel/http/lifecycle.js';
import { SocketTicket } from '../../../src/messaging/sockets/socket-ticket.entity.js';
import { TestApp, useApp } from '../../support/app.js';
import { eventually } from '../../support/receiver.js';
import { rest } from '../../support/rest-client.js';
import { changeRows } from '../../support/rows.js';
import { bearer, makeSandbox, send } from '../../support/sandbox-routes.js';
import { closeSockets, connect, openUrl, RawSocket, refusedWith, socketApp } from '../../support/socket-app.js';

const started = async (env: Record<string, string>): Promise<TestApp> => {
  const app = await TestApp.start(env);
  onTestFinished(() => app.stop());
  return app;
};

// docs/reference/socket-mode.md#disconnecting
describe('the end of a connection', () => {
  const app = useApp();
  closeSockets();
  const reasons = (socket: RawSocket): string[] => socket.of('disconnect').map(({ reason }) => reason as string);

  it('follows its lifetime: after refresh_requested another connection receives new events', async () => {
    const short = await started({ SVC_SOCKET_LIFETIME_SECONDS: '2' });
    const ws = await short.workspace();
    const made = await socketApp(ws);
    const channel = await ws.channel({ members: [{ id: made['bot_user_id'] }] });
    const old = await connect(short, made['app_token']);
    expect((await old.hello())['debug_info'].approximate_connection_time).toBe(2);
    await eventually(() => reasons(old).length > 0, 'the end of a life');
    expect(reasons(old)).toEqual(['refresh_requested']);
    // no connection accepts the event now: it waits for the next one, and is acked on the old one
    await ws.message({ channel, text: 'between' });
    const fresh = await connect(short, made['app_token']);
    expect((await fresh.hello())['num_connections']).toBe(2);
    await eventually(() => fresh.of('events_api').length === 1, 'what came between');
    expect(old.of('events_api')).toEqual([]);
    old.ack(fresh.of('events_api')[0] as object);
    await eventually(async () => (await queued(short, made['app_id'])) === 0, 'an ack on the old connection');
    expect(old.closeCode).toBeUndefined();
  });

  it('is at most 360 s away with debug_reconnects', async () => {
    const made = await socketApp(await app.workspace());
    const one = await connect(app, made['app_token'], '&debug_reconnects=true');
    const seconds = (await one.hello())['debug_info'].approximate_connection_time as number;
    expect([seconds >= 342, seconds <= 360]).toEqual([true, true]);
  });

  it('follows a drain of the process: all connections are notified at once, and those that stay are closed', async () => {
    const draining = await TestApp.start();
    const made = await socketApp(await draining.workspace());
    const [one, two] = [await connect(draining, made['app_token']), await connect(draining, made['app_token'])];
    const { url } = await openUrl(draining, made['app_token']);
    const begun = performance.now();
    draining.nest.get(Lifecycle).drain();
    await eventually(() => reasons(one).length + reasons(two).length === 2, 'two notices');
    // at once, not after the 3 s that they are given
    expect(performance.now() - begun).toBeLessThan(2_500);
    expect([reasons(one), reasons(two)]).toEqual([['refresh_requested'], ['refresh_requested']]);
    // a draining process refuses new connections
    expect(await refusedWith(url)).toBe(503);
    const response = await fetch(`${draining.baseUrl}/api/apps.connections.open`, {
      method: 'POST',
      headers: { authorization: `Bearer ${made['app_token'] as string}` },
    });
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await response.json()).toEqual({ ok: false, error: 'service_unavailable' });
    const stopped = draining.stop();
    one.socket.close(1000);
    expect(await one.closed()).toBe(1000);
    expect(await two.closed()).toBe(1000);
    expect(performance.now() - begun).toBeLessThan(8_000);
    await stopped;
  });

  it('follows the deletion of the app: link_disabled, and its token is revoked', async () => {
    const ws = await app.workspace();
    const made = await socketApp(ws, { events: ['app_uninstalled', 'tokens_revoked'] });
    const one = await connect(app, made['app_token']);
    const { token } = await ws.jwtClient({ user: ws.admin });
    expect(await rest(app, `DELETE /apps/${made['id'] as string}`, { token })).toMatchObject({ status: 200 });
    expect(one.of('events_api').map(({ payload }) => payload.event)).toEqual([
      { type: 'app_uninstalled', event_ts: expect.any(String) },
      { type: 'tokens_revoked', tokens: { oauth: [], bot: [made['bot_user_id']] }, event_ts: expect.any(String) },
    ]);
    const { user } = await (await ws.adminClient()).call('users.info', { user: made['bot_user_id'] });
    expect(user.deleted).toBe(true);
    await eventually(() => reasons(one).length > 0, 'the end of a link');
    expect(reasons(one)).toEqual(['link_disabled']);
    expect(await one.closed()).toBe(1000);
    expect(await openUrl(app, made['app_token'])).toEqual({ ok: false, error: 'invalid_auth' });
  });

  it('follows a reset that removes the app; a connection of the baseline stays, and keeps receiving events', async () => {
    const manifest = (name: string) => ({
      display_information: { name },
      oauth_config: { scopes: { bot: ['channels:history', 'channels:join'] } },
      settings: { socket_mode_enabled: true, event_subscriptions: { bot_events: ['message.channels'] } },
    });
    const { body, ctl } = await makeSandbox(app, {
      users: [{ name: 'ann', is_admin: true }],
      channels: [{ name: 'ops', members: ['ann'] }],
      apps: [{ manifest: manifest('kept') }],
    });
    const { apps, users } = body.credentials;
    const { access_token } = users.ann;
    const post = (text: string) =>
      send(app, 'POST', '/api/chat.postMessage', bearer(access_token), { channel: '#ops', text });
    const late = await send(app, 'POST', '/api/apps', bearer(access_token), { manifest: manifest('late') });
    expect(late.status, JSON.stringify(late.body)).toBe(201);
    const [kept, gone] = [await connect(app, apps.kept.app_token), await connect(app, late.body.app_token)];
    const reset = await send(app, 'POST', '/api/sandboxes/self/reset', ctl, {});
    expect(reset.status, JSON.stringify(reset.body)).toBe(200);
    await eventually(() => reasons(gone).length > 0, 'the end of a link');
    expect([reasons(gone), reasons(kept), await gone.closed()]).toEqual([['link_disabled'], [], 1000]);
    const { channel } = (await post('nobody hears it')).body;
    await send(app, 'POST', '/api/conversations.join', bearer(apps.kept.bot_token), { channel });
    expect((await post('after')).body).toMatchObject({ ok: true });
    await eventually(() => kept.of('events_api').some(({ payload }) => payload.event.text === 'after'), 'what is new');
  });

  it('follows the rotation of its token, and the new token opens the next one', async () => {
    const ws = await app.workspace();
    const made = await socketApp(ws);
    const one = await connect(app, made['app_token']);
    const { token } = await ws.jwtClient({ user: ws.admin });
    const { body } = await rest(app, `POST /apps/${made['id'] as string}/tokens/rotate`, {
      token,
      body: { kind: 'app' },
    });
    await eventually(() => reasons(one).length > 0, 'the end of a link');
    expect(reasons(one)).toEqual(['link_disabled']);
    expect(await openUrl(app, made['app_token'])).toEqual({ ok: false, error: 'token_revoked' });
    expect((await connect(app, body.app_token as string)).received[0]).toMatchObject({ type: 'hello' });
  });

  it('frees its place at once', async () => {
    const made = await socketApp(await app.workspace());
    const one = await connect(app, made['app_token']);
    one.socket.close(1000);
    await one.closed();
    await eventually(async () => {
      const next = await connect(app, made['app_token']);
      next.socket.terminate();
      return next.received[0]?.['num_connections'] === 1;
    }, 'the only connection');
  });

  it('a ticket is valid for 30 s by the store’s clock', async () => {
    const made = await socketApp(await app.workspace());
    const { url } = await openUrl(app, made['app_token']);
    const [{ left }] = (await app.store.dataSource.query(
      'SELECT extract(epoch FROM expires_at - clock_timestamp())::float8 AS left FROM socket_tickets WHERE app_id = $1',
      [made['app_id']],
    )) as [{ left: number }];
    expect([left > 25, left <= 30]).toEqual([true, true]);
    await changeRows(app.store, SocketTicket, { appId: made['app_id'] }, { expiresAt: new Date(0) });
    expect(await refusedWith(url)).toBe(403);
  });

  const queued = async (server: TestApp, appId: string): Promise<number> => {
    const rows = await server.store.dataSource.query(
      'SELECT 1 FROM deliveries d JOIN event_targets t ON t.id = d.target_id WHERE t.app_id = $1',
      [appId],
    );
    return (rows as unknown[]).length;
  };
});
