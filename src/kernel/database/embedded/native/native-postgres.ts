import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { ClientConfig } from 'pg';
import { DataDir, extract } from '../data-dir.js';
import { DataDirLock } from '../data-dir-lock.js';
import type { EmbeddedDatabase, EmbeddedOptions } from '../embedded-database.js';
import { EmbeddedError } from '../embedded-error.js';
import { endProcess } from '../end-process.js';
import { type Binaries, checkRuns, runnableBinaries } from './binaries.js';
import { initialise } from './initdb.js';
import { NativeUnavailable } from './native-unavailable.js';
import { endOrphan } from './orphan.js';
import { shortPath, pathFromInside } from './own-folder.js';
import { giveTo, serverUser, type ServerUser } from './server-user.js';
import { startWatchdog } from './watchdog.js';

/** How long a server may take to replay its log after a kill, and to shut down, in ms. */
const START_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 20_000;

/** How often a server that was told to stop by somebody else is started again. */
const MAX_RESTARTS = 3;

/**
 * The server's settings. Acknowledged writes have been handed to the operating system, so they survive the end of every
 * process; they are not fsynced, so a power cut can lose the last moments (docs/decisions/embedded-database.md).
 */
const CONFIGURATION = {
  listen_addresses: '',
  unix_socket_directories: '.', // the server runs in its own folder, so that no socket path is too long
  unix_socket_permissions: '0700',
  fsync: 'off',
  shared_buffers: '64MB',
  min_wal_size: '16MB',
  max_wal_size: '256MB',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_logical_replication_workers: '0',
  max_parallel_workers_per_gather: '0',
  dynamic_shared_memory_type: 'mmap', // a container's /dev/shm may be missing
  huge_pages: 'off',
  io_method: 'sync', // saves three processes
  autovacuum_naptime: '30s',
  log_min_messages: 'log',
  log_checkpoints: 'off',
  timezone: 'UTC',
};

/**
 * A PostgreSQL server of this process, from a package installed by npm: a child process on a Unix socket in its data
 * directory. It ends with this process, however that ends; a process started as root runs it as another user.
 *
 * A SIGTERM is this process's alone to handle, which needs its database while it drains, but systemd sends one to every
 * process of a service, and a PostgreSQL cannot ignore it. So one that was told to stop by a SIGTERM is started again,
 * on its complete data.
 */
export class NativePostgres implements EmbeddedDatabase {
  readonly engine = 'postgres';
  readonly isConcurrent = true;
  server!: ChildProcessByStdio<null, null, Readable>;
  /** Resolves when the server has ended for good. */
  readonly ended: Promise<void>;
  private ready: Promise<void> = Promise.resolve();
  private dismissWatchdog = (): void => undefined;
  private readonly socket: { path: string; forget: () => void };
  private state: 'starting' | 'open' | 'closing' | 'dead' = 'starting';
  private closing: Promise<void> | null = null;
  /** The server's last fatal log line, or why it ended. */
  private lastError = '';
  /** Somebody else has sent it a SIGTERM. */
  private isToldToStop = false;
  private restarts = 0;
  private hasEnded!: () => void;

  private constructor(
    private readonly launch: () => ChildProcessByStdio<null, null, Readable>,
    cluster: string,
    private readonly temporaryDir: string | null,
    private readonly onDeath: (error: Error) => void,
  ) {
    this.socket = shortPath(cluster);
    this.ended = new Promise((resolve) => (this.hasEnded = resolve));
    this.run();
  }

  private run(): void {
    const server = this.launch();
    this.server = server;
    this.state = 'starting';
    this.isToldToStop = false;
    this.dismissWatchdog = server.pid === undefined ? () => undefined : startWatchdog(server.pid, this.temporaryDir);
    server.once('exit', (code, signal) => {
      const end = (): void => this.onExit(this.lastError || `its server ended with ${signal ?? `code ${code}`}`);
      // its last lines say why it stopped
      if (code === 0 && this.state === 'open') server.once('close', end);
      else end();
    });
    server.once('error', (error) => this.onExit(error.message));
    this.ready = new Promise((resolve) => {
      let rest = '';
      server.stderr.setEncoding('utf8').on('data', (text: string) => {
        const lines = (rest + text).split('\n');
        rest = (lines.pop() ?? '').slice(-10_000);
        for (const line of lines) {
          if (/ (FATAL|PANIC): /.test(line))
            this.lastError = line.replace(/^.*? (?=(FATAL|PANIC): )/, '').slice(0, 1_000);
          if (line.includes('received smart shutdown request')) this.isToldToStop = true;
          if (line.includes('database system is ready to accept connections')) resolve();
        }
      });
    });
    server.unref();
    (server.stderr as unknown as { unref: () => void }).unref();
  }

  /**
   * @throws EmbeddedError when another process has the directory, or its files are another PostgreSQL's
   * @throws NativeUnavailable when no such server can run here; an empty directory is left empty
   */
  static async start(options: EmbeddedOptions, settings: string[] = []): Promise<NativePostgres> {
    const { dataDir, template = null, onDeath = endProcess, connections = 16 } = options;
    const temporaryDir = dataDir === 'memory' ? temporaryFolder() : null;
    const directory = new DataDir(temporaryDir ?? dataDir, 'postgres');
    await directory.make();
    const lock = await DataDirLock.take(directory.path);
    let server: NativePostgres | undefined;
    let isNew = false;
    try {
      const user = serverUser(temporaryDir === null ? directory.path : null);
      const binaries = runnableBinaries(user);
      directory.check();
      isNew = directory.isEmpty;
      if (isNew) {
        checkRuns(binaries, user);
        await directory.create((path) => (template ? extract(template, path) : initialise(path)));
      } else await endOrphan(directory.cluster);
      const owner = owned(directory.cluster, user);
      directory.record();
      const configuration = { ...CONFIGURATION, max_connections: String(connections + 8) };
      if (temporaryDir !== null) Object.assign(configuration, { full_page_writes: 'off' });
      const args = [
        ...Object.entries(configuration).map(([name, value]) => `${name}=${value}`),
        ...settings, // later entries win
      ].flatMap((setting) => ['-c', setting]);
      server = new NativePostgres(
        () => run(binaries, directory.cluster, owner, args),
        directory.cluster,
        temporaryDir,
        onDeath,
      );
      void server.ended.then(() => {
        lock.release();
        if (temporaryDir !== null) rmSync(temporaryDir, { recursive: true, force: true });
      });
      await server.opened();
      return server;
    } catch (error) {
      if (server) await server.close();
      else lock.release();
      if (isNew && error instanceof NativeUnavailable) rmSync(directory.cluster, { recursive: true, force: true });
      if (temporaryDir !== null) rmSync(temporaryDir, { recursive: true, force: true });
      if (!isNew && error instanceof NativeUnavailable) {
        throw new EmbeddedError(`The embedded database in ${dataDir} does not start: ${error.message}`);
      }
      throw error;
    }
  }

  get connection(): ClientConfig {
    return { host: this.socket.path, port: 5432, user: 'postgres', database: 'postgres' };
  }

  /** Shuts the server down cleanly: running statements are cancelled, and everything is written. */
  close(): Promise<void> {
    this.closing ??= this.shutDown();
    return this.closing;
  }

  private async shutDown(): Promise<void> {
    if (this.state !== 'dead') {
      this.state = 'closing';
      this.server.ref();
      this.server.kill('SIGINT');
      const impatient = setTimeout(() => this.server.kill('SIGQUIT'), STOP_TIMEOUT_MS);
      await this.ended;
      clearTimeout(impatient);
    }
    this.dismissWatchdog();
    this.socket.forget();
  }

  private async opened(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new EmbeddedError('The embedded database does not start')), START_TIMEOUT_MS);
    });
    try {
      await Promise.race([this.ready, this.ended, late]);
    } finally {
      clearTimeout(timer);
    }
    if (this.state === 'dead') throw new NativeUnavailable(this.lastError || 'its server ended at once');
    if (this.state === 'starting') this.state = 'open';
  }

  private onExit(reason: string): void {
    this.dismissWatchdog();
    const wasOpen = this.state === 'open';
    if (wasOpen && this.isToldToStop && this.restarts++ < MAX_RESTARTS) {
      this.run();
      // it serves again when it is ready; calls are answered 503 until then
      this.opened().catch((error: Error) => this.die(error.message));
      return;
    }
    this.state = 'dead';
    this.hasEnded();
    if (wasOpen) this.die(reason);
    else this.lastError = reason;
  }

  private die(reason: string): void {
    if (this.closing === null) this.onDeath(new EmbeddedError(`The embedded database died: ${reason}`));
  }
}

/** A new folder in the temporary folder. */
function temporaryFolder(): string {
  try {
    return mkdtempSync(join(tmpdir(), 'understudy-memory-'));
  } catch (error) {
    throw new NativeUnavailable(`there is no temporary folder: ${(error as Error).message}`);
  }
}

/** Makes the server's user the only owner of the files and returns that user: PostgreSQL insists on it. */
function owned(cluster: string, user: ServerUser | null): ServerUser | null {
  const { uid, gid } = statSync(cluster);
  if (user === null && process.getuid && uid !== process.getuid()) {
    throw new EmbeddedError(
      `The files in ${cluster} belong to user ${uid}, this process runs as ${process.getuid()}: ` +
        `give them to it with chown -R, or choose another SVC_DATA_DIR.`,
    );
  }
  const owner = user && uid !== 0 && uid !== user.uid ? { uid, gid } : user;
  try {
    if (owner && uid !== owner.uid) giveTo(owner, cluster);
    chmodSync(cluster, 0o700); // a volume's driver may have made it readable for a group
  } catch (error) {
    throw new NativeUnavailable(`its files cannot be given to the server's user: ${(error as Error).message}`);
  }
  return owner;
}

/** In its own session: a Ctrl-C at the terminal is for this process, which stops the server when it is done. */
function run(binaries: Binaries, cluster: string, user: ServerUser | null, args: string[]) {
  return spawn(join(binaries.folder, 'bin', 'postgres'), ['-D', pathFromInside(cluster), ...args], {
    ...user,
    cwd: cluster,
    env: {},
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}
