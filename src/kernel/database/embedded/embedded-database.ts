import type { ClientConfig } from 'pg';

/** Which PostgreSQL it is: a server of its own that npm brought along, or PGlite in a thread of this process. */
export type Engine = 'postgres' | 'pglite';

/** The database that a process without DATABASE_URL brings up for itself. */
export interface EmbeddedDatabase {
  readonly engine: Engine;
  /** What `pg` needs to reach it. */
  readonly connection: ClientConfig;
  /** Whether several clients work side by side; else they wait for each other's transactions. */
  readonly isConcurrent: boolean;
  /** Ends it in order, and lets go of its directory. Call it as often as you like. */
  close(): Promise<void>;
}

export interface EmbeddedOptions {
  /** Absolute directory, or `memory` for a throw-away database. */
  readonly dataDir: string;
  /** An archive made by `buildTemplate`, copied into an empty data directory instead of running initdb; null: none. */
  readonly template?: string | null;
  /** Connections that will be used at once, at most. */
  readonly connections?: number;
  /**
   * Called once if the database dies; nothing can be asked of it by then. The default prints one line on standard error
   * and exits with code 1: what is left of the process cannot serve.
   */
  readonly onDeath?: (error: Error) => void;
}
