import { describe, expect, it, onTestFinished } from 'vitest';
import { Metrics } from '../../../src/kernel/metrics/metrics.js';
import { TestApp, useApp } from '../../support/app.js';
import { createDatabase, serverUrl } from '../../support/databases.js';
import { eventually } from '../../support/receiver.js';
import { rest } from '../../support/rest-client.js';
import { closeSockets, connect, socketApp, type RawSocket } from '../../support/socket-app.js';
import type { WorkspaceBuilder } from '../../support/workspace.js';

const NO_WAIT = { SVC_EVENT_RETRY_DELAYS: '0,0,0' };

// docs/reference/socket-mode.md#delivery
describe('delivery over Socket Mode', () => {
  const app = useApp();
  closeSockets();

  /** With a store of its own, so that its counters of drops are not shared. */
  const started = async (env: Record<string, string>): Promise<TestApp> => {
    const database = serverUrl === undefined ? undefined : await createDatabase();
    const server = await TestApp.start({ ...env, ...(database && { DATABASE_URL: database.url }) });
    onTestFinished(async () => {
      await server.stop();
      await database?.drop();
    });
    return server;
  };
  /** A Socket Mode app in a channel with no other listener. */
  const listening = async (ws: WorkspaceBuilder, features: object = {}) => {
    const made = await socketApp(ws, { features });
    const channel = await ws.channel({ members: [{ id: made['bot_user_id'] }] });
    return {
      made,
      connected: () => connect(ws.app, made['app_token'] as string),
      say: (text: string) => ws.message({ channel, user: ws.admin, text }),
      queued: async (): Promise<number> => {
        const rows = await ws.app.store.dataSource.query(
          'SELECT 1 FROM deliveries d JOIN event_targets t ON t.id = d.target_id WHERE t.app_id = $1',
          [made['id']],
        );
        return (rows as unknown[]).length;
      },
    };
  };
  const texts = (socket: RawSocket): string[] =>
    socket.of('events_api').map(({ payload }) => payload.event.text as string);
  const figures = async (server: TestApp): Promise<string[]> =>
    (await server.nest.get(Metrics).registry.metrics()).split('\n').filter((line) => /^understudy_socket/.test(line));

  it('sends each retry when it is due, however many other envelopes wait for their ack', async () => {
    const { connected, say } = await listening(await app.workspace());
    const one = await connected();
    const retries = () => one.of('events_api').filter((envelope) => envelope['retry_attempt'] === 1);
    for (let i = 0; i < 20; i++) await say(`unacked ${i}`);
    await one.until(() => one.of('events_api').length >= 20);
    const sentAt = performance.now();
    await one.until(() => retries().length === 20);
    // three seconds without an ack, and at most one until they are sent again
    expect(performance.now() - sentAt).toBeLessThan(5_000);
  });

  it('sends an event four times without an ack, then drops it, and counts all of it', async () => {
    const server = await started({ ...NO_WAIT, SVC_METRICS_PORT: '0' });
    const { made, connected, say, queued } = await listening(await server.workspace());
    await say('held');
    await say('held too');
    const one = await connected();
    await one.until(() => one.of('events_api').length === 2);
    const [first, second] = one.of('events_api') as [object, { payload: { event_id: string } }];
    one.ack(first);
    await one.until(() => one.of('events_api').length === 5);
    expect(one.of('events_api').slice(1)).toMatchObject(
      [0, 1, 2, 3].map((attempt) => ({
        retry_attempt: attempt,
        retry_reason: attempt === 0 ? '' : 'timeout',
        payload: { event_id: second.payload.event_id, event: { text: 'held too' } },
      })),
    );
    expect(new Set(one.of('events_api').map(({ envelope_id }) => envelope_id)).size).toBe(5);
    await eventually(async () => (await queued()) === 0, 'an end of it');
    expect(await figures(server)).toEqual(
      expect.arrayContaining([
        'understudy_socket_connections 1',
        'understudy_socket_envelopes_total{type="events_api",outcome="held"} 2',
        'understudy_socket_envelopes_total{type="events_api",outcome="acked"} 1',
        'understudy_socket_envelopes_total{type="events_api",outcome="timeout"} 4',
        'understudy_socket_envelopes_total{type="events_api",outcome="retried"} 3',
        'understudy_socket_envelopes_total{type="events_api",outcome="dropped"} 1',
        'understudy_socket_ack_seconds_count{type="events_api"} 1',
      ]),
    );
    expect(made['socket_mode']).toBe('on');
  });

  it('accepts a late ack before the next attempt, which is then not made', async () => {
    const server = await started({ SVC_EVENT_RETRY_DELAYS: '60,60,60' });
    const { connected, say, queued } = await listening(await server.workspace());
    const one = await connected();
    await say('slow');
    await one.until(() => one.of('events_api').length === 1);
    // the attempt has ended when its retry is scheduled
    await eventually(async () => {
      const [row] = (await server.store.dataSource.query(
        `SELECT attempt FROM deliveries WHERE next_at > now() + interval '30 seconds'`,
      )) as { attempt: number }[];
      return row?.attempt === 1;
    }, 'a planned retry');
    one.ack(one.of('events_api')[0] as object);
    await eventually(async () => (await queued()) === 0, 'a cancelled retry');
  });

  it('ignores acks of another app, of unknown ids, and repeated ones', async () => {
    const ws = await app.workspace();
    const [mine, other] = [await listening(ws), await listening(ws)];
    const [one, outsider] = [await mine.connected(), await other.connected()];
    await mine.say('for one');
    await one.until(() => one.of('events_api').length === 1);
    const [envelope] = one.of('events_api') as [{ envelope_id: string }];
    outsider.ack(envelope);
    outsider.ack({ envelope_id: 'f'.repeat(24) });
    outsider.ack({ envelope_id: 'no id of ours' });
    await new Promise((resolve) => outsider.socket.once('pong', resolve) && outsider.socket.ping());
    expect(await mine.queued()).toBe(1);
    one.ack(envelope);
    one.ack(envelope);
    await eventually(async () => (await mine.queued()) === 0, 'a settled event');
    await mine.say('the next');
    await one.until(() => one.of('events_api').length === 2);
    expect(outsider.closeCode ?? one.closeCode).toBeUndefined();
  });

  it('drops events without a connection after the hold time, or at once when that is 0', async () => {
    for (const hold of ['1', '0']) {
      const server = await started({ SVC_SOCKET_HOLD_SECONDS: hold, SVC_METRICS_PORT: '0' });
      const { connected, say, queued } = await listening(await server.workspace());
      await say('nobody is there');
      expect([await queued(), hold]).not.toEqual([0, '1']);
      // without a hold time the event is dropped before a connection can be opened
      if (hold === '1') await eventually(async () => (await queued()) === 0, 'a forgotten event');
      const one = await connected();
      await say('somebody is');
      await one.until(() => one.of('events_api').length > 0);
      expect(texts(one)).toEqual(['somebody is']);
      expect(await figures(server)).toContain(
        'understudy_socket_envelopes_total{type="events_api",outcome="dropped"} 1',
      );
    }
  });

  it('delivers to other connections and other apps beside a client that never acks', async () => {
    const ws = await app.workspace();
    const [mute, loud] = [await listening(ws), await listening(ws)];
    const silent = await mute.connected();
    const [talker, neighbour] = [await mute.connected(), await loud.connected()];
    for (const socket of [talker, neighbour]) {
      socket.socket.on('message', (data) => {
        const message = JSON.parse((data as Buffer).toString('utf8')) as { type: string };
        if (message.type === 'events_api') socket.ack(message);
      });
    }
    const begun = performance.now();
    for (let n = 0; n < 30; n++) await Promise.all([mute.say(`m${n}`), loud.say(`l${n}`)]);
    await eventually(() => neighbour.of('events_api').length === 30, 'all of the neighbour’s');
    await eventually(() => silent.of('events_api').length + talker.of('events_api').length >= 30, 'all of its own');
    expect(performance.now() - begun).toBeLessThan(10_000);
    expect(texts(neighbour)).toEqual(Array.from({ length: 30 }, (_, n) => `l${n}`));
    // its unacknowledged events are sent again to the connection that acks
    await eventually(async () => (await mute.queued()) === 0, 'everything acked at last');
    const all = Array.from({ length: 30 }, (_, n) => `m${n}`);
    expect(new Set([...texts(silent), ...texts(talker)])).toEqual(new Set(all));
  });

  it('keeps 100 unacknowledged events per connection; the rest waits in the store, but a command does not', async () => {
    const ws = await app.workspace();
    const { connected, say, queued } = await listening(ws, { slash_commands: [{ command: '/deploy' }] });
    const { token } = await ws.jwtClient();
    for (let n = 0; n < 110; n++) await say(`${n}`);
    const one = await connected();
    await one.until(() => one.of('events_api').length >= 100);
    await new Promise((resolve) => one.socket.once('pong', resolve) && one.socket.ping());
    expect(one.of('events_api')).toHaveLength(100);
    const run = rest(app, 'POST /commands/execute', { token, body: { command: '/deploy', channel_id: ws.general.id } });
    await one.until(() => one.of('slash_commands').length === 1);
    one.ack(one.of('slash_commands')[0] as object);
    expect((await run).status).toBe(200);
    for (const envelope of one.of('events_api').slice(0, 100)) one.ack(envelope);
    await one.until(() => one.of('events_api').length >= 110);
    expect(texts(one).slice(0, 110)).toEqual(Array.from({ length: 110 }, (_, n) => `${n}`));
    for (const envelope of one.of('events_api').slice(100)) one.ack(envelope);
    await eventually(async () => (await queued()) === 0, 'an empty queue');
  });

  it('sends first attempts in the order of the operations also where a connection gets full in between', async () => {
    const { connected, say } = await listening(await app.workspace());
    for (let n = 0; n < 95; n++) await say(`${n}`);
    const one = await connected();
    await one.until(() => one.of('events_api').length === 95);
    // stored together, so that they are read from the queue together
    await Promise.all(Array.from({ length: 30 }, (_, n) => say(`together ${n}`)));
    await one.until(() => one.of('events_api').length === 100);
    for (const envelope of one.of('events_api')) one.ack(envelope);
    await one.until(() => one.of('events_api').length >= 125);
    const firsts = one.of('events_api').filter((envelope) => envelope['retry_attempt'] === 0);
    const order = firsts.map(({ payload }) => payload.event.ts as string);
    expect(order).toHaveLength(125);
    expect(order).toEqual(order.toSorted());
  });
});
