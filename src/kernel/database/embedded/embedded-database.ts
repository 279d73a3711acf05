import type { ClientConfig } from 'pg';

/** The engine: a PostgreSQL server installed by npm, or PGlite in a thread of this process. */
export type Engine = 'postgres' | 'pglite';

/** The database that a process without DATABASE_URL starts for itself. */
export interface EmbeddedDatabase {
  readonly engine: Engine;
  /** The connection settings for `pg`. */
  readonly connection: ClientConfig;
  /** Whether several clients work concurrently; otherwise they wait for each other's transactions. */
  readonly isConcurrent: boolean;
  /** Stops it cleanly and releases its directory. May be called repeatedly. */
  close(): Promise<void>;
}

export interface EmbeddedOptions {
  /** Absolute directory, or `memory` for a throw-away database. */
  readonly dataDir: string;
  /** An archive made by `buildTemplate`, copied into an empty data directory instead of running initdb; null: none. */
  readonly template?: string | null;
  /** The most connections that will be used at once. */
  readonly connections?: number;
  /**
   * Called once if the database dies; it can no longer be used then. The default prints one line on standard error and
   * exits with code 1: the process cannot serve without it.
   */
  readonly onDeath?: (error: Error) => void;
}
