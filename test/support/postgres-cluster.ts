import { spawn, type SpawnOptions } from 'node:child_process';
import { chownSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reservedPort } from './ports.js';

/** The folder of the newest PostgreSQL server programs of Debian, if there is one. */
const programs = ((): string | undefined => {
  try {
    const versions = readdirSync('/usr/lib/postgresql').sort((a, b) => Number(a) - Number(b));
    return versions.length > 0 ? `/usr/lib/postgresql/${versions.at(-1)}/bin` : undefined;
  } catch {
    return undefined;
  }
})();

/** PostgreSQL refuses to run as root, so root uses the account that Debian's package created. */
const owner = ((): { uid: number; gid: number } | undefined => {
  if (process.getuid?.() !== 0) return undefined;
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith('postgres:'));
  const [, , uid, gid] = line?.split(':') ?? [];
  return uid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) };
})();

/** Whether this machine can run a separate PostgreSQL server. */
export const canRunCluster = programs !== undefined && (process.getuid?.() !== 0 || owner !== undefined);

/** Appended to the title of specs that are skipped without such a server. */
export const onOwnCluster = canRunCluster ? '' : ' (skipped: no PostgreSQL server is installed)';

/** A PostgreSQL server in a folder of its own, for specs that stop it. */
export class PostgresCluster {
  /** Whether it has a disk of its own, which can be filled. */
  hasOwnDisk = false;

  private constructor(
    private readonly folder: string,
    private readonly port: number,
    private readonly settings: string,
  ) {}

  /**
   * @param diskMiB gives it a disk of this size, which `fillDisk` fills; only where root may mount one
   * @param settings of the server, as its command line has them
   */
  static async create({
    diskMiB,
    settings = '',
  }: { diskMiB?: number | undefined; settings?: string } = {}): Promise<PostgresCluster> {
    const cluster = await PostgresCluster.inNewFolder(diskMiB, settings);
    await cluster.program('initdb', '--username=understudy', '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8');
    await cluster.start();
    await cluster.admin('createdb', 'understudy');
    return cluster;
  }

  private static async inNewFolder(diskMiB: number | undefined, settings: string): Promise<PostgresCluster> {
    const folder = mkdtempSync(join(tmpdir(), 'understudy-cluster-'));
    const cluster = new PostgresCluster(folder, await reservedPort(), settings);
    if (diskMiB !== undefined && owner) {
      cluster.hasOwnDisk = await ended('mount', ['-t', 'tmpfs', '-o', `size=${diskMiB}m`, 'tmpfs', folder]).then(
        () => true,
        () => false,
      );
    }
    if (owner) chownSync(folder, owner.uid, owner.gid);
    return cluster;
  }

  get url(): string {
    return `postgres://understudy@127.0.0.1:${this.port}/understudy`;
  }

  /** Resolves when it accepts connections. */
  async start(): Promise<void> {
    const options = `-p ${this.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${this.folder} -c max_connections=100 ${this.settings}`;
    await this.program('pg_ctl', '-l', join(this.folder, 'log'), '-w', '-o', options, 'start');
  }

  /** A standby, which has every commit before it is acknowledged. */
  async standby(): Promise<PostgresCluster> {
    const standby = await PostgresCluster.inNewFolder(undefined, this.settings);
    const from = ['-h', '127.0.0.1', '-p', String(this.port), '-U', 'understudy'];
    await standby.program('pg_basebackup', ...from, '-R', '-X', 'stream', '-c', 'fast');
    await standby.start();
    await this.set('synchronous_standby_names', `'*'`);
    return standby;
  }

  /** A standby serves by itself from now on. */
  async promote(): Promise<void> {
    await this.program('pg_ctl', '-w', 'promote');
  }

  /** Leaves no room on its own disk; answers what gives it back. */
  fillDisk(): () => void {
    const filler = join(this.folder, 'filler');
    const { bavail, bsize } = statfsSync(this.folder);
    try {
      writeFileSync(filler, Buffer.alloc(bavail * bsize));
    } catch {
      // something else took the last of it meanwhile
    }
    return () => rmSync(filler, { force: true });
  }

  /** `fast` ends sessions in order; `immediate` is like a crash, after which the next start recovers. */
  async stop(mode: 'fast' | 'immediate'): Promise<void> {
    await this.program('pg_ctl', '-m', mode, '-w', 'stop');
  }

  /** Whether transactions may write nothing, as on a server whose disk is nearly full. */
  async setReadOnly(isReadOnly: boolean): Promise<void> {
    // ALTER SYSTEM itself is allowed in a read-only transaction
    await this.set('default_transaction_read_only', isReadOnly ? 'on' : 'off');
  }

  private async set(setting: string, value: string): Promise<void> {
    const change = `ALTER SYSTEM SET ${setting} = ${value}`;
    await this.admin('psql', '-q', '-c', change, '-c', 'SELECT pg_reload_conf()', 'understudy');
  }

  /** Runs SQL as the superuser. */
  async run(sql: string): Promise<void> {
    await this.admin('psql', '-q', '-v', 'ON_ERROR_STOP=1', '-c', sql, 'understudy');
  }

  async drop(): Promise<void> {
    await this.stop('immediate').catch(() => undefined);
    if (this.hasOwnDisk) await ended('umount', ['-l', this.folder]);
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async program(name: string, ...args: string[]): Promise<void> {
    await this.execute(name, ['-D', join(this.folder, 'data'), ...args]);
  }

  private async admin(name: string, ...args: string[]): Promise<void> {
    await this.execute(name, ['-h', '127.0.0.1', '-p', String(this.port), '-U', 'understudy', ...args]);
  }

  private async execute(name: string, args: string[]): Promise<void> {
    await ended(`${programs}/${name}`, args, { ...owner, cwd: this.folder });
  }
}

/** Runs a program to its end. */
function ended(name: string, args: readonly string[], options: SpawnOptions = {}): Promise<void> {
  // no pipes, as the server that pg_ctl starts would keep them open
  const child = spawn(name, args, { ...options, stdio: 'ignore' });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`${name} ended with ${code}`))));
  });
}
