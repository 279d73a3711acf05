import type { FaultDialect, PlainAnswer } from '../../kernel/http/calls.js';

/** A refusal of the token endpoint (RFC 6749, 5.2). */
export class OauthError extends Error {
  constructor(
    readonly status: 400 | 401 | 429,
    readonly code: string,
    readonly description: string,
    /** Seconds. */
    readonly retryAfter?: number,
  ) {
    super(description);
  }
}

export const invalidRequest = (description: string): OauthError => new OauthError(400, 'invalid_request', description);
export const invalidGrant = (): OauthError =>
  new OauthError(400, 'invalid_grant', 'The code or token is invalid, was used before, or belongs to another client');
export const invalidClient = (): OauthError =>
  new OauthError(401, 'invalid_client', 'The client id or secret is wrong');

/** What is said to nobody's cache (RFC 6749, 5.1). */
export const NO_STORE = { 'cache-control': 'no-store', pragma: 'no-cache' } as const;

const answer = (
  status: number,
  error: string,
  description: string,
  headers: Readonly<Record<string, string>> = {},
): PlainAnswer => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8', ...NO_STORE, ...headers },
  body: JSON.stringify({ error, error_description: description }),
});

/** Errors that a test asks for, on the routes of OAuth. */
export const oauthFaults: FaultDialect = {
  ratelimited: (seconds) => answer(429, 'ratelimited', 'Too many requests', { 'retry-after': String(seconds) }),
  error: ({ error, status, message }) =>
    answer(status ?? (error === 'invalid_client' || error === 'invalid_token' ? 401 : 400), error, message ?? error),
  unavailable: (seconds) =>
    answer(503, 'temporarily_unavailable', 'Service unavailable', { 'retry-after': String(seconds) }),
};
