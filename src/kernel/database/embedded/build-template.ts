import { mkdtemp, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { EmbeddedPostgres } from './embedded-postgres.js';
import { packTree } from './tar.js';

/**
 * Writes an archive of a data directory that `migrate` has prepared; `EmbeddedPostgres.start` copies it into empty data
 * directories. `migrate` must leave nothing that differs between installations (secrets, tenants). The file appears
 * whole or not at all.
 *
 * It is an uncompressed tar: unpacking it costs less than reading a compressed one, and a single file survives being
 * packaged where empty directories are dropped.
 */
export async function buildTemplate(outFile: string, migrate: (pg: EmbeddedPostgres) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'understudy-template-'));
  try {
    let failure: Error | null = null;
    const onDeath = (error: Error): void => void (failure = error);
    // The least there is: files of the log that are kept for later would be packed too.
    const settings = ['min_wal_size=2MB', 'max_wal_size=2MB'];
    const pg = await EmbeddedPostgres.startWith({ dataDir: folder, template: null, onDeath }, settings);
    try {
      await migrate(pg);
      await pg.maintain(
        'VACUUM (FREEZE, ANALYZE)',
        // Nobody creates databases beside the only one; without the two others half of the files need not be copied.
        'ALTER DATABASE template0 IS_TEMPLATE false',
        'ALTER DATABASE template1 IS_TEMPLATE false',
        'DROP DATABASE template0',
        'DROP DATABASE template1',
        'CHECKPOINT',
        'SELECT pg_switch_wal()',
        'CHECKPOINT',
      );
    } finally {
      await pg.close();
    }
    if (failure) throw failure;
    await mkdir(dirname(outFile), { recursive: true });
    const draft = `${outFile}.${process.pid}.new`;
    await writeFile(draft, packTree(join(folder, 'pgdata')));
    await rename(draft, outFile);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
