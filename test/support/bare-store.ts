import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll } from 'vitest';
import { ENTITIES } from '../../src/entities.js';
import { Clock } from '../../src/kernel/clock/clock.js';
import { Db } from '../../src/kernel/database/db.js';
import { startEmbedded, type Started } from '../../src/kernel/database/embedded/start-embedded.js';
import { migrate, migrationClasses } from '../../src/kernel/database/migrations.js';
import '../../src/kernel/database/type-parsers.js';
import { StoreInfo } from '../../src/kernel/database/store-info.js';
import { StoreNames } from '../../src/kernel/database/store-names.js';
import { templatePath } from '../../src/kernel/database/template.js';
import { EventLog } from '../../src/kernel/events/event-log.js';
import { Tenant } from '../../src/kernel/tenancy/tenant.entity.js';
import { Wakeups } from '../../src/kernel/events/wakeups.js';

interface KernelParts {
  db: Db;
  eventLog: EventLog;
  clock: Clock;
  wakeups: Wakeups;
}

/** A store for one spec file: a database of its own on a server, otherwise the embedded one of the worker. */
export interface BareStore {
  readonly info: StoreInfo;
  readonly dataSource: DataSource;
  /** The kernel's parts of one process: log, Db, clock and wake-ups. */
  process(): KernelParts;
  /** Those of a process with connections of its own, through this URL. */
  processThrough(url: string): Promise<KernelParts>;
  tenant(): Promise<number>;
  close(): Promise<void>;
}

/** False when the specs run on the embedded database. */
export const onServer = (process.env['DATABASE_URL'] ?? '') !== '';

/** Opens a migrated database for the specs of one file, on the server of DATABASE_URL or embedded. */
export function useBareStore(): BareStore {
  let store: BareStore;
  beforeAll(async () => {
    store = await openBareStore();
  });
  afterAll(() => store.close());
  return {
    get info() {
      return store.info;
    },
    get dataSource() {
      return store.dataSource;
    },
    process: () => store.process(),
    processThrough: (url) => store.processThrough(url),
    tenant: () => store.tenant(),
    close: () => store.close(),
  };
}

interface Database {
  readonly info: StoreInfo;
  readonly options: { readonly url?: string; readonly poolSize: number; readonly extra?: object };
  drop(): Promise<void>;
}

async function serverDatabase(serverUrl: string): Promise<Database> {
  const name = `understudy_spec_${randomUUID().slice(0, 8)}`;
  const admin = async (sql: string): Promise<void> => {
    const client = new pg.Client({ connectionString: serverUrl });
    await client.connect();
    await client.query(sql);
    await client.end();
  };
  await admin(`CREATE DATABASE ${name} TEMPLATE template0`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return {
    info: new StoreInfo(false, url.href),
    options: { url: url.href, poolSize: 8 },
    drop: () => admin(`DROP DATABASE ${name} WITH (FORCE)`),
  };
}

/** It takes seconds to start, so the files of a worker share it; it is closed with the worker. */
let embedded: Promise<Started> | undefined;

async function embeddedDatabase(): Promise<Database> {
  embedded ??= startEmbedded({ dataDir: 'memory', templateOf: templatePath });
  const { database } = await embedded;
  return {
    info: new StoreInfo(true, undefined, database.isConcurrent),
    options: {
      poolSize: database.isConcurrent ? 8 : 1,
      extra: { ...database.connection, idleTimeoutMillis: 0 },
    },
    drop: async () => undefined,
  };
}

async function openBareStore(): Promise<BareStore> {
  const { info, options, drop } = onServer
    ? await serverDatabase(process.env['DATABASE_URL'] as string)
    : await embeddedDatabase();
  const connect = (through: object = {}): Promise<DataSource> =>
    new DataSource({
      type: 'postgres',
      ...options,
      ...through,
      installExtensions: false,
      entities: ENTITIES,
      namingStrategy: new StoreNames(),
      migrations: migrationClasses(),
      migrationsTableName: 'migrations',
    }).initialize();
  const dataSource = await connect();
  await migrate(dataSource);
  const open: Wakeups[] = [];
  const others: DataSource[] = [];
  const partsOn = (own: DataSource, through: StoreInfo): KernelParts => {
    const eventLog = new EventLog(new Clock());
    const wakeups = new Wakeups(eventLog, through, own);
    open.push(wakeups);
    return { db: new Db(own, eventLog), eventLog, clock: new Clock(), wakeups };
  };
  return {
    info,
    dataSource,
    process: () => partsOn(dataSource, info),
    async processThrough(url) {
      const own = await connect({ url });
      others.push(own);
      return partsOn(own, new StoreInfo(false, url));
    },
    async tenant() {
      return (await dataSource.manager.save(new Tenant())).id;
    },
    async close() {
      await Promise.all(open.map((wakeups) => wakeups.stop()));
      await Promise.all([dataSource, ...others].map((one) => one.destroy()));
      await drop();
    },
  };
}
