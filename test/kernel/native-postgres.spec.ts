import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { makeTemplate } from '../../src/kernel/database/make-template.js';
import type { EmbeddedDatabase, EmbeddedOptions } from '../../src/kernel/database/embedded/embedded-database.js';
import { NativePostgres } from '../../src/kernel/database/embedded/native/native-postgres.js';
import { startEmbedded } from '../../src/kernel/database/embedded/start-embedded.js';
import { templatePath } from '../../src/kernel/database/template.js';
import { noServer } from '../support/native-postgres.js';
import { eventually } from '../support/receiver.js';
import { scratchFolder } from '../support/scratch.js';
import { ensureBuilt, ServerProcess } from '../support/server-process.js';

const scratch = scratchFolder();
let directories = 0;
const newDirectory = (): string => join(scratch, `data-${++directories}`);

const started: EmbeddedDatabase[] = [];
const pools: pg.Pool[] = [];

async function start(options: Partial<EmbeddedOptions> = {}): Promise<NativePostgres> {
  const database = await NativePostgres.start({ dataDir: 'memory', template: templatePath('postgres'), ...options });
  started.push(database);
  return database;
}

function poolOf(database: EmbeddedDatabase, options: pg.PoolConfig = {}): pg.Pool {
  const pool = new pg.Pool({ ...database.connection, max: 2, ...options });
  pool.on('error', () => undefined);
  pool.on('error', () => undefined); // an idle client of a dead database; its next query fails as well
  pools.push(pool);
  return pool;
}

const isRunning = (pid: number): boolean => {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};
const markOf = (dataDir: string): number =>
  Number.parseInt(readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8'), 10);

describe.skipIf(noServer !== '')(`a PostgreSQL server of the process's own${noServer}`, { timeout: 120_000 }, () => {
  beforeAll(async () => {
    ensureBuilt();
    await makeTemplate();
  }, 300_000);

  afterEach(async () => {
    await Promise.all(pools.splice(0).map((pool) => pool.end()));
    await Promise.all(started.splice(0).map((database) => database.close()));
  });

  it('uses UTF-8, folds case and finds words beyond ASCII, and listens on no port', async () => {
    const pool = poolOf(await start());
    const { rows } = await pool.query(
      `SELECT lower('É') AS lower, show_trgm('été') <> '{}' AS trigrams, current_setting('server_encoding') AS encoding,
              current_setting('listen_addresses') AS addresses`,
    );
    expect(rows).toEqual([{ lower: 'é', trigrams: true, encoding: 'UTF8', addresses: '' }]);
  });

  it('serves several clients concurrently, and cancels a statement that takes too long', async () => {
    const pool = poolOf(await start(), { options: '-c statement_timeout=100' });
    const slow = pool.query('SELECT count(*) FROM generate_series(1, 1000000000)');
    expect((await pool.query('SELECT 1 AS n')).rows).toEqual([{ n: 1 }]);
    await expect(slow).rejects.toMatchObject({ code: '57014' });
  });

  it('works in a path longer than the limit of socket addresses, readable by its owner only', async () => {
    const dataDir = join(newDirectory(), 'a long name '.repeat(15));
    const database = await start({ dataDir });
    await poolOf(database).query('CREATE TABLE kept AS SELECT 1 AS n');
    await expect(start({ dataDir })).rejects.toThrow(`in use by process ${process.pid}`);
    await Promise.all([pools.pop()?.end(), started.pop()?.close()]);
    expect(readdirSync(dataDir).sort()).toEqual(['postgres', 'understudy.json']);
    expect(statSync(join(dataDir, 'postgres')).mode & 0o777).toBe(0o700);
    expect((await poolOf(await start({ dataDir })).query('SELECT n FROM kept')).rows).toEqual([{ n: 1 }]);
  });

  it('reports the death of its server once, and continues when only one session died', async () => {
    const deaths: string[] = [];
    const database = await start({ onDeath: (error) => deaths.push(error.message) });
    const pool = poolOf(database);
    const [{ pid }] = (await pool.query('SELECT pg_backend_pid() AS pid')).rows as [{ pid: number }];
    process.kill(pid, 'SIGKILL');
    await eventually(async () => (await pool.query('SELECT 1').catch(() => null)) !== null, 'it answers again');
    expect(deaths).toEqual([]);

    database.server.kill('SIGKILL');
    await eventually(() => deaths.length > 0, 'its death is reported');
    expect(deaths).toEqual([expect.stringMatching(/^The embedded database died: /)]);
    // a session survives its killed server until it notices
    const fails = async (): Promise<boolean> =>
      pool.query('SELECT 1').then(
        () => false,
        () => true,
      );
    await eventually(fails, 'queries fail');
  });

  it.skipIf(process.platform !== 'linux')(
    'stops when its process is killed, and deletes its files if it is in memory (skipped where there is no /proc)',
    async () => {
      const dataDir = newDirectory();
      const kept = await ServerProcess.start({ SVC_DATA_DIR: dataDir });
      const server = markOf(dataDir);
      expect(isRunning(server)).toBe(true);
      await kept.kill('SIGKILL');
      await eventually(() => !isRunning(server), 'the server is gone');

      const memory = await ServerProcess.start({ SVC_DATA_DIR: 'memory', TMPDIR: scratch });
      const folders = (): string[] => readdirSync(scratch).filter((name) => name.startsWith('understudy-memory-'));
      expect(folders()).toHaveLength(1);
      await memory.kill('SIGKILL');
      await eventually(() => folders().length === 0, 'the folder is gone');
    },
  );

  it.skipIf(process.platform !== 'linux')(
    'stops a server left by a killed process (skipped where there is no /proc)',
    async () => {
      const dataDir = newDirectory();
      const orphaned = await start({ dataDir, onDeath: () => undefined });
      await poolOf(orphaned).query('CREATE TABLE kept AS SELECT 1 AS n');
      await pools.pop()?.end();
      // a start time that marks the recorded process as dead
      const file = join(dataDir, 'understudy.lock');
      const holder = JSON.parse(readFileSync(file, 'utf8')) as object;
      writeFileSync(file, JSON.stringify({ ...holder, token: '0123456789ab', started: '1' }));
      const gone = once(orphaned.server, 'exit');

      const pool = poolOf(await start({ dataDir }));
      await gone;
      expect((await pool.query('SELECT n FROM kept')).rows).toEqual([{ n: 1 }]);
    },
  );

  it('ignores the file of a reused process id', async () => {
    const dataDir = newDirectory();
    await (await start({ dataDir })).close();
    writeFileSync(join(dataDir, 'postgres/postmaster.pid'), `${process.pid}\n/proc/self/cwd\n1\n5432\n.\n\n`);
    await poolOf(await start({ dataDir })).query('SELECT 1');
  });

  it('keeps using PGlite in a directory that PGlite created', async () => {
    const dataDir = newDirectory();
    mkdirSync(dataDir, { recursive: true });
    const options = { dataDir, templateOf: () => null };
    const first = await startEmbedded({ ...options, engine: 'pglite' });
    await first.database.close();
    expect(existsSync(join(dataDir, 'pgdata'))).toBe(true);
    await expect(startEmbedded({ ...options, engine: 'postgres' })).rejects.toThrow('SVC_EMBEDDED_ENGINE=pglite');
    const again = await startEmbedded(options);
    expect(again.database.engine).toBe('pglite');
    await again.database.close();
  });
});
