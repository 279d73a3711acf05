/** The server refused a call. `code` is the first word of its answer, such as `sandbox_not_found`. */
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
      // not JSON: reported unchanged
    }
    return new ApiError(status, lines[0] ?? '', `${call} answered ${status}: ${lines.join('\n  ')}`);
  }
}

/** A wait timed out or an assertion failed. The message says what was found instead. */
export class ExpectationError extends Error {
  override readonly name = 'ExpectationError';
}
