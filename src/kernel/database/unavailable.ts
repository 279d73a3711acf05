/** True when a call failed because the store is away or overloaded, not because of what was asked: answered as 503. */
export function isStoreUnavailable(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (typeof code === 'string') {
    if (/^(08...|57P0[1-5]|53300|57014|25P03)$/.test(code)) return true;
    if (/^(ECONNREFUSED|ECONNRESET|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH)$/.test(code)) return true;
  }
  return (
    typeof message === 'string' &&
    /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed|Cannot use a pool after calling end|Driver not Connected|Query read timeout|the embedded database)/i.test(
      message,
    )
  );
}
