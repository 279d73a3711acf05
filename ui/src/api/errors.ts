import { WORDS } from './error-words.js';

/** A call that was refused, or that did not get through (`code` is `offline` then). */
export class ApiError extends Error {
  constructor(
    readonly code: string,
    readonly status: number,
    readonly detail: readonly string[] = [],
    readonly retryAfterSeconds?: number,
    readonly body?: unknown,
    /** Under which the server knows the call, and its timeline what the call caused. */
    readonly requestId?: string,
  ) {
    super(code);
  }
}

/** An error in a person's words. */
export function wordsFor(error: unknown): string {
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error);
  const words = WORDS[error.code] ?? (/^[a-z0-9_]+$/.test(error.code) ? error.code.replaceAll('_', ' ') : error.code);
  const detail = error.detail.filter((line) => line !== error.code).join('; ');
  const wait = error.retryAfterSeconds === undefined ? '' : ` Again in ${error.retryAfterSeconds} s.`;
  return detail === '' ? words + wait : `${words.replace(/\.$/, '')}: ${detail}${wait}`;
}
