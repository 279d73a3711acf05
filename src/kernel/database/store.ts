import { setTimeout as sleep } from 'node:timers/promises';
import type { PoolOptions } from 'pg';
import { DataSource, type QueryRunner } from 'typeorm';
import type { Settings } from '../config/settings.js';
import { EmbeddedError } from './embedded/embedded-error.js';
import { startEmbedded, type Started } from './embedded/start-embedded.js';
import { InstanceSecrets } from './instance-secrets.js';
import { migrate, migrationClasses, MIGRATIONS_TABLE } from './migrations.js';
import { closeIdle, poolOf } from './pool.js';
import { checkPooler, prepareSession } from './session.js';
import { sealStored } from './sealing.js';
import { StoreClient, type StoreClientOptions } from './store-client.js';
import { StoreError } from './store-error.js';
import { StoreNames } from './store-names.js';
import { StoredSecrets } from './stored-secrets.js';
import { KEEP_ALIVE_AFTER_MS } from './store-info.js';
import { templatePath } from './template.js';
import { isStoreUnavailable } from './unavailable.js';
import './row-makers.js';
import './type-parsers.js';

/**
 * How long a call waits in the pool's queue, and then for a new connection, before it fails as unavailable, in
 * milliseconds. Together with the other delays of a silent server, every call is answered within 7 s.
 */
const ACQUIRE_TIMEOUT_MS = 2_500;
/** PGlite does one thing at a time, however long it takes; a server of the process's own may be slow to start. */
const SESSION_TIMEOUT_MS = 10_000;
/** How long a start goes on connecting to a PostgreSQL that recovers from a crash or does not answer. */
const STARTS_WITHIN_MS = 60_000;
const RETRY_START_AFTER_MS = 500;
/** An idle connection to an embedded server is closed after this: each is a process. */
const IDLE_MS = 60_000;

/** The open database with the values read under the migration lock. */
export interface Store {
  readonly dataSource: DataSource;
  readonly secrets: InstanceSecrets;
  /** True for the embedded database: no other process has it open. */
  readonly embedded: boolean;
  /** Whether several transactions can run at once: not on PGlite, which has one session. */
  readonly isConcurrent: boolean;
  /** A notice about the store for the operator; reported once. */
  readonly notice?: string;
  /** Migrations that this start applied. */
  readonly applied: number;
  close(): Promise<void>;
}

/** The classes of all tables (src/entities.ts); the kernel knows only its own. */
export type EntityClasses = readonly (new () => object)[];

export interface OpenOptions {
  /** Called when the embedded database dies; by default one line on stderr and exit code 1. */
  onDeath?: (error: Error) => void;
  /** Called once with a sentence when PostgreSQL is not ready yet and the start waits for it. */
  onWait?: (sentence: string) => void;
}

/**
 * Opens, checks and migrates the store. `entities` may still be loading: an embedded database starts meanwhile.
 * @throws StoreError with one line that says what to do
 */
export async function openStore(
  settings: Settings,
  entities: EntityClasses | Promise<EntityClasses>,
  options: OpenOptions = {},
): Promise<Store> {
  const started = settings.databaseUrl === undefined ? await embedded(settings, options) : undefined;
  const database = started?.database;
  const isPGlite = database?.isConcurrent === false;
  const client: StoreClientOptions = {
    preparesWithinMs: database ? SESSION_TIMEOUT_MS : ACQUIRE_TIMEOUT_MS,
    // the others may be silent as well, and would delay a call each
    onSilence: () => void (dataSource.isInitialized && closeIdle(poolOf(dataSource))),
  };
  const dataSource: DataSource = new DataSource({
    type: 'postgres',
    ...(settings.databaseUrl === undefined ? {} : { url: settings.databaseUrl }),
    poolSize: isPGlite ? 1 : settings.databasePoolSize,
    // while code is loaded the event loop is late, so that a timer would tell nothing about the server
    connectTimeoutMS: database ? SESSION_TIMEOUT_MS : STARTS_WITHIN_MS,
    installExtensions: false,
    entities: [...(await entities)],
    namingStrategy: new StoreNames(),
    migrations: migrationClasses(),
    migrationsTableName: MIGRATIONS_TABLE,
    extra: {
      ...(database
        ? { ...database.connection, idleTimeoutMillis: database.isConcurrent ? IDLE_MS : 0 }
        : { keepAlive: true, keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS }),
      ...(isPGlite ? {} : { Client: StoreClient, ...client }),
      application_name: 'understudy',
      onConnect: prepareSession,
    },
    logging: false,
  });
  const close = async (): Promise<void> => {
    if (dataSource.isInitialized) await dataSource.destroy();
    await database?.close();
  };
  try {
    await connect(dataSource, settings, options);
    // the next call replaces an idle connection that is lost; without a listener its error would end the process
    poolOf(dataSource).on('error', () => undefined);
    if (!database) await checkPooler(poolOf(dataSource));
    let secrets: InstanceSecrets | undefined;
    const applied = await migrate(
      dataSource,
      async (runner) => {
        const stored = new StoredSecrets(settings.secretKeys);
        await sealStored(runner, stored);
        secrets = await InstanceSecrets.load(runner, settings.jwtSecret, stored);
      },
      (runner) => checkServer(runner),
    );
    if (!isPGlite) {
      const pool = poolOf(dataSource).options as PoolOptions & { preparesWithinMs: number };
      pool.connectionTimeoutMillis = pool.preparesWithinMs = ACQUIRE_TIMEOUT_MS;
    }
    return {
      dataSource,
      secrets: secrets as InstanceSecrets,
      embedded: database !== undefined,
      isConcurrent: database?.isConcurrent ?? true,
      applied,
      close,
      ...(started?.notice === undefined
        ? {}
        : { notice: `the embedded database runs inside this process, slower and larger: ${started.notice}` }),
    };
  } catch (error) {
    await close().catch(() => undefined);
    throw error instanceof StoreError ? error : explained(error as Error, settings);
  }
}

/** Connects; waits for a server that is starting, recovering or silent, but not for one that is not there. */
async function connect(dataSource: DataSource, settings: Settings, { onWait }: OpenOptions): Promise<void> {
  const until = performance.now() + STARTS_WITHIN_MS;
  for (let hasSaid = false; ; hasSaid = true) {
    try {
      await dataSource.initialize();
      return;
    } catch (error) {
      const isRefused = /^E(?!CONNRESET|PIPE)/.test((error as { code?: string }).code ?? '');
      const isOver = performance.now() >= until;
      if (settings.databaseUrl === undefined || isRefused || isOver || !isStoreUnavailable(error)) throw error;
      if (!hasSaid) onWait?.(`PostgreSQL is not ready, waiting for it: ${(error as Error).message}`);
    }
    await sleep(RETRY_START_AFTER_MS);
  }
}

async function embedded(settings: Settings, { onDeath }: OpenOptions): Promise<Started> {
  const { dataDir, embeddedEngine, databasePoolSize } = settings;
  try {
    return await startEmbedded({
      dataDir,
      engine: embeddedEngine === 'auto' ? undefined : embeddedEngine,
      connections: databasePoolSize,
      templateOf: templatePath,
      ...(onDeath ? { onDeath } : {}),
    });
  } catch (error) {
    if (error instanceof EmbeddedError) throw new StoreError(error.message);
    throw error;
  }
}

/**
 * Requirements that a wrong server would violate without an error: version, encoding, case mapping of non-ASCII
 * letters.
 */
async function checkServer(runner: QueryRunner): Promise<void> {
  const [server] = (await runner.query(
    `SELECT current_setting('server_version_num')::int AS version, current_setting('server_encoding') AS encoding,
            lower('É') = 'é' AS folds, current_database() AS name`,
  )) as [{ version: number; encoding: string; folds: boolean; name: string }];
  if (server.version < 150000) {
    throw new StoreError(
      `DATABASE_URL names PostgreSQL ${Math.floor(server.version / 10000)}; version 15 or newer is needed`,
    );
  }
  if (server.encoding !== 'UTF8' || !server.folds) {
    throw new StoreError(
      `the database ${server.name} has the wrong encoding or locale; create one with: ` +
        `createdb --encoding=UTF8 --locale=C.UTF-8 --template=template0 understudy`,
    );
  }
}

function explained(error: Error & { code?: string }, settings: Settings): StoreError | Error {
  if (settings.databaseUrl === undefined) return error;
  const url = new URL(settings.databaseUrl);
  const where = `${url.hostname}:${url.port || '5432'}`;
  const database = decodeURIComponent(url.pathname.slice(1)) || decodeURIComponent(url.username);
  switch (error.code) {
    case 'ECONNREFUSED':
    case 'EHOSTUNREACH':
    case 'ETIMEDOUT':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'ECONNRESET':
      return new StoreError(
        `no PostgreSQL answers at ${where} (${error.code}); check DATABASE_URL, or unset it to use the embedded database`,
      );
    case '28P01':
    case '28000':
      return new StoreError(`PostgreSQL at ${where} refuses this user or password; check DATABASE_URL`);
    case '3D000':
      return new StoreError(
        `PostgreSQL at ${where} has no database "${database}"; create it with: createdb --encoding=UTF8 --locale=C.UTF-8 --template=template0 ${database}`,
      );
    case '42501':
      return new StoreError(`the user of DATABASE_URL may not create tables in "${database}": ${error.message}`);
    default:
      return /timeout|terminated|ECONN|in time|starting up|recovery/i.test(error.message)
        ? new StoreError(`PostgreSQL at ${where} does not answer (${error.message}); check DATABASE_URL`)
        : error;
  }
}
