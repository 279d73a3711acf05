import { WORDS } from './error-words.js';

/** A call that was refused or did not get through (its `code` is `offline` then). */
export class ApiError extends Error {
  constructor(
    readonly code: string,
    readonly status: number,
    readonly detail: readonly string[] = [],
    readonly retryAfterSeconds?: number,
    readonly body?: unknown,
    /** The request id, by which the timeline finds what the call caused. */
    readonly requestId?: string,
  ) {
    super(code);
  }
}

/** A readable message for an error. */
export function wordsFor(error: unknown): string {
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error);
  const words = WORDS[error.code] ?? (/^[a-z0-9_]+$/.test(error.code) ? error.code.replaceAll('_', ' ') : error.code);
  const detail = error.detail.filter((line) => line !== error.code).join('; ');
  const wait = error.retryAfterSeconds === undefined ? '' : ` Again in ${error.retryAfterSeconds} s.`;
  return detail === '' ? words + wait : `${words.replace(/\.$/, '')}: ${detail}${wait}`;
}
