import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import type { Duplex } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { DataDir, extract } from '../data-dir.js';
import { DataDirLock } from '../data-dir-lock.js';
import type { EmbeddedDatabase, EmbeddedOptions } from '../embedded-database.js';
import { EmbeddedError } from '../embedded-error.js';
import { endProcess } from '../end-process.js';
import { Session } from './session.js';
import { readArchive } from '../tar.js';
import { VirtualSocket } from './virtual-socket.js';
import {
  type OpenRequest,
  type WorkerMessage,
  type WorkerRequest,
  serverFile,
  workerModules,
  workerSource,
} from './worker-source.js';

/** How often the log's size is checked, in ms, and the size that triggers a checkpoint, in bytes. */
const CHECKPOINT_INTERVAL = 5_000;
const CHECKPOINT_SIZE = 64 * 1024 * 1024;

/**
 * A server without background processes never makes a checkpoint by itself, so its log would grow until it is stopped.
 */
const CHECKPOINT_IF_DUE = `DO $$ BEGIN
  IF pg_wal_lsn_diff(pg_current_wal_insert_lsn(), (SELECT redo_lsn FROM pg_control_checkpoint())) > ${CHECKPOINT_SIZE} THEN
    EXECUTE 'CHECKPOINT';
  END IF;
END $$`;

/**
 * By default V8 optimises a WebAssembly function after about 2 MB of its code ran, so half of the server would be
 * optimised during the start: a third of its CPU time. Hot functions get there within the first seconds anyway.
 */
const TIERING_BUDGET = '--wasm-tiering-budget=100000000';

/** The module compiled by this process's first worker: a second database (in tests) starts faster. */
let server: object | undefined;

/**
 * PostgreSQL inside this process: PGlite in a worker thread, reached by `pg` through its `stream` option.
 *
 * ```ts
 * const embedded = await Pglite.start({ dataDir });
 * const pool = new Pool({ ...embedded.connection, max: 1, idleTimeoutMillis: 0, allowExitOnIdle: false });
 * ```
 *
 * There is one session. More clients than one work, but wait for each other's transactions, and share what belongs to a
 * session (SET, temporary tables, advisory locks). When its last client leaves, the session is reset. COPY FROM STDIN
 * is not supported by PGlite and ends the database; `statement_timeout` and cancel requests do nothing.
 *
 * A process that is killed loses no acknowledged row; nothing is fsynced, so a power cut can lose the last moments.
 */
export class Pglite implements EmbeddedDatabase {
  readonly engine = 'pglite';
  readonly isConcurrent = false;
  private readonly session: Session;
  /** Callbacks waiting for the worker's lifecycle messages. */
  private readonly steps = new Map<string, () => void>();
  private readonly died: Promise<never>;
  private readonly exited: Promise<void>;
  private reject!: (error: EmbeddedError) => void;
  private state: 'starting' | 'open' | 'closed' | 'dead' = 'starting';
  private closing: Promise<void> | null = null;
  private timer: NodeJS.Timeout | undefined;

  private constructor(
    /** For tests of what happens when it dies. */
    readonly worker: Worker,
    private readonly onDeath: (error: Error) => void,
  ) {
    this.session = new Session((bytes) => this.post(bytes, [bytes.buffer]));
    this.died = new Promise((_, reject) => (this.reject = reject));
    this.died.catch(() => undefined); // only a caller that waits for a step gets this error
    this.exited = new Promise((resolve) => worker.once('exit', () => resolve()));
    worker.on('message', (message: WorkerMessage) => this.onMessage(message));
    worker.on('messageerror', (error) => this.fail(error.message));
    worker.on('error', (error: unknown) => this.fail(error instanceof Error ? error.message : String(error)));
    worker.on('exit', (code) => this.fail(`its worker ended with code ${code}`));
  }

  /** @throws EmbeddedError when another process has the directory, or its files are another PostgreSQL's */
  static start(options: EmbeddedOptions): Promise<Pglite> {
    return Pglite.startWith(options, []);
  }

  /** @internal `start` with settings of the server (`name=value`): for `buildTemplate`. */
  static async startWith(options: EmbeddedOptions, settings: string[]): Promise<Pglite> {
    const { dataDir, template = null, onDeath = endProcess } = options;
    if (dataDir === 'memory') return Pglite.startInMemory(template, settings, onDeath);

    const directory = new DataDir(dataDir, 'pglite');
    await directory.make();
    const lock = await DataDirLock.take(dataDir);
    const embedded = Pglite.load(onDeath); // loads while the files are being copied
    void embedded.exited.then(() => lock.release());
    try {
      directory.check();
      if (directory.isEmpty) {
        await directory.create((path) => (template ? extract(template, path) : Pglite.initialise(path)));
      }
      directory.record();
      await embedded.open({ directory: directory.cluster, files: null, settings });
      return embedded;
    } catch (error) {
      await embedded.abandon();
      throw error;
    }
  }

  /** Without a lock and without files. */
  private static async startInMemory(
    template: string | null,
    settings: string[],
    onDeath: (error: Error) => void,
  ): Promise<Pglite> {
    const embedded = Pglite.load(onDeath);
    // Reads the archive into a buffer of its own, as it is transferred to the worker: a Buffer may share Node's pool.
    // Synchronously: the server's modules are imported meanwhile, and would delay the callback.
    const bytes = template === null ? null : new Uint8Array(readFileSync(template));
    const files = bytes && readArchive(bytes);
    try {
      await embedded.open({ directory: null, files, settings }, bytes ? [bytes.buffer] : []);
      return embedded;
    } catch (error) {
      await embedded.abandon();
      throw error;
    }
  }

  /** Runs initdb: only without a template, as in a checkout that was not built. */
  private static async initialise(directory: string): Promise<void> {
    await mkdir(directory, { mode: 0o700 });
    const embedded = Pglite.load(() => undefined);
    try {
      await embedded.open({ directory, files: null, settings: [] });
      await embedded.close();
    } catch (error) {
      await embedded.abandon();
      throw error;
    }
  }

  /** A worker that loads everything and waits to be told what to open. */
  private static load(onDeath: (error: Error) => void): Pglite {
    setFlagsFromString(TIERING_BUDGET);
    const worker = new Worker(workerSource, {
      eval: true,
      name: 'embedded-postgres',
      workerData: { modules: workerModules, serverFile, server },
      execArgv: [], // the main thread's loaders and debugger are not for the worker
      // PostgreSQL itself limits the depth of recursion, as long as the thread's stack is large enough for it.
      resourceLimits: { stackSizeMb: 32 },
    });
    return new Pglite(worker, onDeath);
  }

  /** For `pg`: a new stream for each client. */
  get connection(): { stream: () => Duplex } {
    return { stream: () => new VirtualSocket(this.session) };
  }

  /**
   * Stops the database cleanly: waits for the running statement, destroys remaining clients, writes a checkpoint,
   * releases the lock, ends the worker. May be called repeatedly.
   */
  close(): Promise<void> {
    this.closing ??= this.shutDown();
    return this.closing;
  }

  /** @internal Runs statements between two transactions, each by itself; SQL errors in them are ignored. */
  async maintain(...statements: string[]): Promise<void> {
    await Promise.race([this.session.maintain(...statements), this.died]);
  }

  private async open(request: OpenRequest, transfer: ArrayBuffer[] = []): Promise<void> {
    const opened = this.step('open');
    this.post(request, transfer);
    await opened;
    this.state = 'open';
    this.timer = setInterval(() => void this.maintain(CHECKPOINT_IF_DUE).catch(() => undefined), CHECKPOINT_INTERVAL);
    this.timer.unref();
  }

  private async shutDown(): Promise<void> {
    if (this.state === 'dead') return;
    clearInterval(this.timer);
    // The running statement ends by itself; the open transaction of a remaining client does not.
    await Promise.race([this.session.end(new EmbeddedError('The embedded database is closed.'), false), this.died]);
    const closed = this.step('closed');
    this.post('close');
    await closed;
    await this.exited;
  }

  /** Cleans up a database that did not start. */
  private async abandon(): Promise<void> {
    if (this.state !== 'dead') this.state = 'closed';
    await this.worker.terminate();
  }

  private post(request: WorkerRequest, transfer: ArrayBuffer[] = []): void {
    this.worker.postMessage(request, transfer);
  }

  private onMessage(message: WorkerMessage): void {
    if (message instanceof Uint8Array) this.session.part(message);
    else if (Array.isArray(message)) {
      this.session.part(message[0]);
      this.session.done(message[1]);
    } else if (message.event === 'fatal') {
      this.fail(message.reason);
    } else if (message.event === 'compiled') {
      ({ server } = message);
    } else {
      if (message.event === 'open') this.session.version = message.version;
      if (message.event === 'closed') this.state = 'closed';
      this.steps.get(message.event)?.();
    }
  }

  /** Resolves when the worker reports it; rejects if the worker dies before. */
  private step(event: 'open' | 'closed'): Promise<void> {
    return Promise.race([new Promise<void>((resolve) => this.steps.set(event, resolve)), this.died]);
  }

  private fail(reason: string): void {
    if (this.state === 'closed' || this.state === 'dead') return;
    const wasOpen = this.state === 'open';
    this.state = 'dead';
    clearInterval(this.timer);
    const error = new EmbeddedError(`The embedded database ${wasOpen ? 'died' : 'does not start'}: ${reason}`);
    this.reject(error);
    void this.session.end(error, true);
    void this.worker.terminate();
    if (wasOpen) this.onDeath(error); // before that, the caller of `start` gets the error
  }
}
