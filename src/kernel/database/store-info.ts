/** When an idle connection to PostgreSQL is first asked whether its peer is still there, in milliseconds. */
export const KEEP_ALIVE_AFTER_MS = 10_000;

/** What kind of store this process stands on; provided by the root module. */
export class StoreInfo {
  constructor(
    /** A database of this process alone: no LISTEN, and no other process takes leases. */
    readonly embedded: boolean,
    /** For connections beside the pool (LISTEN); undefined on the embedded database. */
    readonly databaseUrl?: string,
    /** Several sessions and an autovacuum of its own: all but PGlite. */
    readonly isConcurrent = !embedded,
  ) {}
}
