import { io, type Socket } from 'socket.io-client';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Balancer } from '../support/balancer.js';
import { createDatabase, onPostgres, serverUrl } from '../support/databases.js';
import { CREDENTIALS, Load, SETTINGS, succeeded } from '../support/load.js';
import { eventually } from '../support/receiver.js';
import { ensureBuilt, ServerProcess } from '../support/server-process.js';
import { storedTexts } from '../support/stored-texts.js';

describe.skipIf(serverUrl === undefined)(`replicas behind a balancer${onPostgres}`, { timeout: 180_000 }, () => {
  let env: Record<string, string>;
  let drop: () => Promise<void>;
  let servers: ServerProcess[];

  beforeAll(async () => {
    ensureBuilt();
    const database = await createDatabase();
    drop = database.drop;
    env = { DATABASE_URL: database.url, ...SETTINGS };
    servers = await Promise.all([ServerProcess.start(env), ServerProcess.start(env)]);
  }, 300_000);

  afterAll(async () => {
    await Promise.all(servers.map((server) => server.kill('SIGTERM')));
    await drop();
  });

  it('restart one after the other under load without a failed call', async () => {
    const balancer = await Balancer.start(servers.map(({ baseUrl }) => baseUrl));
    onTestFinished(() => balancer.close());
    const channel = await generalOf(servers[0] as ServerProcess);
    const load = new Load([balancer.baseUrl], channel);
    onTestFinished(() => load.stop());
    await eventually(() => load.posts.length >= 20, 'load on both');

    const first = servers;
    for (const old of first) {
      const asked = performance.now();
      const ended = await old.kill('SIGTERM');
      expect(ended).toMatchObject({ code: 0 });
      expect(performance.now() - asked).toBeLessThan(10_000);
      balancer.remove(old.baseUrl);
      const fresh = await ServerProcess.start(env);
      await balancer.add(fresh.baseUrl);
      servers = [...servers.filter((server) => server !== old), fresh];
      const before = load.posts.length;
      await eventually(() => load.posts.length >= before + 20, 'load on the fresh one too');
    }
    await load.stop();

    expect(load.all.filter((outcome) => !succeeded(outcome))).toEqual([]);
    expect(load.queries.length).toBeGreaterThan(20);
    const stored = await storedTexts(servers[0] as ServerProcess, CREDENTIALS.bot_token, channel);
    expect(stored.filter((text) => text.startsWith('load ')).sort()).toEqual([...load.acknowledged].sort());
  });

  it('serve a default Socket.IO client on one replica, and reconnect it after that one stopped', async () => {
    const balancer = await Balancer.start(
      servers.map(({ baseUrl }) => baseUrl),
      { byAddress: true },
    );
    onTestFinished(() => balancer.close());
    // no options except the credential: long polling first, then the upgrade
    const ears = Array.from({ length: 4 }, () =>
      io(balancer.baseUrl, { auth: { token: CREDENTIALS.bot_token }, forceNew: true, reconnectionDelay: 100 }),
    );
    onTestFinished(() => {
      for (const ear of ears) ear.disconnect();
    });
    const heard = ears.map(() => new Set<string>());
    for (const [i, ear] of ears.entries()) ear.on('message', ({ text }: { text: string }) => void heard[i]?.add(text));
    await eventually(() => ears.every((ear) => ear.connected && transportOf(ear) === 'websocket'), 'all connected');

    const kept = servers.find(({ baseUrl }) => balancer.replicaOf('127.0.0.1') === baseUrl) as ServerProcess;
    const other = servers.find((server) => server !== kept) as ServerProcess;
    const say = (text: string) =>
      other.call('chat.postMessage', CREDENTIALS.bot_token, { channel: '#general', text }) as Promise<{ ok: boolean }>;
    expect(await say('said on the other')).toMatchObject({ ok: true });
    await eventually(() => heard.every((texts) => texts.has('said on the other')), 'heard across replicas');

    await kept.kill('SIGTERM');
    balancer.remove(kept.baseUrl);
    servers = [other];
    await eventually(() => ears.every((ear) => ear.connected), 'all connected again');
    expect(await say('said after the move')).toMatchObject({ ok: true });
    await eventually(() => heard.every((texts) => texts.has('said after the move')), 'heard after the move');
  });
});

const transportOf = (ear: Socket): string => ear.io.engine.transport.name;

async function generalOf(server: ServerProcess): Promise<string> {
  const { channels } = await server.call('conversations.list', CREDENTIALS.bot_token);
  return (channels as { id: string; name: string }[]).find(({ name }) => name === 'general')?.id as string;
}
