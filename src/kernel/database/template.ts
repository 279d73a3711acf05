import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../config/package-root.js';
import type { Engine } from './embedded/embedded-database.js';
import { packagedBinaries } from './embedded/native/binaries.js';
import { migrationsHash } from './migrations.js';

/** Files of another PGlite, or of a server for another processor, cannot be used even with the same migrations. */
function versionOf(engine: Engine): string {
  if (engine === 'postgres') return `${process.platform} ${process.arch} ${packagedBinaries().version}`;
  const file = createRequire(import.meta.url).resolve('@electric-sql/pglite');
  return (JSON.parse(readFileSync(file.replace(/dist.*$/s, 'package.json'), 'utf8')) as { version: string }).version;
}

/**
 * The path of the migrated data directory that a first start copies; its name changes with the migrations and the
 * engine.
 * @throws NativeUnavailable on a platform without a native server
 */
export const templateFile = (engine: Engine): string => {
  const key = createHash('sha256')
    .update(`${migrationsHash()} ${versionOf(engine)}`)
    .digest('hex')
    .slice(0, 16);
  return join(PACKAGE_ROOT, 'dist', `template-${key}.tar`);
};

/** The template of these migrations, or null: the first start then runs initdb and every migration. */
export const templatePath = (engine: Engine): string | null => {
  const file = templateFile(engine);
  return existsSync(file) ? file : null;
};
