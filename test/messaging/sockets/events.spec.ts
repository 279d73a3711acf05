import { App, LogLevel } from '@slack/bolt';
import { SocketModeClient } from '@slack/socket-mode';
import { describe, expect, it } from 'vitest';
import { useApp } from '../../support/app.js';
import { eventually } from '../../support/receiver.js';
import { rest } from '../../support/rest-client.js';
import { connect, closeSockets, socketApp } from '../../support/socket-app.js';

const texts = (envelopes: Record<string, any>[]): string[] => envelopes.map(({ payload }) => payload.event.text);

describe('events over Socket Mode', () => {
  const app = useApp();
  closeSockets();

  it('arrive in order as envelopes, each once over all connections, without waiting for acks', async () => {
    const ws = await app.workspace();
    const made = await socketApp(ws);
    const channel = await ws.channel({ members: [{ id: made['bot_user_id'] }] });
    const [one, two] = [await connect(app, made['app_token']), await connect(app, made['app_token'])];
    const person = await ws.jwtClient({ user: ws.admin });
    await person.call('conversations.join', { channel: channel.id });
    for (let n = 0; n < 5; n++) await person.call('chat.postMessage', { channel: channel.id, text: `${n}` });
    const envelopes = (): Record<string, any>[] => [...one.of('events_api'), ...two.of('events_api')];
    await eventually(() => envelopes().filter(({ payload }) => !payload.event.subtype).length === 5, 'five');
    const posts = envelopes().filter(({ payload }) => !payload.event.subtype);
    expect(texts(posts).sort()).toEqual(['0', '1', '2', '3', '4']);
    for (const socket of [one, two]) {
      const own = texts(socket.of('events_api').filter(({ payload }) => !payload.event.subtype));
      expect(own).toEqual(own.toSorted());
    }
    expect(posts[0]).toMatchObject({
      envelope_id: expect.stringMatching(/^[0-9a-f]{24}$/),
      type: 'events_api',
      accepts_response_payload: false,
      retry_attempt: 0,
      retry_reason: '',
      payload: { type: 'event_callback', api_app_id: made['app_id'], event_id: expect.stringMatching(/^Ev0/) },
    });
  });

  it('wait for a connection and arrive as first attempts; acks on another connection settle them', async () => {
    const ws = await app.workspace();
    const made = await socketApp(ws);
    const channel = await ws.channel({ members: [{ id: made['bot_user_id'] }] });
    const bot = made['bot_token'] as string;
    await postAs(bot, channel.id, 'while away');
    const one = await connect(app, made['app_token']);
    await one.until(() => one.of('events_api').length === 1);
    const [first] = one.of('events_api');
    expect(first).toMatchObject({ retry_attempt: 0, payload: { event: { text: 'while away' } } });
    // without an ack, the retry follows the timeout at once, on the other connection, with the same event
    const two = await connect(app, made['app_token']);
    await eventually(() => one.of('events_api').length + two.of('events_api').length === 2, 'a retry');
    const retry = two.of('events_api')[0] ?? one.of('events_api')[1];
    expect(retry).toMatchObject({
      retry_attempt: 1,
      retry_reason: 'timeout',
      payload: { event_id: first?.['payload'].event_id },
    });
    expect(retry?.['envelope_id']).not.toBe(first?.['envelope_id']);
    two.ack(first as object);
    await eventually(async () => (await queued(made['app_id'])) === 0, 'a settled event');
  });

  it('reach the official clients: the socket client and Bolt', async () => {
    const ws = await app.workspace();
    const made = await socketApp(ws, { events: ['message', 'app_mention'] });
    const channel = await ws.channel({ members: [{ id: made['bot_user_id'] }] });
    const heard: string[] = [];
    const client = new SocketModeClient({
      appToken: made['app_token'],
      logLevel: LogLevel.ERROR as never,
      clientOptions: { slackApiUrl: `${app.baseUrl}/api/` },
    });
    client.on('message', async ({ event, ack }: { event: { text: string }; ack: () => Promise<void> }) => {
      heard.push(`client: ${event.text}`);
      await ack();
    });
    await client.start();
    await postAs(made['bot_token'], channel.id, 'one');
    await eventually(() => heard.includes('client: one'), 'an event at the socket client');
    await client.disconnect();

    const bolt = new App({
      token: made['bot_token'],
      appToken: made['app_token'],
      socketMode: true,
      ignoreSelf: false,
      logLevel: LogLevel.ERROR,
      clientOptions: { slackApiUrl: `${app.baseUrl}/api/` },
    });
    bolt.message(/.*/, async ({ message }) => void heard.push(`bolt: ${(message as { text: string }).text}`));
    await bolt.start();
    await postAs(made['bot_token'], channel.id, 'two');
    await eventually(() => heard.includes('bolt: two'), 'an event at Bolt');
    await bolt.stop();
    await eventually(async () => (await queued(made['app_id'])) === 0, 'nothing left to send');
  });

  it('keep using an open connection when the app gets another manifest', async () => {
    const ws = await app.workspace();
    const made = await socketApp(ws, { events: ['message.groups'] });
    const channel = await ws.channel({ members: [{ id: made['bot_user_id'] }] });
    const one = await connect(app, made['app_token']);
    const { token } = await ws.jwtClient({ user: ws.admin });
    const { settings, ...other } = made['manifest'];
    const manifest = {
      ...other,
      settings: { ...settings, event_subscriptions: { request_url: 'http://127.0.0.1:9/', bot_events: ['message'] } },
    };
    const path = `PUT /apps/${made['id'] as string}/manifest`;
    // with Socket Mode there is no handshake at a URL
    expect((await rest(app, path, { token, body: { manifest } })).status).toBe(200);
    await postAs(made['bot_token'], channel.id, 'anew');
    await one.until(() => one.of('events_api').length === 1);
    expect(texts(one.of('events_api'))).toEqual(['anew']);
    one.ack(one.of('events_api')[0] as object);
    await eventually(async () => (await queued(made['app_id'])) === 0, 'a settled event');
  });

  it('reach an app without a manifest only from its first connection on', async () => {
    const ws = await app.workspace();
    const { body } = await provision(app.baseUrl);
    expect(body.app_token).toMatch(/^xapp-1-/);
    expect(body.app.socket_mode).toBe('auto');
    await postAs(body.bot_token, '#general', 'before');
    const one = await connect(app, body.app_token);
    await postAs(body.bot_token, '#general', 'after');
    await one.until(() => one.of('events_api').length > 0);
    expect(texts(one.of('events_api'))).toEqual(['after']);
    expect(ws.id).not.toBe(body.team.id);
  });

  const postAs = async (token: string, channel: string, text: string): Promise<void> => {
    const response = await fetch(`${app.baseUrl}/api/chat.postMessage`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ channel, text }),
    });
    expect(await response.json()).toMatchObject({ ok: true });
  };
  const queued = async (appId: string): Promise<number> => {
    const rows = await app.store.dataSource.query(
      `SELECT 1 FROM deliveries d JOIN event_targets t ON t.id = d.target_id WHERE t.app_id = $1`,
      [appId],
    );
    return (rows as unknown[]).length;
  };
  const provision = async (baseUrl: string): Promise<{ body: any }> => {
    const response = await fetch(`${baseUrl}/api/admin/provision`, {
      method: 'POST',
      headers: { 'x-admin-token': 'operator-of-the-tests', 'content-type': 'application/json' },
      body: JSON.stringify({ team: { name: 'sockets' } }),
    });
    return { body: await response.json() };
  };
});
