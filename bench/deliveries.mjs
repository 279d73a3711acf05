// Deliveries a second over loopback targets on PostgreSQL: the queue is filled in SQL, then one engine drains it. The
// receivers run in a process of their own. Needs a build.
//
//   DATABASE_URL=postgres://… node bench/deliveries.mjs [deliveries]
import { fork } from 'node:child_process';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import 'reflect-metadata';
import pg from 'pg';
import { DataSource } from 'typeorm';

/** A message as the log holds it: about 500 bytes. */
const MESSAGE = JSON.stringify({
  type: 'message',
  user: 'U0ANNUSER01',
  text: 'a message of the usual length, as people write them all day long',
  ts: '1767225600.000100',
  team: 'T0WORKSPACE',
  blocks: [{ type: 'rich_text', block_id: 'abcde', elements: [{ type: 'rich_text_section', elements: [] }] }],
  channel: 'C0GENERAL01',
  channel_type: 'channel',
  event_ts: '1767225600.000100',
});

async function receivers(count) {
  const urls = [];
  for (let i = 0; i < count; i++) {
    const server = createServer((request, reply) => {
      request.resume();
      request.on('end', () => reply.end());
    });
    await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
    urls.push(`http://127.0.0.1:${server.address().port}/hook`);
  }
  process.send(urls);
}

/** Queues `total` deliveries over the first `targets` of these URLs and times the drain. */
async function drain(kernel, dataSource, databaseUrl, urls, targets, total) {
  const { Clock, Db, DeliveryEngine, EventLog, GuardedHttp, StoreInfo, Wakeups, slackSignature, svcSignature } = kernel;
  await dataSource.query('TRUNCATE deliveries, delivery_targets, events');
  const [tenant] = await dataSource.query('INSERT INTO tenants DEFAULT VALUES RETURNING id');
  const ids = urls.slice(0, targets).map((_, i) => `Ow0BENCH${i}`);
  await dataSource.query(
    `INSERT INTO delivery_targets (id, product, tenant_id) SELECT unnest($1::text[]), 'bench', $2`,
    [ids, tenant.id],
  );
  await dataSource.query(
    `INSERT INTO events (tenant_id, product, kind, room, data)
     SELECT $1::bigint, 'chat', 'message', 'conversation:C0GENERAL01', $2::text FROM generate_series(1, $3::int)`,
    [tenant.id, MESSAGE, Math.ceil(total / targets)],
  );
  await dataSource.query(
    `INSERT INTO deliveries (target_id, event_id)
     SELECT t.id, e.id FROM events e CROSS JOIN delivery_targets t ORDER BY e.id, t.id`,
  );
  await dataSource.query('ANALYZE');

  const eventLog = new EventLog(new Clock());
  const db = new Db(dataSource, eventLog);
  const wakeups = new Wakeups(eventLog, new StoreInfo(false, databaseUrl));
  const http = new GuardedHttp({ allowLinkLocal: false });
  const engine = new DeliveryEngine(db, new Clock(), wakeups, http);
  const all = Math.ceil(total / targets) * targets;
  let done = 0;
  let finish;
  const finished = new Promise((resolve) => (finish = resolve));
  engine.onDelivery((_, outcome) => {
    if (outcome !== 'delivered') throw new Error(`a delivery ${outcome}`);
    if (++done === all) finish();
  });
  engine.register({
    product: 'bench',
    timeoutMs: 3_000,
    retryDelaysSeconds: [0, 60, 300],
    maxRedirects: 2,
    noRetryHeader: 'x-slack-no-retry',
    disable: { kind: 'share', attempts: 1000, failed: 0.95 },
    maxAgeMs: 3_600_000,
    targetsFreshMs: 1_000,
    success: (status) => status >= 200 && status < 300,
    loadTargets: async (wanted) => new Map(wanted.map((id) => [id, urls[ids.indexOf(id)]])),
    render: ({ deliveryId, target, event, nowMs }) => {
      const time = Math.floor(event.recordedAt.getTime() / 1000);
      const body = `{"token":"t","event":${event.data},"type":"event_callback","event_id":"Ev${deliveryId}","event_time":${time}}`;
      const stamp = String(Math.floor(nowMs / 1000));
      return {
        url: target,
        headers: {
          'content-type': 'application/json',
          'user-agent': 'Slackbot 1.0 (+https://api.slack.com/robots)',
          'x-slack-request-timestamp': stamp,
          'x-slack-signature': slackSignature('secret', stamp, body),
          'svc-signature': svcSignature('secret', body),
        },
        body,
      };
    },
  });
  const cpu = process.cpuUsage();
  const started = performance.now();
  engine.start();
  await finished;
  await engine.stop();
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const [left] = await dataSource.query('SELECT count(*)::int AS n FROM deliveries');
  if (left.n > 0) throw new Error(`${left.n} deliveries are left`);
  await wakeups.stop();
  await http.close();
  return { rate: Math.round(all / seconds), cpuMicros: Math.round((user + system) / all) };
}

async function main() {
  const serverUrl = process.env.DATABASE_URL;
  if (!serverUrl) throw new Error('set DATABASE_URL to a PostgreSQL server on which databases can be created');
  const total = Number(process.argv[2] ?? 20_000);
  const name = 'understudy_bench_deliveries';
  const files = [
    'kernel/clock/clock',
    'kernel/database/db',
    'kernel/database/store-info',
    'kernel/events/event-log',
    'kernel/events/wakeups',
    'kernel/database/migrations',
    'webhooks/delivery-engine',
    'webhooks/guarded-http',
    'webhooks/signing',
  ];
  const kernel = Object.assign({}, ...(await Promise.all(files.map((file) => import(`../dist/${file}.js`)))));
  pg.types.setTypeParser(pg.types.builtins.INT8, Number);
  const admin = async (sql) => {
    const client = new pg.Client({ connectionString: serverUrl });
    await client.connect();
    await client.query(sql);
    await client.end();
  };
  await admin(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  await admin(`CREATE DATABASE ${name} TEMPLATE template0`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const dataSource = new DataSource({
    type: 'postgres',
    url: url.href,
    poolSize: 10,
    installExtensions: false,
    migrations: kernel.migrationClasses(),
    migrationsTableName: 'migrations',
  });
  await dataSource.initialize();
  await kernel.migrate(dataSource);
  const child = fork(fileURLToPath(import.meta.url), ['receivers', '20']);
  const urls = await new Promise((ready) => child.once('message', ready));
  try {
    for (const targets of [20, 1]) {
      for (let round = 1; round <= 3; round++) {
        const { rate, cpuMicros } = await drain(kernel, dataSource, url.href, urls, targets, total);
        console.log(`${targets} target(s), round ${round}: ${rate} deliveries/s, ${cpuMicros} µs CPU each`);
      }
    }
  } finally {
    child.kill();
    await dataSource.destroy();
    await admin(`DROP DATABASE ${name} WITH (FORCE)`);
  }
}

if (process.argv[2] === 'receivers') await receivers(Number(process.argv[3]));
else await main();
