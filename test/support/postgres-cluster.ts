import { spawn } from 'node:child_process';
import { chownSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
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
  private constructor(
    private readonly folder: string,
    private readonly port: number,
  ) {}

  static async create(): Promise<PostgresCluster> {
    const folder = mkdtempSync(join(tmpdir(), 'understudy-cluster-'));
    if (owner) chownSync(folder, owner.uid, owner.gid);
    const cluster = new PostgresCluster(folder, await reservedPort());
    await cluster.program('initdb', '--username=understudy', '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8');
    await cluster.start();
    await cluster.admin('createdb', 'understudy');
    return cluster;
  }

  get url(): string {
    return `postgres://understudy@127.0.0.1:${this.port}/understudy`;
  }

  /** Resolves when it accepts connections. */
  async start(): Promise<void> {
    const options = `-p ${this.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${this.folder} -c max_connections=100`;
    await this.program('pg_ctl', '-l', join(this.folder, 'log'), '-w', '-o', options, 'start');
  }

  /** `fast` ends sessions in order; `immediate` is like a crash, after which the next start recovers. */
  async stop(mode: 'fast' | 'immediate'): Promise<void> {
    await this.program('pg_ctl', '-m', mode, '-w', 'stop');
  }

  /** Whether transactions may write nothing, as on a server whose disk is nearly full. */
  async setReadOnly(isReadOnly: boolean): Promise<void> {
    const setting = `ALTER SYSTEM SET default_transaction_read_only = ${isReadOnly ? 'on' : 'off'}`;
    // ALTER SYSTEM itself is allowed in a read-only transaction
    await this.admin('psql', '-q', '-c', setting, '-c', 'SELECT pg_reload_conf()', 'understudy');
  }

  async drop(): Promise<void> {
    await this.stop('immediate').catch(() => undefined);
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async program(name: string, ...args: string[]): Promise<void> {
    await this.execute(name, ['-D', join(this.folder, 'data'), ...args]);
  }

  private async admin(name: string, ...args: string[]): Promise<void> {
    await this.execute(name, ['-h', '127.0.0.1', '-p', String(this.port), '-U', 'understudy', ...args]);
  }

  private async execute(name: string, args: string[]): Promise<void> {
    // no pipes, as the server that pg_ctl starts would keep them open
    const child = spawn(`${programs}/${name}`, args, { ...owner, cwd: this.folder, stdio: 'ignore' });
    await new Promise<void>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`${name} ended with ${code}`))));
    });
  }
}
