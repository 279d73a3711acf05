import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { SocketConnection } from '../../../src/messaging/sockets/socket-connection.entity.js';
import { TestApp } from '../../support/app.js';
import { createDatabase, onPostgres, serverUrl } from '../../support/databases.js';
import { eventually } from '../../support/receiver.js';
import { rest } from '../../support/rest-client.js';
import { copyRow } from '../../support/rows.js';
import { closeSockets, connect, openUrl, RawSocket, socketApp } from '../../support/socket-app.js';

// docs/reference/socket-mode.md#replicas
describe.skipIf(serverUrl === undefined)(`Socket Mode over two replicas${onPostgres}`, { timeout: 120_000 }, () => {
  let one: TestApp;
  let two: TestApp;
  let drop: () => Promise<void>;
  closeSockets();
  beforeAll(async () => {
    const database = await createDatabase();
    drop = database.drop;
    const env = { DATABASE_URL: database.url, SVC_RATE_LIMIT_MULTIPLIER: '0' };
    [one, two] = [await TestApp.start(env), await TestApp.start(env)];
  }, 120_000);
  afterAll(async () => {
    await Promise.all([one.stop(), two.stop()]);
    await drop();
  });

  const events = (socket: RawSocket): string[] =>
    socket.of('events_api').map(({ payload }) => payload.event.text as string);
  const queued = async (appId: string): Promise<number> => {
    const rows = await one.store.dataSource.query(
      'SELECT 1 FROM deliveries d JOIN event_targets t ON t.id = d.target_id WHERE t.app_id = $1',
      [appId],
    );
    return (rows as unknown[]).length;
  };

  it('a ticket of one replica is valid on the other, once', async () => {
    const made = await socketApp(await one.workspace());
    const { url } = await openUrl(one, made['app_token']);
    const there = (url as string).replace(new URL(one.baseUrl).host, new URL(two.baseUrl).host);
    const socket = new RawSocket(new WebSocket(there));
    expect((await socket.hello())['type']).toBe('hello');
    const again = new WebSocket(url as string);
    again.on('error', () => undefined);
    const status = await new Promise((resolve) =>
      again.on('unexpected-response', (_, response) => resolve(response.statusCode)),
    );
    expect(status).toBe(403);
  });

  it('both count the connections of an app, at most ten; those of a lost replica expire', async () => {
    const made = await socketApp(await one.workspace());
    const counts: number[] = [];
    for (let n = 0; n < 10; n++) {
      const socket = await connect(n % 2 === 0 ? one : two, made['app_token']);
      counts.push((await socket.hello())['num_connections'] as number);
    }
    expect(counts).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    const late = await connect(two, made['app_token']);
    expect(late.received).toMatchObject([{ type: 'disconnect', reason: 'too_many_websockets' }]);
    // as a killed replica leaves them: their leases are no longer renewed
    await copyRow(one.store, SocketConnection, { appId: made['app_id'] }, 1, () => {
      const leaseUntil = new Date(Date.now() + 1_000);
      return { id: `lost${made['app_id']}`, replica: 'applink-00000000', leaseUntil };
    });
    await eventually(async () => {
      const rows = await one.store.dataSource.query(
        `SELECT count(*)::int AS n FROM socket_connections WHERE app_id = $1 AND lease_until > clock_timestamp()`,
        [made['app_id']],
      );
      return (rows as { n: number }[])[0]?.n === 10;
    }, 'a lapsed lease');
  });

  it('an event goes to one connection of all; an ack over the other replica settles it', async () => {
    const ws = await one.workspace();
    const made = await socketApp(ws);
    const channel = await ws.channel({ members: [{ id: made['bot_user_id'] }] });
    const [here, there] = [await connect(one, made['app_token']), await connect(two, made['app_token'])];
    for (let n = 0; n < 10; n++) await ws.message({ channel, user: ws.admin, text: `${n}` });
    await eventually(() => events(here).length + events(there).length === 10, 'ten in all');
    expect([...events(here), ...events(there)].toSorted()).toEqual(Array.from({ length: 10 }, (_, n) => `${n}`));
    for (const envelope of here.of('events_api')) there.ack(envelope);
    for (const envelope of there.of('events_api')) here.ack(envelope);
    await eventually(async () => (await queued(made['app_id'])) === 0, 'settled events');
  });

  it('events move to the other replica within 5 s when the last connection of one has closed', async () => {
    const ws = await one.workspace();
    const made = await socketApp(ws);
    const channel = await ws.channel({ members: [{ id: made['bot_user_id'] }] });
    const here = await connect(one, made['app_token']);
    await ws.message({ channel, user: ws.admin, text: 'here' });
    await here.until(() => here.of('events_api').length === 1);
    here.ack(here.of('events_api')[0] as object);
    const there = await connect(two, made['app_token']);
    here.socket.terminate();
    const begun = performance.now();
    await ws.message({ channel, user: ws.admin, text: 'there' });
    await there.until(() => events(there).includes('there'));
    expect(performance.now() - begun).toBeLessThan(5_000);
    there.ack(there.of('events_api').find(({ payload }) => payload.event.text === 'there') as object);
    await eventually(async () => (await queued(made['app_id'])) === 0, 'a settled event');
  });

  it('a command run on one replica is answered by a connection of the other, with the payload of its ack', async () => {
    const ws = await one.workspace();
    const made = await socketApp(ws, { features: { slash_commands: [{ command: '/deploy' }] } });
    const there = await connect(two, made['app_token']);
    const person = await ws.jwtClient({ user: ws.admin });
    const run = (body: object) =>
      rest(one, 'POST /commands/execute', {
        token: person.token,
        body: { command: '/deploy', channel_id: ws.general.id, ...body },
      });
    const answered = run({ text: 'prod' });
    await there.until(() => there.of('slash_commands').length === 1);
    there.ack(there.of('slash_commands')[0] as object, { text: 'on it' });
    expect(await answered).toMatchObject({
      status: 200,
      body: { transport: 'socket', status_code: 200, response: { text: 'on it' } },
    });
    // the command is sent here, and its client moves to the other replica before it acks
    const here = await connect(one, made['app_token']);
    const played = rest(one, 'POST /commands/execute', {
      token: person.token,
      body: { command: '/deploy', channel_id: ws.general.id, text: 'moved' },
    });
    await here.until(() => here.of('slash_commands').length === 1);
    there.ack(here.of('slash_commands')[0] as object, 'from there');
    expect(await played).toMatchObject({ status: 200, body: { response: { text: 'from there' } } });
    here.socket.close(1000);
    await here.closed();
    // one of two acks is accepted
    const second = await connect(two, made['app_token']);
    const again = run({ text: 'again' });
    const seen = () => [...there.of('slash_commands').slice(1), ...second.of('slash_commands')];
    await eventually(() => seen().length === 1, 'the command once');
    second.ack(seen()[0] as object);
    expect(await again).toMatchObject({ status: 200 });
    expect(seen()).toHaveLength(1);
    expect(await run({ text: 'nobody acks' })).toMatchObject({ status: 502, body: { message: 'operation_timeout' } });
  });
});
