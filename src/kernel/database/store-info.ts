/** When an idle connection to PostgreSQL is first probed, in milliseconds. */
export const KEEP_ALIVE_AFTER_MS = 10_000;

/** The kind of store; provided by the root module. */
export class StoreInfo {
  constructor(
    /** A database of this process alone: no LISTEN, and no other process takes leases. */
    readonly embedded: boolean,
    /** For connections outside the pool (LISTEN); undefined on the embedded database. */
    readonly databaseUrl?: string,
    /** Several sessions and an autovacuum: all but PGlite. */
    readonly isConcurrent = !embedded,
  ) {}
}
