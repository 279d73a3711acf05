import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newDirectory, poolOf, scratch, start, template, usePglite } from './pglite-databases.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const children: ChildProcess[] = [];

/** Compiles the sources that another process needs, as Node 20 reads no TypeScript. */
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

/** Another process on the same machine. It starts the database on `dataDir`, reports it, then runs `then`. */
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
    /** Kills it with SIGKILL. */
    async kill(): Promise<void> {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

usePglite();
beforeAll(compileSources);
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

describe('the data directory', () => {
  it('starts from the template, keeps its rows, and is readable by its owner only', async () => {
    const dataDir = newDirectory();
    const embedded = await start({ dataDir });
    await poolOf(embedded).query("INSERT INTO notes VALUES (1, 'kept')");
    await Promise.all([embedded.close(), embedded.close()]);
    expect(existsSync(join(dataDir, 'understudy.lock'))).toBe(false);
    // state 1 of the control file: a clean shutdown, nothing to recover
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

  it('does not take a half-copied directory for a database', async () => {
    const dataDir = newDirectory();
    mkdirSync(join(dataDir, 'pgdata.new-dead/base'), { recursive: true });
    writeFileSync(join(dataDir, 'pgdata.new-dead/PG_VERSION'), '18\n');
    const pool = poolOf(await start({ dataDir }));
    expect((await pool.query('SELECT id FROM notes')).rows).toEqual([{ id: 0 }]);
    expect(readdirSync(dataDir).sort()).toEqual(['pgdata', 'understudy.json', 'understudy.lock']);
  });

  it('refuses a damaged template, and leaves the directory unchanged', async () => {
    const dataDir = newDirectory();
    const cut = join(scratch, 'cut.tar');
    writeFileSync(cut, readFileSync(template).subarray(0, 1_000_000));
    await expect(start({ dataDir, template: cut })).rejects.toThrow('the archive ends too early');
    expect((await poolOf(await start({ dataDir })).query('SELECT id FROM notes')).rows).toEqual([{ id: 0 }]);
  });

  it('refuses the files of another PostgreSQL version with one line', async () => {
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
  it('cannot share a directory: the second one reports which process uses it', async () => {
    const dataDir = newDirectory();
    await start({ dataDir });
    expect(await otherProcess(dataDir).line()).toBe(
      `EmbeddedError: The data directory ${dataDir} is in use by process ${process.pid}: ` +
        'stop that process, or choose another SVC_DATA_DIR.',
    );
    await expect(start({ dataDir })).rejects.toThrow(`in use by process ${process.pid}`);
  });

  it('lose no acknowledged row on kill -9, and the next takes over the lock', async () => {
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
    // lines written before it died that were not read yet
    for (let line = await writer.line(); line; line = await writer.line()) acknowledged = Number(line) || acknowledged;

    const pool = poolOf(await start({ dataDir }));
    const { rows } = await pool.query<{ n: number }>('SELECT count(*)::int AS n FROM notes WHERE id BETWEEN 1 AND $1', [
      acknowledged,
    ]);
    expect(rows).toEqual([{ n: acknowledged }]);
  });

  it('that start at once on the lock of a dead one get it once', async () => {
    const dataDir = newDirectory();
    await (await start({ dataDir })).close();
    // this process runs, but started at another time, so the recorded process with its id is dead
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

/** In the form of the lock: the set of processes in which an id is unique. */
function scope(): string {
  return process.platform === 'linux'
    ? `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`
    : hostname();
}
