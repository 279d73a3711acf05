import { fileURLToPath } from 'node:url';

/** Sent to the worker when it may open the data. */
export interface OpenRequest {
  /** A directory of the host; null: in memory. */
  readonly directory: string | null;
  /** In memory only: the files of a cluster, as views into one buffer that is transferred to the worker. */
  readonly files: { name: string; content: Uint8Array | null }[] | null;
  /** Additional `-c name=value` settings of the server. */
  readonly settings: string[];
}

/**
 * Messages of the worker. `Uint8Array`: a part of the running batch's answer; an array: its last part, and whether the
 * session is outside any transaction; the rest are lifecycle messages.
 */
export type WorkerMessage =
  | Uint8Array
  | [Uint8Array, boolean]
  | { readonly event: 'compiled'; readonly server: object }
  | { readonly event: 'open'; readonly version: string }
  | { readonly event: 'closed' }
  | { readonly event: 'fatal'; readonly reason: string };

/** Messages to the worker: open, run one batch (bytes), close. */
export type WorkerRequest = OpenRequest | Uint8Array | 'close';

/** Addresses of the library's modules, resolved here: an evaluated script has no file to resolve from. */
export const workerModules = {
  pglite: import.meta.resolve('@electric-sql/pglite'),
  baseFs: import.meta.resolve('@electric-sql/pglite/basefs'),
  trigram: import.meta.resolve('@electric-sql/pglite/contrib/pg_trgm'),
  btreeGin: import.meta.resolve('@electric-sql/pglite/contrib/btree_gin'),
};

/** PostgreSQL as WebAssembly. */
export const serverFile = fileURLToPath(import.meta.resolve('@electric-sql/pglite/pglite.wasm'));

/**
 * The code of the worker thread. It is text, evaluated by `new Worker(…, { eval: true })`, because the sources run both
 * compiled (a `.js` beside this file) and straight from TypeScript under the test runner, where Node 20 could not load
 * a worker file. It is kept small: everything that can be decided outside is decided outside.
 *
 * - One batch at a time: the sender waits for the answer's last part.
 * - `_PostgresMainLoopOnce` throws an object with status 100 for an ordinary SQL error. The library swallows every
 *   other exception too (a WASM trap, the server's own exit, a stack overflow) and then loops forever or never answers;
 *   the loop is therefore wrapped, and anything else ends the worker.
 * - An answer is collected in one growing buffer, and a large one is sent in parts while it is still being produced.
 */
export const workerSource = /* js */ `
'use strict';
const { parentPort, workerData } = require('node:worker_threads');
const ORDINARY_ERROR = 100;
const PART = 256 * 1024;

/** Compiled once in a process: threads can share it, so a second database starts faster. */
async function compiledServer() {
  if (workerData.server) return workerData.server;
  const { readFile } = require('node:fs/promises');
  const server = await WebAssembly.compile(await readFile(workerData.serverFile));
  parentPort.postMessage({ event: 'compiled', server });
  return server;
}

async function main() {
  const compiling = compiledServer();
  const [{ PGlite }, { EmscriptenBuiltinFilesystem }, { pg_trgm }, { btree_gin }] = await Promise.all(
    ['pglite', 'baseFs', 'trigram', 'btreeGin'].map((name) => import(workerData.modules[name])),
  );
  const { directory, files, settings } = await new Promise((resolve) => parentPort.once('message', resolve));

  /** A finished cluster in memory, without copying a byte: its files are views into the buffer that was handed over. */
  class LoadedFilesystem extends EmscriptenBuiltinFilesystem {
    async initialSyncFs() {
      const { FS } = this.pg.Module;
      FS.mkdirTree(PGlite.paths.PGDATA);
      for (const { name, content } of files) {
        const path = PGlite.paths.PGDATA + '/' + name;
        if (content) FS.writeFile(path, content, { canOwn: true });
        else FS.mkdir(path);
      }
    }
  }
  /** The library's own client looks up array types at each start; nobody here uses that client. */
  class Server extends PGlite {
    async _initArrayTypes() {}
  }

  let lastWords = '';
  const options = {
    pgliteWasmModule: await compiling,
    extensions: { pg_trgm, btree_gin },
    initDbStartParams: ['--wal-segsize=1'],
    startParams: [...PGlite.defaultStartParams, ...settings.flatMap((setting) => ['-c', setting])],
    onStderr: (line) => ((lastWords = /(?:FATAL|PANIC): .*/.exec(line)?.[0] ?? lastWords), false),
  };
  if (files) options.fs = new LoadedFilesystem();
  else options.dataDir = directory ?? 'memory://';
  const db = await Server.create(options);

  const giveUp = (error) => {
    const what = error instanceof Error ? String(error) : 'the server left its main loop';
    parentPort.postMessage({ event: 'fatal', reason: lastWords ? what + ' (' + lastWords + ')' : what });
    process.exit(1);
  };
  const runOnce = db.Module._PostgresMainLoopOnce;
  db.Module._PostgresMainLoopOnce = () => {
    try {
      runOnce();
    } catch (error) {
      if (error?.status !== ORDINARY_ERROR) giveUp(error);
      throw error;
    }
  };

  let answer = new Uint8Array(PART);
  let used = 0;
  const onRawData = (data) => {
    if (used + data.length > PART) {
      const part = answer.slice(0, used);
      parentPort.postMessage(part, [part.buffer]);
      used = 0;
      if (data.length > PART) {
        const whole = data.slice();
        parentPort.postMessage(whole, [whole.buffer]);
        return;
      }
    }
    answer.set(data, used);
    used += data.length;
  };
  const protocol = { syncToFs: false, onRawData };
  const run = async (batch) => {
    await db.execProtocolRawStream(batch, protocol);
    const last = answer.slice(0, used);
    used = 0;
    parentPort.postMessage([last, !db.isInTransaction()], [last.buffer]);
  };
  const close = async () => {
    await db.close();
    parentPort.postMessage({ event: 'closed' });
    process.exit(0);
  };
  parentPort.on('message', (message) => (message === 'close' ? close() : run(message)).catch(giveUp));
  parentPort.on('messageerror', (error) => { throw error; });
  const { rows } = await db.query('SHOW server_version');
  parentPort.postMessage({ event: 'open', version: rows[0].server_version });
}
main();
`;
