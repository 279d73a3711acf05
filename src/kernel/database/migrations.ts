import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { PoolClient } from 'pg';
import { MigrationExecutor, type DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import { PACKAGE_ROOT } from '../config/package-root.js';
import { DEADLOCK_DETECTED, sqlStateOf } from './sql-states.js';
import { LIMITS, limitSession, NO_LIMITS } from './session.js';

/** `migrations/` of the package root: read at run time, so that the build needs no copy. */
const DIRECTORY = join(PACKAGE_ROOT, 'migrations');

/** TypeORM's table of applied migrations. */
export const MIGRATIONS_TABLE = 'migrations';

/** Any constant will do that no other program on the same database uses. */
const MIGRATION_LOCK = 7_430_215;

/**
 * A replica of the previous version may still be writing. It locks these tables first, so taking their locks before
 * anything else waits for its running work without a deadlock; reads continue.
 */
const HOLD_WRITERS = `DO $$ DECLARE first text; BEGIN
  FOREACH first IN ARRAY ARRAY['conversations', 'teams'] LOOP
    IF to_regclass(first) IS NOT NULL THEN EXECUTE format('LOCK TABLE %I IN SHARE ROW EXCLUSIVE MODE', first); END IF;
  END LOOP;
END $$`;

function files(): { name: string; sql: string }[] {
  return readdirSync(DIRECTORY)
    .filter((name) => /^\d{4}_[a-z0-9_]+\.sql$/.test(name))
    .sort()
    .map((name) => ({ name, sql: readFileSync(join(DIRECTORY, name), 'utf8') }));
}

/** The number of migrations of this version. */
export const migrationCount = (): number => (count ??= files().length);
let count: number | undefined;

/** A hash of the migrations: two builds with the same hash have the same schema. */
export function migrationsHash(): string {
  const hash = createHash('sha256');
  for (const { name, sql } of files()) hash.update(name).update('\0').update(sql).update('\0');
  return hash.digest('hex').slice(0, 16);
}

/** The `.sql` files as TypeORM migrations; its runner orders by the 13 digits that end a name. */
export function migrationClasses(): (new () => MigrationInterface)[] {
  return files().map(({ name, sql }) => {
    const number = name.slice(0, 4);
    return class implements MigrationInterface {
      readonly name = `${name.slice(5, -'.sql'.length)}170000000${number}`;
      async up(runner: QueryRunner): Promise<void> {
        await runner.query(HOLD_WRITERS);
        await runner.query(sql);
      }
      async down(): Promise<void> {
        throw new Error('migrations go forward only');
      }
    };
  });
}

/** A replica of the previous version may lock rows in another order than a migration does. */
const MAX_ATTEMPTS = 20;

/** Each migration runs in a transaction of its own; one that met a deadlock was rolled back and is retried. */
async function applyPending(dataSource: DataSource, runner: QueryRunner): Promise<number> {
  let pending: number | undefined;
  for (let tries = 1; ; tries++) {
    const executor = new MigrationExecutor(dataSource, runner);
    executor.transaction = 'each';
    pending ??= (await executor.getPendingMigrations()).length;
    try {
      await executor.executePendingMigrations();
      return pending;
    } catch (error) {
      if (sqlStateOf(error) !== DEADLOCK_DETECTED || tries >= MAX_ATTEMPTS) throw error;
    }
  }
}

/**
 * Applies missing migrations and runs `afterwards` under the same lock, on one connection: several replicas may start
 * at once on an empty database. `before` may reject the server. Returns how many migrations were applied.
 */
export async function migrate(
  dataSource: DataSource,
  afterwards?: (runner: QueryRunner) => Promise<void>,
  before?: (runner: QueryRunner) => Promise<void>,
): Promise<number> {
  const runner = dataSource.createQueryRunner();
  try {
    const client = (await runner.connect()) as PoolClient;
    await before?.(runner);
    await limitSession(client, NO_LIMITS);
    await runner.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    try {
      const applied = await applyPending(dataSource, runner);
      await afterwards?.(runner);
      return applied;
    } finally {
      await runner.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]);
      await limitSession(client, LIMITS);
    }
  } finally {
    await runner.release();
  }
}
