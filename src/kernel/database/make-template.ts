import { existsSync } from 'node:fs';
import { DataSource } from 'typeorm';
import { buildTemplate } from './embedded/build-template.js';
import type { EmbeddedPostgres } from './embedded/embedded-postgres.js';
import { migrate, migrationClasses, MIGRATIONS_TABLE } from './migrations.js';
import { templateFile } from './template.js';

/** Makes the template if it is not there yet, and answers where it is. It holds the schema and nothing else. */
export async function makeTemplate(): Promise<string> {
  const file = templateFile();
  if (!existsSync(file)) await buildTemplate(file, applyMigrations);
  return file;
}

async function applyMigrations(embedded: EmbeddedPostgres): Promise<void> {
  const dataSource = new DataSource({
    type: 'postgres',
    poolSize: 1,
    installExtensions: false,
    migrations: migrationClasses(),
    migrationsTableName: MIGRATIONS_TABLE,
    extra: { stream: () => embedded.stream(), idleTimeoutMillis: 0 },
    logging: false,
  });
  await dataSource.initialize();
  try {
    await migrate(dataSource);
  } finally {
    await dataSource.destroy();
  }
}
