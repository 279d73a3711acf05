/** The server refused a call. `code` is the first word of its answer, as `sandbox_not_found`. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }

  static of(call: string, status: number, text: string): ApiError {
    let lines = [text.slice(0, 500)];
    try {
      const { message } = JSON.parse(text) as { message?: string | string[] };
      if (message !== undefined) lines = Array.isArray(message) ? message : [message];
    } catch {
      // not JSON: told as it is
    }
    return new ApiError(status, lines[0] ?? '', `${call} answered ${status}: ${lines.join('\n  ')}`);
  }
}

/** A wait ended without what it waited for, or an assertion does not hold. The message says what there was instead. */
export class ExpectationError extends Error {
  override readonly name = 'ExpectationError';
}
