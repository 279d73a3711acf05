import { HttpException } from '@nestjs/common';

/**
 * True when a call failed because the store is away or overloaded rather than because of the request: answered as 503.
 * A server that accepts no writes (25006) is a standby that has not taken over yet.
 */
export function isStoreUnavailable(error: unknown): boolean {
  if (error instanceof HttpException) return error.getStatus() === 503;
  const { code, message, detail } = error as { code?: unknown; message?: unknown; detail?: unknown };
  // continuous resets (sandbox_enter in the migrations): the call found no gap between them
  if (code === '40001' && typeof detail === 'string' && detail.startsWith('sandbox ')) return true;
  if (typeof code === 'string') {
    if (/^(08...|57P0[1-5]|53300|25P03|25006)$/.test(code)) return true;
    if (/^(ECONNREFUSED|ECONNRESET|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENOENT)$/.test(code)) return true;
  }
  return (
    typeof message === 'string' &&
    /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed|Cannot use a pool after calling end|Driver not Connected|Query read timeout|the (?:embedded )?database|the caller has hung up)/i.test(
      message,
    )
  );
}

/** The delay before the next try, if the error names one. */
export const waitAfter = (error: unknown): number | undefined =>
  (error as { retryAfterSeconds?: number }).retryAfterSeconds;

/** True when a statement was cancelled because it took too long, or waited too long for a lock. */
export function isStoreTimeout(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === '57014' || code === '55P03';
}
