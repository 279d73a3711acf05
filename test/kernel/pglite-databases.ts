import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'pg';
import { afterEach, beforeAll } from 'vitest';
import { buildTemplate } from '../../src/kernel/database/embedded/build-template.js';
import type { EmbeddedDatabase, EmbeddedOptions } from '../../src/kernel/database/embedded/embedded-database.js';
import { Pglite } from '../../src/kernel/database/embedded/pglite/pglite.js';

/** The files of the PGlite specs, deleted with the worker. */
export const scratch = mkdtempSync(join(tmpdir(), 'understudy-embedded-'));
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }));
export const template = join(scratch, 'template.tar');
let built: Promise<void> | undefined;

let directories = 0;
export const newDirectory = (): string => join(scratch, `data-${++directories}`);

const started: Pglite[] = [];
const pools: Pool[] = [];

export async function start(options: Partial<EmbeddedOptions> = {}): Promise<Pglite> {
  const embedded = await Pglite.start({ dataDir: 'memory', template, ...options });
  started.push(embedded);
  return embedded;
}

export function poolOf(embedded: EmbeddedDatabase, max = 1): Pool {
  const pool = new Pool({ ...embedded.connection, max });
  pool.on('error', () => undefined); // an idle client of a dead database; its next query fails as well
  pools.push(pool);
  return pool;
}

/** A template with a table for the specs, built once per worker; databases and pools are closed after each test. */
export function usePglite(): void {
  beforeAll(async () => {
    built ??= buildTemplate(template, 'pglite', async (embedded) => {
      const pool = poolOf(embedded);
      await pool.query(`
        CREATE EXTENSION pg_trgm;
        CREATE EXTENSION btree_gin;
        CREATE TABLE notes (id int PRIMARY KEY, body text NOT NULL);
        CREATE INDEX notes_search ON notes USING gin (body gin_trgm_ops);
        INSERT INTO notes VALUES (0, 'from the template');`);
      await pool.end();
    });
    await built;
  });
  afterEach(async () => {
    await Promise.all(pools.splice(0).map((pool) => (pool.ended ? null : pool.end())));
    await Promise.all(started.splice(0).map((embedded) => embedded.close().catch(() => undefined)));
  });
}
