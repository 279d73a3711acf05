import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../config/package-root.js';
import { migrationsHash } from './migrations.js';

/** Files of another PGlite are of no use, even where the migrations are the same. */
const pgliteVersion = (): string => {
  const file = createRequire(import.meta.url).resolve('@electric-sql/pglite');
  return (JSON.parse(readFileSync(file.replace(/dist.*$/s, 'package.json'), 'utf8')) as { version: string }).version;
};

/**
 * Where the build keeps the migrated data directory that a first start copies; the name changes with the migrations and
 * with PGlite.
 */
export const templateFile = (): string => {
  const key = createHash('sha256').update(`${migrationsHash()} ${pgliteVersion()}`).digest('hex').slice(0, 16);
  return join(PACKAGE_ROOT, 'dist', `template-${key}.tar`);
};

/** The template of these migrations, or null: then a first start runs initdb and every migration. */
export const templatePath = (): string | null => {
  const file = templateFile();
  return existsSync(file) ? file : null;
};
