import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client, Pool, type QueryConfig } from 'pg';
import ts from 'typescript';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildTemplate } from '../../src/kernel/database/embedded/build-template.js';
import type { EmbeddedDatabase, EmbeddedOptions } from '../../src/kernel/database/embedded/embedded-database.js';
import { Pglite } from '../../src/kernel/database/embedded/pglite/pglite.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'understudy-embedded-'));
const template = join(scratch, 'template.tar');

let directories = 0;
const newDirectory = (): string => join(scratch, `data-${++directories}`);

const started: Pglite[] = [];
const pools: Pool[] = [];
/** One database for what leaves no trace in it beyond the test's own rows. */
let shared: Pglite;
const children: ChildProcess[] = [];

async function start(options: Partial<EmbeddedOptions> = {}): Promise<Pglite> {
  const embedded = await Pglite.start({ dataDir: 'memory', template, ...options });
  started.push(embedded);
  return embedded;
}

function poolOf(embedded: EmbeddedDatabase, max = 1): Pool {
  const pool = new Pool({ ...embedded.connection, max });
  pool.on('error', () => undefined); // an idle client whose database died: its next query says so too
  pools.push(pool);
  return pool;
}

/** The sources that another process needs, as JavaScript: Node 20 reads no TypeScript. */
function compileSources(): void {
  const program = join(scratch, 'program');
  const kernel = join(program, 'src/kernel');
  for (const folder of ['config', 'database/embedded/pglite']) mkdirSync(join(kernel, folder), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(program, 'node_modules'));
  copyFileSync(join(root, 'package.json'), join(program, 'package.json'));
  const sources = ['embedded', 'embedded/pglite'].flatMap((folder) =>
    readdirSync(join(root, 'src/kernel/database', folder))
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `database/${folder}/${name}`),
  );
  for (const name of [...sources, 'database/store-error.ts', 'config/package-root.ts', 'config/version.ts']) {
    const { outputText } = ts.transpileModule(readFileSync(join(root, 'src/kernel', name), 'utf8'), {
      compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
    });
    writeFileSync(join(kernel, name.replace(/\.ts$/, '.js')), outputText);
  }
}

/** Another process on the same machine. It starts the database on `dataDir`, says so, then runs `then`. */
function otherProcess(dataDir: string, then = '') {
  const script = `
    import pg from 'pg';
    import { Pglite } from './src/kernel/database/embedded/pglite/pglite.js';
    try {
      const embedded = await Pglite.start({ dataDir: process.argv[1], template: process.argv[2] });
      const pool = new pg.Pool({ ...embedded.connection, max: 1 });
      await pool.query('SELECT 1');
      console.log('started');
      ${then}
    } catch (error) {
      console.log(error.name + ': ' + error.message);
      process.exit(1);
    }`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, dataDir, template], {
    cwd: join(scratch, 'program'),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    child,
    /** The next line of its standard output. */
    line: async (): Promise<string> => (await lines.next()).value as string,
    /** Kills it as an operator in a hurry would. */
    async kill(): Promise<void> {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

beforeAll(async () => {
  compileSources();
  await buildTemplate(template, 'pglite', async (embedded) => {
    const pool = poolOf(embedded);
    await pool.query(`
      CREATE EXTENSION pg_trgm;
      CREATE EXTENSION btree_gin;
      CREATE TABLE notes (id int PRIMARY KEY, body text NOT NULL);
      CREATE INDEX notes_search ON notes USING gin (body gin_trgm_ops);
      INSERT INTO notes VALUES (0, 'from the template');`);
    await pool.end();
  });
  shared = await Pglite.start({ dataDir: 'memory', template });
});

afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => (pool.ended ? null : pool.end())));
  await Promise.all(started.splice(0).map((embedded) => embedded.close().catch(() => undefined)));
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

afterAll(async () => {
  await shared.close();
  rmSync(scratch, { recursive: true, force: true });
});

describe('PGlite as pg sees it', () => {
  it('answers plain, parameterised and named statements, and goes on after an error', async () => {
    const pool = poolOf(shared);
    expect((await pool.query('SELECT id, body FROM notes WHERE id = 0')).rows).toEqual([
      { id: 0, body: 'from the template' },
    ]);
    expect((await pool.query('SELECT $1::int + 1 AS n, $2::text AS t', [41, 'é'])).rows).toEqual([{ n: 42, t: 'é' }]);

    const named = { name: 'doubled', text: 'SELECT $1::int * 2 AS n' };
    expect((await pool.query({ ...named, values: [1] })).rows).toEqual([{ n: 2 }]);
    expect((await pool.query({ ...named, values: [2] })).rows).toEqual([{ n: 4 }]);

    await expect(pool.query('SELECT * FROM nowhere')).rejects.toMatchObject({ code: '42P01' });
    await expect(pool.query("INSERT INTO notes VALUES (0, 'again')")).rejects.toMatchObject({
      code: '23505',
      constraint: 'notes_pkey',
    });
    expect((await pool.query({ ...named, values: [3] })).rows).toEqual([{ n: 6 }]);
  });

  it('is UTF-8, folds case beyond ASCII, and has the trigram and btree_gin extensions', async () => {
    const pool = poolOf(shared);
    const { rows } = await pool.query(
      "SELECT lower('É') AS lower, show_trgm('été') <> '{}' AS trigrams, current_setting('server_encoding') AS encoding",
    );
    expect(rows).toEqual([{ lower: 'é', trigrams: true, encoding: 'UTF8' }]);
    await pool.query('CREATE INDEX ON notes USING gin (id)');
    await pool.query('SET enable_seqscan = off');
    const plan = await pool.query("EXPLAIN SELECT id FROM notes WHERE body ILIKE '%template%'");
    expect(JSON.stringify(plan.rows)).toContain('notes_search');
  });

  it('carries 5 MB in and out', async () => {
    const pool = poolOf(shared);
    const { rows } = await pool.query("SELECT n, repeat('x', 1000) AS body FROM generate_series(1, 5000) n");
    expect(rows).toHaveLength(5000);
    expect(rows[4999]).toEqual({ n: 5000, body: 'x'.repeat(1000) });

    const large = 'é'.repeat(2_500_000);
    expect((await pool.query('SELECT $1::text AS large', [large])).rows[0].large).toBe(large);
  });

  it('reads a result in portions', async () => {
    const pool = poolOf(shared);
    const portions: QueryConfig & { rows: number } = { text: 'SELECT generate_series(1, 5) AS n', rows: 2 };
    expect((await pool.query(portions)).rows.map((row) => row.n)).toEqual([1, 2, 3, 4, 5]);
    expect((await pool.query('SELECT 1 AS n')).rows).toEqual([{ n: 1 }]);
  });

  it('answers too deep a recursion with an error, and goes on', async () => {
    const pool = poolOf(shared);
    await pool.query('CREATE FUNCTION deep(n int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN deep(n + 1); END $$');
    await expect(pool.query('SELECT deep(1)')).rejects.toMatchObject({ code: '54001' });
    expect((await pool.query('SELECT 1 AS n')).rows).toEqual([{ n: 1 }]);
  });
});

describe('several clients', () => {
  it('wait while another one is in a transaction, and see what it committed', async () => {
    const pool = poolOf(shared, 2);
    const [one, two] = [await pool.connect(), await pool.connect()];
    const order: string[] = [];

    await one.query('BEGIN');
    await one.query("INSERT INTO notes VALUES (1, 'uncommitted')");
    const seen = two.query('SELECT count(*)::int AS n FROM notes WHERE id IN (1, 2)').then(({ rows }) => {
      order.push('read');
      return rows[0].n;
    });
    await one.query("INSERT INTO notes VALUES (2, 'uncommitted too')");
    await one.query('COMMIT').then(() => order.push('commit'));

    expect(await seen).toBe(2);
    expect(order).toEqual(['commit', 'read']);
    one.release();
    two.release();
  });

  it('keep a failed transaction to themselves until it is rolled back', async () => {
    const pool = poolOf(shared, 2);
    const [one, two] = [await pool.connect(), await pool.connect()];
    await one.query('BEGIN');
    await expect(one.query('SELECT 1 / 0')).rejects.toMatchObject({ code: '22012' });
    const other = two.query('SELECT 1 AS n');
    await expect(one.query('SELECT 1')).rejects.toMatchObject({ code: '25P02' });
    await one.query('ROLLBACK');
    expect((await other).rows).toEqual([{ n: 1 }]);
    one.release();
    two.release();
  });

  it('may give different statements the same name, and forget them when they leave', async () => {
    const connect = async (): Promise<Client> => {
      const client = new Client(shared.connection);
      await client.connect();
      return client;
    };
    const run = async (client: Client, text: string): Promise<unknown> =>
      Object.values((await client.query({ name: 'same', text, values: [1] })).rows[0] as object)[0];

    const [one, two] = [await connect(), await connect()];
    expect([await run(one, 'SELECT $1::int + 1'), await run(two, 'SELECT $1::int + 2')]).toEqual([2, 3]);
    await one.end();
    const three = await connect(); // in the place of the first
    expect([await run(three, 'SELECT $1::int + 3'), await run(two, 'SELECT $1::int + 2')]).toEqual([4, 3]);
    await Promise.all([two.end(), three.end()]);

    const last = await connect();
    const { rows } = await last.query('SELECT count(*)::int AS n FROM pg_prepared_statements');
    expect(rows).toEqual([{ n: 0 }]);
    await last.end();
  });

  it('lose an open transaction when they leave, which frees the session for the others', async () => {
    const pool = poolOf(shared);
    const gone = new Client(shared.connection);
    await gone.connect();
    await gone.query('BEGIN');
    await gone.query("INSERT INTO notes VALUES (3, 'lost')");
    const waiting = pool.query('SELECT id FROM notes WHERE id = 3');
    await gone.end();
    expect((await waiting).rows).toEqual([]);
  });
});

describe('when it dies', () => {
  it('rejects the running and the waiting queries, tells it once, and takes no more', async () => {
    const deaths: string[] = [];
    const embedded = await start({ onDeath: (error) => deaths.push(error.message) });
    const pool = poolOf(embedded);
    await pool.query('SELECT 1');
    const both = Promise.allSettled([
      pool.query('SELECT count(*) FROM generate_series(1, 1000000000)'),
      pool.query('SELECT 1'), // waits for the only client
    ]);
    await new Promise(setImmediate); // the first one is on its way
    await embedded.worker.terminate();

    const died = 'The embedded database died: its worker ended with code 1';
    expect(await both).toMatchObject([
      { status: 'rejected', reason: { message: died } },
      { status: 'rejected', reason: { message: died } },
    ]);
    await expect(pool.query('SELECT 1')).rejects.toThrow(died);
    await embedded.close();
    expect(deaths).toEqual([died]);
  });

  it('notices a server that gave up, which the library itself would call for ever', async () => {
    const died = new Promise<Error>((resolve) => {
      void start({ onDeath: resolve }).then((embedded) =>
        poolOf(embedded)
          .query('COPY notes FROM STDIN')
          .catch(() => undefined),
      );
    });
    expect((await died).message).toMatch(/^The embedded database died: the server left its main loop \(FATAL: .*\)$/);
  });
});

describe('the data directory', () => {
  it('starts from the template, keeps its rows, and is readable by its owner only', async () => {
    const dataDir = newDirectory();
    const embedded = await start({ dataDir });
    await poolOf(embedded).query("INSERT INTO notes VALUES (1, 'kept')");
    await Promise.all([embedded.close(), embedded.close()]);
    expect(existsSync(join(dataDir, 'understudy.lock'))).toBe(false);
    // the control file's state 1: shut down in order, nothing to recover
    expect(readFileSync(join(dataDir, 'pgdata/global/pg_control')).readInt32LE(16)).toBe(1);

    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    expect(JSON.parse(readFileSync(join(dataDir, 'understudy.json'), 'utf8'))).toEqual({ postgres: 18, version });
    if (process.platform !== 'win32') expect(statSync(dataDir).mode & 0o777).toBe(0o700);

    const again = poolOf(await start({ dataDir }));
    expect((await again.query('SELECT body FROM notes ORDER BY id')).rows).toEqual([
      { body: 'from the template' },
      { body: 'kept' },
    ]);
  });

  it('does not take what a crash left of a copy for a database', async () => {
    const dataDir = newDirectory();
    mkdirSync(join(dataDir, 'pgdata.new-dead/base'), { recursive: true });
    writeFileSync(join(dataDir, 'pgdata.new-dead/PG_VERSION'), '18\n');
    const pool = poolOf(await start({ dataDir }));
    expect((await pool.query('SELECT id FROM notes')).rows).toEqual([{ id: 0 }]);
    expect(readdirSync(dataDir).sort()).toEqual(['pgdata', 'understudy.json', 'understudy.lock']);
  });

  it('refuses a damaged template, and leaves the directory as it was', async () => {
    const dataDir = newDirectory();
    const cut = join(scratch, 'cut.tar');
    writeFileSync(cut, readFileSync(template).subarray(0, 1_000_000));
    await expect(start({ dataDir, template: cut })).rejects.toThrow('the archive ends too early');
    expect((await poolOf(await start({ dataDir })).query('SELECT id FROM notes')).rows).toEqual([{ id: 0 }]);
  });

  it('refuses the files of another PostgreSQL with one line', async () => {
    const dataDir = newDirectory();
    mkdirSync(join(dataDir, 'pgdata'), { recursive: true });
    writeFileSync(join(dataDir, 'pgdata/PG_VERSION'), '17\n');
    await expect(start({ dataDir })).rejects.toThrow(
      `The data directory ${dataDir} was written by PostgreSQL 17, this version runs 18: ` +
        'choose another SVC_DATA_DIR, or go back to the version that wrote it.',
    );
    expect(existsSync(join(dataDir, 'understudy.lock'))).toBe(false);
  });
});

describe('two processes', () => {
  it('cannot share a directory: the second one is told who has it', async () => {
    const dataDir = newDirectory();
    await start({ dataDir });
    expect(await otherProcess(dataDir).line()).toBe(
      `EmbeddedError: The data directory ${dataDir} is in use by process ${process.pid}: ` +
        'stop that process, or choose another SVC_DATA_DIR.',
    );
    await expect(start({ dataDir })).rejects.toThrow(`in use by process ${process.pid}`);
  });

  it('lose no acknowledged row to kill -9, and the lock of the dead one is taken over', async () => {
    const dataDir = newDirectory();
    const writer = otherProcess(
      dataDir,
      `for (let id = 1; ; id++) {
        await pool.query({ name: 'insert', text: "INSERT INTO notes VALUES ($1, repeat('x', 500))", values: [id] });
        process.stdout.write(id + '\\n');
      }`,
    );
    expect(await writer.line()).toBe('started');
    let acknowledged = 0;
    while (acknowledged < 500) acknowledged = Number(await writer.line());
    await writer.kill();
    expect(existsSync(join(dataDir, 'understudy.lock'))).toBe(true);
    // what it had said before it died, but was not read yet
    for (let line = await writer.line(); line; line = await writer.line()) acknowledged = Number(line) || acknowledged;

    const pool = poolOf(await start({ dataDir }));
    const { rows } = await pool.query<{ n: number }>('SELECT count(*)::int AS n FROM notes WHERE id BETWEEN 1 AND $1', [
      acknowledged,
    ]);
    expect(rows).toEqual([{ n: acknowledged }]);
  });

  it('starting at once on the lock of a dead one: exactly one wins', async () => {
    const dataDir = newDirectory();
    await (await start({ dataDir })).close();
    // this process runs, but it did not start at that time: its id was used before
    const dead = { token: '0123456789ab', pid: process.pid, started: '1', hostname: hostname(), scope: scope() };
    writeFileSync(join(dataDir, 'understudy.lock'), JSON.stringify(dead));

    const starters = [1, 2, 3].map(() => otherProcess(dataDir, 'setInterval(() => undefined, 1000);'));
    const said = await Promise.all(starters.map((starter) => starter.line()));
    const winner = starters[said.indexOf('started')]?.child.pid;
    expect(said.filter((line) => line === 'started')).toHaveLength(1);
    expect(said.filter((line) => line.includes(`in use by process ${winner}:`))).toHaveLength(2);
    expect(readdirSync(dataDir).sort()).toEqual(['pgdata', 'understudy.json', 'understudy.lock']);
  });
});

it('in memory is a database of its own each time', async () => {
  const [one, two] = [poolOf(await start()), poolOf(await start())];
  await one.query("INSERT INTO notes VALUES (1, 'here only')");
  expect((await one.query('SELECT id FROM notes ORDER BY id')).rows).toEqual([{ id: 0 }, { id: 1 }]);
  expect((await two.query('SELECT id FROM notes')).rows).toEqual([{ id: 0 }]);
});

/** As the lock writes it: the processes among which an id means the same. */
function scope(): string {
  return process.platform === 'linux'
    ? `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`
    : hostname();
}
