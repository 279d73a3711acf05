import { existsSync } from 'node:fs';
import { DataSource } from 'typeorm';
import { buildTemplate } from './embedded/build-template.js';
import type { EmbeddedDatabase, Engine } from './embedded/embedded-database.js';
import { NativeUnavailable } from './embedded/native/native-unavailable.js';
import { migrate, migrationClasses, MIGRATIONS_TABLE } from './migrations.js';
import { templateFile } from './template.js';

/**
 * Makes the template of the engine that runs here unless it exists, and returns its path. It contains the schema and
 * nothing else.
 */
export async function makeTemplate(): Promise<string> {
  try {
    return await templateOf('postgres');
  } catch (error) {
    if (!(error instanceof NativeUnavailable)) throw error;
    return templateOf('pglite');
  }
}

async function templateOf(engine: Engine): Promise<string> {
  const file = templateFile(engine);
  if (!existsSync(file)) await buildTemplate(file, engine, applyMigrations);
  return file;
}

async function applyMigrations(database: EmbeddedDatabase): Promise<void> {
  const dataSource = new DataSource({
    type: 'postgres',
    poolSize: 1,
    installExtensions: false,
    migrations: migrationClasses(),
    migrationsTableName: MIGRATIONS_TABLE,
    extra: { ...database.connection, idleTimeoutMillis: 0 },
    logging: false,
  });
  await dataSource.initialize();
  try {
    await migrate(dataSource);
  } finally {
    await dataSource.destroy();
  }
}
