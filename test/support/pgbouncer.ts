import { spawn, type ChildProcess } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reservedPort } from './ports.js';
import { eventually } from './receiver.js';

const PROGRAM = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', '/opt/homebrew/bin/pgbouncer'].find(existsSync);

/** Whether this machine can run a PgBouncer. */
export const canRunPgBouncer = PROGRAM !== undefined;

/** Appended to the title of specs that are skipped without one. */
export const onPgBouncer = canRunPgBouncer ? '' : ' (skipped: no PgBouncer is installed)';

/** PgBouncer refuses to run as root. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined;

export interface PgBouncerOptions {
  readonly mode: 'session' | 'transaction';
  /** How many connections it has to the server for each user and database; by default as many as it has by itself: 20. */
  readonly size?: number;
}

/** A PgBouncer in front of a PostgreSQL server, with its defaults except for these options and what `write` says. */
export class PgBouncer {
  private constructor(
    private readonly folder: string,
    private readonly port: number,
    private target: URL,
    private options: PgBouncerOptions,
    private process: ChildProcess | undefined,
  ) {}

  static async to(target: string, options: PgBouncerOptions): Promise<PgBouncer> {
    const folder = mkdtempSync(join(tmpdir(), 'understudy-pgbouncer-'));
    const pooler = new PgBouncer(folder, await reservedPort(), new URL(target), options, undefined);
    if (NOBODY) chownSync(folder, NOBODY.uid, NOBODY.gid);
    await pooler.start();
    return pooler;
  }

  /** The URL of `target` through this pooler. */
  through(target: string): string {
    const url = new URL(target);
    url.host = `127.0.0.1:${this.port}`;
    return url.href;
  }

  /** Resolves when it accepts connections. */
  async start(): Promise<void> {
    this.write();
    this.process = spawn(PROGRAM as string, [this.config], { ...NOBODY, stdio: 'ignore' });
    await eventually(() => canConnect(this.port), 'the pooler listens');
  }

  /** Ends it at once, with all of its connections. */
  async stop(): Promise<void> {
    const { process } = this;
    this.process = undefined;
    if (process?.exitCode !== null || process.signalCode !== null) return;
    const ended = once(process, 'exit');
    process.kill('SIGTERM');
    await ended;
  }

  /** From now on it has only so many connections to the server for those who connect anew; others wait for their turn. */
  resize(size: number): void {
    this.options = { ...this.options, size };
    this.reload();
  }

  /** New connections lead to another server from now on. */
  lead(to: string): void {
    this.target = new URL(to);
    this.reload();
  }

  async drop(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private reload(): void {
    this.write();
    this.process?.kill('SIGHUP');
  }

  private get config(): string {
    return join(this.folder, 'pgbouncer.ini');
  }

  private write(): void {
    const { target, port, options } = this;
    const users = join(this.folder, 'users.txt');
    const settings = {
      listen_addr: '127.0.0.1',
      listen_port: port,
      unix_socket_dir: '',
      auth_type: 'trust',
      auth_file: users,
      pool_mode: options.mode,
      // its 15 s would make a long outage of a short one
      server_login_retry: 1,
      ...(options.size !== undefined && { default_pool_size: options.size }),
    };
    const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`);
    const database = `* = host=${target.hostname} port=${target.port || '5432'}\n`;
    writeFileSync(users, `"${target.username}" "${target.password}"\n`);
    writeFileSync(this.config, `[databases]\n${database}[pgbouncer]\n${lines.join('')}`);
    if (NOBODY) for (const path of [users, this.config]) chownSync(path, NOBODY.uid, NOBODY.gid);
  }
}

const canConnect = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
