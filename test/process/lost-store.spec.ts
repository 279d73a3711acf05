import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createDatabase, onPostgres, serverUrl } from '../support/databases.js';
import { Listener } from '../support/listener.js';
import { attempt, CREDENTIALS, Load, SETTINGS, refusedCleanly, succeeded, type Outcome } from '../support/load.js';
import { onOwnCluster, PostgresCluster, canRunCluster } from '../support/postgres-cluster.js';
import { eventually, receiver } from '../support/receiver.js';
import { Relay } from '../support/relay.js';
import { refusedWith } from '../support/socket-app.js';
import { ensureBuilt, ServerProcess } from '../support/server-process.js';
import { storedTexts } from '../support/stored-texts.js';

const post = (server: ServerProcess, text: string): Promise<Outcome> =>
  attempt(`${server.baseUrl}/api/chat.postMessage`, `Bearer ${CREDENTIALS.bot_token}`, { channel: '#general', text });
const readiness = async (server: ServerProcess): Promise<number> => {
  const answer = await fetch(`${server.baseUrl}/api/health/ready`);
  await answer.arrayBuffer();
  return answer.status;
};

describe.skipIf(serverUrl === undefined || !canRunCluster)(
  `a PostgreSQL that restarts under load${onPostgres || onOwnCluster}`,
  { timeout: 180_000 },
  () => {
    let cluster: PostgresCluster;
    let servers: [ServerProcess, ServerProcess];

    beforeAll(async () => {
      ensureBuilt();
      cluster = await PostgresCluster.create();
      const env = { DATABASE_URL: cluster.url, ...SETTINGS };
      servers = await Promise.all([ServerProcess.start(env), ServerProcess.start(env)]);
    }, 300_000);

    afterAll(async () => {
      await Promise.all(servers.map((server) => server.kill('SIGTERM')));
      await cluster.drop();
    });

    it.each(['fast', 'immediate'] as const)(
      'fails calls with proper errors, loses nothing, and recovers by itself: %s',
      async (mode) => {
        const [one, two] = servers;
        const target = await receiver();
        const subscribed = await attempt(`${one.baseUrl}/api/webhooks/outgoing`, `Bearer ${CREDENTIALS.user_token}`, {
          url: target.url,
          events: ['message'],
        });
        expect(subscribed.status).toBe(201);
        const ears = await Promise.all(
          servers.map((server) => Listener.connect(server, { token: CREDENTIALS.bot_token })),
        );
        const channel = (await post(one, 'before')).body.channel as string;
        const load = new Load(
          servers.map(({ baseUrl }) => baseUrl),
          channel,
        );
        onTestFinished(() => load.stop());
        await eventually(() => load.acknowledged.length >= 50, 'load on both');

        await cluster.stop(mode);
        const stoppedAt = performance.now();
        await eventually(async () => (await readiness(one)) === 503 && (await readiness(two)) === 503, 'not ready');
        const refusals = (): number => load.all.filter(({ at }) => at > stoppedAt).length;
        await eventually(() => refusals() >= 20, 'calls while the store is away');
        await cluster.start();
        await eventually(async () => (await readiness(one)) === 200 && (await readiness(two)) === 200, 'ready again');
        const startedAt = performance.now();
        const since = (): Outcome[] => load.all.filter(({ at }) => at > startedAt);
        await eventually(() => since().length >= 50, 'calls afterwards');
        await load.stop();

        const unclean = load.all.filter((outcome) => !succeeded(outcome) && !refusedCleanly(outcome));
        expect(unclean).toEqual([]);
        expect(since().filter((outcome) => !succeeded(outcome))).toEqual([]);
        const slowest = Math.max(...load.all.filter(refusedCleanly).map(({ ms }) => ms));
        expect(slowest).toBeLessThan(10_000);
        const texts = await storedTexts(one, CREDENTIALS.bot_token, channel);
        const stored = texts.filter((text) => text.startsWith('load '));
        expect(load.acknowledged.filter((text) => !stored.includes(text))).toEqual([]);
        expect(new Set(stored).size).toBe(stored.length);

        // sockets stayed open and receive events again, and so does the webhook
        for (const [i, server] of [two, one].entries()) {
          await post(server, `after ${mode} ${i}`);
          await eventually(() => ears.every((ear) => ear.texts.includes(`after ${mode} ${i}`)), 'sockets hear again');
        }
        expect(ears.map(({ ended }) => ended)).toEqual([undefined, undefined]);
        const requests = await target.until((all) => all.some(({ body }) => body.includes(`after ${mode} 1`)));
        const delivered = requests.map(({ body }) => (JSON.parse(body) as { event: { text: string } }).event.text);
        await target.until(() => load.acknowledged.every((text) => delivered.includes(text)));
      },
    );
  },
);

describe.skipIf(serverUrl === undefined)(`a PostgreSQL that stops answering${onPostgres}`, { timeout: 180_000 }, () => {
  it('is detected: calls are refused instead of waiting, and succeed again once it answers', async () => {
    ensureBuilt();
    const database = await createDatabase();
    onTestFinished(database.drop);
    const relay = await Relay.to(database.url);
    onTestFinished(() => relay.close());
    const server = await ServerProcess.start({ DATABASE_URL: relay.through(database.url), ...SETTINGS });
    onTestFinished(async () => void (await server.kill('SIGTERM')));
    expect(await post(server, 'before')).toSatisfy(succeeded);

    relay.hold();
    const caught = Array.from({ length: 30 }, (_, i) => post(server, `caught ${i}`));
    // the first calls wait until it is detected; later ones are refused at once
    await eventually(async () => {
      const outcome = await post(server, 'soon');
      return refusedCleanly(outcome) && outcome.ms < 500;
    }, 'refused at once');
    // refused at once from now on
    const early = await Promise.all(Array.from({ length: 30 }, (_, i) => post(server, `refused ${i}`)));
    expect(early.filter((outcome) => !refusedCleanly(outcome))).toEqual([]);
    expect(Math.max(...early.map(({ ms }) => ms))).toBeLessThan(1_000);
    expect(await readiness(server)).toBe(503);
    expect(await refusedWith(`${server.baseUrl.replace('http', 'ws')}/link/?ticket=${'0'.repeat(64)}`)).toBe(503);
    const outcomes = await Promise.all(caught);
    expect(outcomes.filter((outcome) => !refusedCleanly(outcome))).toEqual([]);
    expect(Math.max(...outcomes.map(({ ms }) => ms))).toBeLessThan(7_000);

    relay.release();
    await eventually(async () => succeeded(await post(server, 'after')), 'serves again');
    expect(await readiness(server)).toBe(200);
    expect(await refusedWith(`${server.baseUrl.replace('http', 'ws')}/link/?ticket=${'0'.repeat(64)}`)).toBe(403);
  });

  it('loses no event: deliveries resume at once, and sockets receive what was committed elsewhere meanwhile', async () => {
    ensureBuilt();
    const database = await createDatabase();
    onTestFinished(database.drop);
    const relay = await Relay.to(database.url);
    onTestFinished(() => relay.close());
    const cut = await ServerProcess.start({ DATABASE_URL: relay.through(database.url), ...SETTINGS });
    onTestFinished(async () => void (await cut.kill('SIGTERM')));
    const other = await ServerProcess.start({ DATABASE_URL: database.url, ...SETTINGS });
    onTestFinished(async () => void (await other.kill('SIGTERM')));
    const target = await receiver();
    const hook = { url: target.url, events: ['message'] };
    const user = `Bearer ${CREDENTIALS.user_token}`;
    expect((await attempt(`${cut.baseUrl}/api/webhooks/outgoing`, user, hook)).status).toBe(201);
    const ear = await Listener.connect(cut, { token: CREDENTIALS.bot_token });
    await post(cut, 'before');
    await ear.until('before');

    relay.hold();
    await eventually(async () => (await readiness(cut)) === 503, 'not ready');
    for (let i = 0; i < 20; i++) expect(await post(other, `meanwhile ${i}`)).toSatisfy(succeeded);
    // long enough for the pauses between retries to grow
    await sleep(10_000);
    await other.kill('SIGTERM');
    relay.release();
    await eventually(async () => succeeded(await post(cut, 'after')), 'serves again');
    const servedAt = performance.now();
    const requests = await target.until((all) => all.some(({ body }) => body.includes('"after"')));
    const delivered = requests.find(({ body }) => body.includes('"after"'));
    expect((delivered?.at ?? Infinity) - servedAt).toBeLessThan(2_000);
    await ear.until('after');
    expect(ear.texts.filter((text) => text.startsWith('meanwhile'))).toEqual(
      Array.from({ length: 20 }, (_, i) => `meanwhile ${i}`),
    );
    expect(ear.ended).toBeUndefined();
  });
});
