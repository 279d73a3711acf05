import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { MigrationExecutor, type DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import { PACKAGE_ROOT } from '../config/package-root.js';

/** `migrations/` of the package root: read at run time, so that the build needs no copy. */
const DIRECTORY = join(PACKAGE_ROOT, 'migrations');

/** Where TypeORM keeps which migrations were applied. */
export const MIGRATIONS_TABLE = 'migrations';

/** Any constant does, as long as no other program on the same database takes it. */
const MIGRATION_LOCK = 7_430_215;

function files(): { name: string; sql: string }[] {
  return readdirSync(DIRECTORY)
    .filter((name) => /^\d{4}_[a-z0-9_]+\.sql$/.test(name))
    .sort()
    .map((name) => ({ name, sql: readFileSync(join(DIRECTORY, name), 'utf8') }));
}

/** How many migrations this version has. */
export const migrationCount = (): number => (count ??= files().length);
let count: number | undefined;

/** Names a set of migrations: two builds with the same hash have the same schema. */
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
        await runner.query(sql);
      }
      async down(): Promise<void> {
        throw new Error('migrations go forward only');
      }
    };
  });
}

/**
 * Applies what is missing and runs `afterwards` under the same lock, on one connection: several replicas may start at
 * once on an empty database. `before` may refuse the server. Answers how many migrations were applied.
 */
export async function migrate(
  dataSource: DataSource,
  afterwards?: (runner: QueryRunner) => Promise<void>,
  before?: (runner: QueryRunner) => Promise<void>,
): Promise<number> {
  const runner = dataSource.createQueryRunner();
  try {
    await before?.(runner);
    await runner.query('SET statement_timeout = 0');
    await runner.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    try {
      const executor = new MigrationExecutor(dataSource, runner);
      executor.transaction = 'each';
      const applied = await executor.executePendingMigrations();
      await afterwards?.(runner);
      return applied.length;
    } finally {
      await runner.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]);
      await runner.query('RESET statement_timeout');
    }
  } finally {
    await runner.release();
  }
}
