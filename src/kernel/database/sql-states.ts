/* PostgreSQL error codes (SQLSTATE) that more than one place handles. */

/** A transaction conflicted with another one, or a sandbox is being reset. */
export const SERIALIZATION_FAILURE = '40001';
export const DEADLOCK_DETECTED = '40P01';

const RETRYABLE: ReadonlySet<string | undefined> = new Set([SERIALIZATION_FAILURE, DEADLOCK_DETECTED]);

export const sqlStateOf = (error: unknown): string | undefined => (error as { code?: string } | null)?.code;

/** Whether the same transaction may succeed when run again. */
export const isRetryable = (error: unknown): boolean => RETRYABLE.has(sqlStateOf(error));
