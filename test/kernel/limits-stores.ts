import { readFileSync } from 'node:fs';
import pg from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { Clock } from '../../src/kernel/clock/clock.js';
import type { Db } from '../../src/kernel/database/db.js';
import { startEmbedded } from '../../src/kernel/database/embedded/start-embedded.js';
import { templatePath } from '../../src/kernel/database/template.js';

/** The time in microseconds at which the clocks of these specs stand still, unless they are advanced. */
export const STILL = 1_767_225_600_000_000;

/** A clock that moves only by `advance`, so that waits can be compared to the millisecond. */
export class StillClock extends Clock {
  override nowMicros(): number {
    return STILL + this.offsetMicros;
  }

  /** Counters expire by real time. */
  override wallMicros(): number {
    return this.nowMicros();
  }
}

/** The part of the store that `StoreLimits` uses. */
export type LimitsStore = Pick<Db, 'run'>;

/** A store as two replicas see it: two pools of PostgreSQL, or the embedded session twice. */
export interface OpenStores {
  stores: [LimitsStore, LimitsStore];
  close(): Promise<void>;
}

const MIGRATION = readFileSync(new URL('../../migrations/0004_limits.sql', import.meta.url), 'utf8');

let schemas = 0;
const newSchema = (): string => `limits_spec_${process.pid}_${Date.now()}_${schemas++}`;

/**
 * A schema with only the tables of the limits. With `still`, clock_timestamp() stands still too: a function in this
 * schema precedes the server's in the search path.
 */
function schema(name: string, still: boolean): string {
  return `CREATE SCHEMA ${name}; SET search_path = ${name}, pg_catalog; ${MIGRATION}
    ${
      still
        ? `CREATE FUNCTION ${name}.clock_timestamp() RETURNS timestamptz LANGUAGE sql STABLE
           AS $$ SELECT to_timestamp(${STILL / 1e6}) $$;`
        : ''
    }`;
}

const over = (pool: pg.Pool): LimitsStore => ({
  run: async <R extends pg.QueryResultRow>(s: { name: string; text: string }, values: unknown[] = []) =>
    (await pool.query<R>({ name: s.name, text: s.text, values })).rows,
});

/** One session, so of two `openStores` the later one hides the earlier until it is closed. */
let session: Promise<{ pool: pg.Pool; close(): Promise<void> }> | undefined;
const opened: string[] = [];

async function startSession(): Promise<{ pool: pg.Pool; close(): Promise<void> }> {
  const { database } = await startEmbedded({ dataDir: 'memory', templateOf: templatePath });
  const pool = new pg.Pool({ ...database.connection, max: 1, idleTimeoutMillis: 0 });
  // the database may end before its idle connections do
  pool.on('error', () => undefined);
  const close = async (): Promise<void> => {
    await pool.end();
    await database.close();
  };
  return { pool, close };
}

async function embedded(still: boolean): Promise<OpenStores> {
  const { pool, close: end } = await (session ??= startSession());
  const name = newSchema();
  await pool.query(schema(name, still));
  opened.push(name);
  const close = async (): Promise<void> => {
    opened.pop();
    const before = opened.at(-1);
    if (before !== undefined) return void (await pool.query(`SET search_path = ${before}, pg_catalog`));
    session = undefined;
    await end();
  };
  return { stores: [over(pool), over(pool)], close };
}

async function postgres(url: string, still: boolean): Promise<OpenStores> {
  const name = newSchema();
  const connect = () => new pg.Pool({ connectionString: url, max: 3, options: `-c search_path=${name},pg_catalog` });
  const [first, second] = [connect(), connect()];
  await first.query(schema(name, still));
  const close = async (): Promise<void> => {
    await first.query(`DROP SCHEMA ${name} CASCADE`);
    await Promise.all([first.end(), second.end()]);
  };
  return { stores: [over(first), over(second)], close };
}

/** The databases to test: the embedded one, and the PostgreSQL of `DATABASE_URL` if it is set. */
export const STORES = ['embedded', ...(process.env.DATABASE_URL === undefined ? [] : ['PostgreSQL'])];

/** A store with only the tables of the limits. */
export function openStores(kind: string, { still }: { still: boolean }): Promise<OpenStores> {
  return kind === 'embedded' ? embedded(still) : postgres(process.env.DATABASE_URL as string, still);
}

/** Stores with a clock that stands still, for the specs of one file. */
export function useStillStores(): (kind: string) => LimitsStore {
  const still = new Map<string, OpenStores>();
  beforeAll(async () => {
    for (const kind of STORES) still.set(kind, await openStores(kind, { still: true }));
  });
  afterAll(async () => {
    for (const store of still.values()) await store.close();
  });
  return (kind) => (still.get(kind) as OpenStores).stores[0];
}
