import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { VERSION } from '../../config/version.js';
import type { Engine } from './embedded-database.js';
import { EmbeddedError } from './embedded-error.js';
import { readArchive } from './tar.js';

/** The major version of PostgreSQL in both engines; its files cannot be used by any other. */
export const POSTGRES_MAJOR = 18;

/** The folder of each engine's files: the engines cannot read each other's. */
const CLUSTERS: Record<Engine, string> = { postgres: 'postgres', pglite: 'pgdata' };
const RECORD = 'understudy.json';

/** The engine whose files a data directory contains; null: none yet. */
export function engineOf(dataDir: string): Engine | null {
  const engines = Object.keys(CLUSTERS) as Engine[];
  return engines.find((engine) => existsSync(join(dataDir, CLUSTERS[engine]))) ?? null;
}

/** The directory of the embedded database. Only the holder of its lock may touch it. */
export class DataDir {
  readonly cluster: string;
  /** A cluster being created has this prefix; it is renamed when complete, so a crash leaves no partial one. */
  private readonly unfinished: string;

  constructor(
    readonly path: string,
    engine: Engine,
  ) {
    this.cluster = join(path, CLUSTERS[engine]);
    this.unfinished = `${CLUSTERS[engine]}.new-`;
  }

  async make(): Promise<void> {
    try {
      await mkdir(this.path, { recursive: true, mode: 0o700 });
    } catch (error) {
      throw new EmbeddedError(`The data directory ${this.path} cannot be made: ${(error as Error).message}`);
    }
  }

  get isEmpty(): boolean {
    return !existsSync(this.cluster);
  }

  /** @throws EmbeddedError when the files belong to another PostgreSQL */
  check(): void {
    const found = this.isEmpty ? null : (this.recorded() ?? this.majorOfCluster());
    if (found === null || found === POSTGRES_MAJOR) return;
    throw new EmbeddedError(
      `The data directory ${this.path} was written by PostgreSQL ${found}, this version runs ${POSTGRES_MAJOR}: ` +
        'choose another SVC_DATA_DIR, or go back to the version that wrote it.',
    );
  }

  /** Fills an empty directory: `fill` gets a path that does not exist yet. */
  async create(fill: (directory: string) => Promise<void> | void): Promise<void> {
    for (const name of readdirSync(this.path)) {
      if (name.startsWith(this.unfinished)) await rm(join(this.path, name), { recursive: true });
    }
    const unfinished = join(this.path, this.unfinished + randomBytes(4).toString('hex'));
    try {
      await fill(unfinished);
      await rename(unfinished, this.cluster);
    } catch (error) {
      await rm(unfinished, { recursive: true, force: true });
      throw error;
    }
  }

  /** Records which PostgreSQL, and which version of this server, use the directory from now on. */
  record(): void {
    const file = join(this.path, RECORD);
    const text = `${JSON.stringify({ postgres: POSTGRES_MAJOR, version: VERSION })}\n`;
    if (existsSync(file) && readFileSync(file, 'utf8') === text) return;
    writeFileSync(`${file}.new`, text, { mode: 0o600 });
    renameSync(`${file}.new`, file);
  }

  private recorded(): number | null {
    try {
      return (JSON.parse(readFileSync(join(this.path, RECORD), 'utf8')) as { postgres?: number }).postgres ?? null;
    } catch {
      return null; // lost or damaged: the cluster's own files tell as well
    }
  }

  private majorOfCluster(): number {
    return Number.parseInt(readFileSync(join(this.cluster, 'PG_VERSION'), 'utf8'), 10);
  }
}

/**
 * Writes an archive's files into a new directory. Synchronously: the server's modules are imported meanwhile, and would
 * delay every callback of an asynchronous write.
 */
export function extract(archive: string, directory: string): void {
  const entries = readArchive(readFileSync(archive));
  mkdirSync(directory, { mode: 0o700 });
  for (const { name, content } of entries) {
    if (content) writeFileSync(join(directory, name), content, { mode: 0o600 });
    else mkdirSync(join(directory, name), { mode: 0o700 });
  }
}
