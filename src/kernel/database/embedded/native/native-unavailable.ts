/** Why no native PostgreSQL server can run here; the embedded database is PGlite then. */
export class NativeUnavailable extends Error {}
