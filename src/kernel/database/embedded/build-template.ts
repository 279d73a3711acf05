import { mkdtemp, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { DataDir } from './data-dir.js';
import type { EmbeddedDatabase, EmbeddedOptions, Engine } from './embedded-database.js';
import { NativePostgres } from './native/native-postgres.js';
import { packTree } from './tar.js';

/** The minimum: log files kept for later would be packed too. */
const SETTINGS = ['min_wal_size=2MB', 'max_wal_size=2MB', 'autovacuum=off'];

/**
 * There is only one database, so the two template databases are not needed, and half of the files need not be copied.
 */
const REMOVALS = [
  'VACUUM (FREEZE, ANALYZE)',
  'ALTER DATABASE template0 IS_TEMPLATE false',
  'ALTER DATABASE template1 IS_TEMPLATE false',
  'DROP DATABASE template0',
  'DROP DATABASE template1',
  'CHECKPOINT',
  'SELECT pg_switch_wal()',
  'CHECKPOINT',
];

/**
 * Writes an archive of a data directory that `migrate` has prepared; a start copies it into empty data directories.
 * `migrate` must not add anything that differs between installations (secrets, tenants).
 *
 * The file is written atomically. It is an uncompressed tar: unpacking costs less than decompressing, and a single file
 * survives packaging tools that drop empty directories.
 */
export async function buildTemplate(
  outFile: string,
  engine: Engine,
  migrate: (database: EmbeddedDatabase) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'understudy-template-'));
  try {
    let failure: Error | null = null;
    const onDeath = (error: Error): void => void (failure = error);
    const database = await start(engine, { dataDir: folder, template: null, onDeath });
    try {
      await migrate(database);
      const client = new pg.Client(database.connection);
      await client.connect();
      for (const sql of REMOVALS) await client.query(sql);
      await client.end();
    } finally {
      await database.close();
    }
    if (failure) throw failure;
    await mkdir(dirname(outFile), { recursive: true });
    const draft = `${outFile}.${process.pid}.new`;
    await writeFile(draft, packTree(new DataDir(folder, engine).cluster));
    await rename(draft, outFile);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function start(engine: Engine, options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  if (engine === 'postgres') return NativePostgres.start(options, SETTINGS);
  const { Pglite } = await import('./pglite/pglite.js');
  return Pglite.startWith(options, SETTINGS);
}
