/** Why a PostgreSQL server of its own cannot run here; the embedded database is PGlite then. */
export class NativeUnavailable extends Error {}
