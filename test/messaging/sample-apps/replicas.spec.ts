import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, it, onTestFinished } from 'vitest';
import { Balancer } from '../../support/balancer.js';
import { createDatabase, onPostgres, serverUrl } from '../../support/databases.js';
import { reservedPort } from '../../support/ports.js';
import { ensureBuilt, ServerProcess } from '../../support/server-process.js';
import { approvalBot } from './approval.js';
import { start, type Transport } from './bolt.js';
import { incidentBot } from './incident.js';
import { standupBot } from './standup.js';
import { ADMIN_TOKEN, type Platform } from './team.js';

describe.skipIf(serverUrl === undefined)(
  `a sample app on two replicas, one of which is killed${onPostgres}`,
  { timeout: 180_000 },
  () => {
    let database: Awaited<ReturnType<typeof createDatabase>>;
    let store: pg.Client;
    let balancer: Balancer;
    /** With the address of each process: to clients, all of them announce the address of the balancer. */
    let servers: { process: ServerProcess; url: string }[] = [];

    const platform: Platform = {
      get baseUrl() {
        return balancer.baseUrl;
      },
      queued: async (appId) => {
        const sql = 'SELECT 1 FROM deliveries d JOIN event_targets t ON t.id = d.target_id WHERE t.app_id = $1';
        return (await store.query(sql, [appId])).rowCount ?? 0;
      },
    };
    const another = async (): Promise<string> => {
      const port = String(await reservedPort());
      const process = await ServerProcess.start({
        PORT: port,
        DATABASE_URL: database.url,
        SVC_ADMIN_TOKEN: ADMIN_TOKEN,
        SVC_METHODS: 'all',
        SVC_RATE_LIMIT_MULTIPLIER: '0',
        SVC_TRIGGER_SECONDS: '60',
        SVC_PUBLIC_URL: balancer.baseUrl,
      });
      const url = `http://127.0.0.1:${port}`;
      servers.push({ process, url });
      return url;
    };

    beforeAll(async () => {
      ensureBuilt();
      database = await createDatabase();
      store = new pg.Client({ connectionString: database.url });
      await store.connect();
      balancer = await Balancer.start([]);
    }, 300_000);
    beforeEach(async () => {
      if (servers.length === 0) await another();
    });
    afterAll(async () => {
      await balancer.close();
      await Promise.all(servers.map(({ process }) => process.kill('SIGTERM')));
      await store.end();
      await database.drop();
    });

    describe.each(['HTTP', 'Socket Mode'] satisfies Transport[])('over %s', (transport) => {
      it.each([approvalBot, incidentBot, standupBot])('$name loses no event and handles none twice', async (sample) => {
        const doomed = servers[0] as (typeof servers)[number];
        // at first the only server, so that the socket is opened here
        await balancer.add(doomed.url);
        const { team, journal, stop } = await start(sample, transport, platform);
        onTestFinished(stop);
        await balancer.add(await another());
        await sample.story(team, journal, async () => {
          await doomed.process.kill();
          balancer.remove(doomed.url);
          servers = servers.filter((server) => server !== doomed);
        });
        for (const { url } of servers) balancer.remove(url);
      });
    });
  },
);
